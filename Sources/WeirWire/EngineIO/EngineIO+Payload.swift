extension EngineIO {
    /// Reads polling bodies chunk by chunk and emits each packet as soon as it is complete.
    ///
    /// A packet has the form of the message that a WebSocket of the session's revision would carry
    /// (Engine.IO EIO-22): text with its type digit; binary with the type byte in revision 3, and bare in
    /// revision 4.
    ///
    /// The reader stores only the packet being read; packets that lie within one chunk are slices of it. One reader
    /// serves all the bodies of a session in turn. `finish(into:)` ends each body.
    package struct PayloadReader: Sendable {
        /// The part of the body that comes next.
        enum State: Hashable, Sendable {
            /// Nothing has been read yet. Follows: undecided, separated, length, kind.
            case start
            /// Only digits were read, and are kept in `partial`: a length, or a packet. Follows: separated, characters.
            case undecided
            /// Revision 4: inside a packet that ends at 0x1E or with the body. Follows: separated.
            case separated
            /// Revision 3 text: inside `<n>:`. Follows: characters, length.
            case length(Int, digits: Int)
            /// Revision 3 text: inside a packet with this many UTF-16 units left. The last character read lacks
            /// `continuation` bytes. Follows: length.
            case characters(Int, continuation: Int)
            /// Revision 3 binary: before the byte 00 or 01. Follows: size.
            case kind
            /// Revision 3 binary: inside the length, one byte per digit, which ends at FF. Follows: data, kind.
            case size(Int, digits: Int, isBinary: Bool)
            /// Revision 3 binary: inside a packet with this many bytes left. Follows: kind.
            case data(Int, isBinary: Bool)
            /// The body was rejected, and the rest of it is ignored. Follows: start, with the next body.
            case refused
        }

        /// The revision whose framing is expected; `nil` until the first body has shown it.
        package private(set) var revision: Revision?
        /// The maximum size of a packet, in bytes of the body.
        let maximumPacket: Int
        /// The maximum number of packets in one body.
        let maximumPackets: Int
        var state = State.start
        /// The beginning of the packet being read.
        var partial: [UInt8] = []
        /// The bytes and the packets of this body so far.
        var offset = 0
        var count = 0

        /// Creates a reader for bodies of a revision. If it is `nil`, the reader detects the revision from the first
        /// body, which begins with the open packet.
        package init(_ revision: Revision?, maximumPacket: Int = Limits.standard, maximumPackets: Int = .max) {
            self.revision = revision
            self.maximumPacket = maximumPacket
            self.maximumPackets = maximumPackets
        }

        /// Reads the next piece of the body and appends complete packets to `packets`. After an error, the rest of this
        /// body is ignored.
        package mutating func read(
            _ chunk: ArraySlice<UInt8>, into packets: inout [WebSocketMessage]
        ) throws(MalformedPayload) {
            var rest = chunk
            do throws(MalformedPayload.Reason) {
                while !rest.isEmpty { try readSome(&rest, into: &packets) }
                offset += chunk.count
            } catch {
                refuse()
                throw MalformedPayload(error, offset: offset + rest.startIndex - chunk.startIndex)
            }
        }

        /// Ends the body, and prepares for the next one.
        package mutating func finish(into packets: inout [WebSocketMessage]) throws(MalformedPayload) {
            let end = offset
            defer {
                refuse()
                state = .start
                (offset, count) = (0, 0)
            }
            do throws(MalformedPayload.Reason) {
                switch state {
                case .start, .length(_, digits: 0), .kind, .refused: break
                case .undecided, .separated: try take([], into: &packets)
                case .length, .characters, .size, .data: throw .endsInsidePacket
                }
            } catch {
                throw MalformedPayload(error, offset: end)
            }
        }

        private mutating func refuse() {
            state = .refused
            partial = []
        }

        /// Sets the framing, which the first bytes of the body have shown.
        mutating func decide(_ revision: Revision, _ next: State) {
            self.revision = revision
            state = next
        }
    }

    /// An error in a polling body, and its position.
    package struct MalformedPayload: Error, Hashable, Sendable {
        /// The kinds of error in a polling body.
        package enum Reason: Error, Hashable, Sendable {
            /// The length is missing, not a number, or too long.
            case badLength
            /// A packet exceeds the size limit.
            case packetTooLarge
            /// The body exceeds the limit on packets.
            case tooManyPackets
            /// A packet that has neither a type digit nor data.
            case emptyPacket
            /// Binary data that is not Base64.
            case badBase64
            /// Text that is not UTF-8, or a length that splits a character.
            case notUTF8
            /// A packet of the binary framing that begins with neither 00 nor 01.
            case badKind
            /// The body ends before its last packet does.
            case endsInsidePacket
        }
        /// The kind of error, without a position.
        package var reason: Reason
        /// The position in the body at which the reader noticed the error, in bytes.
        package var offset: Int
        /// Creates an error at a byte offset in the body.
        package init(_ reason: Reason, offset: Int) {
            self.reason = reason
            self.offset = offset
        }
    }
}

