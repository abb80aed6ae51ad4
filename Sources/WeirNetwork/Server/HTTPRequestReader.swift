import WeirJSON

/// A parser for the HTTP/1.1 requests (RFC 9112) that arrive on a connection, one after the other.
package struct HTTPRequestReader {
    /// The reason for refusing a request, with the status that answers it.
    package struct Refusal: Error {
        package let status: Int
        package let reason: String
    }
    /// A parsed request; in `Next.head` its body is still missing.
    package struct Request {
        package var request: ServerRequest
        /// Whether the connection stays open for another request.
        package var keepsAlive: Bool
        /// Whether the client speaks HTTP/1.1, and so understands features that 1.0 lacks.
        var isHTTP11: Bool
    }
    /// The result of one step of reading.
    package enum Next {
        /// A request whose body is still to come.
        case head(Request)
        /// A request with its whole body.
        case request(Request)
        /// The client waits for `100 Continue` before it sends the body.
        case wantsContinue
        /// The request is incomplete; append more bytes.
        case needsMore
    }

    private enum State {
        case head
        case body(Request, length: Int)
        /// Reading chunks; those read so far are in `body`.
        case chunked(Request)
        /// The body is complete. The trailer may still take `room` bytes.
        case trailer(Request, room: Int)
    }
    private enum Framing {
        case none, length(Int), chunked
    }

    /// The largest request line and headers together, and the largest trailer, in bytes.
    static let maximumHead = 1 << 16
    /// The longest line before a chunk, in bytes.
    private static let maximumChunkLine = 1 << 10

    private let maximumBody: Int
    private var state = State.head
    private var buffer: [UInt8] = []
    private var body: [UInt8] = []
    /// The index of the first unread byte in `buffer`.
    private var head = 0
    /// Whether the client expects `100 Continue` before it sends the body.
    private var expectsContinue = false
    /// The index in `buffer` up to which the end of the head or of the line was searched.
    private var searched = 0

    package init(maximumBody: Int) { self.maximumBody = maximumBody }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if head > 0 {
            buffer.removeSubrange(..<head)
            head = 0
            searched = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The number of bytes received and not yet read.
    var unreadCount: Int { buffer.count - head }

    /// Removes and returns the bytes after the last request, for another protocol.
    mutating func takeRest() -> [UInt8] {
        defer {
            buffer = []
            head = 0
        }
        return Array(buffer[head...])
    }

    /// Reads the next step. After a refusal nothing more can be read.
    package mutating func next() throws(Refusal) -> Next {
        while true {
            switch state {
            case .head:
                guard let next = try readHead() else { return .needsMore }
                return next
            case .body(var request, let length):
                if takeExpectation() { return .wantsContinue }
                guard buffer.count - head >= length else { return .needsMore }
                request.request.body = Array(buffer[head..<(head + length)])
                advance(length)
                state = .head
                return .request(request)
            case .chunked(let request):
                if takeExpectation() { return .wantsContinue }
                guard let chunk = try readChunk(room: maximumBody - body.count) else { return .needsMore }
                body += chunk
                if chunk.isEmpty { state = .trailer(request, room: Self.maximumHead) }
            case .trailer(var request, var room):
                let isWhole = try skipTrailer(room: &room)
                state = .trailer(request, room: room)
                guard isWhole else { return .needsMore }
                request.request.body = body
                body = []
                state = .head
                return .request(request)
            }
        }
    }

    private mutating func advance(_ count: Int) {
        head += count
        searched = head
    }

    // MARK: The head

    /// Reads a request's head. Returns `nil` when more bytes are needed.
    private mutating func readHead() throws(Refusal) -> Next? {
        // A robust server skips empty lines before a request (RFC 9112, 2.2).
        while buffer[head...].starts(with: [0x0d, 0x0a]) { advance(2) }
        // Input that cannot be a request, such as a TLS handshake, is refused at once.
        if let first = buffer[head...].first, first != 0x0d, !isTokenCharacter(first) {
            throw Refusal(status: 400, reason: "not HTTP")
        }
        guard let end = findHeadEnd() else {
            // The largest head is followed by the four bytes that end it.
            guard buffer.count - head < Self.maximumHead + 4 else {
                throw Refusal(status: 431, reason: "head too large")
            }
            return nil
        }
        let lines = buffer[head..<end].split(separator: 0x0a, omittingEmptySubsequences: false).map { line in
            line.last == 0x0d ? line.dropLast() : line
        }
        advance(end + 4 - head)
        var request = try parseRequestLine(lines[0])
        request.request.headers = try parseHeaders(lines.dropFirst())
        let framing = try checkHeaders(&request)
        switch framing {
        case .none: return .request(request)
        case .length(let length): state = .body(request, length: length)
        case .chunked: state = .chunked(request)
        }
        expectsContinue = request.isHTTP11 && request.request.header("expect")?.lowercased() == "100-continue"
        return .head(request)
    }

    /// Returns, once per request, whether the client waits for `100 Continue`: it expects one and has sent no body yet.
    private mutating func takeExpectation() -> Bool {
        defer { expectsContinue = false }
        return expectsContinue && buffer.count == head
    }

    /// Returns the index of the first byte of the empty line after the head, or `nil` when the head is incomplete.
    private mutating func findHeadEnd() -> Int? {
        var index = max(head, searched - 3)
        while index + 4 <= buffer.count {
            if buffer[index] == 0x0d, buffer[index + 1] == 0x0a, buffer[index + 2] == 0x0d, buffer[index + 3] == 0x0a {
                return index - head <= Self.maximumHead ? index : nil
            }
            index += 1
        }
        searched = buffer.count
        return nil
    }

    private func parseRequestLine(_ line: ArraySlice<UInt8>) throws(Refusal) -> Request {
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(isTokenCharacter) else {
            throw Refusal(status: 400, reason: "bad request line")
        }
        let version = String(decoding: parts[2], as: UTF8.self)
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else { throw Refusal(status: 505, reason: "not HTTP/1.1") }
        guard parts[1].allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { throw Refusal(status: 400, reason: "bad target") }
        var target = String(decoding: parts[1], as: UTF8.self)
        if !target.hasPrefix("/"), let url = try? URLParts(parsing: target) { target = url.target }
        guard target.hasPrefix("/") || target == "*" else { throw Refusal(status: 400, reason: "bad target") }
        let pieces = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let request = ServerRequest(
            method: String(decoding: parts[0], as: UTF8.self), path: String(pieces[0]),
            query: pieces.count == 2 ? String(pieces[1]) : "")
        return Request(request: request, keepsAlive: version == "HTTP/1.1", isHTTP11: version == "HTTP/1.1")
    }

    private func parseHeaders(_ lines: ArraySlice<ArraySlice<UInt8>>) throws(Refusal) -> [(name: String, value: String)]
    {
        guard lines.count <= 256 else { throw Refusal(status: 431, reason: "too many headers") }
        var headers: [(name: String, value: String)] = []
        for line in lines {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy(isTokenCharacter)
            else { throw Refusal(status: 400, reason: "bad header") }
            let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
            var value = line[(colon + 1)...].drop(while: isSpace)
            while let last = value.last, isSpace(last) { value = value.dropLast() }
            let text = String(decoding: value, as: UTF8.self)
            guard isHeaderValue(text) else { throw Refusal(status: 400, reason: "bad header value") }
            headers.append((String(decoding: line[..<colon], as: UTF8.self).lowercased(), text))
        }
        return headers
    }

    /// Checks the headers about the connection and the body (RFC 9112, 6.3 and 9.3), and returns how the body is
    /// framed.
    private func checkHeaders(_ request: inout Request) throws(Refusal) -> Framing {
        let headers = request.request.headers
        guard !request.isHTTP11 || headers.count(where: { $0.name == "host" }) == 1 else {
            throw Refusal(status: 400, reason: "not one Host header")
        }
        if request.request.mentions("close", in: "connection") { request.keepsAlive = false }
        let lengths = headers.filter { $0.name == "content-length" }
        if let encoding = request.request.header("transfer-encoding") {
            guard lengths.isEmpty else {
                throw Refusal(status: 400, reason: "both Content-Length and Transfer-Encoding")
            }
            guard encoding.lowercased() == "chunked" else {
                throw Refusal(status: 501, reason: "unknown transfer encoding")
            }
            return .chunked
        }
        guard let text = lengths.first?.value else { return .none }
        guard lengths.count == 1, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw Refusal(status: 400, reason: "bad Content-Length")
        }
        guard let length = Int(text), length <= maximumBody else {
            throw Refusal(status: 413, reason: "body too large")
        }
        return length == 0 ? .none : .length(length)
    }

    // MARK: The chunks

    /// Reads the next chunk; the last one is empty. Returns `nil` when the chunk is incomplete.
    private mutating func readChunk(room: Int) throws(Refusal) -> ArraySlice<UInt8>? {
        let lineEnd = findLineEnd()
        guard (lineEnd ?? buffer.count) - head <= Self.maximumChunkLine else {
            throw Refusal(status: 400, reason: "bad chunk")
        }
        guard let lineEnd else { return nil }
        let digits = buffer[head..<lineEnd].prefix { $0.hexValue != nil }
        guard (1...8).contains(digits.count) else { throw Refusal(status: 400, reason: "bad chunk size") }
        let size = digits.reduce(0) { $0 << 4 | Int($1.hexValue ?? 0) }
        guard size <= room else { throw Refusal(status: 413, reason: "body too large") }
        guard size > 0 else {
            advance(lineEnd + 1 - head)
            return []
        }
        guard buffer.count >= lineEnd + 1 + size + 2 else { return nil }
        let chunk = buffer[(lineEnd + 1)..<(lineEnd + 1 + size)]
        guard buffer[chunk.endIndex] == 0x0d, buffer[chunk.endIndex + 1] == 0x0a else {
            throw Refusal(status: 400, reason: "bad chunk end")
        }
        advance(chunk.endIndex + 2 - head)
        return chunk
    }

    /// Skips the received part of the trailer. Returns whether it contained the empty line that ends the trailer.
    private mutating func skipTrailer(room: inout Int) throws(Refusal) -> Bool {
        while true {
            let lineEnd = findLineEnd()
            let count = (lineEnd.map { $0 + 1 } ?? buffer.count) - head
            guard count <= room else { throw Refusal(status: 431, reason: "trailer too large") }
            guard let lineEnd else { return false }
            let isEmpty = buffer[head..<lineEnd].allSatisfy { $0 == 0x0d }
            advance(count)
            room -= count
            if isEmpty { return true }
        }
    }

    /// Returns the index of the next line feed, or `nil` when it has not arrived.
    private mutating func findLineEnd() -> Int? {
        let lineEnd = buffer[max(head, searched)...].firstIndex(of: 0x0a)
        searched = lineEnd ?? buffer.count
        return lineEnd
    }
}

extension ServerRequest {
    /// Returns whether the list in the header `name` contains `token`, ignoring case. Both arguments are in lower case.
    func mentions(_ token: String, in name: String) -> Bool {
        headers.contains { header in
            header.name == name
                && header.value.split(separator: ",").contains { $0.trimmed.lowercased() == token }
        }
    }
}
