import Glibc
import WeirJSON
import WeirNetwork
import WeirRecording
import WeirThreads
public import WeirWire

/// A reference to a token or another secret. The secret itself never appears in an argument, a log or a recording.
public enum TokenReference: Sendable {
    /// An environment variable, read at each use.
    case environment(String)
    /// The first line of a file, read at each use.
    case file(String)
    /// The first line that a shell command (`sh -c`) prints, run at each use. It must exit with status 0.
    case command(String)
    /// A function of the program itself, for the demo and the tests. It is called on a helper thread.
    case provider(@Sendable () throws(TokenError) -> Secret)

    /// The time limit of a command. It is long because the command may ask the user for a passphrase.
    public static let patience: Duration = .seconds(60)

    /// Parses a reference: `env:NAME`, `file:PATH` or `cmd:COMMAND`. Returns `nil` for any other text.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[1].isEmpty else { return nil }
        switch parts[0] {
        case "env": self = .environment(parts[1])
        case "file": self = .file(parts[1])
        case "cmd": self = .command(parts[1])
        default: return nil
        }
    }

    /// The reference in the syntax that `init(_:)` parses; `nil` for a provider.
    package var reference: String? {
        switch self {
        case .environment(let name): "env:\(name)"
        case .file(let path): "file:\(path)"
        case .command(let command): "cmd:\(command)"
        case .provider: nil
        }
    }

    /// Returns the secret. Blocks: call it on a helper thread. A command that does not end in time is killed, together
    /// with everything it started.
    ///
    /// - Parameters:
    ///   - purpose: The name of the secret in errors.
    ///   - patience: The time limit of a command.
    public func resolve(
        _ purpose: String = "token", patience: Duration = Self.patience
    ) throws(TokenError) -> Secret {
        switch self {
        case .environment(let name):
            guard let value = getenv(name), value.pointee != 0 else {
                throw TokenError(message: "the environment variable \(name) is not set", isUsage: true)
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
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else {
                throw TokenError(message: "the \(purpose) command cannot be run: \(String(cString: strerror(errno)))")
            }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            let program = ChildProgram(["/bin/sh", "-c", command], output: ends[1], leadsGroup: false)
            close(ends[1])
            guard let program else {
                close(ends[0])
                throw TokenError(message: "the \(purpose) command cannot be run: /bin/sh cannot be started")
            }
            let deadline = MachineClock.monotonic + patience
            let bytes = Self.firstLine(from: ends[0], by: deadline)
            close(ends[0])
            switch program.end(by: deadline) {
            case .ended(0): return try Self.secret(in: bytes, of: "the \(purpose) command", purpose)
            case .ended(let status):
                throw TokenError(message: "the \(purpose) command failed with status \(status)")
            case .timedOut, .unwanted:
                throw TokenError(
                    message: "the \(purpose) command did not end within \(patience.components.seconds) s and was killed"
                )
            }
        case .provider(let provide): return try provide()
        }
    }

    /// Reads up to the first line feed, which is included, or to the end, as far as it arrives by `deadline`. At most
    /// 64 KiB.
    private static func firstLine(from descriptor: Int32, by deadline: Moment) -> [UInt8] {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < 64 << 10, bytes.last != 10 {
            let left = (deadline - MachineClock.monotonic).microseconds / 1000
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let isReady = poll(&wait, 1, Int32(clamping: max(left, 0)))
            if isReady < 0, errno == EINTR { continue }
            guard isReady > 0, read(descriptor, &byte, 1) == 1 else { break }
            bytes.append(byte)
        }
        return bytes
    }

    private func firstLine(of file: UnsafeMutablePointer<FILE>, _ source: String, _ purpose: String) throws(TokenError)
        -> Secret
    {
        var bytes: [UInt8] = []
        while bytes.count < 64 << 10 {
            let byte = fgetc(file)
            if byte == EOF { break }
            bytes.append(UInt8(truncatingIfNeeded: byte))
            if byte == 10 { break }
        }
        return try Self.secret(in: bytes, of: source, purpose)
    }

    /// Returns the secret in the first line of a text, without a byte order mark and trailing blanks. Error messages
    /// begin with `source`.
    package static func secret(in bytes: [UInt8], of source: String, _ purpose: String) throws(TokenError) -> Secret {
        let text: String
        do throws(PlainTextError) {
            text = try PlainText.decode(bytes)
        } catch {
            throw TokenError(message: "\(source): \(error.message)")
        }
        var line = text.prefix { $0 != "\n" }
        while line.last == " " || line.last == "\t" { line.removeLast() }
        guard !line.isEmpty else { throw TokenError(message: "\(source) contains no \(purpose)") }
        return Secret(String(line))
    }
}

/// The reason why a reference yields no secret.
public struct TokenError: Error, Hashable, Sendable {
    /// The cause and the source, without the secret.
    public var message: String
    /// Whether the user's input is wrong: it names a variable that is not set, or no reference was passed.
    public var isUsage = false
    /// Creates an error with a message for the user.
    public init(message: String, isUsage: Bool = false) { (self.message, self.isUsage) = (message, isUsage) }
}

/// A text in which references take the place of secrets: the auth object of a Socket.IO handshake, or a query. The references are resolved
/// at every attempt to connect.
public struct ReferenceTemplate: Sendable {
    /// The kind of text, which determines how a secret is escaped.
    private enum Form { case auth, query }

