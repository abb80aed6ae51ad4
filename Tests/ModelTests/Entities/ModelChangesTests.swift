import Testing
@testable import WeirModel

/// The actor that owns a model; its readers have nothing but the changes.
private actor Library {
    private let model = ObservedModel(EntityModel<Member>(sectionedBy: \.country, sortedBy: .ascending(\.id)))

    var changes: ModelChanges<Member> { model.changes(limit: 4) }

    func write(_ rounds: Range<Int>) throws -> [Member] {
        for round in rounds { try model.insert(Member.page(round..<round + 3)) }
        return model.entities
    }
}

@Suite struct ModelChangesTests {
    private func model() throws -> ObservedModel<Member> {
        let model = ObservedModel(EntityModel<Member>(sectionKey: "country", keepsChecksum: true))
        try model.fetch(Member.club)
        return model
    }

    @Test func `A reader of changes receives the state at the start, then every batch`() async throws {
        let model = try model()
        var (changes, reader) = (model.changes(limit: 1).makeAsyncIterator(), FeedReader())
        try reader.read(await changes.next())
        #expect(reader.entities == model.entities && reader.resets == 1)
        for id in 20..<25 {
            try model.insert(Member.page(id..<id + 2))
            try reader.read(await changes.next())
            #expect(reader.entities == model.entities)
        }
        #expect(reader.resets == 1 && reader.changes == 5)
    }

    @Test(arguments: [0, 1, 4])
    func `A slow reader of changes receives all batches up to the limit, otherwise a reset`(limit: Int) async throws {
        let model = try model()
        for missed in 1...6 {
            var (changes, reader) = (model.changes(limit: limit).makeAsyncIterator(), FeedReader())
            try reader.read(await changes.next())
            for id in 0..<missed { try model.insert(Member.page(20 + 9 * missed + id..<21 + 9 * missed + id)) }
            try reader.read(await changes.next())
            #expect(reader.changes == (missed <= limit ? missed : 0))
            #expect(reader.resets == (missed <= limit ? 1 : 2))
            #expect(reader.entities == model.entities)
        }
    }

    @Test func `Changes that are silent for observers are among the changes`() async throws {
        let model = try model()
        var (changes, reader) = (model.changes().makeAsyncIterator(), FeedReader())
        try reader.read(await changes.next())
        try model.move(at: path(0, 0), to: path(0, 1), isUserDriven: true)
        try model.fetch([Member.newcomer])
        try reader.read(await changes.next())
        #expect(reader.changes == 2 && reader.entities == model.entities)
    }

    @Test func `The changes end with the model, after the last one was delivered`() async throws {
        var model: ObservedModel<Member>? = try model()
        let changes = try #require(model).changes()
        try model?.insert(Member.newcomer)
        let entities = model?.entities
        model = nil
        var reader = FeedReader()
        for await delivery in changes { try reader.read(delivery) }
        #expect(reader.entities == entities)
    }

    @Test func `The model forgets a reader whose task is cancelled, at the next change`() async throws {
        let model = try model()
        let changes = model.changes()
        let task = Task { for await _ in changes {} }
        task.cancel()
        await task.value
        #expect(model.subscribers.count == 1)
        try model.insert(Member.newcomer)
        #expect(model.subscribers.isEmpty)
    }

    @Test func `A reader on another task reaches the state of the actor that owns the model`() async throws {
        let library = Library()
        let changes = await library.changes
        let reading = Task {
            var reader = FeedReader()
            for await delivery in changes {
                try reader.read(delivery)
                if reader.entities.contains(where: { $0.id == 999 }) { break }
            }
            return reader.entities
        }
        let entities = try await library.write(0..<998)
        #expect(try await reading.value == entities)
    }
}

@Suite struct ReadingTests {
    @Test func `A snapshot is a collection of its elements, in order and by path`() throws {
        var model = EntityModel<Member>(sectionedBy: { $0.country }, sortedBy: .ascending(\.id))
        #expect(model.snapshot.rows.isEmpty && Array(model.snapshot.rows).isEmpty)
        try model.fetch(Member.club)
        let rows = model.snapshot.rows
        #expect(rows.map(\.entity) == model.entities)
        #expect(rows.reversed().map(\.entity) == model.entities.reversed())
        #expect(Array(rows.indices) == model.entities.compactMap { model.path(for: $0) })
        #expect(rows[path(1, 0)].entity == model[path(1, 0)])
        #expect(rows.count == 10 && rows.last?.entity == model.entities.last)
    }

    @Test func `Sections and their entities can be iterated`() throws {
        var model = EntityModel<Member>(sectionedBy: { $0.country })
        try model.fetch(Member.club)
        var entities: [Member] = []
        for section in model.snapshot { for member in section { entities.append(member) } }
        #expect(entities == model.entities)
    }

    @Test func `Sections can be named by a function from the start`() throws {
        var model = EntityModel<Member>(sectionedBy: { $0.lastName.first.map(String.init) }, sectionsSortedBy: .name)
        try model.fetch(Member.club)
        #expect(model.sections.map(\.name) == ["A", "B", "D", "F", "H", "L", "M", "O", "S"])
        #expect(try ObservedModel(model).groupEntities(by: { $0.country })?.sectionInsertions.count == 7)
    }

    @Test func `Descriptions give the numbers only`() throws {
        var model = EntityModel<Member>(sectionKey: "country", sortedBy: .manual, filter: { $0.id != 9 })
        let batch = try #require(try model.fetch(Member.club))
        #expect("\(batch)" == "7 section insertions, 9 insertions")
        #expect("\(Batch<EntityRow<Member>>())" == "no change")
        #expect("\(model)" == "9 entities in 7 sections, 1 hidden")
        #expect("\(model.snapshot)" == "\(model)" && "\(ObservedModel(model))" == "\(model)")
        #expect("\(model.snapshot.rows)" == "9 elements in 7 sections")
        #expect("\(try #require(model[0]))" == "China: 1 entity")
    }
}
