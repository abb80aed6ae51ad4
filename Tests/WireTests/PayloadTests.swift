import Testing
import WeirWire

/// Tests for polling bodies, read and written (Engine.IO EIO-10 to EIO-25).
struct PayloadTests {
    typealias Reader = EngineIO.PayloadReader
    typealias Writer = EngineIO.PayloadWriter

    /// The bodies of the reference, with their packets.
    static let vectors: [(EngineIO.Revision, body: [UInt8], [WebSocketMessage])] = [
        (.v4, bytes("4hello\u{1E}2\u{1E}bAQIDBA=="), [.text("4hello"), .text("2"), .binary([1, 2, 3, 4])]),
        (.v4, bytes("6"), [.text("6")]),
        (.v4, bytes("6\u{1E}1"), [.text("6"), .text("1")]),
        (.v4, bytes("42[\"é€😀\"]\u{1E}b"), [.text("42[\"é€😀\"]"), .binary([])]),
        (.v3, bytes("6:4hello2:4€10:b4AQIDBA=="), [.text("4hello"), .text("4€"), .binary([4, 1, 2, 3, 4])]),
        (.v3, bytes("1:6"), [.text("6")]),
        (.v3, bytes("10:42[\"é€😀\"]"), [.text("42[\"é€😀\"]")]),
        (.v3, bytes("0:2:40"), [.text("40")]),
        (
            .v3, [0, 4, 0xFF, 0x34, 0xE2, 0x82, 0xAC, 1, 5, 0xFF, 4, 1, 2, 3, 4],
            [.text("4€"), .binary([4, 1, 2, 3, 4])]
        ),
        (
            .v3, [0, 1, 0, 0xFF] + bytes("42[\"abcd\"]") + [0, 2, 0xFF] + bytes("40"),
            [.text("42[\"abcd\"]"), .text("40")]
        ),
    ]

    /// Handshake bodies from which a reader without a revision detects it.
    static let handshakes: [(EngineIO.Revision, body: [UInt8], [WebSocketMessage])] = [
        (.v4, bytes(openPacket), [.text(openPacket)]),
        (.v3, bytes("\(openPacket.utf8.count):\(openPacket)2:40"), [.text(openPacket), .text("40")]),
        (
            .v3,
            [0] + "\(openPacket.utf8.count)".utf8.map { $0 - 48 } + [0xFF] + bytes(openPacket) + [0, 2, 0xFF, 52, 48],
            [.text(openPacket), .text("40")]
        ),
    ]

    @Test(arguments: vectors.indices)
    func `a body of the reference is read whole, byte by byte, and in pieces`(index: Int) throws {
        let (revision, body, packets) = Self.vectors[index]
        try Self.expect(packets, from: body, revision)
    }

    @Test(arguments: handshakes.indices)
    func `the first body determines the revision`(index: Int) throws {
        let (revision, body, packets) = Self.handshakes[index]
        try Self.expect(packets, from: body, nil)
        var reader = Reader(nil)
        _ = try Self.read([body[...]], with: &reader)
        #expect(reader.revision == revision)
    }

    @Test func `complete packets are delivered before the body ends, and share the chunk`() throws {
        var reader = Reader(.v4)
        var packets: [WebSocketMessage] = []
        let chunk = bytes("42[1]\u{1E}42[2]\u{1E}42[")
        try reader.read(chunk[...], into: &packets)
        #expect(packets == [.text("42[1]"), .text("42[2]")])
        #expect(packets.last?.bytes.startIndex == 6)
        try reader.read(bytes("3]")[...], into: &packets)
        #expect(packets.count == 2)
        try reader.finish(into: &packets)
        #expect(packets.last == .text("42[3]"))
        try reader.read(bytes("6")[...], into: &packets)
        try reader.finish(into: &packets)
        #expect(packets.last == .text("6"))
    }

    @Test func `an empty body contains no packets`() throws {
        for revision in EngineIO.Revision.allCases {
            var reader = Reader(revision)
            Self.expectEqual(try Self.read([], with: &reader), [])
        }
    }

