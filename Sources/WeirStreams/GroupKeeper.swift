import CWeirNATS
import Glibc
import WeirJSON
import WeirNetwork
package import WeirRecording
import WeirThreads
import WeirWire

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
    /// How long to wait for a seat before joining fails. The cluster may be electing a leader.
    private static let patience: Duration = .seconds(20)

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
        let bucket = try connection.patiently { () throws(ClusterError) in
            _ = try connection.last(of: StreamAddress.subject(of: group.name ?? ""), in: group.stream ?? "")
            return try GroupBucket(group, connection)
        }
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
                retire(made)
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
        let connection = try door.connection(to: group)
        return try connection.patiently { () throws(ClusterError) in
            let bucket = try GroupBucket(group, connection)
            return try bucket.table().0.members.map { (member) throws(ClusterError) in
                Held(member: member, rooms: try bucket.rooms(of: member.id))
            }
        }
    }
}

/// The data of a group in the cluster, in the key-value bucket `weir-shares`.
///
/// The key `GROUP` contains the table. For each member, `GROUP.ID` contains the lease and `GROUP.ID.rooms` the rooms
/// that it holds. Calls block until the cluster answers. Can be used on any thread.
struct GroupBucket: Sendable {
    private static let bucket = "weir-shares"
    /// The JetStream stream that stores the bucket.
    private static let stream = "KV_" + bucket
    /// The header that marks a removed key.
    private static let operation = "KV-Operation"

    /// The result of writing the table.
    enum Written {
        case stored(revision: UInt64)
        /// The table in the cluster has another revision.
        case outdated
    }

    let group: StreamAddress
    private let name: String
    private let connection: StreamConnection

    /// Opens the bucket, and creates it if it does not exist.
    init(_ group: StreamAddress, _ connection: StreamConnection) throws(ClusterError) {
        self.group = group
        name = group.name ?? group.stream ?? ""
        self.connection = connection
        kvStore_Destroy(try connection.bucket(Self.bucket))
    }

    /// Returns the subject of the group's key with the given suffix.
    private func subject(_ words: String...) -> String {
        (["$KV", Self.bucket, name] + words).joined(separator: ".")
    }

    /// The subject of messages about the table. `leaseSubjects` matches those about all leases.
    var tableSubject: String { subject() }
    var leaseSubjects: String { subject("*") }

    // MARK: - The table

    /// Returns the table and its revision; an empty table and 0 if the bucket contains none.
    func table() throws(ClusterError) -> (ShareTable, revision: UInt64) {
        guard let message = try connection.last(of: tableSubject, in: Self.stream) else { return (ShareTable(), 0) }
        guard message.header(Self.operation) == nil else { return (ShareTable(), message.sequence) }
        guard let table = ShareTable(message.bytes) else {
            throw ClusterError("the table of the group \(name) cannot be read: another version of weir wrote it")
        }
        return (table, message.sequence)
    }

    /// Writes the table if its revision in the cluster is still `revision`.
    func write(_ table: ShareTable, revision: UInt64) throws(ClusterError) -> Written {
        var options = jsPubOptions()
        jsPubOptions_Init(&options)
        options.ExpectLastSubjectSeq = revision
        options.ExpectNoMessage = revision == 0
        var answer: UnsafeMutablePointer<jsPubAck>?
        var code = jsErrCode(rawValue: 0)
        let text = table.json
        let status = text.withUnsafeBytes {
            js_Publish(&answer, connection.streams, tableSubject, $0.baseAddress, Int32($0.count), &options, &code)
        }
        if code == JSStreamWrongLastSequenceErr { return .outdated }
        guard status == NATS_OK, let answer else {
            throw ClusterError("the table of the group \(name) is not written", status, code)
        }
        defer { jsPubAck_Destroy(answer) }
        return .stored(revision: answer.pointee.Sequence)
    }

    // MARK: - Members

    /// Renews a member's lease. `beat` counts the renewals.
    func renew(_ member: String, beat: Int) throws(ClusterError) { try put("\(beat)".utf8.map { $0 }, subject(member)) }

    /// Returns how often a lease was renewed; `nil` if the member has none.
    func lease(of member: String) throws(ClusterError) -> Int? {
        guard let message = try connection.last(of: subject(member), in: Self.stream) else { return nil }
        return Self.beat(message.bytes)
    }

    static func beat(_ text: [UInt8]) -> Int? { Int(String(decoding: text, as: UTF8.self)) }

    /// Stores the rooms that a member holds, as JSON. Does nothing if they exceed the size of a message.
    func show(_ rooms: [UInt8], of member: String) throws(ClusterError) {
        guard rooms.count < connection.mostBytes else { return }
        try put(rooms, subject(member, "rooms"))
    }

