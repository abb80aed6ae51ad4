import Testing
import WeirWire

@testable import WeirRecording

/// A simulated group, its cluster and its faults, all derived from one seed.
private struct GroupHistory {
    /// One tail. It may be several members in succession.
    struct Actor {
        var ledger: ShareLedger
        /// The members that it must win against; `nil` while it holds nothing.
        var rivals: [String]?
        var wakes: Moment
        /// The inputs that are under way, with their times of arrival.
        var mail: [(at: Moment, input: ShareLedger.Input)] = []
        var isDead = false
    }

    private static let lease: Duration = .seconds(2)
    private var random: RandomSource
    private var now = Moment(microseconds: 1)
    private var table = ShareTable()
    private var revision: UInt64 = 0
    private var beats: [String: Int] = [:]
    private var fenced: Set<String> = []
    fileprivate(set) var actors: [Actor] = []
    private var names = 0
    /// The number of rooms. Rooms are identified by index.
    private static let rooms = 16
    private var numbers: [String: [UInt64]] = [:]
    private var isCalm = false
    private(set) var fences = 0

    init(seed: UInt64) { random = RandomSource(seed: seed) }

    private mutating func draw(_ most: UInt64) -> UInt64 { random.next() % most }

    private mutating func newLedger() -> ShareLedger {
        names += 1
        numbers["m\(names)"] = (0..<Self.rooms).map { _ in random.next() }
        return ShareLedger(ShareTable.Member(id: "m\(names)", name: "tail \(names)", lease: Self.lease))
    }

    mutating func join() { actors.append(Actor(ledger: newLedger(), wakes: now)) }

    /// Runs for the given time, with random faults unless the history is calm.
    mutating func run(for span: Duration) throws {
        let end = now + span
        while let next = actors.indices.filter({ !actors[$0].isDead }).min(by: { actors[$0].wakes < actors[$1].wakes }),
            actors[next].wakes <= end
        {
            now = max(now, actors[next].wakes)
            if !isCalm, draw(60) == 0 { mishap(next) }
            guard !actors[next].isDead, actors[next].wakes <= now else { continue }
            try act(next)
        }
        now = end
    }

    mutating func calm() { isCalm = true }

    private mutating func mishap(_ index: Int) {
        switch draw(8) {
        case 0 where actors.count { !$0.isDead } > 1: actors[index].isDead = true
        case 1, 2: actors[index].wakes = now + .milliseconds(Int64(draw(7000)))
        case 3 where actors.count < 9: join()
        case 4: actors[index].mail.append((now + .milliseconds(Int64(draw(300))), .ended(since: now.microseconds)))
        default: break
        }
    }

    private mutating func act(_ index: Int) throws {
        // A member that was fenced off may not know it: its publisher finds out.
        if fenced.contains(actors[index].ledger.me.id), draw(4) == 0 { return begin(index) }
        let due = actors[index].mail.filter { $0.at <= now }
        actors[index].mail.removeAll { $0.at <= now }
        for one in due {
            if case .ended = one.input { actors[index].rivals = nil }
            actors[index].ledger.handle(one.input, at: now)
        }
        var steps = 0
        while steps < 3, let effect = actors[index].ledger.next(at: now, wall: now.microseconds) {
            steps += 1
            // A lost answer leaves open whether the action was performed.
            let isLost = !isCalm && draw(20) == 0
            let answer = perform(effect, index)
            if let answer { actors[index].ledger.handle(isLost ? .unanswered("no answer") : answer, at: now) }
            if case .hold = effect { try check() }
        }
        if actors[index].ledger.isOver {
            // The member was fenced off or has left. The tail joins as another member, or dies.
            return begin(index)
        }
        let times = actors[index].mail.map(\.at) + [actors[index].ledger.deadline(at: now) ?? now]
        let soonest = times.min() ?? now
        actors[index].wakes = max(soonest, now + .milliseconds(Int64(1 + draw(isCalm ? 20 : 200))))
    }

    /// The tail joins again as a new member, or does not.
    private mutating func begin(_ index: Int) {
        let isDead = draw(4) == 0 && !isCalm
        actors[index] = Actor(ledger: newLedger(), wakes: now + .milliseconds(100), isDead: isDead)
    }

