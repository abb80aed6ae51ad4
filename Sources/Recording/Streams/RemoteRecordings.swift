import Synchronization

/// A recording's text that is no file's. Used by one thread at a time.
package protocol RemoteText: AnyObject, Sendable {
    /// Bytes of the text so far.
    var size: Int { get }
    /// A descriptor that can be read when more may be there; nil where nothing tells.
    var growth: Int32? { get }
    /// Goes to a byte.
    func move(to offset: Int) throws(RecordingError)
    /// Gives the text that is there, waiting for the first byte; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(RecordingError) -> Int
    /// Why nothing more can come; nil when it may.
    func whyOver() -> String?
}

/// Where a recording is written that is no file. Used by one thread at a time.
package protocol RemoteOutput: AnyObject, Sendable {
    /// Where the recording goes on: how many bytes of its text are there already.
    var offset: Int { get }
    /// Takes text; may wait until there is room for it.
    func write(_ text: [UInt8]) throws(RecordingError)
    /// Nothing follows for a while: what was taken goes on its way.
    func flush() throws(RecordingError)
    /// Whether the cluster does not take what was written: then `finish` would have to wait.
    var isAway: Bool { get }
    /// Waits until everything is where it should be, and ends.
    func finish() throws(RecordingError)
    /// Warnings for the user since the last call.
    func takeWarnings() -> [String]
    /// Publishes a text of its own beside the recording, under these words, for the subscribers there; `id` is unique in the stream. Any
    /// thread.
    func publish(_ text: [UInt8], under words: [String], id: String) throws(RecordingError)
    /// Texts beside the recording will come, also after its end, until it is said that none follows; waits until they are there.
    func expectTexts()
    func finishTexts() throws(RecordingError)
}

/// How recordings that are no files are opened. Their hands are in a room that this one does not know, and that a program may lack.
package enum RemoteRecordings {
    /// What the room gives.
    package protocol Door: AnyObject, Sendable {
        /// Opens a recording to be read.
        func open(_ address: StreamAddress) throws(RecordingError) -> any RemoteText
        /// Begins a recording of that id, or goes on with it when `resumes`.
        func create(_ address: StreamAddress, recording: String, resumes: Bool) throws(RecordingError)
            -> any RemoteOutput
        /// The recording that is being written there; nil where none is.
        func output(_ address: StreamAddress) -> (any RemoteOutput)?
        /// The segments of a recording whose beginnings are still there, in order; empty when it is in one piece.
        func segments(_ address: StreamAddress) throws(RecordingError) -> [StreamAddress]
        /// Removes a segment.
        func remove(_ address: StreamAddress) throws(RecordingError)
    }

    private final class Held: Sendable {
        let door: any Door
        init(_ door: any Door) { self.door = door }
    }

    private static let held = AtomicLazyReference<Held>()

    /// Says once, before any is opened, how it is done.
    package static func use(_ door: any Door) { _ = held.storeIfNil(Held(door)) }

    /// Whether a path is no file's.
    package static func isOne(_ path: String) -> Bool { StreamAddress.isOne(path) }

    static func open(_ path: String) throws(RecordingError) -> any RemoteText {
        try door().open(address(path))
    }

    static func create(
        _ path: String, recording: String, resumes: Bool = false
    ) throws(RecordingError) -> any RemoteOutput {
        try door().create(address(path), recording: recording, resumes: resumes)
    }

    /// What is being written there by this process; nil where nothing is.
    package static func output(_ path: String) -> (any RemoteOutput)? {
        (try? address(path)).flatMap { held.load()?.door.output($0) }
    }

    /// The paths of a recording's segments where it has some; otherwise the path, as it is for every file.
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
