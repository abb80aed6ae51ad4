import ModelOracle
import Testing
@testable import WeirModel
import WeirWire

/// Random operations of every kind on models of every setting, compared with a dictionary and with the rules.
@Suite struct RandomEntityTests {
    @Test(arguments: Setting.all)
    func `Random operations keep the model's rules, and a table that only gets the callbacks equals it`(
        setting: Setting
    ) throws {
        let seed = UInt64.random(in: .min ... .max)
        print("EntityModel random operations (\(setting.testDescription)): seed \(seed)")
        var generator = RandomSource(seed: seed)
        for round in 0..<4 {
            var history = EntityHistory(setting.model, sectionOrder: round % 4)
            for step in 0..<60 {
                let name = try history.step(using: &generator)
                let problems = history.problems
                #expect(problems.isEmpty, "seed \(seed), round \(round), step \(step): \(name)")
                if !problems.isEmpty { return }
            }
        }
    }
}

/// A model, a table, a replica that only gets the batches, and their expected contents.
struct EntityHistory {
    let stage: ModelStage
    private var known: [Int: Member] = [:]
    private let replica: Replica
    private var order: EntityOrder<Member>
    private var sectionOrder: Int
    private var isIncluded: (@Sendable (Member) -> Bool)?

    /// An observer that only gets the batches.
    private final class Replica {
        var rows = SectionedCollection<EntityRow<Member>>(keepsChecksum: true)
        var problems: [String] = []

        func receive(_ change: ModelChange<Member>) {
            do {
                try rows.apply(change.batch)
            } catch {
                problems.append("the batch does not fit: \(error.description)")
            }
        }
    }

    init(_ model: EntityModel<Member>, sectionOrder: Int) {
        var model = model
        order = model.order
        self.sectionOrder = sectionOrder
        isIncluded = model.filter
        model.sortSections(by: Self.sectionOrders[sectionOrder])
        let replica = Replica()
        stage = ModelStage(model)
        self.replica = replica
        _ = stage.model.subscribe { replica.receive($0) }
    }

    static let sectionOrders: [SectionOrder<Member>] = [
        .arrival, .name, .descending(\.numberOfEntities), .comparing { ($0.first?.age ?? 0) < ($1.first?.age ?? 0) },
    ]

    static let entityOrders: [EntityOrder<Member>] = [
        .manual, .ascending(\.firstName), .descending(\.age), .descending(\.age).then(.ascending(\.lastName)),
        .comparing { $0.age < $1.age },
    ]

    static let filters: [(@Sendable (Member) -> Bool)?] = [nil, { $0.age % 2 == 0 }, { $0.fullName.contains("a") }]

    // MARK: - Steps

    /// Performs a random operation and returns its name.
    mutating func step(using generator: inout RandomSource) throws -> String {
        let model = stage.model
        switch Int.random(in: 0..<17, using: &generator) {
        case 0, 1:
            let members = (0..<Int.random(in: 0..<5, using: &generator)).map { _ in member(using: &generator) }
            for member in members { merge(member) }
            try model.insert(members)
            return "insert \(members.map(\.id))"
        case 2:
            let member = member(using: &generator)
            guard let path = somePath(using: &generator) else { return "nothing" }
            var expected = known
            expected[member.id] = merged(member)
            guard try Self.isAccepted({ () throws(ModelError) in try model.insert(member, at: path) }) else {
                return "refused"
            }
            known = expected
            return "insert \(member.id) at \(path)"
        case 3, 4:
            guard let from = somePath(using: &generator), let to = somePath(using: &generator) else { return "nothing" }
            let isAccepted = try Self.isAccepted { () throws(ModelError) in try model.move(at: from, to: to) }
            return isAccepted ? "move \(from) to \(to)" : "refused"
        case 5, 6, 7:
            guard let path = somePath(using: &generator), let id = model.entity(at: path)?.id else { return "nothing" }
            let member = member(using: &generator)
            let body = Self.mutation(Int.random(in: 0..<4, using: &generator), member)
            if var entity = known[id] {
                body(&entity)
                known[id] = entity
            }
            try model.update(at: path, body)
            return "update \(id)"
        case 8:
            guard let path = somePath(using: &generator), let id = model.entity(at: path)?.id else { return "nothing" }
            known[id] = nil
            try model.remove(at: path)
            return "remove at \(path)"
        case 9:
            guard let section = (0..<model.numberOfSections).randomElement(using: &generator) else { return "nothing" }
            for entity in model.section(at: section)?.entities ?? [] { known[entity.id] = nil }
            try model.removeSection(at: section)
            return "remove section \(section)"
        default: return try configure(using: &generator)
        }
    }

    /// Whether the path was valid; any other error is rethrown.
    private static func isAccepted(
        _ operation: () throws(ModelError) -> Batch<EntityRow<Member>>?
    ) throws(ModelError) -> Bool {
        do {
            _ = try operation()
            return true
        } catch {
            guard case .noElement = error else { throw error }
            return false
        }
    }

