import Glibc
import JSONText
public import Wire

/// Where the token, or another secret, comes from; the secret itself is never in an argument, a log or a recording.
public enum TokenReference: Sendable {
    /// An environment variable, read at each use.
    case environment(String)
    /// A file's first line, read at each use.
    case file(String)
    /// The first line a shell command (`sh -c`) prints, run at each use; it must end with status 0.
    case command(String)
    /// Asked of the program itself (the demo, tests). Called on a helper thread.
    case provider(@Sendable () throws(TokenError) -> Secret)

    /// Finds the secret; `purpose` is what errors call it. Blocks: call it on a helper thread.
    public func resolve(_ purpose: String = "token") throws(TokenError) -> Secret {
        switch self {
        case .environment(let name):
            guard let value = getenv(name), value.pointee != 0 else {
                throw TokenError(message: "the environment variable \(name) is not set")
            }
            return try Self.secret(
                in: Array(UnsafeRawBufferPointer(start: value, count: strlen(value))),
                of: "the environment variable \(name)", purpose)
        case .file(let path):
            guard let file = fopen(path, "r") else {
                throw TokenError(
                    message: "the \(purpose) file \(path) cannot be read: \(String(cString: strerror(errno)))")
            }
            defer { fclose(file) }
            return try firstLine(of: file, "the \(purpose) file \(path)", purpose)
        case .command(let command):
            guard let pipe = popen(command, "r") else {
                throw TokenError(message: "the \(purpose) command cannot be run: \(String(cString: strerror(errno)))")
            }
            let line = Result { () throws(TokenError) in try firstLine(of: pipe, "the \(purpose) command", purpose) }
            let status = pclose(pipe)
            guard status == 0 else {
                throw TokenError(message: "the \(purpose) command failed with status \(status >> 8)")
            }
            return try line.get()
        case .provider(let provide): return try provide()
        }
    }

    private func firstLine(of file: UnsafeMutablePointer<FILE>, _ source: String, _ purpose: String) throws(TokenError)
        -> Secret
    {
        var bytes: [UInt8] = []
        while bytes.count < 64 << 10 {
            let byte = fgetc(file)
            if byte == EOF { break }
            bytes.append(UInt8(truncatingIfNeeded: byte))
            // A command that goes on printing is not waited for.
            if byte == 10 { break }
        }
        return try Self.secret(in: bytes, of: source, purpose)
    }

    /// The secret in the first line of some text, without a byte order mark and without blanks at its end. `source` begins the error.
    package static func secret(in bytes: [UInt8], of source: String, _ purpose: String) throws(TokenError) -> Secret {
        let text: String
        do throws(PlainTextError) {
            text = try PlainText.decode(bytes)
        } catch {
            throw TokenError(message: "\(source): \(error.message)")
        }
        var line = text.prefix { $0 != "\n" }
        while line.last == " " || line.last == "\t" { line.removeLast() }
        guard !line.isEmpty else { throw TokenError(message: "\(source) gives no \(purpose)") }
        return Secret(String(line))
    }
}

/// Why a reference gives no token, or no other secret.
public struct TokenError: Error, Hashable, Sendable {
    /// What and where, without the token.
    public var message: String
    /// An error.
    public init(message: String) { self.message = message }
}
