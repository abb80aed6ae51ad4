import WeirJSON
import WeirWire

/// A kind of data that is removed from a recording as it is written. The head names the rules in use.
public enum RedactionRule: String, Hashable, Sendable, CaseIterable {
    /// Every spelling of every secret known to the writer becomes `‹redacted›`. Always in force.
    case secrets
    /// `Authorization` headers: no header except `retry-after` is written at all.
    case authorization
    /// Cookies: no header except `retry-after` is written at all.
    case cookies
    /// The values of members called `token`, `password` and the like (`SecretName`) in sent data, and in the queries of
    /// URLs, become `‹redacted›`.
    case credentials
    /// Session ids, which allow others to take over a session, become `sid-` and a hash. Its salt is in no file. Equal
    /// ids get equal hashes in all segments of a recording, so it still replays.
    case sessions
    /// Secrets in received data become `‹secret-…›` before any other code sees them (`SecretScrubber`). A writer
    /// receives them already replaced.
    case received
}

/// Replaces the values of credentials in outgoing text. It looks only at tokens, so packet digits before the JSON, or
/// JSON that is cut off, do no harm. Time is linear in the text.
enum CredentialRedactor {
    private static let quote = UInt8(ascii: "\"")
    private static let replacement = Array(Redactor.replacement.utf8)

    /// Returns the text with the strings that are credentials replaced. The text is JSON and may have a prefix.
    static func redact(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes.withUnsafeBufferPointer { text in
            var result: [UInt8] = []
            var kept = 0
            var place = 0
            // The nesting depth of the values below a credential's name, which are all replaced; 0 outside.
            var depth = 0
            var isValueNext = false
            while place < text.count {
                let byte = text[place]
                if byte == quote {
                    let end = endOfString(text, from: place + 1)
                    let isKey = isKey(text, behind: end)
                    if isKey {
                        if depth == 0 {
                            isValueNext = isCredential(UnsafeBufferPointer(rebasing: text[place + 1..<end]))
                        }
                    } else if depth > 0 || isValueNext {
                        if end > place + 1 {
                            result += text[kept...place]
                            result += replacement
                            kept = end
                        }
                        if depth == 0 { isValueNext = false }
                    }
                    place = min(end + 1, text.count)
                    continue
                }
                switch byte {
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    if depth > 0 || isValueNext { depth += 1 }
                    isValueNext = false
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth > 0 { depth -= 1 }
                    isValueNext = false
                case UInt8(ascii: ","): isValueNext = false
                default: break
                }
                place += 1
            }
            guard kept > 0 else { return bytes }
            result += text[kept...]
            return result[...]
        }
    }

    /// Returns a URL with the values of credential parameters in its query replaced.
    static func redact(url: String) -> String {
        guard let mark = url.firstIndex(of: "?") else { return url }
        let parameters = url[url.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false).map {
            parameter -> String in
            guard let sign = parameter.firstIndex(of: "=") else { return String(parameter) }
            let isCredential = SecretName.isCredential(inQuery: String(parameter[..<sign]))
            return isCredential ? "\(parameter[...sign])\(Redactor.replacement)" : String(parameter)
        }
        return url[...mark] + parameters.joined(separator: "&")
    }

    /// Returns whether everything below a name is a credential.
    private static func isCredential(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        SecretName(name)?.coversWhatIsInside ?? false
    }

    /// Returns the position of the quote that ends the string, or the end of the text.
    private static func endOfString(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var place = start
        while place < text.count, text[place] != quote { place += text[place] == UInt8(ascii: "\\") ? 2 : 1 }
        return min(place, text.count)
    }

    private static func isKey(_ text: UnsafeBufferPointer<UInt8>, behind end: Int) -> Bool {
        var place = end + 1
        while place < text.count, text[place] <= UInt8(ascii: " ") { place += 1 }
        return place < text.count && text[place] == UInt8(ascii: ":")
    }
}

/// Finds session ids in a server's messages and computes their aliases. Engine.IO's open packet has a `sid`,
/// Socket.IO's CONNECT a `sid` and a `pid` (Engine.IO EIO-10, Socket.IO SIO-15), Bayeux's handshake answer a `clientId`
/// (Bayeux BX-15). For a plain WebSocket the profile defines the path. The salt is in no file, so that ids cannot be
/// tried; equal ids have equal aliases.
struct SessionNames: Hashable {
    private let salt: [UInt8]

    /// Creates aliases with a random salt.
    init() {
        var random = SystemRandomNumberGenerator()
        salt = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// Returns the alias that replaces an id.
    func alias(of id: String) -> String {
        "sid-" + SHA256Digest.of((salt + Array(id.utf8)).span).prefix(16)
    }

    /// Returns the session ids in a message from the server. `path` leads to the id in messages of a plain WebSocket;
    /// it is `nil` for other protocols.
    static func ids(in message: WebSocketMessage, at path: JSONPath?) -> [String] {
        guard case .text(let text) = message else { return [] }
        if let path { return id(in: text, at: path).map { $0.utf8.count >= shortest ? [$0] : [] } ?? [] }
        guard text.count <= longest, let first = text.first else { return [] }
        if first == bracket || first == brace { return clientIDs(in: text) }
        if first == UInt8(ascii: "0"), text.dropFirst().first == brace { return ids(inObject: text.dropFirst()) }
        guard first == UInt8(ascii: "4"), text.dropFirst().first == UInt8(ascii: "0"),
            let start = text.firstIndex(of: brace)
        else { return [] }
        return ids(inObject: text[start...])
    }

    /// Returns the session id in a message of a plain WebSocket.
    static func id(in text: ArraySlice<UInt8>, at path: JSONPath) -> String? {
        (try? RawJSON(checking: text)).flatMap(path.value)?.plainText
    }

    private static func clientIDs(in frame: ArraySlice<UInt8>) -> [String] {
        guard frame.count <= longestHandshake, let frame = try? Bayeux.Frame(parsing: frame) else { return [] }
        return frame.messages.compactMap { message in
            guard message.channel == "/meta/handshake", let id = message.clientID?.reveal(), id.utf8.count >= shortest
            else { return nil }
            return id
        }
    }

    private static let bracket = UInt8(ascii: "[")
    private static let brace = UInt8(ascii: "{")
    /// The longest Bayeux frame searched for a handshake answer. This skips longer frames unparsed.
    private static let longestHandshake = 2 << 10
    /// The longest packet searched. Both kinds have at most a few hundred bytes.
    private static let longest = 16 << 10
    /// The shortest id that is hidden. Shorter ids are harmless, and would match unrelated text.
    private static let shortest = 8

    private static func ids(inObject text: ArraySlice<UInt8>) -> [String] {
        var found: [String] = []
        do throws(JSONError) {
            var reader = JSONReader(text.span)
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let isID = reader.matches(key, "sid") || reader.matches(key, "pid")
                let value = try reader.raw()
                guard isID, case .string(let id)? = try? JSONValue(parsing: value.bytes), id.utf8.count >= shortest
                else { continue }
                found.append(id)
            }
        } catch {
            // A message that is not a packet contains no session id.
        }
        return found
    }
}
