import CLibWebSockets
import Wire

/// The client's side of the opening handshake (RFC 6455, 4.1), for our own framing over libwebsockets' HTTP client.
struct WebSocketHandshake {
    /// Versions of libwebsockets whose HTTP client is known to do what our framing wants of it: see `takeBack`.
    private static let knownVersions = ["4.1.6"]
    /// The fresh key of this connection.
    let key: String
    /// Whether compression is offered.
    let offersCompression: Bool

    /// Whether the library that is loaded is one whose ways are known.
    static var libraryIsKnown: Bool {
        guard let version = lws_get_library_version() else { return false }
        let text = String(cString: version)
        return knownVersions.contains { text == $0 || text.hasPrefix($0 + "-") }
    }

    init(offersCompression: Bool, _ random: inout SystemRandomNumberGenerator) {
        self.offersCompression = offersCompression
        let nonce = [random.next(), random.next()]
        key = nonce.withUnsafeBytes(base64)
    }

    /// The headers that make the request an upgrade.
    var headers: String {
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: \(key)\r\nSec-WebSocket-Version: 13\r\n"
            + (offersCompression ? "Sec-WebSocket-Extensions: \(PermessageDeflate.offer)\r\n" : "")
    }

    /// Takes back the header `connection: close`, which a server would take for our word. False when it is not there: then this
    /// is not the library we know. `place` is where the next header would be written, behind the request line and the Host header.
    static func takeBack(_ header: String, _ place: inout UnsafeMutablePointer<UInt8>) -> Bool {
        let before = place - header.utf8.count
        guard UnsafeBufferPointer(start: before, count: header.utf8.count).elementsEqual(header.utf8) else {
            return false
        }
        place = before
        return true
    }

    /// Checks the server's answer, whose headers libwebsockets still holds.
    func check(_ wsi: OpaquePointer) throws(HandshakeProblem) -> PermessageDeflate? {
        let status = Int(lws_http_client_http_response(wsi))
        guard status == 101 else { throw HandshakeProblem(status: status) }
        guard lower(header(WSI_TOKEN_UPGRADE, of: wsi) ?? "") == "websocket" else {
            throw HandshakeProblem("Upgrade header missing or wrong")
        }
        guard let connection = header(WSI_TOKEN_CONNECTION, of: wsi),
            connection.split(separator: ",").contains(where: { lower($0.filter { $0 != " " }) == "upgrade" })
        else { throw HandshakeProblem("Connection header missing or wrong") }
        guard header(WSI_TOKEN_ACCEPT, of: wsi) == acceptHash(key) else { throw HandshakeProblem("Accept hash wrong") }
        guard header(WSI_TOKEN_PROTOCOL, of: wsi) == nil else {
            throw HandshakeProblem("a subprotocol was not asked for")
        }
        guard let extensions = header(WSI_TOKEN_EXTENSIONS, of: wsi) else { return nil }
        guard offersCompression else { throw HandshakeProblem("an extension was not offered") }
        do throws(WebSocketViolation) {
            return try PermessageDeflate.agreement(from: extensions)
        } catch {
            throw HandshakeProblem(error.reason)
        }
    }

    private func header(_ token: lws_token_indexes, of wsi: OpaquePointer) -> String? {
        let length = Int(lws_hdr_total_length(wsi, token))
        guard length > 0, length < 1 << 12 else { return nil }
        var text = [CChar](repeating: 0, count: length + 1)
        let count = Int(lws_hdr_copy(wsi, &text, Int32(text.count), token))
        guard count > 0 else { return nil }
        return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private func lower(_ text: some StringProtocol) -> String { text.lowercased() }
}

/// Why a server's answer to the upgrade will not do.
struct HandshakeProblem: Error {
    /// The status, when the server refused.
    var status: Int?
    var words = ""

    init(status: Int) { self.status = status }
    init(_ words: String) { self.words = words }
}

/// What a server makes of the client's key (RFC 6455, 4.2.2).
func acceptHash(_ key: String) -> String {
    let input = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
    var hash = [UInt8](repeating: 0, count: 20)
    lws_SHA1(input, input.count, &hash)
    return hash.withUnsafeBytes(base64)
}

/// Base64 (RFC 4648, 4) of a few bytes.
private func base64(_ bytes: UnsafeRawBufferPointer) -> String {
    var text = [CChar](repeating: 0, count: bytes.count * 2 + 8)
    let count = lws_b64_encode_string(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), &text, Int32(text.count))
    return String(decoding: text.prefix(Int(max(0, count))).map(UInt8.init(bitPattern:)), as: UTF8.self)
}
