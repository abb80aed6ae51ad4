import CWeirNATS
import Glibc
import WeirJSON
import WeirNetwork
import WeirRecording
import WeirThreads
import WeirWire

/// A running tail's entry in the cluster: its recording, its machine and its rate.
///
/// The entry is a value of the bucket `weir-tails`. The cluster drops it 30 seconds after the last renewal, so a tail that was killed
/// disappears by itself. Renewals are not acknowledged: they never wait for the cluster, and a lost one is repeated.
///
/// Not thread-safe: only the publisher's thread uses it.
struct StreamPresence {
    static let bucket = "weir-tails"
    private static let lifetime: Int64 = 30_000_000_000
    private static let renewal: Duration = .seconds(10)

    /// When to renew the entry.
    private(set) var due = Moment.zero
    private let connection: StreamConnection
    private let subject: String
    private let since = MachineClock.wall
    private let recording: String
    private var last: (bytes: Int, time: Moment)?

    /// Creates the bucket if it does not exist. Without the right to do so the tail has no entry, and only `weir ps` lacks it.
    init(of address: StreamAddress, _ connection: StreamConnection) {
        self.connection = connection
        recording = address.description
        let stream = address.stream ?? ""
        subject = "$KV.\(Self.bucket).\(stream).\(address.name ?? stream)"
        if let store = try? connection.bucket(Self.bucket, lifetime: Self.lifetime) { kvStore_Destroy(store) }
    }

    /// Renews the entry if that is due. `bytes` is the part of the recording that the cluster has stored.
    mutating func renew(bytes: Int, at now: Moment) {
        guard now >= due else { return }
        due = now + Self.renewal
        let span = last.map { (now - $0.time).microseconds } ?? 0
        let rate = span > 0 ? (bytes - (last?.bytes ?? 0)) * 1_000_000 / Int(span) : 0
        last = (bytes, now)
        var entry = StreamTail(recording: recording, host: Self.host, process: Int(getpid()), since: since)
        (entry.bytes, entry.rate) = (bytes, rate)
        send(entry.json, isEnd: false)
    }

    /// Removes the entry from the bucket at the end of the tail, without waiting for the cluster.
    func end() { send([], isEnd: true) }

    private func send(_ text: [UInt8], isEnd: Bool) {
        var made: OpaquePointer?
        let status = text.withUnsafeBytes {
            natsMsg_Create(
                &made, subject, nil, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
        }
        guard status == NATS_OK, let made else { return }
        defer { natsMsg_Destroy(made) }
        if isEnd { natsMsgHeader_Set(made, "KV-Operation", "DEL") }
        _ = natsConnection_PublishMsg(connection.connection, made)
    }

    private static let host: String = {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }()
}

/// A tail that publishes to a cluster, as described by its entry.
package struct StreamTail: Hashable, Sendable {
    /// The `nats://` URL of the recording.
    package var recording: String
    package var host: String
    package var process: Int
    /// When it began to publish, in microseconds since 1970 UTC.
    package var since: Int64
    /// The bytes of text that the cluster has stored, and the current rate in bytes per second.
    package var bytes = 0
    package var rate = 0

    init(recording: String, host: String, process: Int, since: Int64) {
        (self.recording, self.host, self.process, self.since) = (recording, host, process, since)
    }

    /// Reads an entry; returns `nil` if the text is not valid.
    init?(_ text: [UInt8]) {
        guard let value = try? JSONValue(parsing: text[...]), case .string(let recording)? = value["recording"],
            case .string(let host)? = value["host"], case .integer(let process)? = value["pid"],
            case .integer(let since)? = value["since"], case .integer(let bytes)? = value["bytes"],
            case .integer(let rate)? = value["rate"]
        else { return nil }
        self.init(recording: recording, host: host, process: Int(process), since: Int64(since))
        (self.bytes, self.rate) = (Int(bytes), Int(rate))
    }

    /// The entry as a JSON object on one line.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("recording", string: recording)
        writer.member("host", string: host)
        writer.member("pid", integer: Int64(process))
        writer.member("since", integer: since)
        writer.member("bytes", integer: Int64(bytes))
        writer.member("rate", integer: Int64(rate))
        writer.endObject()
        return Array(writer.bytes)
    }
}

extension StreamCatalogue {
    /// Returns the tails that publish to the cluster now, sorted by their recordings.
    package func tails() throws(ClusterError) -> [StreamTail] {
        var store: OpaquePointer?
        guard js_KeyValue(&store, connection.streams, StreamPresence.bucket) == NATS_OK, let store else { return [] }
        defer { kvStore_Destroy(store) }
        var keys = kvKeysList()
        let status = kvStore_Keys(&keys, store, nil)
        if status == NATS_NOT_FOUND { return [] }
        guard status == NATS_OK else { throw ClusterError("the tails cannot be listed", status) }
        defer { kvKeysList_Destroy(&keys) }
        var tails: [StreamTail] = []
        for place in 0..<Int(keys.Count) {
            var entry: OpaquePointer?
            guard let key = keys.Keys[place], kvStore_Get(&entry, store, key) == NATS_OK, let entry else { continue }
            defer { kvEntry_Destroy(entry) }
            let bytes = UnsafeRawBufferPointer(start: kvEntry_Value(entry), count: Int(kvEntry_ValueLen(entry)))
            if let tail = StreamTail(Array(bytes)) { tails.append(tail) }
        }
        return tails.sorted { $0.recording < $1.recording }
    }
}
