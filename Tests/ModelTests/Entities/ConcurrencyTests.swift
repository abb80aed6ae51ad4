import Testing
import WeirModel

/// The owner of a model that several tasks use.
private actor Owner {
    private let stage: ModelStage
    private var feeds: [ChangeFeed<EntityRow<Member>>] = []
    private var readers: [CheckedContinuation<Void, Never>] = []
    private var isDone = false

    init(_ setting: Setting) throws {
        stage = try setting.stage()
    }

    /// Subscribes from now on and returns the number of the feed.
    func subscribe(capacity: Int) -> Int {
        feeds.append(ChangeFeed(startingWith: stage.model.snapshot.rows, capacity: capacity))
        return feeds.count - 1
    }

    /// Waits for the next delivery; `nil` once the writer has finished and everything was taken.
    func take(_ feed: Int) async -> ChangeFeed<EntityRow<Member>>.Delivery? {
        while feeds[feed].isIdle, !isDone { await withCheckedContinuation { readers.append($0) } }
        return feeds[feed].take()
    }

    private func wakeReaders() {
        for reader in readers { reader.resume() }
        readers = []
    }

    func update(_ id: Int, _ mutate: @Sendable (inout Member) -> Void) throws {
        offer(try stage.model.update(withUniqueValue: id, mutate))
    }

    func moveToFront(_ id: Int) throws {
        guard let from = stage.model.pathForEntity(withUniqueValue: id) else { return }
        offer(try stage.model.move(at: from, to: path(from.section, 0)))
    }

    func insert(_ members: [Member]) throws { offer(try stage.model.insert(members)) }

    private func offer(_ batch: Batch<EntityRow<Member>>?) {
        guard let batch else { return }
        for index in feeds.indices { feeds[index].offer(batch, stage.model.snapshot.rows) }
        wakeReaders()
    }

    /// Makes many changes and yields after each.
    nonisolated func write() async throws {
        for round in 0..<200 { try await insert(Member.page(round..<round + 1) + [Member.club[round % 10]]) }
        await finish()
    }

    private func finish() {
        isDone = true
        wakeReaders()
    }

    var snapshot: EntitySnapshot<Member> { stage.model.snapshot }

    func entity(_ id: Int) -> Member? { stage.model.entity(withUniqueValue: id) }

    func check() { stage.checkTable() }
}

