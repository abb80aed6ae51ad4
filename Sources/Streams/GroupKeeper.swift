import CNATS
import Glibc
import Network
package import Recording
import Wire

/// A tail's seat in a group. `ShareLedger` decides, on a thread of its own, and the keeper performs its effects in
/// the cluster.
final class GroupKeeper: GroupSeat {
    /// The state shared by the tail's thread, the keeper's thread and the listeners.
    private struct Shared {
        var inputs: [ShareLedger.Input] = []
        /// The messages that arrived before `begin` was called.
        var words: [GroupWord] = []
        var body: (@Sendable (GroupWord) -> Void)?
        /// The rooms that the tail holds, as JSON; `nil` if they were published already.
        var rooms: [UInt8]?
        /// The member's fence, or the reason why the group refused it; `nil` while neither is known.
        var seat: Result<Int, ClusterError>?
        /// When the tail stopped listening, in microseconds since 1970 UTC; `nil` while it listens.
        var stopped: Int64?
        /// The deadline for leaving the group; `nil` while the tail runs.
        var ending: Moment?
        var isOver = false
        var isAbandoned = false
    }

    /// How long to try to report the end to the other members. After that they notice it by the lease.
    private static let farewell: Duration = .seconds(5)
    /// How long to wait for a seat before joining fails.
    private static let patience: Duration = .seconds(10)

    let member: String
    /// The address of the recording that the member publishes.
    let address: StreamAddress
    /// The fence to publish with each message of the recording.
    let fence: Int
    private let shared: Monitor<Shared>

    var recording: String { address.description }

    /// Joins the group. Blocks until the member is in the table.
    init(_ group: StreamAddress, lease: Duration, _ connection: StreamConnection) throws(ClusterError) {
        // Fail now if the stream does not exist: nothing could be recorded.
        _ = try connection.last(of: StreamAddress.subject(of: group.name ?? ""), in: group.stream ?? "")
        let bucket = try GroupBucket(group, connection)
        let id = String(UInt64.random(in: 1 << 40...1 << 50), radix: 36)
        member = id
        address = group.member(id)
        let shared = Monitor(Shared())
        self.shared = shared
        Self.listen(bucket, connection, shared)
        let ledger = ShareLedger(ShareTable.Member(id: id, name: Self.name, lease: lease))
        runOnThread(named: "weir-group") { Self.run(ledger, bucket, shared) }
        let deadline = MachineClock.monotonic + Self.patience
        guard let seat = shared.wait(until: deadline, { $0.seat }) else {
            shared.change { $0.isAbandoned = true }
            throw ClusterError("the group does not answer")
        }
        fence = try seat.get()
    }

    deinit { shared.change { $0.isAbandoned = true } }