    private mutating func configure(using generator: inout RandomSource) throws -> String {
        let model = stage.model
        switch Int.random(in: 0..<10, using: &generator) {
        case 0:
            order = Self.entityOrders.randomElement(using: &generator) ?? .manual
            try model.sortEntities(by: order)
            return "sort entities"
        case 1:
            sectionOrder = Int.random(in: 0..<4, using: &generator)
            model.sortSections(by: Self.sectionOrders[sectionOrder])
            return "sort sections by \(sectionOrder)"
        case 2:
            isIncluded = Self.filters.randomElement(using: &generator) ?? nil
            try model.filterEntities(by: isIncluded)
            return "filter"
        case 3:
            try model.groupEntities(bySectionKey: ["country", "initial", nil].randomElement(using: &generator) ?? nil)
            return "group"
        case 4, 5: return try difference(using: &generator)
        case 6:
            guard let section = (0..<model.numberOfSections).randomElement(using: &generator) else { return "nothing" }
            try model.sortEntities(atSection: section, by: .descending(\.lastName))
            return "sort section \(section)"
        case 7:
            guard let section = (0..<model.numberOfSections).randomElement(using: &generator) else { return "nothing" }
            try model.fault(at: section, in: 0..<model.numberOfEntities(at: section))
            return "fault section \(section)"
        default: return try transaction(using: &generator)
        }
    }

    private mutating func difference(using generator: inout RandomSource) throws -> String {
        var members = known.keys.sorted().compactMap { known[$0] }
        members.removeAll { _ in Int.random(in: 0..<4, using: &generator) == 0 }
        for index in members.indices where Int.random(in: 0..<4, using: &generator) == 0 { members[index].age += 1 }
        let fresh = member(using: &generator)
        if !members.contains(where: { $0.id == fresh.id }) { members.append(fresh) }
        members.shuffle(using: &generator)
        let expected = members.map { ($0.id, merged($0)) }
        known = Dictionary(uniqueKeysWithValues: expected)
        try stage.model.apply(difference: members)
        return "difference"
    }

    /// Performs several operations at once; one in three transactions fails at the end and must change nothing.
    private mutating func transaction(using generator: inout RandomSource) throws -> String {
        let (first, second) = (member(using: &generator), member(using: &generator))
        let fails = Int.random(in: 0..<3, using: &generator) == 0
        let before = known
        merge(first)
        merge(second)
        var gone: Int?
        do throws(ModelError) {
            try stage.model.perform { model throws(ModelError) in
                try model.insert([first])
                try model.insert(second)
                if model.entity(at: path(0, 0)) != nil {
                    gone = model.entity(at: path(0, 0))?.id
                    try model.remove(at: path(0, 0))
                }
                if let last = model.sections.last, last.numberOfEntities > 1 {
                    try model.move(at: path(model.numberOfSections - 1, 1), to: path(0, 0))
                }
                if fails { throw .unknownID }
            }
            if let gone { known[gone] = nil }
        } catch {
            known = before
            return "failed transaction"
        }
        return "transaction"
    }

    private static func mutation(_ number: Int, _ other: Member) -> (inout Member) -> Void {
        switch number {
        case 0: { $0.age = other.age }
        case 1: { $0.country = other.country }
        case 2: { ($0.firstName, $0.lastName) = (other.firstName, other.lastName) }
        default: { _ in }
        }
    }

    private mutating func merge(_ member: Member) { known[member.id] = merged(member) }

    private func merged(_ member: Member) -> Member {
        guard var merged = known[member.id] else { return member }
        merged.update(with: member)
        return merged
    }

    private func member(using generator: inout RandomSource) -> Member {
        let names = ["Ada", "Bo", "Cay", "Dun"]
        return Member(
            Int.random(in: 0..<25, using: &generator), names.randomElement(using: &generator) ?? "",
            names.randomElement(using: &generator) ?? "",
            ["Chad", "Peru", "Togo"].randomElement(using: &generator) ?? "",
            age: Int.random(in: 0..<6, using: &generator))
    }

    private func somePath(using generator: inout RandomSource) -> SectionPath? {
        let model = stage.model
        guard let section = (0..<model.numberOfSections).randomElement(using: &generator) else { return nil }
        return path(section, Int.random(in: 0..<model.numberOfEntities(at: section), using: &generator))
    }

    // MARK: - Rules

    var problems: [String] {
        let model = stage.model
        var found = stage.table.problems + replica.problems
        let shown = model.sections.map { TestTable<Member>.Section(name: $0.name, rows: $0.entities) }
        if stage.table.sections != shown { found.append("the table shows something else") }
        var rows: [EntityRow<Member>] = []
        model.snapshot.rows.forEachElement { rows.append($1) }
        var replicated: [EntityRow<Member>] = []
        replica.rows.forEachElement { replicated.append($1) }
        if rows != replicated { found.append("the replica has other rows") }
        if model.snapshot.rows.checksum != replica.rows.checksum { found.append("the checksums differ") }
        if model.numberOfFetchedEntities != known.count { found.append("\(known.count) should be known") }
        for (id, member) in known where model.entity(withUniqueValue: id) != member { found.append("\(id) differs") }
        let passing = known.values.filter { isIncluded?($0) ?? true }.map(\.id).sorted()
        if model.entities.map(\.id).sorted() != passing { found.append("others should pass the filter") }
        return found + orderProblems
    }

    private var orderProblems: [String] {
        var found: [String] = []
        for section in stage.model.sections {
            let rows = section.entities
            if rows.isEmpty { found.append("section \(section.name) is empty") }
            for (a, b) in zip(rows, rows.dropFirst()) where order.precedes(b, a) {
                found.append("\(a.id) stands before \(b.id)")
            }
        }
        let sections = stage.model.sections
        for (a, b) in zip(sections, sections.dropFirst()) {
            let isWrong =
                switch sectionOrder {
                case 1: b.name < a.name
                case 2: b.numberOfEntities > a.numberOfEntities
                case 3: (b.first?.age ?? 0) < (a.first?.age ?? 0)
                default: false
                }
            if isWrong { found.append("section \(a.name) stands before \(b.name)") }
        }
        return found
    }
}
