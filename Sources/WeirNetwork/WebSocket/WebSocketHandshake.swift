import CWeirLibWebSockets
import WeirWire

/// The client's side of the opening handshake (RFC 6455, 4.1), for our own framing over libwebsockets' HTTP client.
struct WebSocketHandshake {
    /// The versions of libwebsockets whose HTTP client is known to suit our framing; see `takeBack`.
    private static let knownVersions = ["4.1.6"]
    /// The random key of this connection, in base64.
    let key: String
    /// Whether the request offers compression (permessage-deflate).
    let offersCompression: Bool

    /// Whether the loaded libwebsockets is a known version.
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

    /// The headers that turn the request into an upgrade.
    var headers: String {
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: \(key)\r\nSec-WebSocket-Version: 13\r\n"
            + (offersCompression ? "Sec-WebSocket-Extensions: \(PermessageDeflate.offer)\r\n" : "")
    }

    /// Removes the header `connection: close`, which would contradict the upgrade. Returns `false` when the header is
    /// missing; then this is not the libwebsockets we know. `place` is where the next header would be written, after
    /// the request line and the Host header.
    static func takeBack(_ header: String, _ place: inout UnsafeMutablePointer<UInt8>) -> Bool {
        let before = place - header.utf8.count
        guard UnsafeBufferPointer(start: before, count: header.utf8.count).elementsEqual(header.utf8) else {
            return false
        }
        place = before
        return true
    }

    /// A header of the response that the handshake uses. The raw value is its name in lower case.
    enum Header: String {
        case upgrade, connection
        case accept = "sec-websocket-accept"
        case subprotocol = "sec-websocket-protocol"
        case extensions = "sec-websocket-extensions"
        case retryAfter = "retry-after"

        fileprivate var token: lws_token_indexes {
            switch self {
            case .upgrade: WSI_TOKEN_UPGRADE
            case .connection: WSI_TOKEN_CONNECTION
            case .accept: WSI_TOKEN_ACCEPT
            case .subprotocol: WSI_TOKEN_PROTOCOL
            case .extensions: WSI_TOKEN_EXTENSIONS
            case .retryAfter: WSI_TOKEN_HTTP_RETRY_AFTER
            }
        }
    }

    /// Checks the head of the server's response. Returns the agreed compression, or `nil` for none.
    func check(_ status: Int, _ header: (Header) -> String?) throws(HandshakeProblem) -> PermessageDeflate? {
        guard status == 101 else {
            throw HandshakeProblem(status: status, retryAfter: header(.retryAfter).flatMap { retryAfter($0) })
        }
        guard lower(header(.upgrade) ?? "") == "websocket" else {
            throw HandshakeProblem("Upgrade header missing or wrong")
        }
        guard let connection = header(.connection),
            connection.split(separator: ",").contains(where: { lower($0.filter { $0 != " " }) == "upgrade" })
        else { throw HandshakeProblem("Connection header missing or wrong") }
        guard header(.accept) == acceptHash(key) else { throw HandshakeProblem("Accept hash wrong") }
        guard header(.subprotocol) == nil else { throw HandshakeProblem("a subprotocol was not requested") }
        guard let extensions = header(.extensions) else { return nil }
        guard offersCompression else { throw HandshakeProblem("an extension was not offered") }
        do throws(WebSocketViolation) {
            return try PermessageDeflate.agreement(from: extensions)
        } catch {
            throw HandshakeProblem(error.reason)
        }
    }

    /// Returns a header of the response while libwebsockets holds its head.
    static func header(_ header: Header, of wsi: OpaquePointer) -> String? {
        let length = Int(lws_hdr_total_length(wsi, header.token))
        guard length > 0, length < 1 << 12 else { return nil }
        var text = [CChar](repeating: 0, count: length + 1)
        let count = Int(lws_hdr_copy(wsi, &text, Int32(text.count), header.token))
        guard count > 0 else { return nil }
        return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private func lower(_ text: some StringProtocol) -> String { text.lowercased() }
}

/// The reason why a response to the upgrade is not acceptable.
struct HandshakeProblem: Error {
    /// The HTTP status of a refusal; `nil` for a malformed response.
    var status: Int?
    /// The seconds in the Retry-After header.
    var retryAfter: Int?
    var words = ""

    init(status: Int, retryAfter: Int? = nil) { (self.status, self.retryAfter) = (status, retryAfter) }
    init(_ words: String) { self.words = words }
}

/// A parser for the heads after an interim response (100, 103), up to the final one. libwebsockets parses only the first
/// head, as if it were final. Pure.
struct InterimHeads {
    /// The number of interim responses that are skipped.
    private static let most = 32
    private var bytes: [UInt8] = []
    private var total = 0
    private var count = 1

    /// A complete head: the status and the header fields, with names in lower case.
    struct Head {
        var status: Int
        var fields: [(name: String, value: String)]

        func value(_ name: String) -> String? { fields.last { $0.name == name }?.value }
    }

    /// Adds bytes. Returns the final head and the bytes after it, once the head is complete. Together the heads may be
    /// as long as any one head.
    mutating func take(_ more: UnsafeRawBufferPointer) throws(HandshakeProblem) -> (Head, rest: [UInt8])? {
        bytes += more
        while let end = headEnd {
            let head = try Self.head(of: bytes[..<end])
            total += end
            try check(total)
            bytes.removeFirst(end)
            guard (100..<200).contains(head.status), head.status != 101 else { return (head, bytes) }
            count += 1
            if count > Self.most { throw HandshakeProblem("more than \(Self.most) interim answers") }
        }
        try check(total + bytes.count)
        return nil
    }

    private func check(_ size: Int) throws(HandshakeProblem) {
        guard size <= Limits.head else { throw HandshakeProblem("the heads are larger than \(Limits.head) bytes") }
    }

    private var headEnd: Int? {
        bytes.indices.first { $0 >= 3 && bytes[$0] == 10 && bytes[$0 - 1] == 13 && bytes[$0 - 2] == 10 }.map { $0 + 1 }
    }

    private static func head(of bytes: ArraySlice<UInt8>) throws(HandshakeProblem) -> Head {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, first.hasPrefix("HTTP/1.") else { throw HandshakeProblem("it is not HTTP") }
        guard let status = Int(first.dropFirst(9).prefix(3)) else { throw HandshakeProblem("it has no status") }
        let fields = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return (line[..<colon].lowercased(), String(value))
        }
        return Head(status: status, fields: fields)
    }
}

/// Returns the accept value that a server computes from the client's key (RFC 6455, 4.2.2).
func acceptHash(_ key: String) -> String {
    let input = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
    var hash = [UInt8](repeating: 0, count: 20)
    lws_SHA1(input, input.count, &hash)
    return hash.withUnsafeBytes(base64)
}

/// Encodes a few bytes in base64 (RFC 4648, 4).
private func base64(_ bytes: UnsafeRawBufferPointer) -> String {
    var text = [CChar](repeating: 0, count: bytes.count * 2 + 8)
    let count = lws_b64_encode_string(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), &text, Int32(text.count))
    return String(decoding: text.prefix(Int(max(0, count))).map(UInt8.init(bitPattern:)), as: UTF8.self)
}