    /// The name to display for this member: `HOST:PID`.
    private static var name: String {
        var host = [CChar](repeating: 0, count: 256)
        gethostname(&host, 255)
        return String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) + ":\(getpid())"
    }

    func begin(_ body: @escaping @Sendable (GroupWord) -> Void) {
        let words = shared.change { state in
            state.body = body
            defer { state.words = [] }
            return state.words
        }
        for word in words { body(word) }
    }

    func left(_ epoch: Int) { shared.change { $0.inputs.append(.left(epoch: epoch)) } }

    func show(_ rooms: [UInt8]) { shared.change { $0.rooms = rooms } }

    func stop() { shared.change { $0.stopped = $0.stopped ?? MachineClock.wall } }

    func end(isFenced: Bool) {
        // The rooms have had no holder since the fence, not since now. The member that wrote or finds the fence
        // reports that time.
        if isFenced { return shared.change { $0.isAbandoned = true } }
        stop()
        shared.change { state in
            guard state.ending == nil else { return }
            state.inputs.append(.ended(since: state.stopped ?? MachineClock.wall))
            state.ending = MachineClock.monotonic + Self.farewell
        }
        shared.wait { $0.isOver ? () : nil }
    }

    // MARK: - Threads

    /// Listens to writes of the table and of leases, on two threads. The ledger finds missed messages when it reads
    /// the cluster.
    private static func listen(_ bucket: GroupBucket, _ connection: StreamConnection, _ shared: Monitor<Shared>) {
        for (subject, isTable) in [(bucket.tableSubject, true), (bucket.leaseSubjects, false)] {
            runOnThread(named: isTable ? "weir-table" : "weir-leases") {
                defer { nats_ReleaseThreadMemory() }
                var made: OpaquePointer?
                guard natsConnection_SubscribeSync(&made, connection.connection, subject) == NATS_OK, let made else {
                    return
                }
                while !shared.look({ $0.isOver || $0.isAbandoned }) {
                    var found: OpaquePointer?
                    guard natsSubscription_NextMsg(&found, made, 200) == NATS_OK, let found else { continue }
                    let message = StreamMessage(found)
                    if isTable {
                        shared.change { $0.inputs.append(.changed) }
                    } else if let beat = GroupBucket.beat(message.bytes),
                        let id = message.subject.split(separator: ".").last.map(String.init)
                    {
                        shared.change { $0.inputs.append(.seen(id, beat: beat)) }
                    }
                }
                natsSubscription_Destroy(made)
            }
        }
    }

    private static func run(_ ledger: ShareLedger, _ bucket: GroupBucket, _ shared: Monitor<Shared>) {
        var ledger = ledger
        defer {
            shared.change { ($0.isOver, $0.body) = (true, nil) }
            nats_ReleaseThreadMemory()
        }
        while true {
            while let effect = ledger.next(at: MachineClock.monotonic, wall: MachineClock.wall) {
                perform(effect, &ledger, bucket, shared)
                noteSeat(ledger, shared)
            }
            if ledger.isOver { return }
            let deadline = ledger.deadline(at: MachineClock.monotonic) ?? .zero
            let (inputs, rooms) =
                shared.wait(until: deadline) { state -> ([ShareLedger.Input], [UInt8]?)? in
                    let isDue = !state.inputs.isEmpty || state.rooms != nil || state.isAbandoned
                    guard isDue else { return nil }
                    defer { (state.inputs, state.rooms) = ([], nil) }
                    return (state.inputs, state.rooms)
                } ?? ([], nil)
            if shared.look({ $0.isAbandoned || $0.ending.map { $0 < MachineClock.monotonic } ?? false }) { return }
            for input in inputs { ledger.handle(input, at: MachineClock.monotonic) }
            // A failure is harmless: readers of the group read again.
            if let rooms { try? bucket.show(rooms, of: ledger.me.id) }
        }
    }

    private static func noteSeat(_ ledger: ShareLedger, _ shared: Monitor<Shared>) {
        guard ledger.isSeated, let fence = ledger.fence else { return }
        shared.change { if $0.seat == nil { $0.seat = .success(fence) } }
    }

    private static func perform(
        _ effect: ShareLedger.Effect, _ ledger: inout ShareLedger, _ bucket: GroupBucket, _ shared: Monitor<Shared>
    ) {
        switch effect {
        case .hold(let rivals, let epoch, let since): say(.hold(against: rivals, epoch: epoch, since: since), shared)
        case .say(let text): say(.notice(text), shared)
        case .lose(let why):
            try? bucket.release(ledger.me.id)
            shared.change { if $0.seat == nil { $0.seat = .failure(ClusterError(why)) } }
            say(.lost(why), shared)
        case .release: try? bucket.release(ledger.me.id)
        case .read, .write, .renew, .look, .fence:
            let input: ShareLedger.Input
            do throws(ClusterError) {
                input = try answer(effect, bucket, ledger.me.id)
            } catch {
                input = .unanswered(error.message)
            }
            ledger.handle(input, at: MachineClock.monotonic)
        }
    }

    /// Performs an effect that needs the cluster, and returns its result as an input.
    private static func answer(
        _ effect: ShareLedger.Effect, _ bucket: GroupBucket, _ me: String
    ) throws(ClusterError) -> ShareLedger.Input {
        switch effect {
        case .read:
            let (table, revision) = try bucket.table()
            return .table(table, revision: revision)
        case .write(let table, let revision):
            switch try bucket.write(table, revision: revision) {
            case .stored(let revision): return .stored(revision: revision)
            case .outdated: return .outdated
            }
        case .renew(let beat):
            try bucket.renew(me, beat: beat)
            return .renewed
        case .look(let member): return .lease(member, beat: try bucket.lease(of: member))
        case .fence(let member, let epoch):
            switch try bucket.fence(member, epoch: epoch) {
            case .stands(let last):
                // The list of rooms that the member stored is no longer true.
                try? bucket.release(member)
                return .fenced(member, last: last)
            case .refused: return .spared(member)
            }
        case .release, .hold, .say, .lose: preconditionFailure("the cluster is not asked that")
        }
    }

    private static func say(_ word: GroupWord, _ shared: Monitor<Shared>) {
        let body = shared.change { state -> (@Sendable (GroupWord) -> Void)? in
            if state.body == nil { state.words.append(word) }
            return state.body
        }
        body?(word)
    }
}

/// The rooms that the members of a group hold, as they published them.
package struct GroupRooms: Sendable {
    /// A member and the rooms that it published.
    package struct Held: Sendable {
        package var member: ShareTable.Member
        /// The rooms as a JSON array; `nil` if the member has published none yet.
        package var rooms: [UInt8]?
    }

    /// Returns the members in the order in which they joined.
    package static func held(in group: StreamAddress, through door: StreamDoor) throws(ClusterError) -> [Held] {
        let bucket = try GroupBucket(group, door.connection(to: group))
        var found: [Held] = []
        for member in try bucket.table().0.members {
            found.append(Held(member: member, rooms: try bucket.rooms(of: member.id)))
        }
        return found
    }
}
