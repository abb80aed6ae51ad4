import Wire

/// Something that is wrong with an event file, and where.
package struct FileProblem: Hashable, Sendable {
    /// What is wrong.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A line that cannot be read.
        case damage
        /// A last line that has no end, or is no record.
        case torn
        /// A payload of which only the beginning was recorded.
        case cut
        /// Records that are missing, doubled or out of order.
        case numbering
        /// Bytes that are not those that were written.
        case checksum
        /// A time before that of the record before.
        case time
        /// A `sync`, `idx` or `end` that does not say what is in the file, or is not there.
        case index
        /// A segment that is missing, or does not belong here.
        case segment
        /// Something that looks like a secret.
        case secret
    }
    /// What is wrong.
    package var kind: Kind
    /// The line's number, from 1; nil where the whole file is meant.
    package var line: Int?
    /// Offset of the line's first byte in the file (of its text, where the file is compressed).
    package var offset: Int?
    /// How many bytes are lost by it.
    package var bytes: Int?
    /// How many records are missing, when that is known.
    package var lost: Int?
    /// One sentence without the place.
    package var message: String

    /// A problem.
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

    /// The place and the sentence, on one line.
    package var description: String {
        var place: [String] = []
        if let line { place.append("line \(line)") }
        if let offset { place.append("byte \(offset)") }
        return place.isEmpty ? message : place.joined(separator: ", ") + ": " + message
    }

    /// What an entry of a reader complains of; nil for a record.
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
                message: "record \(found) stands where \(expected) should")
        case .checksumMismatch(let line, let bytes, let recorded):
            self.init(
                .checksum, line: line, offset: place,
                message: "the \(bytes) bytes before it are not the \(recorded) that were written")
        case .displacement(let expected, let found, let line):
            self.init(
                .index, line: line, offset: place,
                message: "what stands before it was written at byte \(found), where byte \(expected) should follow: "
                    + "chunks are missing, doubled or out of order")
        }
    }
}
