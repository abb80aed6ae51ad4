import Glibc
import Live

/// A picture file to send with a message, or to use as a group's picture.
enum PictureFile {
    /// The reason for rejecting a file.
    struct Problem: Error {
        var message: String
    }

    /// The maximum size in bytes.
    static let most = 8 << 20

    /// Reads a picture file of a supported type.
    static func read(_ path: String) throws(Problem) -> ActionRunnerConfiguration.Picture {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Problem(message: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= most {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Problem(message: String(cString: strerror(errno))) }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        guard bytes.count <= most else { throw Problem(message: "it is larger than \(most >> 20) MiB") }
        guard let type = type(of: bytes) else {
            throw Problem(message: "it is not a JPEG, PNG, GIF or WebP picture")
        }
        return ActionRunnerConfiguration.Picture(bytes: bytes, type: type)
    }

    /// Returns the media type by the first bytes, regardless of the file's name.
    private static func type(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if bytes.starts(with: [0x89] + Array("PNG\r\n".utf8)) { return "image/png" }
        if bytes.starts(with: Array("GIF8".utf8)) { return "image/gif" }
        if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
            return "image/webp"
        }
        return nil
    }
}
