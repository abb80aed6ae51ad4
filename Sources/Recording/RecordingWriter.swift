public import Wire

/// Writes an event file, crash-safe: whole lines only, a `sync` record with a CRC after every 256 KiB or second of data.
///
/// Not thread-safe: one owner. Lines are gathered and written with one write(2) by `flush()`.
public struct RecordingWriter: ~Copyable {
    /// Creates the file, mode 0600, and its folders; refuses to overwrite. Writes the head.
    public init(creating path: String, head: Record.Head) throws(RecordingError) { fatalError("stub") }
    /// Tells the writer what must never reach the file; every occurrence in later records is replaced by `‹redacted›`.
    public mutating func redact(_ secret: Secret) { fatalError("stub") }
    /// Adds a record. Times must not go back (they are clamped). Writes when 64 KiB are gathered.
    public mutating func append(_ record: Record, _ stamp: Stamp) throws(RecordingError) { fatalError("stub") }
    /// Writes what is gathered.
    public mutating func flush() throws(RecordingError) { fatalError("stub") }
    /// Writes the last `sync` and the `end`, syncs to disk and closes.
    public consuming func close(why: Record.EndRecord.Why, at stamp: Stamp) throws(RecordingError) { fatalError("stub") }
}

/// What goes wrong with event files.
public enum RecordingError: Error, Hashable, Sendable {
    /// The file exists already.
    case exists(path: String)
    /// The system refused: what was tried, and its words.
    case system(operation: String, path: String, code: Int32)
    /// The file is not a recording, or of a newer major version.
    case notARecording(path: String, message: String)
}
