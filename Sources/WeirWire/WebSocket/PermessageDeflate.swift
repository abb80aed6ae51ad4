import CWeirZlib

/// The parameters of message compression (RFC 7692, permessage-deflate) that both ends agreed on.
package struct PermessageDeflate: Hashable, Sendable {
    /// Whether the server resets its compression window after each message.
    package var serverNoContextTakeover = false
    /// Whether the client resets its compression window after each message.
    package var clientNoContextTakeover = false
    /// The server's window size as a power of two: 8 to 15.
    package var serverMaxWindowBits = 15
    /// The client's window size as a power of two: 8 to 15.
    package var clientMaxWindowBits = 15

    /// Creates parameters with windows of 32 KiB that are kept from message to message.
    package init() {}

    /// A client's offer, which accepts any parameters of the server.
    package static var offer: String { "permessage-deflate; client_max_window_bits" }

    /// Returns the server's answer to a client's offers, and its text: the first offer that the server understands
    /// (RFC 7692, 5.1).
    ///
    /// Returns `nil` if it understands none; messages are then not compressed.
    package static func answer(to offers: String) -> (agreement: PermessageDeflate, text: String)? {
        for offer in offers.split(separator: ",", omittingEmptySubsequences: false) {
            guard let parameters = parameters(offer), let agreement = agreement(with: parameters) else { continue }
            return (agreement, agreement.text)
        }
        return nil
    }

    /// Parses a server's answer to our `offer`. An extension or a parameter that was not offered fails the connection
    /// (RFC 7692, 5.1).
    package static func agreement(from answer: String) throws(WebSocketViolation) -> PermessageDeflate {
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

/// Compresses the messages of one direction of a WebSocket (RFC 7692, 7.2.1). It owns zlib's stream, which must not
/// move.
struct Deflater: ~Copyable {
    private static let chunk = 1 << 14

    private let stream: UnsafeMutablePointer<z_stream>
    private let output: UnsafeMutableRawBufferPointer
    private let resetsAfterMessage: Bool

    /// Creates a compressor. Returns `nil` if zlib cannot write for this window (8 bits) or has no memory; messages are
    /// then sent uncompressed, which the RFC allows.
    init?(windowBits: Int, resetsAfterMessage: Bool) {
        guard (9...15).contains(windowBits) else { return nil }
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let result = deflateInit2_(
            stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -Int32(windowBits), 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard result == Z_OK else {
            stream.deallocate()
            return nil
        }
        self.stream = stream
        self.resetsAfterMessage = resetsAfterMessage
        output = .allocate(byteCount: Self.chunk, alignment: 16)
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        output.deallocate()
    }

    /// Returns a whole message, compressed, without the four bytes with which every compressed message ends.
    mutating func deflate(_ message: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        message.withUnsafeBufferPointer { input in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.pointee.avail_in = UInt32(input.count)
            var isFull = true
            while isFull {
                stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.pointee.avail_out = UInt32(Self.chunk)
                _ = CWeirZlib.deflate(stream, Z_SYNC_FLUSH)
                result.append(contentsOf: output[..<(Self.chunk - Int(stream.pointee.avail_out))])
                isFull = stream.pointee.avail_out == 0
            }
            stream.pointee.next_in = nil
        }
        if result.suffix(4) == [0, 0, 0xff, 0xff] { result.removeLast(4) }
        if resetsAfterMessage { deflateReset(stream) }
        return result
    }
}

/// Decompresses the messages of one direction of a WebSocket (RFC 7692, 7.2.2). It owns zlib's stream, which must not
/// move.
struct Inflater: ~Copyable {
    private static let chunk = 1 << 14

    /// The zlib stream; `nil` if zlib had no memory, and then nothing can be decompressed.
    private let stream: UnsafeMutablePointer<z_stream>?
    private let output: UnsafeMutableRawBufferPointer
    private let resetsAfterMessage: Bool

    init(resetsAfterMessage: Bool) {
        self.resetsAfterMessage = resetsAfterMessage
        output = .allocate(byteCount: Self.chunk, alignment: 16)
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // A negative value means no zlib header. The largest window can read data written for any window.
        let result = inflateInit2_(stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        if result == Z_OK {
            self.stream = stream
        } else {
            stream.deallocate()
            self.stream = nil
        }
    }

    deinit {
        output.deallocate()
        guard let stream else { return }
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses the next bytes. The output is passed to `emit`, at most 16 KiB per call, and is valid only during
    /// that call.
    mutating func inflate(
        _ input: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws(WebSocketViolation) -> Void
    ) throws(WebSocketViolation) {
        guard let stream else { throw WebSocketViolation(code: 1011, reason: "no memory to decompress") }
        // zlib does not write to its input.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(input.count)
        defer { stream.pointee.next_in = nil }
        while true {
            stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(Self.chunk)
            let before = stream.pointee.avail_in
            let result = CWeirZlib.inflate(stream, Z_SYNC_FLUSH)
            let made = Self.chunk - Int(stream.pointee.avail_out)
            // Output before an error is also emitted, so that the result does not depend on how the bytes were split.
            if made > 0 { try emit(UnsafeRawBufferPointer(rebasing: output[..<made])) }
            switch result {
            case Z_OK, Z_BUF_ERROR: break
            // A final block may end the data of a message. The following data still refers to the window (7.2.3.4).
            case Z_STREAM_END: inflateResetKeep(stream)
            default: throw WebSocketViolation(code: 1007, reason: "bad compressed data")
            }
            let isFull = made == Self.chunk
            guard stream.pointee.avail_in > 0 || isFull, made > 0 || stream.pointee.avail_in < before else { return }
        }
    }

    /// Ends the current message, and resets the window if that was negotiated.
    mutating func endMessage() {
        if resetsAfterMessage, let stream { inflateReset(stream) }
    }
}
