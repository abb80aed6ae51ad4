import CNATS
import Network
package import Recording

/// How far somebody has read a recording, kept in the cluster under a name: the number of the last record, in a bucket of keys and values
/// beside the streams. Any thread.
package final class StreamMark: Sendable {
    private static let bucket = "weir-marks"

    private let connection: StreamConnection
    private let key: String

    /// The mark of that name (letters, digits, - and _) in a recording.
    package init(_ address: StreamAddress, called name: String, through door: StreamDoor) throws(ClusterError) {
        connection = try door.connection(to: address)
        let stream = address.stream ?? ""
        key = "\(stream).\(address.name ?? stream).\(name)"
    }

    /// Number of the last record that was noted; nil where none was.
    package func record() throws(ClusterError) -> Int? {
        let store = try connection.bucket(Self.bucket)
        defer { kvStore_Destroy(store) }
        var entry: OpaquePointer?
        let status = kvStore_Get(&entry, store, key)
        if status == NATS_NOT_FOUND { return nil }
        guard status == NATS_OK, let entry else { throw ClusterError("the mark \(key) cannot be read", status) }
        defer { kvEntry_Destroy(entry) }
        return kvEntry_ValueString(entry).flatMap { Int(String(cString: $0)) }
    }

    /// Notes a record.
    package func keep(_ record: Int) throws(ClusterError) {
        let store = try connection.bucket(Self.bucket)
        defer { kvStore_Destroy(store) }
        let status = kvStore_PutString(nil, store, key, "\(record)")
        guard status == NATS_OK else { throw ClusterError("the mark \(key) cannot be written", status) }
    }
}
