import Synchronization

/// The text of a recording that is not a file. Used by one thread at a time.
package protocol RemoteText: AnyObject, Sendable {
    /// The number of bytes of the text so far.
    var size: Int { get }
    /// A descriptor that becomes readable when more text may be available; `nil` if no such notice exists.
    var growth: Int32? { get }
    /// Moves to a byte offset of the text.
    func move(to offset: Int) throws(RecordingError)
    /// Reads the available text, waiting for the first byte; returns 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(RecordingError) -> Int
    /// Returns the reason why no more text can arrive; `nil` if more may arrive.
    func whyOver() -> String?
    /// Whether the reader reached a fence: other members of the group have taken over, and no more text follows.
    var isFenced: Bool { get }
}

/// The destination of a recording that is not a file. Used by one thread at a time.
package protocol RemoteOutput: AnyObject, Sendable {
    /// The byte offset at which the recording continues: the number of bytes already stored.
    var offset: Int { get }
    /// Appends text; may wait until the output has room.
    func write(_ text: [UInt8]) throws(RecordingError)
    /// Sends the buffered text now. The caller writes nothing for a while.
    func flush() throws(RecordingError)
    /// Whether the cluster does not accept the text. `finish` would then have to wait.
    var isAway: Bool { get }
    /// Waits until everything is stored, and ends the output.
    func finish() throws(RecordingError)
    /// Returns the warnings for the user since the last call.
    func takeWarnings() -> [String]
    /// Publishes a text next to the recording, under a subject made of `words`, for the cluster's subscribers. `id` is
    /// unique in the stream. Can be called on any thread.
    func publish(_ text: [UInt8], under words: [String], id: String) throws(RecordingError)
    /// Announces texts for `publish`, which may arrive even after the end of the recording, until `finishTexts`.
    /// `finishTexts` waits until all are published.
    func expectTexts()
    func finishTexts() throws(RecordingError)
    /// Stops publishing, since other members have taken over, and drops the text that waits. Can be called on any
    /// thread.
    func abandon()
    /// Whether the stream refuses the text because the recording was fenced off. Can be called on any thread.
    var isFenced: Bool { get }
}

/// A message from a group to a tail that is a member.
package enum GroupWord: Sendable {
    /// The tail holds the rooms that it wins against these members. Rooms that it did not hold before may have had no
    /// holder since `since`, in microseconds since 1970 UTC.
    case hold(against: [String], epoch: Int, since: Int64?)
    /// The tail was fenced off, or lost its seat for another reason, and holds no rooms.
    case lost(String)
    /// A notice for the user.
    case notice(String)
}

/// A tail's membership in a group. Can be used on any thread.
package protocol GroupSeat: AnyObject, Sendable {
    /// The id of this member in the group's table.
    var member: String { get }
    /// The URL of the recording that the member publishes.
    var recording: String { get }
    /// Delivers all messages from the first on to `body`, on threads of the seat's own or during this call.
    func begin(_ body: @escaping @Sendable (GroupWord) -> Void)
    /// Reports that the tail has left the rooms that it does not hold in this epoch.
    func left(_ epoch: Int)
    /// Publishes the rooms that the tail holds, as JSON, for readers of the group.
    func show(_ rooms: [UInt8])
    /// Notes the time at which the tail stopped listening. Its rooms have no holder from then on.
    func stop()
    /// Leaves the group after the tail has ended. Waits until the other members know, or until the cluster proves
    /// unreachable. If `isFenced` is true, it reports nothing: the others know more about the fence than this member.
    func end(isFenced: Bool)
}

/// Opens recordings that are not files. The implementation is in another module, which a program may lack.
package enum RemoteRecordings {
    /// The interface to the module that implements remote recordings.
    package protocol Door: AnyObject, Sendable {
        /// Opens a recording for reading.
        func open(_ address: StreamAddress) throws(RecordingError) -> any RemoteText
        /// Creates a recording with the given id, or continues it if `resumes` is true.
        func create(_ address: StreamAddress, recording: String, resumes: Bool) throws(RecordingError)
            -> any RemoteOutput
        /// Joins a group. `lease` is how long this member may be silent before others fence it off.
        func join(_ group: StreamAddress, lease: Duration) throws(RecordingError) -> any GroupSeat
        /// Returns the recordings of a group in the order in which they began; empty if the group does not exist.
        func members(_ group: StreamAddress) throws(RecordingError) -> [StreamAddress]
        /// Returns the output of the recording that this process writes at an address; `nil` if it writes none.
        func output(_ address: StreamAddress) -> (any RemoteOutput)?
        /// Returns the segments of a recording whose beginnings still exist, in order; empty for a recording in one
        /// piece.
        func segments(_ address: StreamAddress) throws(RecordingError) -> [StreamAddress]
        /// Removes a recording or one of its segments.
        func remove(_ address: StreamAddress) throws(RecordingError)
    }

    private final class Held: Sendable {
        let door: any Door
        init(_ door: any Door) { self.door = door }
    }

    private static let held = AtomicLazyReference<Held>()

    /// Sets the implementation. Call it once, before any recording is opened.
    package static func use(_ door: any Door) { _ = held.storeIfNil(Held(door)) }

    /// Whether a path names a remote recording instead of a file.
    package static func isOne(_ path: String) -> Bool { StreamAddress.isOne(path) }

    static func open(_ path: String) throws(RecordingError) -> any RemoteText {
        try door().open(address(path))
    }

    static func create(
        _ path: String, recording: String, resumes: Bool = false
    ) throws(RecordingError) -> any RemoteOutput {
        try door().create(address(path), recording: recording, resumes: resumes)
    }

    /// Joins the group at a URL with the given lease.
    package static func join(_ url: String, lease: Duration) throws(RecordingError) -> any GroupSeat {
        try door().join(address(url), lease: lease)
    }

    /// Returns the URLs of the recordings of the group at a URL; `nil` if the path names no group.
    package static func members(_ path: String) throws(RecordingError) -> [String]? {
        guard isOne(path) else { return nil }
        let found = try door().members(address(path))
        return found.isEmpty ? nil : found.map(\.description)
    }

    /// Returns the output of the recording that this process writes at `path`; `nil` if it writes none.
    package static func output(_ path: String) -> (any RemoteOutput)? {
        (try? address(path)).flatMap { held.load()?.door.output($0) }
    }

    /// Returns the paths of a recording's segments, or the path itself for a file and for a recording without segments.
    package static func segments(of path: String) throws(RecordingError) -> [String] {
        guard isOne(path) else { return [path] }
        let address = try address(path)
        guard address.segment == nil else { return [path] }
        let found = try door().segments(address)
        return found.isEmpty ? [path] : found.map(\.description)
    }

    static func remove(_ path: String) throws(RecordingError) { try door().remove(address(path)) }

    private static func door() throws(RecordingError) -> any Door {
        if let door = held.load()?.door { return door }
        throw .unusable(
            path: "nats://",
            message: "this weir was built without NATS; build it with libnats-dev and without WEIR_WITHOUT_NATS")
    }

    private static func address(_ path: String) throws(RecordingError) -> StreamAddress {
        let address: StreamAddress
        do throws(StreamAddress.Malformed) { address = try StreamAddress(parsing: path) } catch {
            throw .unusable(path: "the nats:// URL", message: error.message)
        }
        guard address.stream != nil else {
            throw .unusable(path: address.description, message: "a stream is missing; write nats://HOST:PORT/STREAM")
        }
        return address
    }
}