// The three framings of polling bodies (Engine.IO EIO-22 to EIO-25).
extension EngineIO.PayloadReader {
    typealias Reason = EngineIO.MalformedPayload.Reason

    private static let separator: UInt8 = 0x1E
    private static let endOfSize: UInt8 = 0xFF
    /// The maximum number of digits in a length, including leading zeros.
    private static let longestLength = 16

    /// Reads from the front of `rest`, which is not empty, until the state changes or `rest` is consumed.
    mutating func readSome(
        _ rest: inout ArraySlice<UInt8>, into packets: inout [WebSocketMessage]
    ) throws(Reason) {
        guard let first = rest.first else { return }
        switch state {
        case .start: begin(first)
        case .undecided: try decideByDigits(first, &rest)
        case .separated: try readSeparated(&rest, into: &packets)
        case .length(let value, let digits):
            rest.removeFirst()
            try readLength(first, value, digits)
        case .characters(let left, let continuation):
            try readCharacters(&rest, left, continuation, into: &packets)
        case .kind:
            rest.removeFirst()
            guard first <= 1 else { throw .badKind }
            state = .size(0, digits: 0, isBinary: first == 1)
        case .size(let value, let digits, let isBinary):
            rest.removeFirst()
            try readSize(first, value, digits, isBinary: isBinary)
        case .data(let left, let isBinary): try readData(&rest, left, isBinary: isBinary, into: &packets)
        case .refused: rest = []
        }
    }

    /// Determines the framing from the first byte. A body of revision 3 begins with a length, which has no leading
    /// zero, or with 00 or 01. The open packet of revision 4 begins with the digit 0.
    private mutating func begin(_ first: UInt8) {
        switch (revision, first) {
        case (.v4, _): state = .separated
        case (.v3, 0...1): state = .kind
        case (.v3, _): state = .length(0, digits: 0)
        case (nil, 0...1): decide(.v3, .kind)
        case (nil, UInt8(ascii: "1")...UInt8(ascii: "9")): state = .undecided
        case (nil, _): decide(.v4, .separated)
        }
    }

    /// Reads digits until the framing is known. Digits followed by a colon are a length.
    private mutating func decideByDigits(_ next: UInt8, _ rest: inout ArraySlice<UInt8>) throws(Reason) {
        if let _ = digit(next), partial.count < Self.longestLength {
            partial.append(next)
            rest.removeFirst()
        } else if next == UInt8(ascii: ":") {
            let digits = partial
            partial = []
            decide(.v3, .length(0, digits: 0))
            for byte in digits + [next] {
                guard case .length(let value, let count) = state else { throw .badLength }
                try readLength(byte, value, count)
            }
            rest.removeFirst()
        } else {
            decide(.v4, .separated)
        }
    }

    // MARK: Revision 4

    private mutating func readSeparated(
        _ rest: inout ArraySlice<UInt8>, into packets: inout [WebSocketMessage]
    ) throws(Reason) {
        guard let end = rest.firstIndex(of: Self.separator) else {
            try keep(rest)
            rest = rest[rest.endIndex...]
            return
        }
        let piece = rest[..<end]
        guard piece.count <= maximumPacket - partial.count else { throw .packetTooLarge }
        try take(piece, into: &packets)
        rest = rest[(end + 1)...]
    }

    // MARK: Revision 3, text

    private mutating func readLength(_ byte: UInt8, _ value: Int, _ digits: Int) throws(Reason) {
        if let digit = digit(byte) {
            state = .length(try extended(value, by: digit, digits), digits: digits + 1)
        } else if byte == UInt8(ascii: ":"), digits > 0 {
            // The reference implementation ignores empty packets.
            state = value == 0 ? .length(0, digits: 0) : .characters(value, continuation: 0)
        } else {
            throw .badLength
        }
    }

