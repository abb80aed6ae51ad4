import WeirWire

/// The constants of the file format.
enum RecordFormat {
    /// The format's name, the head's `fmt` member.
    static let name = "weir-recording"
    /// The major version this module reads and writes.
    static let major = 1
    /// The minor version this module writes. A later minor version only adds kinds of records, members and values; a
    /// reader skips what it does not know. Any other change needs another major version.
    static let minor = 0
    /// The suffix of compressed files. A file with this suffix is compressed as it is written; a reader detects
    /// compression from the contents instead.
    static let compressedEnding = ".zst"
    /// The longest line in bytes, including its line feed.
    static let maximumLine = Limits.longestLine
    /// The longest payload in bytes; longer ones are cut. No server's payload is that long. Only replacing many
    /// occurrences of the own token can make one exceed it.
    static let maximumPayload = Limits.largest
    /// The message for a line that exceeds the limit.
    static let tooLong = "longer than \(maximumLine) bytes"
    /// Buffers that grew beyond this many bytes are freed once their contents are written.
    static let keptBuffer = 1 << 20
    /// The longest other string in bytes; longer ones are cut. These strings are for people and may come from a peer.
    static let maximumText = 65_536
    /// The most bytes of text in a list of strings; the list ends before it exceeds them.
    static let maximumList = 1 << 20
    /// The length of every `end` line in bytes, including its line feed. A reader finds it from the end of the file.
    static let endLine = 112
    /// The largest integer that every JSON reader keeps exactly (2^53); the limit of times and numbers.
    static let maximumInteger: Int64 = 1 << 53
    /// A chunk ends, with a `sync` record, when it holds this many bytes ...
    static let chunkBytes = 256 << 10
    /// ... or spans this many microseconds.
    static let chunkSpan: Int64 = 1_000_000
    /// Gathered lines are written when they reach this many bytes.
    static let writeBytes = 64 << 10
}