    private enum Piece: Sendable {
        case text(String)
        case reference(TokenReference)
    }

    private let form: Form
    private var pieces: [Piece] = []

    /// Creates a template from an auth object, in which a string `env:NAME`, `file:PATH` or `cmd:COMMAND` is replaced
    /// with the secret; or from one such reference to the whole object, on one line.
    public init(auth text: String) throws(TokenError) {
        form = .auth
        if let reference = TokenReference(text) {
            pieces = [.reference(reference)]
            return
        }
        let bytes = Array(text.utf8)
        var places: [(range: Range<Int>, reference: TokenReference)] = []
        var literal: String?
        do throws(JSONError) {
            var reader = JSONReader(bytes.span)
            try reader.requireObject()
            try reader.forEachString { range, name, value in
                if let reference = TokenReference(value) {
                    places.append((range, reference))
                } else if let name, !value.isEmpty, SecretName.isCredential(inQuery: name) {
                    literal = name
                }
            }
            try reader.end()
        } catch {
            // The text is not repeated, since it may contain a secret.
            throw TokenError(message: "not a JSON object, env:NAME, file:PATH or cmd:COMMAND: \(error)")
        }
        if let literal { throw Self.literal(literal, "\"\(literal)\": \"env:NAME\"") }
        var start = 0
        for place in places {
            add(bytes[start..<place.range.lowerBound])
            pieces.append(.reference(place.reference))
            start = place.range.upperBound
        }
        add(bytes[start...])
    }

    /// Creates a template from the query of a URL and additional parameters. A parameter is `NAME=VALUE`, and the value
    /// may be a reference.
    public init(query: String, adding parameters: [String]) throws(TokenError) {
        form = .query
        for parameter in query.split(separator: "&") {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, SecretName.isCredential(inQuery: String(parts[0])) else { continue }
            throw Self.literal(String(parts[0]), "--query \(parts[0])=env:NAME instead")
        }
        pieces = [.text(query)]
        for parameter in parameters {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw TokenError(message: "write NAME=VALUE; the value may be env:NAME, file:PATH or cmd:COMMAND")
            }
            let reference = TokenReference(parts[1])
            if reference == nil, !parts[1].isEmpty, SecretName.isCredential(inQuery: parts[0]) {
                throw Self.literal(parts[0], "\(parts[0])=env:NAME")
            }
            let separator = pieces.count == 1 && query.isEmpty ? "" : "&"
            pieces.append(.text("\(separator)\(parts[0].percentEncoded)="))
            pieces.append(reference.map { .reference($0) } ?? .text(parts[1].percentEncoded))
        }
    }

    private static func literal(_ name: String, _ words: String) -> TokenError {
        TokenError(
            message: "\(name) takes a reference, not the value itself: an argument is seen by every user of the machine"
                + " and kept in the shell's history. Write \(words), or file:PATH, or cmd:COMMAND")
    }

    private mutating func add(_ bytes: ArraySlice<UInt8>) {
        if !bytes.isEmpty { pieces.append(.text(String(decoding: bytes, as: UTF8.self))) }
    }

    /// The references in the text, in order.
    public var references: [TokenReference] {
        pieces.compactMap { if case .reference(let reference) = $0 { reference } else { nil } }
    }

    /// The name of the value in errors.
    public var purpose: String { form == .auth ? "auth value" : "query value" }

    /// Returns the text with all references resolved, and the secrets in it. Blocks if there are references: call it on
    /// a helper thread.
    func resolve() throws(TokenError) -> (text: Secret, secrets: [Secret]) {
        var text = ""
        var secrets: [Secret] = []
        for piece in pieces {
            switch piece {
            case .text(let part): text += part
            case .reference(let reference):
                let secret = try reference.resolve(purpose)
                text += pieces.count == 1 ? secret.reveal() : written(secret)
                secrets.append(secret)
            }
        }
        if form == .auth { try Self.check(text) }
        return (Secret(text), secrets)
    }

    private func written(_ secret: Secret) -> String {
        guard form == .auth else { return secret.reveal().percentEncoded }
        var writer = JSONWriter()
        writer.string(secret.reveal())
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func check(_ text: String) throws(TokenError) {
        let bytes = Array(text.utf8)
        do throws(JSONError) {
            var reader = JSONReader(bytes.span)
            try reader.requireObject()
            try reader.skip()
            try reader.end()
        } catch {
            throw TokenError(message: "the auth value is not a JSON object: \(error)")
        }
    }
}

extension JSONReader {
    fileprivate mutating func requireObject() throws(JSONError) {
        let kind = try peek()
        guard kind == .object else { throw JSONError(.wrongKind(expected: .object, found: kind), at: offset) }
    }

    /// Calls `body` for every string in the next value, with its range including the quotes, the name of the member
    /// that contains it, and its value.
    fileprivate mutating func forEachString(
        of name: String? = nil, _ body: (Range<Int>, String?, String) -> Void
    ) throws(JSONError) {
        switch try peek() {
        case .string:
            let start = offset
            let value = try string()
            body(start..<offset, name, value)
        case .object:
            try beginObject()
            while let key = try nextKey() { try forEachString(of: string(at: key.range), body) }
        case .array:
            try beginArray()
            while try nextElement() { try forEachString(of: name, body) }
        case .number, .bool, .null: try skip()
        }
    }
}