    /// Reads the text of a packet. Lengths count UTF-16 units, so a character of four bytes counts twice.
    private mutating func readCharacters(
        _ rest: inout ArraySlice<UInt8>, _ units: Int, _ bytes: Int, into packets: inout [WebSocketMessage]
    ) throws(Reason) {
        var (left, continuation) = (units, bytes)
        var end = rest.startIndex
        while end < rest.endIndex, left > 0 || continuation > 0 {
            let byte = rest[end]
            if continuation > 0 {
                guard byte & 0xC0 == 0x80 else { throw .notUTF8 }
                continuation -= 1
            } else {
                continuation = byte < 0xC0 ? 0 : byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3
                left -= byte < 0xF0 ? 1 : 2
                guard left >= 0 else { throw .notUTF8 }
            }
            end += 1
        }
        let piece = rest[..<end]
        if left == 0, continuation == 0 {
            guard piece.count <= maximumPacket - partial.count else { throw .packetTooLarge }
            try take(piece, into: &packets)
            state = .length(0, digits: 0)
        } else {
            try keep(piece)
            state = .characters(left, continuation: continuation)
        }
        rest = rest[end...]
    }

    // MARK: Revision 3, binary

    private mutating func readSize(_ byte: UInt8, _ value: Int, _ digits: Int, isBinary: Bool) throws(Reason) {
        if byte <= 9 {
            state = .size(try extended(value, by: Int(byte), digits), digits: digits + 1, isBinary: isBinary)
        } else if byte == Self.endOfSize, digits > 0 {
            state = value == 0 ? .kind : .data(value, isBinary: isBinary)
        } else {
            throw .badLength
        }
    }

    private mutating func readData(
        _ rest: inout ArraySlice<UInt8>, _ left: Int, isBinary: Bool, into packets: inout [WebSocketMessage]
    ) throws(Reason) {
        let piece = rest.prefix(left)
        if piece.count < left {
            try keep(piece)
            state = .data(left - piece.count, isBinary: isBinary)
        } else {
            let bytes = whole(piece)
            try give(isBinary ? .binary(bytes) : try text(bytes), into: &packets)
            state = .kind
        }
        rest = rest[piece.endIndex...]
    }

    // MARK: Packets

    private func digit(_ byte: UInt8) -> Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int(byte - UInt8(ascii: "0")) : nil
    }

    /// Appends a digit to a length. A packet has at least as many bytes as its length states, in either unit.
    private func extended(_ value: Int, by digit: Int, _ digits: Int) throws(Reason) -> Int {
        guard digits < Self.longestLength else { throw .badLength }
        let value = value * 10 + digit
        guard value <= maximumPacket else { throw .packetTooLarge }
        return value
    }

    private mutating func keep(_ piece: ArraySlice<UInt8>) throws(Reason) {
        guard piece.count <= maximumPacket - partial.count else { throw .packetTooLarge }
        partial.reserve(piece.count, upTo: maximumPacket)
        partial += piece
    }

    /// Returns the packet that ends with `piece`. It is a slice of the chunk if the packet began in that chunk.
    private mutating func whole(_ piece: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard !partial.isEmpty else { return piece }
        partial += piece
        defer { partial = [] }
        return partial[...]
    }

    /// Emits the packet of a text framing that ends with `piece`.
    mutating func take(_ piece: ArraySlice<UInt8>, into packets: inout [WebSocketMessage]) throws(Reason) {
        let packet = whole(piece)
        guard let first = packet.first else { throw .emptyPacket }
        guard first == UInt8(ascii: "b") else { return try give(try text(packet), into: &packets) }
        switch revision {
        case .v4, nil: try give(.binary(try decoded(packet.dropFirst())[...]), into: &packets)
        case .v3:
            guard let type = packet.dropFirst().first, let number = digit(type) else { throw .badBase64 }
            try give(.binary([UInt8(number)] + (try decoded(packet.dropFirst(2)))), into: &packets)
        }
    }

    private func decoded(_ text: ArraySlice<UInt8>) throws(Reason) -> [UInt8] {
        guard let bytes = Base64.decode(text.span) else { throw .badBase64 }
        return bytes
    }

    private func text(_ bytes: ArraySlice<UInt8>) throws(Reason) -> WebSocketMessage {
        guard (try? UTF8Span(validating: bytes.span)) != nil else { throw .notUTF8 }
        return .text(bytes)
    }

    private mutating func give(
        _ message: WebSocketMessage, into packets: inout [WebSocketMessage]
    ) throws(Reason) {
        guard count < maximumPackets else { throw .tooManyPackets }
        count += 1
        packets.append(message)
    }
}

