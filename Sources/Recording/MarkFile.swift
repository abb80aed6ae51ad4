import Glibc
import JSONText
package import Wire

/// Marks that were set when a recording was there already, while it was played or by a tool: they stand in a file of their own beside
/// it, `NAME.marks`, since nothing may change a recording in silence. One `mark` record a line, in the form of the recording's own
/// (`schemas/recording.schema.json`), with the number of the record it stands behind. Whoever looks for marks finds both kinds.
package struct MarkFile {
    /// A mark, and where it stands.
    package struct Mark: Hashable, Sendable {
        /// What it is called.
        package var label: String
        /// Number of the record it stands behind.
        package var number: Int
        /// The session's time there.
        package var time: Moment
        /// The wall clock there, microseconds since 1970 UTC.
        package var wall: Int64
        /// A mark.
        package init(label: String, number: Int, time: Moment, wall: Int64) {
            self.label = label
            self.number = number
            self.time = time
            self.wall = wall
        }
    }

    /// No more marks are read: a file of marks is made by hand.
    private static let most = 10_000

    /// Of a longer file the beginning is read.
    private static let mostBytes = 4 << 20

    /// The file's path.
    package let path: String

    /// The marks of the recording at `recording`.
    package init(beside recording: String) {
        // A recording that was compressed is the same recording.
        path = (recording.hasSuffix(".zst") ? String(recording.dropLast(4)) : recording) + ".marks"
    }

    /// That no mark is called so, and which there are.
    package static func absence(of label: String, among labels: [String]) -> String {
        let shown = labels.prefix(12).joined(separator: ", ")
        let others = labels.isEmpty ? "it has no marks" : "there are \(shown)\(labels.count > 12 ? ", …" : "")"
        return "no mark is called \(label): \(others)"
    }

    /// The marks, in the order in which they were set; none when there is no such file. Lines that are no marks are passed over.
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
        let source = try ByteSource(opening: path)
        var bytes: [UInt8] = []
        while bytes.count < Self.mostBytes {
            let old = bytes.count
            bytes += [UInt8](repeating: 0, count: 65_536)
            let read = bytes.withUnsafeMutableBytes {
                source.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[old...]))
            }
            let count = try read.get()
            bytes.removeLast(65_536 - count)
            if count == 0 { break }
        }
        do throws(PlainTextError) {
            return try PlainText.decode(bytes)
        } catch {
            throw .unusable(path: path, message: error.message)
        }
    }

    /// A position in the recording, where a mark that is kept here is the place behind the record it was set at.
    package func resolved(_ position: RecordingPosition) throws(RecordingError) -> RecordingPosition {
        guard case .mark(let label) = position, let mark = try marks().first(where: { $0.label == label }),
            mark.number < .max
        else { return position }
        return .record(mark.number + 1)
    }

    /// Adds a mark. The file is made, mode 0600, when it is not there.
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
            // Half a line would spoil the mark that follows.
            ftruncate(descriptor, end)
            throw .system(operation: "write", path: path, code: code)
        }
    }
}
