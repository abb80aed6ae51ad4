import JSONText
import Recording
import Wire

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
