/// Reads an event file record by record; damage is reported with line and offset and never ends the reading.
public struct RecordingReader: ~Copyable {
    /// What the next line gave.
    public enum Entry: Hashable, Sendable {
        /// A record and its stamp.
        case record(Record, Stamp)
        /// A line that cannot be read: its number (from 1), its byte offset, its length and why.
        case damage(line: Int, offset: Int, bytes: Int, message: String)
        /// The last line has no end: the writer was cut off.
        case tornTail(offset: Int, bytes: Int)
    }
    /// Opens a file (`-` is standard input) and reads its head.
    public init(opening path: String) throws(RecordingError) { fatalError("stub") }
    /// Reads a recording held in memory.
    public init(bytes: [UInt8]) throws(RecordingError) { fatalError("stub") }
    /// The head.
    public var head: Record.Head { fatalError("stub") }
    /// The next entry, nil at the end.
    public mutating func next() throws(RecordingError) -> Entry? { fatalError("stub") }
}
