import Wire

/// The marks of a recording, both those inside it and those in its file of marks (`MarkFile`).
package enum RecordingMarks {
    /// A request to set a mark.
    package struct Wish: Hashable, Sendable {
        /// The label of the new mark.
        package var label: String
        /// The position of the mark: before the first record that reaches it.
        package var position: RecordingPosition
        /// The origin of the mark; the record's `by` member.
        package var author: String
        package init(label: String, at position: RecordingPosition, author: String = "file") {
            self.label = label
            self.position = position
            self.author = author
        }
    }

    /// Returns the labels and stamps of all marks, in the order of their records.
    package static func list(
        _ path: String, hearing hear: ProblemListener = { _, _ in }
    ) throws(RecordingError) -> [(label: String, stamp: Stamp)] {
        var reader = try LineReader(opening: path)
        var marks: [(label: String, stamp: Stamp)] = []
        while let line = try reader.next(hearing: hear) {
            if case .mark(let mark) = line.record { marks.append((mark.label, line.stamp)) }
        }
        for mark in try MarkFile(beside: path).marks() {
            let place = marks.firstIndex { $0.stamp.n > mark.number } ?? marks.endIndex
            marks.insert((mark.label, Stamp(n: mark.number, time: mark.time, wall: mark.wall)), at: place)
        }
        return marks
    }

    /// Adds a mark to the recording's file of marks, as a player does. Returns false, and adds nothing, when the
    /// recording never reaches the position.
    package static func keep(
        _ wish: Wish, beside path: String, hearing hear: ProblemListener = { _, _ in }
    ) throws(RecordingError) -> Bool {
        var reader = try LineReader(opening: path)
        var last = Stamp(n: 0, time: .zero, wall: reader.head.wallStart)
        let position = try MarkFile(beside: path).resolved(wish.position)
        while let line = try reader.next(hearing: hear) {
            if line.record.isWritersOwn || line.isUnnumbered { continue }
            guard position.isReached(by: line) else {
                last = line.stamp
                continue
            }
            let (time, wall) = place(of: position, before: line.stamp, after: last.time, reader.head)
            try MarkFile(beside: path).append(
                MarkFile.Mark(label: wish.label, number: last.n, time: time, wall: wall), author: wish.author)
            return true
        }
        return false
    }

    /// Writes the recording with additional marks, including those from its file of marks. Each is placed before the
    /// first record at or after its position. Returns the labels of marks whose position was never reached, which are
    /// not set.
    package static func add(
        _ wishes: [Wish], to path: String, writing destination: ToolDestination,
        hearing hear: ProblemListener = { _, _ in }
    ) throws(RecordingError) -> (report: ToolReport, unset: [String]) {
        var report = ToolReport()
        let kept = MarkFile(beside: path)
        var wishes = wishes
        for index in wishes.indices { wishes[index].position = try kept.resolved(wishes[index].position) }
        for mark in try kept.marks() {
            wishes.append(
                Wish(label: mark.label, at: .record(mark.number < .max ? mark.number + 1 : .max), author: "key"))
        }
        var reader = try LineReader(opening: path)
        let first = try reader.firstNumber()
        var writer = try LineWriter.begin(
            destination, head: reader.headText, wallStart: reader.head.wallStart, firstNumber: first)
        var source = LineWriter.Source()
        while let line = try reader.next(hearing: hear) {
            if !line.record.isWritersOwn {
                for wish in wishes where wish.position.isReached(by: line) {
                    let mark = Record.MarkRecord(label: wish.label, author: wish.author)
                    let (time, wall) = place(of: wish.position, before: line.stamp, after: writer.lastTime, reader.head)
                    try writer.insert(.mark(mark), at: time, wall: wall)
                }
                wishes.removeAll { $0.position.isReached(by: line) }
            }
            try writer.append(line, from: &source)
        }
        report.written = writer.records
        report.problems = reader.problems
        try writer.close()
        return (report, wishes.map(\.label))
    }

    /// Returns the time of a mark: the requested time, or that of the record after it.
    private static func place(
        of position: RecordingPosition, before next: Stamp, after last: Moment, _ head: Record.Head
    ) -> (Moment, Int64) {
        let time: Moment
        switch position {
        case .offset(let microseconds): time = Moment(microseconds: microseconds)
        case .wall(let wall):
            let (offset, overflows) = wall.subtractingReportingOverflow(head.wallStart)
            time = overflows ? next.time : Moment(microseconds: offset)
        case .record, .mark: time = next.time
        }
        let clamped = max(last, min(time, next.time))
        let (behind, overflows) = next.time.microseconds.subtractingReportingOverflow(clamped.microseconds)
        return (clamped, overflows ? next.wall : next.wall - behind)
    }
}