/// These tests mainly find races under `--sanitize=thread`.
@Suite struct ConcurrencyTests {
    @Test(arguments: Setting.all)
    func `Two tasks change one entity without losing a change`(setting: Setting) async throws {
        let owner = try Owner(setting)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for _ in 0..<100 { try await owner.update(3) { $0.age += 1 } } }
            group.addTask { for _ in 0..<100 { try await owner.update(3) { $0.lastName += "a" } } }
            try await group.waitForAll()
        }
        let member = await owner.entity(3)
        #expect(member?.age == 130)
        #expect(member?.lastName == "Allston" + String(repeating: "a", count: 100))
        await owner.check()
    }

    @Test(arguments: Setting.all)
    func `One task moves an entity while another changes it`(setting: Setting) async throws {
        let owner = try Owner(setting)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for id in 0..<100 { try await owner.moveToFront(id % 10 + 1) } }
            group.addTask { for round in 0..<100 { try await owner.update(9) { $0.firstName = "Tr\(round)a" } } }
            group.addTask {
                for round in 0..<100 { try await owner.update(1) { $0.country = round % 2 == 0 ? "Peru" : "China" } }
            }
            try await group.waitForAll()
        }
        #expect(await owner.entity(9)?.firstName == "Tr99a")
        #expect(await owner.entity(1)?.country == "China")
        await owner.check()
    }

    @Test func `Readers keep and read snapshots while the writer continues`() async throws {
        let owner = try Owner(Setting(isSectioned: true, isFiltered: true, isSorted: true))
        let problems = try await withThrowingTaskGroup(of: [String].self) { group in
            group.addTask {
                for round in 0..<150 {
                    try await owner.insert(Member.page(round..<round + 8))
                    try await owner.update(round) { $0.firstName += "a" }
                }
                return []
            }
            for _ in 0..<3 {
                group.addTask {
                    var problems: [String] = []
                    for _ in 0..<100 {
                        let snapshot = await owner.snapshot
                        let before = snapshot.entities
                        for (index, section) in snapshot.sections.enumerated() {
                            let rows = section.entities
                            if rows != rows.sorted(by: { $0.firstName < $1.firstName }) { problems.append("order") }
                            if snapshot.path(for: rows[0]) != path(index, 0) { problems.append("path") }
                        }
                        if snapshot.entities != before { problems.append("a snapshot changed") }
                    }
                    return problems
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(problems.isEmpty)
    }

    @Test(arguments: [0, 1, 4, 1000])
    func `A reader on another task reaches the writer's state through batches or resets`(capacity: Int) async throws {
        let owner = try Owner(Setting(isSectioned: true, isFiltered: false, isSorted: true))
        let feed = await owner.subscribe(capacity: capacity)
        async let writing: Void = owner.write()
        var reader = FeedReader()
        while let delivery = await owner.take(feed) { try reader.read(delivery) }
        try await writing
        #expect(reader.entities == (await owner.snapshot.entities))
    }
}

/// Follows a feed, without access to the model.
struct FeedReader {
    private(set) var rows = SectionedCollection<EntityRow<Member>>(keepsChecksum: true)
    private(set) var state: SectionedSnapshot<EntityRow<Member>>?
    private(set) var changes = 0
    private(set) var resets = 0

    mutating func read(_ delivery: ChangeFeed<EntityRow<Member>>.Delivery?) throws {
        switch delivery {
        case nil: return
        case .reset(let snapshot):
            try rows.stageDifference(from: snapshot.elements)
            for key in snapshot.sectionKeys { rows.setRank(snapshot.rank(of: key), of: key) }
            _ = rows.commit()
            state = snapshot
            resets += 1
        case .batches(let batches, let snapshot):
            for batch in batches { try rows.apply(batch) }
            state = snapshot
            changes += batches.count
        }
    }

    var entities: [Member] { rows.snapshot.elements.map(\.entity) }
}

@Suite struct ChangeFeedTests {
    private func batches(_ count: Int) throws -> (start: EntitySnapshot<Member>, changes: [ModelChange<Member>]) {
        var changes: [ModelChange<Member>] = []
        let stage = try Setting(isSectioned: true, isFiltered: false, isSorted: true).stage()
        let start = stage.model.snapshot
        let subscription = stage.model.subscribe { changes.append($0) }
        for id in 0..<count { try stage.model.insert(Member.page(20 + id..<21 + id)) }
        stage.model.cancel(subscription)
        try stage.model.insert(Member.newcomer)
        #expect(changes.count == count)
        return (start, changes)
    }

    @Test func `A reader that keeps up receives every batch, after a reset with the initial state`() throws {
        let (start, changes) = try batches(5)
        var feed = ChangeFeed(startingWith: start.rows, capacity: 3)
        var reader = FeedReader()
        #expect(!feed.isIdle)
        try reader.read(feed.take())
        #expect(reader.entities == start.entities)
        for change in changes {
            feed.offer(change.batch, change.snapshot.rows)
            try reader.read(feed.take())
            #expect(feed.isIdle && feed.take() == nil)
            #expect(reader.entities == change.snapshot.entities)
        }
        #expect(reader.resets == 1 && reader.changes == 5)
    }

    @Test func `A reader that lags receives one reset with the newest state`() throws {
        let (start, changes) = try batches(9)
        var feed = ChangeFeed(startingWith: start.rows, capacity: 3)
        var reader = FeedReader()
        try reader.read(feed.take())
        for change in changes[..<3] { feed.offer(change.batch, change.snapshot.rows) }
        try reader.read(feed.take())
        #expect(reader.changes == 3, "as many as the feed holds")
        for change in changes[3..<8] { feed.offer(change.batch, change.snapshot.rows) }
        try reader.read(feed.take())
        #expect(reader.resets == 2 && reader.changes == 3)
        #expect(reader.entities == changes[7].snapshot.entities)
        feed.offer(changes[8].batch, changes[8].snapshot.rows)
        try reader.read(feed.take())
        #expect(reader.changes == 4, "and then by batches again")
        #expect(reader.entities == changes[8].snapshot.entities)
    }

    @Test func `A change that is silent for observers reaches the feed`() throws {
        let stage = ModelStage(EntityModel<Member>(sectionKey: "country"))
        var feed = ChangeFeed(startingWith: stage.model.snapshot.rows)
        _ = stage.model.subscribe { feed.offer($0.batch, $0.snapshot.rows) }
        var reader = FeedReader()
        try stage.model.fetch(Member.club)
        try stage.model.fault(at: 0, in: 0..<1)
        try stage.model.move(at: path(0, 0), to: path(0, 1), isUserDriven: true)
        try reader.read(feed.take())
        #expect(stage.table.changes == 0)
        #expect(reader.entities == stage.model.entities)
    }
}

@Suite struct ObserverTests {
    /// An observer with the singular callbacks, as in the documentation.
    private final class Diary: ModelObserver {
        typealias Entity = Member
        var lines: [String] = []
        var then: (() -> Void)?

        func modelWillChangeContent() { lines.append("will") }

        func model(
            didChange section: SectionInfo<Member>, atSectionIndex index: Int?, for type: ModelChangeType,
            newSectionIndex newIndex: Int?
        ) {
            lines.append("\(type) \(section.name) \(index.map(String.init) ?? "-") \(newIndex.map(String.init) ?? "-")")
        }

        func model(didChange entity: Member, at path: SectionPath?, for type: ModelChangeType, newPath: SectionPath?) {
            func text(_ path: SectionPath?) -> String { path.map { "\($0.section).\($0.item)" } ?? "-" }
            lines.append("\(type) \(entity.id) \(text(path)) \(text(newPath))")
        }

        func modelDidChangeContent() {
            lines.append("did")
            let next = then
            then = nil
            next?()
        }
    }

    @Test func `One change is reported in a fixed order, and one by one to observers that want it so`() throws {
        let members = [
            Member(1, "A", "A", "Chad"), Member(2, "B", "B", "Chad"), Member(3, "C", "C", "Iran"),
            Member(4, "D", "D", "Mali"), Member(5, "E", "E", "Mali"), Member(6, "F", "F", "Mali"),
            Member(7, "G", "G", "Peru"),
        ]
        let model = ObservedModel(
            EntityModel<Member>(sectionKey: "country", sortedBy: .ascending(\.age), sectionsSortedBy: .name))
        try model.fetch(members)
        let diary = Diary()
        model.add(diary)
        model.add(diary)
        try model.perform { model throws(ModelError) in
            try model.remove(withUniqueValue: 3)
            try model.remove(withUniqueValue: 1)
            try model.insert([Member(8, "H", "H", "Togo"), Member(9, "I", "I", "Peru", age: 1)])
            try model.update(withUniqueValue: 4) { $0.age = 99 }
            try model.update(withUniqueValue: 5) { $0.lastName = "New" }
            model.sortSections(by: .descending(\.name))
        }
        #expect(
            diary.lines == [
                "will", "delete Iran 1 -", "delete 1 0.0 -", "move Peru 3 1", "move Mali 2 2", "insert Togo - 0",
                "insert 9 - 1.0", "move 4 2.0 2.2", "update 5 2.1 -", "did",
            ])
    }

    @Test func `A deallocated or removed observer is not notified`() throws {
        let model = ObservedModel(EntityModel<Member>())
        let kept = Diary()
        model.add(kept)
        do {
            let gone = Diary()
            model.add(gone)
        }
        try model.insert(Member.club[0])
        model.remove(kept)
        try model.insert(Member.club[1])
        #expect(kept.lines == ["will", "insert  - 0", "did"])
    }

    @Test func `A change made by an observer is reported afterwards to all observers`() throws {
        let model = ObservedModel(EntityModel<Member>())
        let (first, second) = (Diary(), Diary())
        model.add(first)
        model.add(second)
        first.then = {
            do { try model.insert(Member.club[1]) } catch { Issue.record(error) }
        }
        try model.insert(Member.club[0])
        let expected = ["will", "insert  - 0", "did", "will", "insert 2 - 0.1", "did"]
        #expect(first.lines == expected)
        #expect(second.lines == expected)
    }
}
