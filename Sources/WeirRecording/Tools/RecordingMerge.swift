import WeirJSON
import WeirWire

/// Merges recordings by their wall clocks. It keeps one line per file in memory.
package enum RecordingMerge {
    /// The most files in one merge.
    package static let mostFiles = 200

    /// The offsets that keep apart the connections and requests of different recordings.
    private static let connectionStride = 1_000_000
    private static let requestStride = 1 << 32

    /// Writes all records of the files ordered by time, and for equal times by the order of the files.
    ///
    /// The result is a new recording that begins with the head of the first one. Segments of one recording stay
    /// together. Connections and requests of the others get new numbers: a replay plays the session of the first
    /// recording.
    package static func merge(
        _ paths: [String], to destination: ToolDestination, hearing hear: ProblemListener = { _, _ in }
    ) throws(RecordingError) -> ToolReport {
        var report = ToolReport()
        var heads: [Record.Head] = []
        var texts: [[UInt8]] = []
        for path in paths {
            let reader = try LineReader(opening: path)
            heads.append(reader.head)
            texts.append(reader.headText)
        }
        guard let first = heads.first, let text = texts.first else { return report }
        let start = heads.map(\.wallStart).min() ?? first.wallStart
        var names: [String] = []
        var inputs = Inputs()
        for (path, head) in zip(paths, heads) {
            if !names.contains(head.recording) { names.append(head.recording) }
            let (shift, overflows) = head.wallStart.subtractingReportingOverflow(start)
            inputs.add(
                try LineReader(opening: path), recording: names.firstIndex(of: head.recording) ?? 0,
                shift: overflows ? 0 : shift)
        }
        var writer = try LineWriter.begin(
            destination, head: self.head(text, first, names, start), wallStart: start)
        var sources = names.indices.map { place in
            LineWriter.Source(
                connections: place * connectionStride, requests: place * requestStride)
        }
        while let (line, recording, shift) = try inputs.next(&report, hear) {
            sources[recording].shift = shift
            if case .state = line.record, names.count > 1 {
                report.leftOut += 1
            } else {
                try writer.append(line, from: &sources[recording])
            }
        }
        report.written = writer.records
        try writer.close()
        return report
    }

    /// Returns the head of the first file, changed for the merged one. When several recordings are merged, the new id
    /// is derived from theirs.
    private static func head(_ text: [UInt8], _ head: Record.Head, _ recordings: [String], _ start: Int64) -> [UInt8] {
        var changes = MemberChanges()
        if start != head.wallStart { changes.set("w0", string: RecordingTime.text(start)) }
        if head.segment != 1 { changes.set("seg", 1) }
        if head.previous != nil { changes.remove("prev") }
        if recordings.count > 1 {
            var id = [UInt8](repeating: 0, count: 32)
            for recording in recordings {
                for (place, byte) in recording.utf8.prefix(32).enumerated() {
                    id[place] ^= byte.hexValue ?? 0
                }
            }
            changes.set("rec", string: id.map { String($0, radix: 16) }.joined())
        }
        return changes.applied(to: text)
    }
}

/// The files of a merge, each with its next record.
private struct Inputs: ~Copyable {
    private final class Input {
        var reader: LineReader
        var next: RecordLine?
        let recording: Int
        let shift: Int64
        let isContinuation: Bool
        var isEnded = false

        init(_ reader: consuming LineReader, recording: Int, shift: Int64, isContinuation: Bool) {
            self.isContinuation = isContinuation
            self.reader = reader
            self.recording = recording
            self.shift = shift
        }

        /// Reads up to the next record.
        func fill(_ report: inout ToolReport, _ hear: ProblemListener) throws(RecordingError) {
            while next == nil, !isEnded {
                switch try reader.next() {
                case .line(let line):
                    // A later segment restates records of the segment before it.
                    if line.stamp.isRestated, isContinuation { continue }
                    if !line.record.isWritersOwn { next = line }
                case .problem(let problem):
                    report.problems += 1
                    hear(reader.path, problem)
                case nil: isEnded = true
                }
            }
        }

        /// The next record's time in the merged file; `nil` at the end.
        var time: Int64? {
            guard let next else { return nil }
            let (time, overflows) = next.stamp.time.microseconds.addingReportingOverflow(shift)
            return overflows ? .max : time
        }
    }

    private var inputs: [Input] = []

    mutating func add(_ reader: consuming LineReader, recording: Int, shift: Int64) {
        let isContinuation = inputs.contains { $0.recording == recording }
        inputs.append(Input(reader, recording: recording, shift: shift, isContinuation: isContinuation))
    }

    /// Returns the next record, the index of its recording, and the shift of its time.
    mutating func next(
        _ report: inout ToolReport, _ hear: ProblemListener
    ) throws(RecordingError) -> (RecordLine, recording: Int, shift: Int64)? {
        var best: Input?
        for input in inputs {
            try input.fill(&report, hear)
            guard let time = input.time else { continue }
            if let known = best?.time, known <= time { continue }
            best = input
        }
        guard let best, let line = best.next.take() else { return nil }
        return (line, best.recording, best.shift)
    }
}
