import CNATS
import Glibc
import JSONText
import Network
import Recording
import Wire

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
