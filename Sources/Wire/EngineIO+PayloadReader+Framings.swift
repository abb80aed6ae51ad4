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