    /// Returns the rooms that a member stored; `nil` if it stored none.
    func rooms(of member: String) throws(ClusterError) -> [UInt8]? {
        guard let message = try connection.last(of: subject(member, "rooms"), in: Self.stream),
            message.header(Self.operation) == nil
        else { return nil }
        return message.bytes
    }

    /// Removes the lease and the rooms of a member.
    func release(_ member: String) throws(ClusterError) {
        for key in [subject(member), subject(member, "rooms")] {
            var options = jsOptions()
            jsOptions_Init(&options)
            var code = jsErrCode(rawValue: 0)
            let status = key.withCString { key in
                options.Stream.Purge.Subject = key
                return js_PurgeStream(connection.streams, Self.stream, &options, &code)
            }
            guard status == NATS_OK else { throw ClusterError("the lease of \(member) stays", status, code) }
        }
    }

    private func put(_ text: [UInt8], _ subject: String) throws(ClusterError) {
        var answer: UnsafeMutablePointer<jsPubAck>?
        var code = jsErrCode(rawValue: 0)
        let status = text.withUnsafeBytes {
            js_Publish(&answer, connection.streams, subject, $0.baseAddress, Int32($0.count), nil, &code)
        }
        guard status == NATS_OK, let answer else {
            throw ClusterError("the lease in the group \(name) is not renewed", status, code)
        }
        jsPubAck_Destroy(answer)
    }

    // MARK: - Fences

    /// The result of fencing a member off.
    enum Fence {
        /// The member can publish nothing more. `last` is the time of its last chunk in microseconds since 1970 UTC;
        /// `nil` if it published none.
        case stands(last: Int64?)
        /// The fence was refused, since the member published in the meantime.
        case refused
    }

    /// Makes the stream refuse everything that the member publishes from now on.
    ///
    /// It appends an empty message after the member's last chunk. Each later chunk of the member then names the wrong
    /// predecessor.
    func fence(_ member: String, epoch: Int) throws(ClusterError) -> Fence {
        let address = group.member(member)
        let stream = address.stream ?? ""
        let subject = StreamAddress.subject(of: address.name ?? "")
        var (sequence, last) = (UInt64(0), Int64?.none)
        var chunk = StreamChunk(recording: "none", offset: 0, firstNumber: 0, lines: 0, wall: 0, text: [])
        if let found = try connection.last(of: subject, in: stream) {
            let wall = found.header(StreamChunk.headers[4]).flatMap { Int64($0) } ?? 0
            last = wall > 0 ? wall : found.stored
            if found.isFence { return .stands(last: last) }
            sequence = found.sequence
            chunk.recording = found.recording ?? "none"
            (chunk.offset, chunk.wall) = (found.range?.upperBound ?? 0, last ?? 0)
        }
        var made: OpaquePointer?
        guard natsMsg_Create(&made, subject, nil, nil, 0) == NATS_OK, let made else {
            throw ClusterError("there is no memory")
        }
        defer { natsMsg_Destroy(made) }
        for (name, value) in zip(StreamChunk.headers, chunk.values) { natsMsgHeader_Set(made, name, value) }
        natsMsgHeader_Set(made, StreamMessage.fence, "\(epoch)")
        var options = jsPubOptions()
        jsPubOptions_Init(&options)
        options.ExpectLastSubjectSeq = sequence
        options.ExpectNoMessage = sequence == 0
        var answer: UnsafeMutablePointer<jsPubAck>?
        var code = jsErrCode(rawValue: 0)
        let status = js_PublishMsg(&answer, connection.streams, made, &options, &code)
        if code == JSStreamWrongLastSequenceErr { return .refused }
        guard status == NATS_OK, let answer else {
            throw ClusterError("the member \(member) is not fenced off", status, code)
        }
        jsPubAck_Destroy(answer)
        return .stands(last: last)
    }

    // MARK: - Recordings

    /// Returns the recordings of a group in the order in which they began; empty if a single recording has the name,
    /// or no group has it.
    static func recordings(of group: StreamAddress, _ connection: StreamConnection) throws(ClusterError)
        -> [StreamAddress]
    {
        let (stream, name) = (group.stream ?? "", group.name ?? group.stream ?? "")
        guard try connection.last(of: StreamAddress.subject(of: name), in: stream) == nil else { return [] }
        var found: [(first: UInt64, address: StreamAddress)] = []
        for (member, subject, _) in try StreamCatalogue.recordings(name + ".*", in: stream, connection) {
            guard let first = try connection.first(of: subject, in: stream, from: 1),
                // A recording that was fenced off before its first chunk has no text. A recording whose beginning was
                // removed by the stream's limits has no head.
                first.range?.lowerBound == 0, !first.isFence
            else { continue }
            var address = group
            address.name = member
            found.append((first.sequence, address))
        }
        return found.sorted { $0.first < $1.first }.map(\.address)
    }
}
