package import Glibc

/// Writes a file completely or not at all. By default only the owner can read it.
package enum WholeFile {
    /// Writes to a new file with a unique name next to `path`, then renames it. An existing regular file is replaced.
    /// Anything else is refused, since `/dev/null` would be destroyed.
    ///
    /// - Returns: The problem, or `nil` on success.
    package static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o600) -> String? {
        var facts = stat()
        if stat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG { return "not a regular file" }
        let new = "\(path).\(UInt64.random(in: .min ... .max))"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        let isWhole = put(bytes, descriptor) && fsync(descriptor) == 0
        let problem = isWhole ? nil : String(cString: strerror(errno))
        close(descriptor)
        if let problem {
            unlink(new)
            return problem
        }
        guard rename(new, path) == 0 else {
            let problem = String(cString: strerror(errno))
            unlink(new)
            return problem
        }
        return nil
    }

    private static func put(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }
}
