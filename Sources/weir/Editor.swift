import Glibc
import Network

/// The user's editor: `$VISUAL`, otherwise `$EDITOR`, otherwise vi.
enum Editor {
    /// The reason for a failed edit.
    struct Problem: Error {
        var message: String
    }

    /// Lets the user edit a text in a private temporary file. Returns the lines of the result. Blocks.
    static func edit(_ text: String) throws(Problem) -> [String] {
        var path = Array("/tmp/weir-edit-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else {
            throw Problem(message: "cannot create a temporary file: \(String(cString: strerror(errno)))")
        }
        defer {
            close(descriptor)
            unlink(path)
        }
        let bytes = Array(text.utf8)
        guard bytes.isEmpty || Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw Problem(message: "cannot write the temporary file: \(String(cString: strerror(errno)))")
        }
        let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try run(name)
        return try read(name)
    }

    private static func run(_ path: String) throws(Problem) {
        let names: [String] = ["VISUAL", "EDITOR"]
        let command = names.compactMap { name in getenv(name).map { String(cString: $0) } }.first { !$0.isEmpty }
        // The editor may contain arguments, separated by spaces. No shell interprets them.
        let words = (command ?? "vi").split(separator: " ").map(String.init) + [path]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let failure = posix_spawnp(&process, words[0], nil, nil, &arguments, environ)
        guard failure == 0 else {
            throw Problem(message: "\(words[0]) cannot be run: \(String(cString: strerror(failure)))")
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw Problem(message: "cannot wait for \(words[0])") }
        }
        guard status == 0 else { throw Problem(message: "\(words[0]) failed: nothing changed") }
    }

    private static func read(_ path: String) throws(Problem) -> [String] {
        // The editor may have replaced the file.
        do throws(TextFile.Problem) {
            return try TextFile.read(path).split(separator: "\n").map(String.init)
        } catch {
            throw Problem(message: "the edited text: " + error.message)
        }
    }
}
