import CNATS
import Network
package import Recording

/// A consumer's position in a recording: the number of the last record read. It is stored under a name in the cluster's
/// key-value bucket `weir-marks`. Can be used on any thread.
package final class StreamMark: Sendable {
    private static let bucket = "weir-marks"

    private let connection: StreamConnection
    private let key: String

    /// Creates the mark with the given name (letters, digits, - and _) in a recording.
    package init(_ address: StreamAddress, called name: String, through door: StreamDoor) throws(ClusterError) {
        connection = try door.connection(to: address)
        let stream = address.stream ?? ""
        key = "\(stream).\(address.name ?? stream).\(name)"
    }

    /// Returns the number of the last record that was stored; `nil` if none was.
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

    /// Stores the number of a record as the new position.
    package func keep(_ record: Int) throws(ClusterError) {
        let store = try connection.bucket(Self.bucket)
        defer { kvStore_Destroy(store) }
        let status = kvStore_PutString(nil, store, key, "\(record)")
        guard status == NATS_OK else { throw ClusterError("the mark \(key) cannot be written", status) }
    }
}
