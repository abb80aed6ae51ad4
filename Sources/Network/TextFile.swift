import Glibc
import JSONText

/// Reads the files of people, with a bound. `PlainText` says what is text. Blocks.
package enum TextFile {
    /// Why there is no text.
    package struct Problem: Error {
        /// The end of a sentence that begins with the file's name and a colon.
        package var message: String
    }

    /// The most bytes read of a file that a person writes, unless said otherwise.
    package static let limit = 1 << 20

    /// The text of the file at `path`.
    package static func read(_ path: String, limit: Int = limit) throws(Problem) -> String {
        try text(try bytes(path, limit: limit))
    }

    /// The text of an open file, to its end.
    package static func read(_ descriptor: Int32, limit: Int = limit) throws(Problem) -> String {
        try text(try bytes(descriptor, limit: limit))
    }

    /// The bytes of the file at `path`.
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