    static let malformed: [(EngineIO.Revision, body: [UInt8], EngineIO.MalformedPayload.Reason, offset: Int)] = [
        (.v4, bytes("4a\u{1E}\u{1E}4b"), .emptyPacket, 3),
        (.v4, bytes("4a\u{1E}"), .emptyPacket, 3),
        (.v4, bytes("bAQI"), .badBase64, 4),
        (.v4, bytes("bAQ=D"), .badBase64, 5),
        (.v4, bytes("b*QID\u{1E}6"), .badBase64, 0),
        (.v4, [0x34, 0xC3, 0x1E, 0x36], .notUTF8, 0),
        (.v4, [0x34, 0xFF], .notUTF8, 2),
        (.v4, bytes("4" + String(repeating: "a", count: 1000)), .packetTooLarge, 0),
        (.v3, bytes("4hello"), .badLength, 2),
        (.v3, bytes(":4"), .badLength, 1),
        (.v3, bytes("-1:4"), .badLength, 1),
        (.v3, bytes("1001:4"), .packetTooLarge, 4),
        (.v3, bytes("99999999999999999999999999:4"), .packetTooLarge, 4),
        (.v3, bytes("00000000000000000000000001:4"), .badLength, 17),
        (.v3, bytes("3:4"), .endsInsidePacket, 3),
        (.v3, bytes("3"), .endsInsidePacket, 1),
        (.v3, bytes("2:4😀"), .notUTF8, 2),
        (.v3, bytes("600:4" + String(repeating: "€", count: 599)), .packetTooLarge, 4),
        (.v3, [0x32, 0x3A, 0x34, 0xC3, 0x32], .notUTF8, 2),
        (.v3, bytes("1:b"), .badBase64, 2),
        (.v3, bytes("4:b4AQ"), .badBase64, 2),
        (.v3, bytes("6:bxAQID"), .badBase64, 2),
        (.v3, [2, 1, 0xFF, 0x36], .badLength, 1),
        (.v3, [0, 1, 0xFF, 0x36, 2], .badKind, 5),
        (.v3, [0, 0xFF, 0x36], .badLength, 2),
        (.v3, [0, 10, 0xFF], .badLength, 2),
        (.v3, [0] + [UInt8](repeating: 9, count: 40), .packetTooLarge, 5),
        (.v3, [1, 2, 0xFF, 4], .endsInsidePacket, 4),
        (.v3, [0, 1], .endsInsidePacket, 2),
        (.v3, [0, 1, 0xFF, 0x80], .notUTF8, 3),
    ]

