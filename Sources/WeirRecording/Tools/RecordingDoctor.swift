import WeirWire

/// Checks event files for all problems: unreadable lines, cut payloads, numbers, times and chunks out of order,
/// checksum errors, a torn or missing end, an index that disagrees with the file, and missing segments.
///
/// Several files are checked as the segments of one recording, in the given order, if their heads belong to one
/// recording.
package struct RecordingDoctor {
    /// The result for one file.
    package struct Report: Hashable, Sendable {
        /// The number of records, including the head, `sync`, `idx` and `end`.
        package var records = 0
        /// The number of problems found.
        package var problems = 0
        /// Whether the recording continues in another file.
        package var goesOn = false
    }

    private let scanner: SecretScanner?
    private var last: (head: Record.Head, number: Int, path: String)?

    /// Creates a doctor. `looksForSecrets` turns on the search for secrets.
    package init(looksForSecrets: Bool = false) { scanner = looksForSecrets ? SecretScanner() : nil }

    /// Checks the file at `path`, possibly as the next segment. Calls `hear` with each problem.
    package mutating func examine(
        _ path: String, hearing hear: ProblemListener
    ) throws(RecordingError) -> Report {
        var reader = try LineReader(opening: path)
        var examination = Examination()
        var report = Report(records: 1)
        var first: Int?
        func tell(_ problems: [FileProblem]) {
            for problem in problems { hear(path, problem) }
            report.problems += problems.count
        }
        if let previous = reader.head.previous, let last, last.head.recording == reader.head.recording,
            reader.head.segment == last.head.segment + 1, try RecordingCopy.digest(of: last.path) != previous
        {
            let message = "\(last.path) is not the segment that was written before it: its SHA-256 differs"
            tell([FileProblem(.segment, line: 1, offset: 0, message: message)])
        }
        tell(scanner?.secrets(in: reader.headText, line: 1, offset: 0) ?? [])
        while let item = try reader.next() {
            switch item {
            case .problem(let problem):
                examination.note(problem)
                tell([problem])
            case .line(let line):
                report.records += 1
                if !line.isUnnumbered, first == nil {
                    first = line.stamp.n
                    tell(segmentProblems(reader.head, first: line.stamp.n))
                }
                tell(examination.look(at: line))
                tell(
                    scanner?.secrets(
                        in: line.text, line: line.line, offset: line.offset, isBinary: line.record.isBinary) ?? [])
            }
        }
        tell(examination.end())
        report.goesOn = examination.goesOn
        last = (reader.head, examination.lastNumber, path)
        return report
    }

    /// Returns the ways in which a segment does not fit the one before it.
    private func segmentProblems(_ head: Record.Head, first: Int) -> [FileProblem] {
        func problem(_ message: String) -> FileProblem { FileProblem(.segment, line: 1, offset: 0, message: message) }
        guard let last, last.head.recording == head.recording else { return [] }
        if head.segment != last.head.segment + 1 {
            return [problem("segment \(head.segment) follows segment \(last.head.segment)")]
        }
        guard first != last.number + 1 else { return [] }
        return [problem("it begins with record \(first) where \(last.number + 1) should follow")]
    }
}

/// The state of checking one file.
private struct Examination {
    /// The most chunks compared with the index; a file with more is not compared.
    private static let mostChunks = 1 << 20
    private(set) var lastNumber = 0
    private(set) var goesOn = false
    private var lastTime = Moment.zero
    private var chunkOffset: Int? = 0
    private var chunks: [Record.IndexRecord.Chunk] = []
    private var firstNumber: Int?
    private var indexOffset: Int?
    private var ended: Int?
    private var isTorn = false

    /// Takes note of a damaged or torn line. After damage, the offsets of the file are no longer certain.
    mutating func note(_ problem: FileProblem) {
        if problem.kind == .torn { isTorn = true }
        if problem.kind == .damage { chunkOffset = nil }
    }

    mutating func look(at line: RecordLine) -> [FileProblem] {
        var problems: [FileProblem] = []
        func add(_ kind: FileProblem.Kind, _ message: String) {
            problems.append(FileProblem(kind, line: line.line, offset: line.offset, message: message))
        }
        if let ended {
            add(.index, "the record is after the end of line \(ended)")
            self.ended = nil
        }
        if line.stamp.time < lastTime {
            add(.time, "time goes back from \(lastTime.microseconds) to \(line.stamp.time.microseconds) µs")
        }
        lastTime = line.stamp.time
        if let length = line.record.lengthBeforeCut {
            add(.cut, "its payload had \(length) bytes, and only the beginning was recorded: a replay diverges here")
        }
        if !line.isUnnumbered { lastNumber = line.stamp.n }
        switch line.record {
        case .sync(let sync): note(sync, line)
        case .index(let index):
            indexOffset = line.offset
            if let message = look(at: index) { add(.index, message) }
        case .end(let end):
            ended = line.line
            goesOn = end.why == .rotated
            if let place = end.index, place != indexOffset {
                add(.index, "the index should be at byte \(place), where none is")
            }
        case .head, .connection, .frame, .http, .subscription, .gap, .token, .action, .memory, .mark, .state, .clock,
            .note, .unknown:
            if !line.isUnnumbered { firstNumber = firstNumber ?? line.stamp.n }
        }
        return problems
    }

    private mutating func note(_ sync: Record.SyncRecord, _ line: RecordLine) {
        let begin = chunkOffset
        chunkOffset = line.offset + line.text.count + 1
        if chunks.count < Self.mostChunks {
            chunks.append(
                Record.IndexRecord.Chunk(
                    offset: begin ?? sync.offset, firstTime: sync.firstTime, lastTime: sync.lastTime,
                    firstNumber: firstNumber ?? 0, records: sync.records))
        }
        firstNumber = nil
    }

    private func look(at index: Record.IndexRecord) -> String? {
        guard chunks.count < Self.mostChunks, !index.chunks.isEmpty else { return nil }
        if index.chunks.count != chunks.count {
            return "the index lists \(index.chunks.count) chunks, but the file has \(chunks.count)"
        }
        for (place, (said, found)) in zip(index.chunks, chunks).enumerated() {
            if said.offset != found.offset || said.records != found.records {
                return "chunk \(place + 1) of the index is not the one in the file"
            }
        }
        return nil
    }

    func end() -> [FileProblem] {
        if ended != nil || isTorn { return [] }
        return [FileProblem(.index, message: "it has no end: it was not closed, or is still being written")]
    }
}

/// Finds text that looks like a secret in the lines of an event file, without revealing the secret.
struct SecretScanner {
    /// Returns one problem for each member with a secret.
    func secrets(in text: [UInt8], line: Int, offset: Int, isBinary: Bool = false) -> [FileProblem] {
        var found: [String] = []
        _ = LineValues.changed(text, isBinary: isBinary, seeksSecrets: true) { value in
            // The rules overlap, so report only the first one per member.
            if let rule = value.secrets.map(\.rule).min(by: { $0.rank < $1.rank }) {
                let place = value.keys.joined(separator: ".")
                found.append("\(rule.words) in \(place) (rule \(rule.rawValue))")
            }
            return nil
        }
        return found.map { FileProblem(.secret, line: line, offset: offset, message: "possible secret: " + $0) }
    }
}
