import Testing
import WeirModel

/// A contact that is equal to every other value with its number, as the documents of ModelAssistant advise.
private struct Card: ModelEntity, Hashable {
    let number: Int
    var name: String
    var section = "a"

    var uniqueValue: Int { number }
    subscript(key: String) -> String? { section }

    static func == (a: Card, b: Card) -> Bool { a.number == b.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// As `Card`, with its own comparison of contents.
private struct ComparedCard: ModelEntity {
    var card: Card

    var uniqueValue: Int { card.number }
    func hasSameContents(as other: ComparedCard) -> Bool { card.name == other.card.name }
}

/// Writes the second value of a card over the first.
private enum Write: CaseIterable {
    case update, insert, insertSeveral, insertTwice, insertAtPath, fetch, difference

    func perform<Entity>(_ entity: Entity, on model: inout EntityModel<Entity>) throws -> Batch<EntityRow<Entity>>? {
        switch self {
        case .update: try model.update(entity) { $0 = entity }
        case .insert: try model.insert(entity)
        case .insertSeveral: try model.insert([entity])
        case .insertTwice: try model.insert([entity, entity])
        case .insertAtPath: try model.insert(entity, at: path(0, 0))
        case .fetch: try model.fetch([entity])
        case .difference: try model.apply(difference: [entity])
        }
    }
}

@Suite struct EqualityTests {
    private static let orders: [EntityOrder<Card>] = [
        .manual, .ascending(\.name), .comparing { $0.name < $1.name },
    ]

    @Test(arguments: Write.allCases, 0..<3)
    private func `A write is not lost if two entities are equal by identity alone`(write: Write, order: Int) throws {
        for filter: (@Sendable (Card) -> Bool)? in [nil, { $0.name != "hidden" }] {
            var model = EntityModel<Card>(sectionKey: nil, sortedBy: Self.orders[order], filter: filter)
            for old in ["old", "hidden"] {
                try model.apply(difference: [Card(number: 1, name: old)])
                _ = try write.perform(Card(number: 1, name: "new"), on: &model)
                #expect(model.entity(withUniqueValue: 1)?.name == "new")
                #expect(model.entities.map(\.name) == ["new"])
            }
        }
    }

    @Test(arguments: Write.allCases)
    private func `A write within a transaction is not lost either`(write: Write) throws {
        var model = EntityModel<Card>()
        try model.fetch([Card(number: 1, name: "old")])
        _ = try model.perform { model in
            _ = try write.perform(Card(number: 1, name: "new"), on: &model)
            if write != .difference { try model.insert([Card(number: 2, name: "b"), Card(number: 3, name: "c")]) }
            try model.update(withUniqueValue: 1) { $0.section = "b" }
        }
        #expect(model.entity(withUniqueValue: 1)?.name == "new")
    }

    @Test(arguments: Write.allCases)
    private func `A written entity moves if its section or sort key changed, even if it is equal`(write: Write) throws {
        for order in Self.orders.dropFirst() {
            var model = EntityModel<Card>(sectionKey: "any", sortedBy: order)
            try model.fetch([Card(number: 1, name: "a"), Card(number: 2, name: "b")])
            let next = Card(number: 1, name: "c")
            if write == .difference {
                try model.apply(difference: [next, Card(number: 2, name: "b")])
            } else {
                _ = try write.perform(next, on: &model)
            }
            #expect(model.entities.map(\.name) == ["b", "c"])
            _ = try write.perform(Card(number: 1, name: "c", section: "z"), on: &model)
            #expect(model.sections.last?.name == (write == .insertAtPath ? "a" : "z"), "a path names its section")
        }
    }

    @Test(arguments: Write.allCases)
    private func `Contents that the entity compares itself are reported if they differ`(write: Write) throws {
        var model = EntityModel<ComparedCard>()
        try model.fetch([ComparedCard(card: Card(number: 1, name: "old"))])
        let next = ComparedCard(card: Card(number: 1, name: "new"))
        let batch = try #require(try write.perform(next, on: &model))
        #expect(batch.updates.map(\.new.entity.card.name) == ["new"])
        #expect(batch.viewForm().updates.count == 1)
        let again = try write.perform(next, on: &model)
        #expect((again == nil) == (write != .update), "only an update is always reported")
    }

    @Test func `An update is reported even if the entity is equal afterwards`() throws {
        let model = ObservedModel(EntityModel<Card>())
        try model.fetch([Card(number: 1, name: "old")])
        let table = TestTable<Card>()
        model.add(table)
        table.reload(from: model)
        try model.update(at: path(0, 0)) { $0.name = "new" }
        #expect(table.calls == ["row update"])
        #expect(table.sections.first?.rows.map(\.name) == ["new"])
    }

    @Test func `Rows that the caller's comparison calls different are reported even if they are equal`() throws {
        var model = EntityModel<Card>()
        try model.fetch([Card(number: 1, name: "old"), Card(number: 2, name: "same")])
        let target = [Card(number: 1, name: "new"), Card(number: 2, name: "same")]
        let batch = try #require(try model.apply(difference: target) { $0.name == $1.name })
        #expect(batch.updates.map(\.new.entity.name) == ["new"])
    }

    @Test func `A collection keeps the newest of equal elements, and reports nothing`() throws {
        var rows = SectionedCollection<EntityRow<Card>>()
        var model = EntityModel<Card>()
        for name in ["a", "b"] { try model.insert(Card(number: name == "a" ? 1 : 2, name: name)) }
        model.snapshot.rows.forEachElement { _, row in try? rows.upsert(row) }
        _ = rows.commit()
        let before = rows.snapshot
        var row = try #require(rows.committed(1))
        row.entity.name = "c"
        try rows.upsert(row)
        #expect(rows.commit() == nil)
        #expect(rows.committed(1)?.entity.name == "c")
        #expect(before.element(of: 1)?.entity.name == "a", "a snapshot does not change")
    }
}
