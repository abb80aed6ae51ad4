import Testing

@testable import WeirWire

/// The result of reading bytes: messages and control frames in words, and the protocol violation, if any.
func read(
    _ pieces: [ArraySlice<UInt8>], role: WebSocketRole = .server, maximumMessage: Int = 1 << 20,
    compression: PermessageDeflate? = nil
) -> (messages: [WebSocketMessage], rest: [String]) {
    var reader = WebSocketReader(role: role, maximumMessage: maximumMessage, compression: compression)
    var messages: [WebSocketMessage] = []
    var rest: [String] = []
    for piece in pieces {
        reader.append(Array(piece))
        repeat {
            var controls: [WebSocketReader.Control] = []
            do throws(WebSocketViolation) {
                try reader.read(&controls)
            } catch {
                messages += reader.takeMessages()
                rest += controls.map(describe)
                rest.append("\(error.code) \(error.reason)")
                return (messages, rest)
            }
            rest += controls.map(describe)
            messages += reader.takeMessages()
        } while reader.hasUnread
    }
    return (messages, rest)
}

private func describe(_ control: WebSocketReader.Control) -> String {
    switch control {
    case .ping(let payload): "ping \(payload)"
    case .pong: "pong"
    case .close(let close): "close \(close.code) \(close.reason)"
    }
}

/// A frame as a client sends it or, without a key, as a server does.
func frame(_ first: UInt8, _ payload: [UInt8], key: UInt32? = 0x1234_5678) -> [UInt8] {
    var bytes: [UInt8] = []
    WebSocketFrame.append(payload[...], first: first, mask: key, to: &bytes)
    return bytes
}

/// Whole, byte by byte, and in random pieces.
func cuts(_ bytes: [UInt8], _ random: inout RandomSource) -> [[ArraySlice<UInt8>]] {
    var pieces: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        pieces.append(rest.prefix(Int.random(in: 1...max(2, bytes.count / 3), using: &random)))
        rest = rest.dropFirst(pieces[pieces.count - 1].count)
    }
    return [[bytes[...]], bytes.indices.map { bytes[$0...$0] }, pieces]
}

@Suite struct WebSocketReaderTests {
    @Test("Written frames read back whole, byte by byte, and in random pieces", arguments: 0..<12)
    func roundTrip(seed: Int) {
        var random = RandomSource(seed: UInt64(seed))
        var compression: PermessageDeflate?
        if seed % 2 == 1 {
            compression = PermessageDeflate()
            compression?.clientNoContextTakeover = Bool.random(using: &random)
            compression?.serverNoContextTakeover = Bool.random(using: &random)
            compression?.clientMaxWindowBits = Int.random(in: 8...15, using: &random)
            compression?.serverMaxWindowBits = Int.random(in: 8...15, using: &random)
        }
        let role: WebSocketRole = seed % 4 < 2 ? .client : .server
        var writer = WebSocketWriter(role: role, compression: compression)
        var bytes: [UInt8] = []
        var messages: [WebSocketMessage] = []
        var rest: [String] = []
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let size = [0, 1, 7, 8, 9, 125, 126, 300, 5000, 65535, 65536].randomElement(using: &random) ?? 0
            if Bool.random(using: &random) {
                messages.append(
                    .binary(ArraySlice((0..<size).map { _ in UInt8.random(in: .min ... .max, using: &random) })))
            } else {
                messages.append(.text(String(repeating: "ü\(size)", count: size / 4)))
            }
            writer.write(messages[messages.count - 1], mask: role == .client ? random.next() : nil, to: &bytes)
            if Int.random(in: 0..<4, using: &random) == 0 {
                bytes += frame(0x89, [7], key: role == .client ? random.next() : nil)
                rest.append("ping [7]")
            }
        }
        for pieces in cuts(bytes, &random) {
            let result = read(pieces, role: role.other, compression: compression)
            #expect(result.messages == messages)
            #expect(result.rest == rest)
        }
    }

    @Test("Unmasking in pieces equals unmasking at once")
    func unmask() {
        let bytes = (0..<100).map { UInt8($0) }
        for phase in 0..<9 {
            var expected = bytes
            for index in expected.indices {
                expected[index] ^= UInt8(truncatingIfNeeded: UInt32(0xa1b2_c3d4) >> (8 * UInt32((phase + index) & 3)))
            }
            var actual = bytes
            actual.withUnsafeMutableBytes { WebSocketFrame.unmask($0, key: 0xa1b2_c3d4, phase: phase) }
            #expect(actual == expected)
        }
    }

    @Test("A reason too long for a close frame is cut at a character")
    func longReason() throws {
        let body = WebSocketFrame.closeBody(WebSocketClose(code: 4000, reason: String(repeating: "é", count: 100)))
        #expect(body.count == 2 + 122)
        #expect(try WebSocketFrame.parseClose(body).reason == String(repeating: "é", count: 61))
    }

    @Test("Random bytes are at worst refused")
    func fuzz() {
        var random = RandomSource(seed: 3)
        for _ in 0..<3000 {
            let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
            for role in [WebSocketRole.client, .server] {
                let results = cuts(bytes, &random).map {
                    read($0, role: role, maximumMessage: 40, compression: PermessageDeflate())
                }
                for result in results { #expect(result == results[0]) }
            }
        }
    }

    @Test("Messages are taken a thousand at a time, in order")
    func taking() throws {
        var reader = WebSocketReader(role: .client, maximumMessage: 1 << 20)
        let count = 3000
        reader.append((0..<count).flatMap { frame(0x81, Array("\($0)".utf8), key: nil) })
        var controls: [WebSocketReader.Control] = []
        try reader.read(&controls)
        var taken: [[WebSocketMessage]] = []
        while reader.hasMessages { taken.append(reader.takeMessages()) }
        #expect(taken.map(\.count) == [1024, 1024, 952])
        #expect(taken.joined().map { String(decoding: $0.bytes, as: UTF8.self) } == (0..<count).map { "\($0)" })
        #expect(reader.heldBytes == 0)
    }
}
