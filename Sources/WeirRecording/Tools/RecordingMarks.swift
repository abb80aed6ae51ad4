import Glibc
import WeirJSON
package import WeirWire

/// Marks added to a finished recording, by a player or a tool.
///
/// They are kept in a separate file, `NAME.marks`, since nothing may silently change a recording. Each line is a `mark`
/// record in the recording's own format (`schemas/recording.schema.json`), with the number of the record before the
/// mark. A search for marks looks in both files.
package struct MarkFile {
    /// A mark and its position in the recording.
    package struct Mark: Hashable, Sendable {
        /// The mark's label, which need not be unique.
        package var label: String
        /// The number of the record before the mark.
        package var number: Int
        /// The session's time at the mark.
        package var time: Moment
        /// The wall clock at the mark, in microseconds since 1970 UTC.
        package var wall: Int64
        package init(label: String, number: Int, time: Moment, wall: Int64) {
            self.label = label
            self.number = number
            self.time = time
            self.wall = wall
        }
    }

    /// The most marks that are read, since people edit these files by hand.
    private static let most = 10_000

    /// The most bytes that are read; the rest of a longer file is ignored.
    private static let mostBytes = 4 << 20

    /// The path of the file with the marks.
    package let path: String

    /// Creates a value for the marks of the recording at the path `recording`.
    package init(beside recording: String) {
        // A compressed recording shares the marks of the uncompressed one.
        path = (recording.hasSuffix(".zst") ? String(recording.dropLast(4)) : recording) + ".marks"
    }

    /// Returns a message that no mark has this label, with a list of those that exist.
    package static func absence(of label: String, among labels: [String]) -> String {
        let shown = labels.prefix(12).joined(separator: ", ")
        let others = labels.isEmpty ? "the recording has no marks" : "marks: \(shown)\(labels.count > 12 ? ", …" : "")"
        return "no mark is named \(label); \(others)"
    }

    /// Returns the marks in the order in which they were set. Returns none when the file does not exist. Skips lines
    /// that are not marks.
    package func marks() throws(RecordingError) -> [Mark] {
        guard access(path, F_OK) == 0 else { return [] }
        var marks: [Mark] = []
        for line in try text().split(separator: "\n").prefix(Self.most) {
            do throws(LineFailure) {
                let decoded = try LineDecoder.decode(Array(line.utf8).span)
                guard case .mark(let mark) = decoded.record, let number = decoded.number, let time = decoded.time else {
                    continue
                }
                marks.append(Mark(label: mark.label, number: number, time: time, wall: decoded.wall ?? 0))
            } catch {
                continue
            }
        }
        return marks
    }

    private func text() throws(RecordingError) -> String {
        let bytes = try ByteSource.beginning(of: path, bytes: Self.mostBytes)
        do throws(PlainTextError) {
            return try PlainText.decode(bytes)
        } catch {
            throw .unusable(path: path, message: error.message)
        }
    }

    /// Resolves a position that names a mark of this file to the record after that mark. Returns any other position
    /// unchanged.
    package func resolved(_ position: RecordingPosition) throws(RecordingError) -> RecordingPosition {
        guard case .mark(let label) = position, let mark = try marks().first(where: { $0.label == label }),
            mark.number < .max
        else { return position }
        return .record(mark.number + 1)
    }

    /// Appends a mark. Creates the file with mode 0600 if it does not exist.
    package func append(_ mark: Mark, author: String = "key") throws(RecordingError) {
        var encoder = RecordEncoder()
        let stamp = Stamp(n: mark.number, time: mark.time, wall: mark.wall)
        guard encoder.encode(.mark(Record.MarkRecord(label: mark.label, author: author)), stamp) else { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(operation: "create", path: path, code: errno) }
        defer { close(descriptor) }
        let line = encoder.line
        let end = lseek(descriptor, 0, SEEK_END)
        let written = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard written == line.count else {
            let code = written < 0 ? errno : ENOSPC
            // A partial line would corrupt the next mark.
            ftruncate(descriptor, end)
            throw .system(operation: "write", path: path, code: code)
        }
    }
}

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
