/// The lines of a text file that is not an event file. The last one may lack its line feed.
struct ForeignLines: ~Copyable {
    private var lines: LineScanner
    private let path: String
    private let hear: ProblemListener
    /// The number of lines reported as left out.
    private(set) var problems = 0

    init(opening path: String, hearing hear: @escaping ProblemListener) throws(RecordingError) {
        lines = LineScanner(source: try ByteSource(opening: path))
        self.path = path
        self.hear = hear
    }

    /// Returns the next line, or `nil` at the end.
    mutating func next() throws(RecordingError) -> [UInt8]? {
        while let line = try lines.next() {
            switch line {
            case .whole(let range): return text(range)
            case .unfinished(let bytes):
                if let range = lines.unfinished(bytes: bytes) { return text(range) }
                leaveOut("it has \(bytes) bytes, more than a record can hold")
            case .tooLong(let bytes): leaveOut("it has \(bytes) bytes, more than a record can hold")
            }
        }
        return nil
    }

    /// Returns the text of a line. Removes the byte order mark with which some programs begin their files.
    private func text(_ range: Range<Int>) -> [UInt8] {
        let text = lines.buffer[range]
        return Array(lines.line == 1 && text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text)
    }

    /// Reports that the line returned last is left out.
    mutating func leaveOut(_ why: String) {
        problems += 1
        hear(path, FileProblem(.damage, line: lines.line, offset: lines.offset, message: why))
    }
}
