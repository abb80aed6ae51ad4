import WeirWire

/// A problem in an event file, with its position.
package struct FileProblem: Hashable, Sendable {
    /// The categories of problems. The raw values appear in machine-readable output.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A line that cannot be read.
        case damage
        /// A last line that is unfinished or is not a record.
        case torn
        /// A payload of which only the beginning was recorded.
        case cut
        /// Records that are missing, duplicated or out of order.
        case numbering
        /// Bytes that differ from those that were written.
        case checksum
        /// A time earlier than that of the record before.
        case time
        /// A `sync`, `idx` or `end` that is missing or disagrees with the file.
        case index
        /// A segment that is missing or belongs to another recording.
        case segment
        /// Text that looks like a secret.
        case secret
    }
    /// The category of the problem.
    package var kind: Kind
    /// The line's number, from 1; `nil` when the problem concerns the whole file.
    package var line: Int?
    /// Offset of the line's first byte in the file. In a compressed file it is an offset in the text.
    package var offset: Int?
    /// The number of bytes that are lost.
    package var bytes: Int?
    /// The number of missing records, if known.
    package var lost: Int?
    /// One sentence that describes the problem without its position.
    package var message: String

    init(
        _ kind: Kind, line: Int? = nil, offset: Int? = nil, bytes: Int? = nil, lost: Int? = nil, message: String
    ) {
        self.kind = kind
        self.line = line
        self.offset = offset
        self.bytes = bytes
        self.lost = lost
        self.message = message
    }

    /// The position and the message, on one line.
    package var description: String {
        var place: [String] = []
        if let line { place.append("line \(line)") }
        if let offset { place.append("byte \(offset)") }
        return place.isEmpty ? message : place.joined(separator: ", ") + ": " + message
    }

    /// Creates the problem that a reader's entry reports; `nil` for a record. `place` is the offset for entries that
    /// have none.
    init?(_ entry: RecordingReader.Entry, offset place: Int) {
        switch entry {
        case .record: return nil
        case .damage(let line, let offset, let bytes, let message):
            self.init(
                .damage, line: line, offset: offset, bytes: bytes, message: "\(bytes) bytes cannot be read: \(message)")
        case .tornTail(let offset, let bytes, _):
            self.init(
                .torn, offset: offset, bytes: bytes,
                message: "the last \(bytes) bytes are not a whole record: the recording was cut off")
        case .discontinuity(let expected, let found, let line):
            self.init(
                .numbering, line: line, offset: place, lost: found > expected ? found - expected : nil,
                message: "found record \(found) instead of \(expected)")
        case .checksumMismatch(let line, let bytes, let recorded):
            self.init(
                .checksum, line: line, offset: place,
                message: "the \(bytes) bytes before it differ from the \(recorded) that were written")
        case .displacement(let expected, let found, let line):
            self.init(
                .index, line: line, offset: place,
                message: "the text before it was written at byte \(found), but byte \(expected) should follow: "
                    + "chunks are missing, doubled or out of order")
        }
    }
}

/// The result of a tool.
package struct ToolReport: Hashable, Sendable {
    /// The number of records written.
    package var written = 0
    /// The number of records read and left out.
    package var leftOut = 0
    /// The number of problems in the input.
    package var problems = 0
    /// Deviations from the request, each in one sentence for the user.
    package var warnings: [String] = []

    init() {}
}

/// A function called with each problem of a file: the file's path and the problem.
package typealias ProblemListener = (String, FileProblem) -> Void