    @Test(arguments: malformed.indices)
    func `a malformed body is refused, wherever it is split`(index: Int) throws {
        let (revision, body, reason, offset) = Self.malformed[index]
        var reader = Reader(revision, maximumPacket: 1000)
        let error = #expect(throws: EngineIO.MalformedPayload.self) { try Self.read([body[...]], with: &reader) }
        #expect(error?.reason == reason)
        #expect(error?.offset == offset)
        // The next body is read by a reset reader.
        let next = revision == .v4 ? bytes("6") : bytes("1:6")
        try? Self.finish(&reader)
        Self.expectEqual(try Self.read([next[...]], with: &reader), [.text("6")])
        let cut = #expect(throws: EngineIO.MalformedPayload.self) {
            var reader = Reader(revision, maximumPacket: 1000)
            return try Self.read(body.indices.map { body[$0...$0] }, with: &reader)
        }
        #expect(cut?.reason == reason)
    }

    @Test(arguments: EngineIO.Revision.allCases)
    func `a packet of the maximum size is read, and one byte more is refused, wherever it is split`(
        revision: EngineIO.Revision
    ) throws {
        for size in 1000...1001 {
            let packet = "4" + String(repeating: "x", count: size - 1)
            let body = bytes(revision == .v4 ? packet : "\(size):\(packet)")
            for pieces in [[body[...]], [body[..<500], body[500...]], body.indices.map { body[$0...$0] }] {
                var reader = Reader(revision, maximumPacket: 1000)
                if size == 1000 {
                    Self.expectEqual(try Self.read(pieces, with: &reader), [.text(packet)])
                } else {
                    let error = #expect(throws: EngineIO.MalformedPayload.self) {
                        try Self.read(pieces, with: &reader)
                    }
                    #expect(error?.reason == .packetTooLarge)
                }
            }
        }
    }

    @Test func `packets above the limit of a body are refused`() throws {
        var reader = Reader(.v4, maximumPackets: 3)
        Self.expectEqual(
            try Self.read([bytes("6\u{1E}6\u{1E}6")[...]], with: &reader), [.text("6"), .text("6"), .text("6")])
        let error = #expect(throws: EngineIO.MalformedPayload.self) {
            try Self.read([bytes("6\u{1E}6\u{1E}6\u{1E}6")[...]], with: &reader)
        }
        #expect(error?.reason == .tooManyPackets)
    }

    // MARK: Writing

    @Test func `bodies are written as in the reference`() {
        let packets: [WebSocketMessage] = [.text("4hello"), .text("4€"), .binary([4, 1, 2, 3, 4])]
        #expect(Self.written(packets, .counted(escaped: true)) == bytes("6:4hello2:4€10:b4AQIDBA=="))
        #expect(
            Self.written([packets[1], packets[2]], .binary)
                == [0, 4, 0xFF, 0x34, 0xE2, 0x82, 0xAC, 1, 5, 0xFF, 4, 1, 2, 3, 4])
        #expect(
            Self.written([.text("4hello"), .text("2"), .binary([1, 2, 3, 4])], .separated)
                == bytes("4hello\u{1E}2\u{1E}bAQIDBA=="))
    }

    @Test func `revision 3 escapes non-ASCII characters only within JSON`() {
        let event = WebSocketMessage.text(#"42/é,["é€😀\n","a"]"#)
        let escaped = #"42/é,["\u00e9\u20ac\ud83d\ude00\n","a"]"#
        #expect(Self.written([event], .counted(escaped: true)) == bytes("\(escaped.utf16.count):\(escaped)"))
        let plain = #"42/é,["é€😀\n","a"]"#
        #expect(Self.written([event], .counted(escaped: false)) == bytes("\(plain.utf16.count):\(plain)"))
        #expect(Self.written([event], .separated) == bytes(plain))
    }

    @Test(arguments: [Writer.Framing.separated, .counted(escaped: true), .binary])
    func `a body has at most sixteen packets and the allowed number of bytes`(framing: Writer.Framing) throws {
        var writer = Writer(framing)
        for number in 0..<16 { Self.add(.text("4\(number)"), to: &writer) }
        Self.add(.text("416"), to: &writer, fits: false)
        #expect(writer.count == 16)
        var reader = Reader(framing == .separated ? .v4 : .v3)
        Self.expectEqual(try Self.read([writer.take()[...]], with: &reader).suffix(1), [.text("415")])
        #expect(writer.count == 0)

        let large = WebSocketMessage.text("4" + String(repeating: "a", count: 200))
        writer = Writer(framing, maximumBytes: 100)
        Self.add(large, to: &writer)
        Self.add(.text("4a"), to: &writer, fits: false)
        Self.expectEqual(try Self.read([writer.take()[...]], with: &reader), [large])
        Self.add(.text("4a"), to: &writer)
        Self.add(large, to: &writer, fits: false)
        Self.add(.text("4b"), to: &writer)
        let body = writer.take()
        #expect(body.count <= 100)
        Self.expectEqual(try Self.read([body[...]], with: &reader), [.text("4a"), .text("4b")])
    }

    @Test(arguments: [Writer.Framing.separated, .counted(escaped: false), .counted(escaped: true), .binary])
    func `a written body reads back, however it is split`(framing: Writer.Framing) throws {
        var generator = RandomSource(seed: 7)
        for _ in 0..<300 {
            let packets = (0..<Int.random(in: 1...16, using: &generator)).map { _ in
                Self.packet(framing, using: &generator)
            }
            let body = Self.written(packets, framing)
            var reader = Reader(framing == .separated ? .v4 : .v3)
            let read = try Self.read(Self.cuts(of: body, using: &generator), with: &reader)
            if case .counted(escaped: true) = framing {
                #expect(read.count == packets.count)
                #expect(Self.written(read, framing) == body)
            } else {
                #expect(read == packets)
            }
        }
    }

    @Test func `random and mutated bodies trap nothing, and their size is bounded`() {
        var generator = RandomSource(seed: 8)
        var whole = 0
        for round in 0..<5_000 {
            let vectors = Self.vectors + Self.handshakes
            var body = vectors[Int.random(in: 0..<vectors.count, using: &generator)].body
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let place = Int.random(in: 0..<body.count, using: &generator)
                let bytes: [UInt8] = [0, 1, 9, 0xFF, 0x1E, 0x3A, 0x30, 0x39, 0x62, 0xC3, 0xF0]
                body[place] = bytes.randomElement(using: &generator) ?? 0
            }
            var reader = Reader([.v3, .v4, nil][round % 3], maximumPacket: 64, maximumPackets: 4)
            let cuts = Self.cuts(of: body, using: &generator)
            if let packets = try? Self.read(cuts, with: &reader) {
                whole += 1
                #expect(packets.count <= 4)
                #expect(packets.allSatisfy { $0.bytes.count <= 64 })
            }
        }
        #expect(whole > 250)
    }
}

