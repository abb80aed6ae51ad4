import Glibc
import Wire

/// Copies recordings line by line.
package enum RecordingCopy {
    /// Writes the records of the file at `path` with `sync` records, `idx` and `end` made anew: the file `weir file index` makes.
    package static func index(
        _ path: String, to destination: ToolDestination, hearing problem: ProblemListener = { _, _ in }
    ) throws(RecordingError) -> ToolReport {
        try copy(path, to: destination, hearing: problem) { _ in true }
    }

    /// Writes a file compressed. It is in its place when it is whole, and what fails leaves nothing.
    package static func compress(
        _ path: String, to destination: ToolDestination
    ) throws(RecordingError) -> RecordingCompressor.Result {
        guard let target = destination.path, target != "-" else {
            return try RecordingCompressor.compress(path, to: "-")
        }
        try OutputFile.refuse(destination.replaces, at: target)
        let made = "\(target).\(getpid()).frames"
        let result: RecordingCompressor.Result
        do throws(RecordingError) {
            result = try RecordingCompressor.compress(path, to: made)
        } catch {
            // What was there before is not ours.
            if case .exists = error {} else { unlink(made) }
            throw error
        }
        try OutputFile.put(made, at: target, replaces: destination.replaces)
        return result
    }

    /// The SHA-256 of a file's text.
    static func digest(of path: String) throws(RecordingError) -> String {
        let source = try ByteSource(opening: path)
        let digest = SHA256Digest()
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = try piece.withUnsafeMutableBytes { source.read(into: $0) }.get()
            if count == 0 { return digest.finish() }
            digest.update(piece.span.extracting(..<count))
        }
    }

    /// Writes the text of a file, byte for byte; of a compressed one, what was compressed.
    package static func text(of path: String, to destination: ToolDestination) throws(RecordingError) {
        let source = try ByteSource(opening: path)
        var output = try OutputFile(destination)
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = try piece.withUnsafeMutableBytes { source.read(into: $0) }.get()
            if count == 0 { break }
            try output.write(Array(piece[..<count]))
        }
        try output.close()
    }

    /// Publishes the text of a file in a stream, or what that lacks of it. Gives how many bytes were published and how many were there.
    package static func publish(_ path: String, to url: String) throws(RecordingError) -> (bytes: Int, known: Int) {
        let part: (recording: String, offset: Int)
        // What a recorder could not publish begins somewhere.
        if let spooled = StreamSpool.part(path) {
            part = spooled
        } else {
            part = (try RecordingReader(opening: path).head.recording, 0)
        }
        let source = try ByteSource(opening: path)
        let output = try RemoteRecordings.create(url, recording: part.recording, resumes: true)
        let known = output.offset
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        // Of a compressed file the size is not always known: it is read from the beginning.
        var (passed, published) = (part.offset, 0)
        guard passed <= known else {
            throw .unusable(
                path: url, message: "it holds \(known) bytes of this recording, and \(path) begins at \(passed)")
        }
        while true {
            let count = try piece.withUnsafeMutableBytes { source.read(into: $0) }.get()
            if count == 0 { break }
            let new = max(0, min(count, passed + count - known))
            passed += count
            guard new > 0 else { continue }
            try output.write(Array(piece[count - new..<count]))
            published += new
        }
        guard passed >= known else {
            throw .unusable(path: url, message: "it holds \(known) bytes of this recording, and \(path) has \(passed)")
        }
        try output.flush()
        try output.finish()
        return (published, known)
    }

    /// Writes the records that are wanted.
    static func copy(
        _ path: String, to destination: ToolDestination, renumbersConnections: Bool = false,
        hearing hear: ProblemListener, where isWanted: (RecordLine) throws(RecordingError) -> Bool
    ) throws(RecordingError) -> ToolReport {
        var report = ToolReport()
        var reader = try LineReader(opening: path)
        let first = try reader.firstNumber()
        var writer = try LineWriter.begin(
            destination, head: reader.headText, wallStart: reader.head.wallStart, firstNumber: first)
        var source = LineWriter.Source(renumbersConnections: renumbersConnections)
        while let line = try reader.next(hearing: hear) {
            // What the model was like cannot be compared where something is missing.
            if case .state = line.record, report.leftOut > 0 {
                report.leftOut += 1
            } else if try isWanted(line) {
                try writer.append(line, from: &source)
            } else if !line.record.isWritersOwn {
                report.leftOut += 1
            }
        }
        report.written = writer.records
        report.problems = reader.problems
        try writer.close()
        return report
    }
}

extension Record {
    /// Whether the writer of a file makes it itself.
    var isWritersOwn: Bool {
        switch self {
        case .head, .sync, .index, .end: true
        case .connection, .frame, .http, .subscription, .gap, .token, .action, .memory, .mark, .state, .clock, .note,
            .unknown:
            false
        }
    }
}
