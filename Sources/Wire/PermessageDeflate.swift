/// The parameters of message compression (RFC 7692, permessage-deflate) that both ends agreed on.
public struct PermessageDeflate: Hashable, Sendable {
    /// Whether the server resets its compression window after each message.
    public var serverNoContextTakeover = false
    /// Whether the client resets its compression window after each message.
    public var clientNoContextTakeover = false
    /// The server's window size as a power of two: 8 to 15.
    public var serverMaxWindowBits = 15
    /// The client's window size as a power of two: 8 to 15.
    public var clientMaxWindowBits = 15

    /// Creates parameters with windows of 32 KiB that are kept from message to message.
    public init() {}

    /// A client's offer, which accepts any parameters of the server.
    public static var offer: String { "permessage-deflate; client_max_window_bits" }

    /// Returns the server's answer to a client's offers, and its text: the first offer that the server understands
    /// (RFC 7692, 5.1).
    ///
    /// Returns `nil` if it understands none; messages are then not compressed.
    public static func answer(to offers: String) -> (agreement: PermessageDeflate, text: String)? {
        for offer in offers.split(separator: ",", omittingEmptySubsequences: false) {
            guard let parameters = parameters(offer), let agreement = agreement(with: parameters) else { continue }
            return (agreement, agreement.text)
        }
        return nil
    }

    /// Parses a server's answer to our `offer`. An extension or a parameter that was not offered fails the connection
    /// (RFC 7692, 5.1).
    public static func agreement(from answer: String) throws(WebSocketViolation) -> PermessageDeflate {
        let problem = WebSocketViolation(
            code: 1010, reason: "the server answers with an extension that was not offered")
        guard let parameters = parameters(answer[...]) else { throw problem }
        var agreement = PermessageDeflate()
        for (name, value) in parameters {
            switch (name, value) {
            case ("server_no_context_takeover", nil): agreement.serverNoContextTakeover = true
            case ("client_no_context_takeover", nil): agreement.clientNoContextTakeover = true
            case ("server_max_window_bits", let value?):
                guard let bits = windowBits(value) else { throw problem }
                agreement.serverMaxWindowBits = bits
            case ("client_max_window_bits", let value?):
                guard let bits = windowBits(value) else { throw problem }
                agreement.clientMaxWindowBits = bits
            default: throw problem
            }
        }
        return agreement
    }

    func hasNoContextTakeover(by role: WebSocketRole) -> Bool {
        switch role {
        case .client: clientNoContextTakeover
        case .server: serverNoContextTakeover
        }
    }

    func windowBits(of role: WebSocketRole) -> Int {
        switch role {
        case .client: clientMaxWindowBits
        case .server: serverMaxWindowBits
        }
    }

    /// Returns a server's agreement with an offer, or `nil` if the server does not understand or support it.
    private static func agreement(with offer: [(name: String, value: String?)]) -> PermessageDeflate? {
        var agreement = PermessageDeflate()
        for (name, value) in offer {
            switch (name, value) {
            case ("server_no_context_takeover", nil): agreement.serverNoContextTakeover = true
            case ("client_no_context_takeover", nil): agreement.clientNoContextTakeover = true
            case ("client_max_window_bits", nil): break
            case ("client_max_window_bits", let value?):
                guard let bits = windowBits(value) else { return nil }
                agreement.clientMaxWindowBits = bits
            case ("server_max_window_bits", let value?):
                // zlib cannot write for a window of 256 bytes.
                guard let bits = windowBits(value), bits > 8 else { return nil }
                agreement.serverMaxWindowBits = bits
            default: return nil
            }
        }
        return agreement
    }

    private var text: String {
        var text = "permessage-deflate"
        if serverNoContextTakeover { text += "; server_no_context_takeover" }
        if clientNoContextTakeover { text += "; client_no_context_takeover" }
        if serverMaxWindowBits < 15 { text += "; server_max_window_bits=\(serverMaxWindowBits)" }
        if clientMaxWindowBits < 15 { text += "; client_max_window_bits=\(clientMaxWindowBits)" }
        return text
    }

    /// Parses the parameters of one offer or answer (9.1 of RFC 6455). Returns `nil` if it is for another extension or
    /// repeats a parameter.
    private static func parameters(_ text: Substring) -> [(name: String, value: String?)]? {
        var parts = text.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
        guard parts.removeFirst().lowercased() == "permessage-deflate" else { return nil }
        var parameters: [(name: String, value: String?)] = []
        for part in parts {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(trimmed)
            let name = halves[0].lowercased()
            guard !name.isEmpty, !parameters.contains(where: { $0.name == name }) else { return nil }
            parameters.append((name, halves.count == 2 ? unquoted(halves[1]) : nil))
        }
        return parameters
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }

    private static func unquoted(_ text: Substring) -> String {
        guard text.count >= 2, text.first == "\"", text.last == "\"" else { return String(text) }
        return String(text.dropFirst().dropLast())
    }

    /// Parses 8 to 15 in decimal without leading zeros (7.1.2).
    private static func windowBits(_ text: String) -> Int? {
        ["8", "9", "10", "11", "12", "13", "14", "15"].firstIndex(of: text).map { $0 + 8 }
    }
}

extension WebSocketRole {
    /// The role of the other end.
    var other: WebSocketRole {
        switch self {
        case .client: .server
        case .server: .client
        }
    }
}
