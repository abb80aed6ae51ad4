import Glibc
import Wire

/// Functions that copy a recording line by line.
package enum RecordingCopy {
    /// Writes the records of the file at `path` with new `sync`, `idx` and `end` records, as `weir file index` does.
    package static func index(
        _ path: String, to destination: ToolDestination, hearing problem: ProblemListener = { _, _ in }
    ) throws(RecordingError) -> ToolReport {
        try copy(path, to: destination, hearing: problem) { _ in true }
    }

    /// Writes a compressed copy of a file. It appears at its destination only when complete; a failure leaves no file.
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
            // A file that existed before must stay.
            if case .exists = error {} else { unlink(made) }
            throw error
        }
        try OutputFile.put(made, at: target, replaces: destination.replaces)
        return result
    }

    /// Returns the SHA-256 of a file's text.
    static func digest(of path: String) throws(RecordingError) -> String {
        let source = try ByteSource(opening: path)
        let digest = SHA256Digest()
        var buffer = [UInt8](repeating: 0, count: ByteSource.pieceBytes)
        while let piece = try source.next(into: &buffer) { digest.update(piece.span) }
        return digest.finish()
    }

    /// Writes the text of a file byte for byte, after decompression.
    package static func text(of path: String, to destination: ToolDestination) throws(RecordingError) {
        let source = try ByteSource(opening: path)
        var output = try OutputFile(destination)
        var buffer = [UInt8](repeating: 0, count: ByteSource.pieceBytes)
        while let piece = try source.next(into: &buffer) { try output.write(Array(piece)) }
        try output.close()
    }

    /// Publishes the text of a file to a stream, or the part that the stream lacks. Returns the number of bytes
    /// published and the number already present.
    package static func publish(_ path: String, to url: String) throws(RecordingError) -> (bytes: Int, known: Int) {
        let part: (recording: String, offset: Int)
        // A spool file holds what a recorder could not publish, so it begins inside the recording.
        if let spooled = StreamSpool.part(path) {
            part = spooled
        } else {
            part = (try RecordingReader(opening: path).head.recording, 0)
        }
        let source = try ByteSource(opening: path)
        let output = try RemoteRecordings.create(url, recording: part.recording, resumes: true)
        let known = output.offset
        var buffer = [UInt8](repeating: 0, count: ByteSource.pieceBytes)
        // The size of a compressed file is not always known, so the file is read from its beginning.
        var (passed, published) = (part.offset, 0)
        guard passed <= known else {
            throw .unusable(
                path: url, message: "it holds \(known) bytes of this recording, and \(path) begins at \(passed)")
        }
        while let piece = try source.next(into: &buffer) {
            let new = max(0, min(piece.count, passed + piece.count - known))
            passed += piece.count
            guard new > 0 else { continue }
            try output.write(Array(piece.suffix(new)))
            published += new
        }
        guard passed >= known else {
            throw .unusable(path: url, message: "it holds \(known) bytes of this recording, and \(path) has \(passed)")
        }
        try output.flush()
        try output.finish()
        return (published, known)
    }

    /// Writes the records for which `isWanted` returns true.
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
            // After a record is left out, the state of the model can no longer be compared.
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
    /// Whether the writer of a file creates this record itself.
    var isWritersOwn: Bool {
        switch self {
        case .head, .sync, .index, .end: true
        case .connection, .frame, .http, .subscription, .gap, .token, .action, .memory, .mark, .state, .clock, .note,
            .unknown:
            false
        }
    }
}
