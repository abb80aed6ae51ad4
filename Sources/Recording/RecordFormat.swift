import Wire

/// The numbers of the file format.
enum RecordFormat {
    /// The head's `fmt`.
    static let name = "weir-recording"
    /// The major version this room reads and writes.
    static let major = 1
    /// The minor version this room writes. A later one only adds: kinds of records, members, values; a reader passes over what it does not know.
    /// Whatever else changes needs another major version.
    static let minor = 0
    /// What is called so is compressed when it is written; what is read may be called anything.
    static let compressedEnding = ".zst"
    /// The most bytes a line may have, its line feed included.
    static let maximumLine = Limits.longestLine
    /// Payloads longer than this are cut. No server's is: only hiding the own token many times can make one so long.
    static let maximumPayload = Limits.largest
    /// How the longest line is told.
    static let tooLong = "longer than \(maximumLine) bytes"
    /// A buffer that held more than this is given back when what it held is written.
    static let keptBuffer = 1 << 20
    /// Other strings longer than this are cut: they are for people, and may come from a peer.
    static let maximumText = 65_536
    /// A list of strings stops before it holds more bytes than this.
    static let maximumList = 1 << 20
    /// Every `end` line has this length, line feed included: a reader finds it from the end of the file.
    static let endLine = 112
    /// The largest integer that every reader of JSON keeps exactly (2^53); times and numbers end here.
    static let maximumInteger: Int64 = 1 << 53
    /// A chunk ends, with a `sync` record, when it holds this many bytes ...
    static let chunkBytes = 256 << 10
    /// ... or spans this many microseconds.
    static let chunkSpan: Int64 = 1_000_000
    /// Gathered lines are written when they hold this many bytes.
    static let writeBytes = 64 << 10
}
