import JSONText
import Wire

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
