import CNATS
import Glibc
import JSONText
import Network
import Recording
import Wire

/// What a group keeps in the cluster: its table under `GROUP`, and for each member the lease under `GROUP.ID` and what it holds under
/// `GROUP.ID.rooms`; all in the bucket `weir-shares` of keys and values. Calls block until the cluster answers. Any thread.
struct GroupBucket: Sendable {
    private static let bucket = "weir-shares"
    /// The stream of the bucket.
    private static let stream = "KV_" + bucket
    /// A key that was removed has this header.
    private static let operation = "KV-Operation"

    /// What came of a write.
    enum Written {
        case stored(revision: UInt64)
        /// Another revision was there.
        case outdated
    }

    let group: StreamAddress
    private let name: String
    private let connection: StreamConnection

    /// The bucket is made where it is not there.
    init(_ group: StreamAddress, _ connection: StreamConnection) throws(ClusterError) {
        self.group = group
        name = group.name ?? group.stream ?? ""
        self.connection = connection
        kvStore_Destroy(try connection.bucket(Self.bucket))
    }

    /// The subject of a key.
    private func subject(_ words: String...) -> String {
        (["$KV", Self.bucket, name] + words).joined(separator: ".")
    }

    /// What messages about the table and about the leases have as their subject.
    var tableSubject: String { subject() }
    var leaseSubjects: String { subject("*") }

    // MARK: - The table

    /// The table and its revision; an empty one and 0 where there is none.
    func table() throws(ClusterError) -> (ShareTable, revision: UInt64) {
        guard let message = try connection.last(of: tableSubject, in: Self.stream) else { return (ShareTable(), 0) }
        guard message.header(Self.operation) == nil else { return (ShareTable(), message.sequence) }
        guard let table = ShareTable(message.bytes) else {
            throw ClusterError("the table of the group \(name) cannot be read: another version of weir wrote it")
        }
        return (table, message.sequence)
    }

    /// Writes the table if that is its revision still.
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

    // MARK: - What is a member's

    /// Renews a lease for the so manieth time.
    func renew(_ member: String, beat: Int) throws(ClusterError) { try put("\(beat)".utf8.map { $0 }, subject(member)) }

    /// How often a lease was renewed; nil where there is none.
    func lease(of member: String) throws(ClusterError) -> Int? {
        guard let message = try connection.last(of: subject(member), in: Self.stream) else { return nil }
        return Self.beat(message.bytes)
    }

    static func beat(_ text: [UInt8]) -> Int? { Int(String(decoding: text, as: UTF8.self)) }

    /// Says what a member holds.
    func show(_ rooms: [UInt8], of member: String) throws(ClusterError) {
        guard rooms.count < connection.mostBytes else { return }
        try put(rooms, subject(member, "rooms"))
    }

    /// What a member said that it holds; nil where it said nothing.
    func rooms(of member: String) throws(ClusterError) -> [UInt8]? {
        guard let message = try connection.last(of: subject(member, "rooms"), in: Self.stream),
            message.header(Self.operation) == nil
        else { return nil }
        return message.bytes
    }

    /// Removes what is a member's.
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

    /// What became of a fence.
    enum Fence {
        /// Nothing more is published; the last chunk was recorded then, microseconds since 1970 UTC. Nil where there is none.
        case stands(last: Int64?)
        /// The member published meanwhile.
        case refused
    }

    /// Has the stream refuse whatever the member publishes from here on: a message without text stands after its last chunk, so that each
    /// further one names a wrong message before it.
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

    /// The recordings of a group, the one that began first first; empty where a recording has that name, or no group.
    static func recordings(of group: StreamAddress, _ connection: StreamConnection) throws(ClusterError)
        -> [StreamAddress]
    {
        let (stream, name) = (group.stream ?? "", group.name ?? group.stream ?? "")
        guard try connection.last(of: StreamAddress.subject(of: name), in: stream) == nil else { return [] }
        var found: [(first: UInt64, address: StreamAddress)] = []
        for (member, subject, _) in try StreamCatalogue.recordings(name + ".*", in: stream, connection) {
            guard let first = try connection.first(of: subject, in: stream, from: 1),
                // One that was fenced off before it published has no text, and one whose beginning the limits took has no head.
                first.range?.lowerBound == 0, !first.isFence
            else { continue }
            var address = group
            address.name = member
            found.append((first.sequence, address))
        }
        return found.sorted { $0.first < $1.first }.map(\.address)
    }
}