    private mutating func perform(_ effect: ShareLedger.Effect, _ index: Int) -> ShareLedger.Input? {
        let me = actors[index].ledger.me.id
        switch effect {
        case .read: return .table(table, revision: revision)
        case .write(let new, let old):
            guard old == revision else { return .outdated }
            (table, revision) = (new, revision + 1)
            tell(.changed, but: index)
            return .stored(revision: revision)
        case .renew(let beat):
            beats[me] = beat
            tell(.seen(me, beat: beat), but: index)
            return .renewed
        case .look(let id): return .lease(id, beat: beats[id])
        case .fence(let id, _):
            fenced.insert(id)
            fences += 1
            return .fenced(id, last: now.microseconds - 1000)
        case .hold(let rivals, let epoch, _):
            actors[index].rivals = rivals
            actors[index].mail.append((now + .milliseconds(Int64(draw(300))), .left(epoch: epoch)))
            return nil
        case .lose: actors[index].rivals = nil
        case .release, .say: break
        }
        return nil
    }

    private mutating func tell(_ input: ShareLedger.Input, but own: Int) {
        for index in actors.indices where index != own && (isCalm || draw(10) > 0) {
            actors[index].mail.append((now + .milliseconds(Int64(draw(50))), input))
        }
    }

    /// Returns the members that hold a room and are not fenced off. Dead processes hold nothing.
    private func holders(of room: Int) -> [String] {
        actors.filter { !$0.isDead && !fenced.contains($0.ledger.me.id) }.compactMap { actor in
            guard let rivals = actor.rivals, let mine = numbers[actor.ledger.me.id]?[room] else { return nil }
            return rivals.allSatisfy { mine > numbers[$0]?[room] ?? 0 } ? actor.ledger.me.id : nil
        }
    }

    private func check() throws {
        for room in 0..<Self.rooms {
            let holders = holders(of: room)
            try #require(holders.count <= 1, "room \(room) is held by \(holders) at \(now)")
        }
    }

    func checkAllHeld() throws {
        guard actors.contains(where: { !$0.isDead }) else { return }
        for room in 0..<Self.rooms {
            let count = holders(of: room).count
            try #require(count == 1, "room \(room) has \(count) holders at \(now): \(table)")
        }
    }
}

@Suite("The ledger that divides the rooms of a group")
struct ShareLedgerTests {
    @Test("After crashes, stalls, joins and lost messages no room has two holders, and each room soon has one")
    func histories() throws {
        var fences = 0
        for seed in 0..<1500 {
            var history = GroupHistory(seed: UInt64(seed))
            for _ in 0..<(1 + seed % 5) { history.join() }
            try history.run(for: .seconds(40))
            history.calm()
            // A suspended member resumes, is fenced off and joins again: two leases, plus time for the answers.
            try history.run(for: .seconds(7 + 6))
            try history.checkAllHeld()
            fences += history.fences
        }
        #expect(fences > 1500)
    }

    @Test("The rooms of a dead member have another holder within four thirds of its lease")
    func death() throws {
        for seed in 0..<200 {
            var history = GroupHistory(seed: UInt64(seed))
            history.calm()
            for _ in 0..<3 { history.join() }
            try history.run(for: .seconds(5))
            try history.checkAllHeld()
            history.kill(seed % 3)
            try history.run(for: .milliseconds(2000 + 667 + 500))
            try history.checkAllHeld()
        }
    }

    @Test("A table is read back as it was written")
    func table() throws {
        var table = ShareTable()
        #expect(ShareTable(table.json) == table)
        table.add(.init(id: "a", name: "host:1", lease: .seconds(10)), at: 5)
        #expect(table.isSettled && table.since == nil && table.epoch == 1)
        table.add(.init(id: "b", name: "host:2", lease: .seconds(2)), at: 7)
        #expect(!table.isSettled && table.since == 7 && table["b"]?.fence == 2)
        table.settle("a")
        #expect(table.isSettled)
        table.remove("a", since: 3)
        #expect(table.since == 3 && !table.isSettled && table.members.map(\.id) == ["b"])
        #expect(ShareTable(table.json) == table)
        #expect(ShareTable(Array("{}".utf8)) == nil)
    }
}

extension GroupHistory {
    fileprivate mutating func kill(_ index: Int) { actors[index].isDead = true }
}