// MARK: - Reading and writing in the tests

extension PayloadTests {

    /// Reads one body in the given pieces.
    static func read(_ pieces: [ArraySlice<UInt8>], with reader: inout Reader) throws -> [WebSocketMessage] {
        var packets: [WebSocketMessage] = []
        for piece in pieces { try reader.read(piece, into: &packets) }
        try reader.finish(into: &packets)
        return packets
    }

    private static func expectEqual(
        _ a: some Sequence<WebSocketMessage>, _ b: [WebSocketMessage], _ place: SourceLocation = #_sourceLocation
    ) {
        #expect(Array(a) == b, sourceLocation: place)
    }

    static func add(
        _ message: WebSocketMessage, to writer: inout Writer, fits: Bool = true,
        _ place: SourceLocation = #_sourceLocation
    ) {
        let added = writer.append(message)
        #expect(added == fits, sourceLocation: place)
    }

    static func finish(_ reader: inout Reader) throws {
        var packets: [WebSocketMessage] = []
        try reader.finish(into: &packets)
    }

    static func expect(
        _ packets: [WebSocketMessage], from body: [UInt8], _ revision: EngineIO.Revision?
    ) throws {
        var reader = Reader(revision)
        expectEqual(try read([body[...]], with: &reader), packets)
        reader = Reader(revision)
        expectEqual(try read(body.indices.map { body[$0...$0] }, with: &reader), packets)
        var generator = RandomSource(seed: 1)
        for _ in 0..<20 {
            reader = Reader(revision)
            expectEqual(try read(cuts(of: body, using: &generator), with: &reader), packets)
        }
    }

    static func written(_ packets: [WebSocketMessage], _ framing: Writer.Framing) -> [UInt8] {
        var writer = Writer(framing)
        for packet in packets { Self.add(packet, to: &writer) }
        return writer.take()
    }

    /// Splits the body into pieces of one to a dozen bytes.
    static func cuts(of body: [UInt8], using generator: inout RandomSource) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var place = 0
        while place < body.count {
            let end = min(body.count, place + Int.random(in: 1...12, using: &generator))
            pieces.append(body[place..<end])
            place = end
        }
        return pieces
    }

    static func packet(_ framing: Writer.Framing, using generator: inout RandomSource) -> WebSocketMessage {
        let count = Int.random(in: 0...40, using: &generator)
        if Bool.random(using: &generator) {
            let data = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            return .binary((framing == .separated ? data : [4] + data)[...])
        }
        let alphabet = Array("ab1:,[]{}\"é€😀\u{7F}\u{80}\u{7FF}\u{FFFD}\u{10FFFF}")
        return .text("4" + String((0..<count).map { _ in alphabet.randomElement(using: &generator) ?? "a" }))
    }
}

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
