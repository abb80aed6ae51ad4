import WeirWire

/// Splits a recording into segments.
///
/// Numbers and times continue across the segments. Each begins by restating the records it needs to be played alone
/// (`re`). Merging the segments yields the original recording.
package enum RecordingSplit {
    /// The condition that begins a new segment.
    package enum Rule: Hashable, Sendable {
        /// When the segment has this many bytes, not counting the state it begins with. Doubled, with a warning, when
        /// that state is larger.
        case bytes(Int)
        /// When the segment spans this much time.
        case time(Duration)
        /// When the segment has this many records.
        case records(Int)
        /// Before every mark, in the recording or in its file of marks.
        case marks
        /// At the start of every connection.
        case connections
    }

    /// The segment that is being written.
    fileprivate struct Part: ~Copyable {
        var writer: LineWriter
        let start: Moment
        /// The bytes of restated state at the start of the segment. They do not count towards its size limit.
        var restated = 0
    }

    /// Writes the segments `PREFIX.0001.weir.jsonl`, `PREFIX.0002.weir.jsonl`, … and returns their paths.
    package static func split(
        _ path: String, by rule: Rule, to prefix: String, replaces: Bool = false,
        hearing hear: ProblemListener = { _, _ in }
    ) throws(RecordingError) -> (paths: [String], report: ToolReport) {
        var rule = rule
        let plan = SegmentPlan(path: prefix + ".weir.jsonl", rotation: SegmentPlan.Rotation())
        var report = ToolReport()
        var paths: [String] = []
        var reader = try LineReader(opening: path)
        var source = LineWriter.Source()
        var prelude = Prelude()
        var part: Part?
        var kept = rule == .marks ? try MarkFile(beside: path).marks().map(\.number).sorted()[...] : []
        while let line = try reader.next(hearing: hear) {
            if line.record.isWritersOwn { continue }
            var open: Part
            let isBehindMark = !line.isUnnumbered && kept.first.map { line.stamp.n > $0 } == true
            if isBehindMark { kept = kept.drop { line.stamp.n > $0 } }
            if let begun = part.take() {
                open = begun
                if isBehindMark || open.isOver(before: line, rule) {
                    let number = open.writer.nextNumber
                    let digest = try open.writer.closeSegment()
                    let name = plan.path(ofSegment: paths.count + 1)
                    open = try begin(name, replaces, reader, paths.count, previous: digest, number, line.stamp)
                    paths.append(name)
                    for before in prelude.lines { try open.writer.restate(before, at: line.stamp) }
                    open.restated = open.writer.bytes
                    if case .bytes(let asked) = rule,
                        let (size, warning) = SegmentPlan.enlarged(asked, beside: open.restated, "--size")
                    {
                        rule = .bytes(size)
                        if report.warnings.isEmpty { report.warnings.append(warning) }
                    }
                }
            } else {
                let name = plan.path(ofSegment: 1)
                open = try begin(name, replaces, reader, 0, previous: nil, max(1, line.stamp.n), line.stamp)
                paths.append(name)
            }
            try open.writer.append(line, from: &source)
            report.written += 1
            prelude.note(line)
            part = consume open
        }
        if let open = part.take() { try open.writer.close() }
        report.problems = reader.problems
        return (paths, report)
    }

    private static func begin(
        _ path: String, _ replaces: Bool, _ reader: borrowing LineReader, _ index: Int, previous: String?,
        _ number: Int,
        _ stamp: Stamp
    ) throws(RecordingError) -> Part {
        var changes = MemberChanges()
        if index > 0 {
            changes.set("seg", Int64(reader.head.segment + index))
            if let previous { changes.set("prev", string: previous) }
        }
        let writer = try LineWriter.begin(
            ToolDestination(path: path, replaces: replaces), head: changes.applied(to: reader.headText),
            wallStart: reader.head.wallStart, firstNumber: number, isSegment: true)
        return Part(writer: writer, start: stamp.time)
    }
}

extension RecordingSplit.Part {
    /// Returns whether `line` belongs to the next segment.
    fileprivate func isOver(before line: RecordLine, _ rule: RecordingSplit.Rule) -> Bool {
        guard writer.records > 0, !line.isUnnumbered else { return false }
        switch rule {
        case .bytes(let most): return writer.bytes - restated >= most
        case .time(let span): return line.stamp.time.microseconds - start.microseconds >= span.microseconds
        case .records(let most): return writer.records >= most
        case .marks: if case .mark = line.record { return true } else { return false }
        case .connections:
            if case .connection(let change) = line.record { return change.state == .connecting } else { return false }
        }
    }
}
