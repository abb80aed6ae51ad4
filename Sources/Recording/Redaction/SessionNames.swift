import JSONText
import Wire

/// Finds session ids where a server gives them, and what stands in their place: Engine.IO's open packet has a `sid`, Socket.IO's
/// CONNECT a `sid` and a `pid` (reference 1.3, 1.12), Bayeux's answer to a handshake a `clientId` (groupme.md 4.6), a message of a plain
/// WebSocket what its profile says. The salt is in no file, so that nobody can try ids; equal ids stay equal.
struct SessionNames: Hashable {
    private let salt: [UInt8]

    /// A salt that nobody knows.
    init() {
        var random = SystemRandomNumberGenerator()
        salt = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// What stands in the place of an id.
    func alias(of id: String) -> String {
        "sid-" + SHA256Digest.of((salt + Array(id.utf8)).span).prefix(16)
    }

    /// The ids that a message from the server gives. `path` leads to the id in messages of a plain WebSocket; nil for other protocols.
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

    /// The id that a message of a plain WebSocket gives.
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
    /// Every other frame of a session is passed over unread where it is longer.
    private static let longestHandshake = 2 << 10
    /// Neither packet is longer than a few hundred bytes.
    private static let longest = 16 << 10
    /// Shorter ones are no secrets, and would be found in what has nothing to do with them.
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
            // What is no packet gives no session.
        }
        return found
    }
}
