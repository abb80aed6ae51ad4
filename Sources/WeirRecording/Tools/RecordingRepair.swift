import Glibc
import WeirWire

/// Repairs a damaged recording: keeps every readable record in order, writes a `gap` where something is missing, and
/// saves unreadable data in separate files.
package struct RecordingRepair {
    /// The result of a repair.
    package struct Report: Hashable, Sendable {
        /// The number of records kept.
        package var kept = 0
        /// The number of unreadable lines.
        package var unreadable = 0
        /// The length of the unreadable lines in bytes.
        package var unreadableBytes = 0
        /// The number of records that were missing already.
        package var missing = 0
        /// The number of omitted model states, which cannot be compared after a loss.
        package var states = 0
        /// The paths of the files with unreadable data.
        package var aside: [String] = []
        /// The number of problems found.
        package var problems = 0
        /// Whether the new file lacks any part of the recording.
        package var isLossy: Bool { unreadable > 0 || missing > 0 }
    }

    private var report = Report()
    /// The loss before the next record: its cause, and the number of records if known.
    private var hole: (why: String, lost: Int?)?
    private var isBehindLoss = false

    private init() {}

    /// Writes the readable records of the file at `path`. Damaged lines go to a file named after the new one, or after
    /// the old one when writing to standard output, with `.damaged` appended. A torn end goes to one with `.torn`.
    package static func repair(
        _ path: String, to destination: ToolDestination, hearing problem: ProblemListener = { _, _ in }
    ) throws(RecordingError) -> Report {
        guard path != "-" else {
            throw .system(operation: "read twice, as a repair must,", path: "standard input", code: ESPIPE)
        }
        var repair = RecordingRepair()
        try repair.run(path, destination, problem)
        return repair.report
    }

    private mutating func run(
        _ path: String, _ destination: ToolDestination, _ hear: ProblemListener
    ) throws(RecordingError) {
        var reader = try LineReader(opening: path)
        let first = try reader.firstNumber()
        var writer = try LineWriter.begin(
            destination, head: reader.headText, wallStart: reader.head.wallStart, firstNumber: first)
        var aside = AsideFiles(of: path, beside: destination)
        var source = LineWriter.Source()
        var last = Stamp(n: 0, time: .zero, wall: reader.head.wallStart)
        while let item = try reader.next() {
            switch item {
            case .problem(let problem):
                hear(path, problem)
                try aside.keep(problem)
                note(problem)
            case .line(let line):
                try close(&writer, until: line.stamp)
                if case .state = line.record, isBehindLoss {
                    report.states += 1
                    continue
                }
                last = line.stamp
                try writer.append(line, from: &source)
            }
        }
        try close(&writer, until: last)
        report.kept = writer.records - holes
        report.aside = try aside.close()
        do throws(RecordingError) {
            try writer.close()
        } catch {
            for name in report.aside { unlink(name) }
            throw error
        }
    }

    private var holes = 0

    private mutating func note(_ problem: FileProblem) {
        report.problems += 1
        switch problem.kind {
        case .damage, .torn:
            report.unreadable += 1
            report.unreadableBytes += problem.bytes ?? 0
            hole = (problem.kind.rawValue, hole?.lost)
        case .numbering:
            guard let lost = problem.lost else { return }
            // The numbers also have a hole where a line was unreadable. Do not count it twice.
            if hole == nil { report.missing += lost }
            hole = (hole?.why ?? "damage", (hole?.lost ?? 0) + lost)
        case .cut, .checksum, .time, .index, .segment, .secret: return
        }
    }

    /// Writes the gap for a loss that ends at this record.
    private mutating func close(_ writer: inout LineWriter, until stamp: Stamp) throws(RecordingError) {
        guard let hole else { return }
        self.hole = nil
        isBehindLoss = true
        holes += 1
        let gap = Record.GapRecord(
            why: hole.why, from: writer.lastTime, to: max(stamp.time, writer.lastTime), lost: hole.lost)
        try writer.insert(.gap(gap), at: max(stamp.time, writer.lastTime), wall: stamp.wall)
    }
}

/// Saves unreadable data. A second reader of the same file follows the first to the damaged positions.
private struct AsideFiles: ~Copyable {
    private let path: String
    private let name: String
    private let replaces: Bool
    private var source: ByteSource?
    private var place = 0
    private var damaged: OutputFile?
    private var torn: OutputFile?

    init(of path: String, beside destination: ToolDestination) {
        self.path = path
        name = destination.path.flatMap { $0 == "-" ? nil : $0 } ?? path
        replaces = destination.replaces
    }

    mutating func keep(_ problem: FileProblem) throws(RecordingError) {
        guard let offset = problem.offset, let bytes = problem.bytes, offset >= place else { return }
        if source == nil { source = try ByteSource(opening: path) }
        try copy(offset - place) { _ throws(RecordingError) in }
        place = offset + bytes
        switch problem.kind {
        case .torn:
            var file = try OutputFile(ToolDestination(path: name + ".torn", replaces: replaces))
            try copy(bytes) { piece throws(RecordingError) in try file.write(piece) }
            torn = consume file
        case .damage:
            var file: OutputFile
            if let open = damaged.take() {
                file = open
            } else {
                file = try OutputFile(ToolDestination(path: name + ".damaged", replaces: replaces))
            }
            try copy(bytes) { piece throws(RecordingError) in try file.write(piece) }
            damaged = consume file
        case .cut, .numbering, .checksum, .time, .index, .segment, .secret: return
        }
    }

    /// Reads `count` bytes and passes them to `take`.
    private mutating func copy(
        _ count: Int, _ take: ([UInt8]) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        var left = count
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while left > 0 {
            let most = min(left, buffer.count)
            let got = try read(&buffer, most)
            if got == 0 { return }
            try take(Array(buffer[..<got]))
            left -= got
        }
    }

    private mutating func read(_ buffer: inout [UInt8], _ most: Int) throws(RecordingError) -> Int {
        guard let open = source.take() else { return 0 }
        let result = buffer.withUnsafeMutableBytes { bytes in
            open.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<most]))
        }
        source = consume open
        return try result.get()
    }

    /// Closes the files and returns their paths. If the second one cannot be written, neither is kept.
    consuming func close() throws(RecordingError) -> [String] {
        var names: [String] = []
        if let file = damaged.take() {
            names.append(file.path)
            try file.close()
        }
        if let file = torn.take() {
            let path = file.path
            do throws(RecordingError) {
                try file.close()
            } catch {
                for name in names { unlink(name) }
                throw error
            }
            names.append(path)
        }
        return names
    }
}