extension EngineIO {
    /// Combines packets of the stream into polling bodies (Engine.IO EIO-20, EIO-22).
    package struct PayloadWriter: Sendable {
        /// The ways to separate the packets of a body.
        package enum Framing: Hashable, Sendable {
            /// Revision 4: 0x1E between packets; `b` and Base64 for a binary packet.
            case separated
            /// Revision 3 with `b64=1`: `<n>:` in UTF-16 units; `b4` and Base64 for a binary packet. `escaped` writes
            /// non-ASCII characters in JSON strings as `\uXXXX`, so that all peers arrive at the same count, however
            /// they count.
            case counted(escaped: Bool)
            /// Revision 3: 00 or 01, the digits of the length in bytes, FF.
            case binary
        }

        /// The framing of the bodies.
        package let framing: Framing
        /// The maximum size of a body in bytes. A larger packet travels in a body of its own.
        package let maximumBytes: Int
        /// The maximum number of packets in a body, at least 1.
        package let maximumPackets: Int
        /// The number of packets in the body so far.
        package private(set) var count = 0
        private var body: [UInt8] = []

        /// Creates a writer. Python's Engine.IO refuses more than 16 packets in one body (Engine.IO EIO-20).
        package init(_ framing: Framing, maximumBytes: Int = .max, maximumPackets: Int = 16) {
            self.framing = framing
            self.maximumBytes = maximumBytes
            self.maximumPackets = maximumPackets
        }

        /// The value of the `Content-Type` header for the bodies.
        package var contentType: String {
            switch framing {
            case .separated, .counted: "text/plain;charset=UTF-8"
            case .binary: "application/octet-stream"
            }
        }

        /// Adds a packet to the body. Returns false if it does not fit. A packet always fits an empty body.
        package mutating func append(_ message: WebSocketMessage) -> Bool {
            guard count == 0 || count < maximumPackets else { return false }
            let before = body.count
            write(message)
            if count > 0, body.count > maximumBytes {
                body.removeSubrange(before...)
                return false
            }
            count += 1
            return true
        }

        /// Returns the body and begins an empty one.
        package mutating func take() -> [UInt8] {
            defer { (body, count) = ([], 0) }
            return body
        }

        private mutating func write(_ message: WebSocketMessage) {
            switch framing {
            case .separated: writeSeparated(message)
            case .counted(let escaped): writeCounted(message, escaped: escaped)
            case .binary: writeBinary(message)
            }
        }

        private mutating func writeSeparated(_ message: WebSocketMessage) {
            if count > 0 { body.append(0x1E) }
            switch message {
            case .text(let bytes): body += bytes
            case .binary(let bytes):
                body.append(UInt8(ascii: "b"))
                body += Base64.encode(bytes)
            }
        }

        private mutating func writeCounted(_ message: WebSocketMessage, escaped: Bool) {
            switch message {
            case .text(let bytes):
                let packet = escaped ? Self.escapingNonASCII(bytes) : bytes
                let units = packet.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : $1 < 0xF0 ? 1 : 2) }
                body += Array("\(units):".utf8)
                body += packet
            case .binary(let bytes):
                let type = bytes.first ?? PacketType.message.rawValue
                let data = Base64.encode(bytes.dropFirst())
                body += Array("\(data.count + 2):b\(type)".utf8)
                body += data
            }
        }

        private mutating func writeBinary(_ message: WebSocketMessage) {
            let kind: UInt8 =
                switch message {
                case .text: 0
                case .binary: 1
                }
            body.append(kind)
            for digit in String(message.bytes.count).utf8 { body.append(digit - UInt8(ascii: "0")) }
            body.append(0xFF)
            body += message.bytes
        }

        /// Returns the packet with each non-ASCII character of its JSON as `\uXXXX`, and as two of them above U+FFFF.
        /// The text before the first quote contains no JSON string, only perhaps a namespace, and stays as it is.
        private static func escapingNonASCII(_ packet: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
            let quote = packet.firstIndex(of: UInt8(ascii: "\"")) ?? packet.endIndex
            guard packet[quote...].contains(where: { $0 >= 0x80 }) else { return packet }
            var bytes = Array(packet[..<quote])
            for scalar in String(decoding: packet[quote...], as: UTF8.self).unicodeScalars {
                guard !scalar.isASCII else {
                    bytes.append(UInt8(truncatingIfNeeded: scalar.value))
                    continue
                }
                // The leading 1 keeps the leading zeros.
                for unit in scalar.utf16 {
                    bytes += "\\u\(String(0x1_0000 | UInt32(unit), radix: 16).dropFirst())".utf8
                }
            }
            return bytes[...]
        }
    }
}
