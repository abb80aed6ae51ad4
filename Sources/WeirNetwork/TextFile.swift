import Glibc
import WeirJSON

/// Reads text files that people write, up to a size limit. `PlainText` decides what counts as text. All calls block.
package enum TextFile {
    /// The reason why a file could not be read as text.
    package struct Problem: Error {
        /// The end of a sentence that begins with the file's name and a colon.
        package var message: String
    }

    /// The default limit for a file, in bytes.
    package static let limit = 1 << 20

    /// Returns the text of the file at `path`.
    package static func read(_ path: String, limit: Int = limit) throws(Problem) -> String {
        try text(try bytes(path, limit: limit))
    }

    /// Returns the text of an open file, read to its end.
    package static func read(_ descriptor: Int32, limit: Int = limit) throws(Problem) -> String {
        try text(try bytes(descriptor, limit: limit))
    }

    /// Returns the bytes of the file at `path`.
    package static func bytes(_ path: String, limit: Int) throws(Problem) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable() }
        defer { close(descriptor) }
        return try bytes(descriptor, limit: limit)
    }

    private static func bytes(_ descriptor: Int32, limit: Int) throws(Problem) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable() }
            if count == 0 { break }
            bytes += buffer[..<count]
            guard bytes.count <= limit else { throw Problem(message: "longer than \(limit) bytes") }
        }
        return bytes
    }

    private static func text(_ bytes: [UInt8]) throws(Problem) -> String {
        do throws(PlainTextError) {
            return try PlainText.decode(bytes)
        } catch {
            throw Problem(message: error.message)
        }
    }

    private static func unreadable() -> Problem {
        Problem(message: "cannot be read: \(String(cString: strerror(errno)))")
    }
}
