import Testing
import Wire

@testable import Network

/// What a reader makes of bytes: messages and control frames in words, and the breach of the protocol, if any.
private func read(_ pieces: [ArraySlice<UInt8>], maximumMessage: Int = 1 << 20) -> (
    messages: [WebSocketMessage], rest: [String]
) {
    var reader = WebSocketFrameReader()
    var batch = MessageBatch(maximumMessage: maximumMessage)
    var messages: [WebSocketMessage] = []
    var rest: [String] = []
    for piece in pieces {
        var controls: [WebSocketFrameReader.Control] = []
        let violation = piece.withUnsafeBytes { bytes -> WebSocketFrameReader.Violation? in
            do throws(WebSocketFrameReader.Violation) {
                try reader.read(bytes, into: &batch, &controls)
                return nil
            } catch {
                return error
            }
        }
        rest += controls.map { "\($0)" }
        messages += batch.take()
        if let violation {
            rest.append("\(violation.code) \(violation.reason)")
            break
        }
    }
    return (messages, rest)
}

/// A frame as a client sends it.
private func frame(_ first: UInt8, _ payload: [UInt8], key: UInt32 = 0x1234_5678, length: [UInt8]? = nil) -> [UInt8] {
    var masked = payload
    masked.withUnsafeMutableBufferPointer { WebSocketFrame.unmask($0, key: key, phase: 0) }
    let size: [UInt8]
    switch payload.count {
    case ..<126: size = [0x80 | UInt8(payload.count)]
    case ..<65536: size = [0xfe, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
    default: size = [0xff] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> (8 * $0)) }
    }
    return [first] + (length ?? size) + withUnsafeBytes(of: key) { Array($0) } + masked
}

@Suite struct WebSocketFrameTests {
    @Test("What was written is read, whole, byte by byte, and in any pieces")
    func roundTrip() {
        var random = SeededGenerator(state: 7)
        for _ in 0..<12 {
            var output = OutgoingBytes()
            var messages: [WebSocketMessage] = []
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let size = [0, 1, 7, 8, 9, 125, 126, 300, 65535, 65536].randomElement(using: &random) ?? 0
                if Bool.random(using: &random) {
                    messages.append(
                        .binary(ArraySlice((0..<size).map { _ in UInt8.random(in: .min ... .max, using: &random) })))
                } else {
                    messages.append(.text(String(repeating: "ü", count: size / 2)))
                }
                WebSocketFrame.append(messages[messages.count - 1], mask: random.next(), to: &output)
            }
            let bytes = output.take(.max) { Array($0) }
            #expect(read([bytes[...]]).messages == messages)
            #expect(read(bytes.indices.map { bytes[$0...$0] }).messages == messages)
            var pieces: [ArraySlice<UInt8>] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                pieces.append(rest.prefix(Int.random(in: 1...4000, using: &random)))
                rest = rest.dropFirst(pieces[pieces.count - 1].count)
            }
            #expect(read(pieces).messages == messages)
        }
    }

    @Test("Unmasking in pieces gives what unmasking at once gives")
    func unmask() {
        let bytes = (0..<100).map { UInt8($0) }
        for phase in 0..<9 {
            var expected = bytes
            for index in expected.indices {
                expected[index] ^= UInt8(truncatingIfNeeded: UInt32(0xa1b2_c3d4) >> (8 * UInt32((phase + index) & 3)))
            }
            var actual = bytes
            actual.withUnsafeMutableBufferPointer { WebSocketFrame.unmask($0, key: 0xa1b2_c3d4, phase: phase) }
            #expect(actual == expected)
        }
    }

    @Test("Fragments are put together, with control frames between them")
    func fragments() {
        let bytes =
            frame(0x01, [0xc3]) + frame(0x89, [1, 2]) + frame(0x00, [0xa9]) + frame(0x8a, []) + frame(0x80, [0x21])
        let result = read([bytes[...]])
        #expect(result.messages == [.text("é!")])
        #expect(result.rest == ["ping([1, 2])", "pong"])
        #expect(read([(frame(0x02, []) + frame(0x80, []))[...]]).messages == [.binary([])])
    }

    @Test("A close frame is the last thing read")
    func close() {
        let result = read([(frame(0x88, [3, 232, 0x6f, 0x6b]) + frame(0x81, [65]))[...]])
        #expect(result.messages.isEmpty)
        #expect(result.rest == ["close([3, 232, 111, 107])"])
        #expect(WebSocketFrame.parseClose([3, 232, 0x6f, 0x6b]) == WebSocketClose(code: 1000, reason: "ok"))
        #expect(WebSocketFrame.parseClose([]) == WebSocketClose(code: 1005))
        for body in [
            [3], [3, 231], [3, 236], [3, 237], [3, 238], [3, 247], [7, 208], [19, 136], [255, 255], [3, 232, 0xff],
        ] as [[UInt8]] {
            #expect(WebSocketFrame.parseClose(body) == nil, "\(body)")
        }
    }

    @Test("A reason that is too long for a close frame is cut at a character")
    func longReason() {
        let body = WebSocketFrame.closeBody(WebSocketClose(code: 4000, reason: String(repeating: "é", count: 100)))
        #expect(body.count == 2 + 122)
        #expect(WebSocketFrame.parseClose(body)?.reason == String(repeating: "é", count: 61))
    }

    @Test(
        "Breaches of the protocol are answered with the right close code",
        arguments: [
            ([0xc1, 0x80, 0, 0, 0, 0], "1002 reserved bits"), ([0x81, 0x00], "1002 not masked"),
            ([0x83, 0x80, 0, 0, 0, 0], "1002 bad opcode"),
            ([0x8b, 0x80, 0, 0, 0, 0], "1002 bad opcode"), ([0x09, 0x80], "1002 bad control frame"),
            ([0x89, 0xfe], "1002 bad control frame"),
            ([0x80, 0x80, 0, 0, 0, 0], "1002 nothing to continue"),
            (frame(0x01, [65]) + frame(0x81, [65]), "1002 message not finished"),
            ([0x82, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "1002 bad length"),
            ([0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0], "1009 message too large"),
            (frame(0x82, [UInt8](repeating: 0, count: 11)), "1009 message too large"),
            (
                frame(0x02, [UInt8](repeating: 0, count: 6)) + frame(0x80, [UInt8](repeating: 0, count: 5)),
                "1009 message too large"
            ),
            (frame(0x81, [0xff]), "1007 text is not UTF-8"),
            (frame(0x01, [0xc3]) + frame(0x80, []), "1007 text is not UTF-8"),
        ] as [([UInt8], String)])
    func violations(bytes: [UInt8], expected: String) {
        #expect(read([bytes[...]], maximumMessage: 10).rest == [expected])
        #expect(read(bytes.indices.map { bytes[$0...$0] }, maximumMessage: 10).rest == [expected])
    }

    @Test("Random bytes are never more than refused")
    func fuzz() {
        var random = SeededGenerator(state: 3)
        for _ in 0..<3000 {
            let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
            let whole = read([bytes[...]], maximumMessage: 40)
            let single = read(bytes.indices.map { bytes[$0...$0] }, maximumMessage: 40)
            #expect(whole.messages == single.messages)
        }
    }
}

@Suite struct HTTPRequestReaderTests {
    @Test("Requests are read the same whole and byte by byte; random changes are never more than refused")
    func pieces() {
        var random = SeededGenerator(state: 11)
        let text = Array(
            ("GET /a?b HTTP/1.1\r\nHost: h\r\nX: y\r\n\r\nPOST /c HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
                + "PUT /d HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxy\r\n0\r\n\r\nGET /e HTTP/1.0\r\n\r\n")
                .utf8)
        #expect(describe([text[...]]) == ["GET /a b ", "POST /c  abc", "PUT /d  xy", "GET /e  "])
        for _ in 0..<3000 {
            var bytes = text
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            #expect(describe([bytes[...]]) == describe(bytes.indices.map { bytes[$0...$0] }))
        }
    }

    private func describe(_ pieces: [ArraySlice<UInt8>]) -> [String] {
        var reader = HTTPRequestReader(maximumBody: 100)
        var seen: [String] = []
        for piece in pieces {
            piece.withUnsafeBytes { reader.append($0) }
            do throws(HTTPRequestReader.Refusal) {
                read: while true {
                    switch try reader.next() {
                    case .needsMore: break read
                    case .head, .wantsContinue: continue
                    case .request(let request):
                        let body = String(decoding: request.request.body, as: UTF8.self)
                        seen.append(
                            "\(request.request.method) \(request.request.path) \(request.request.query) \(body)")
                    }
                }
            } catch {
                seen.append("\(error.status) \(error.reason)")
                return seen
            }
        }
        return seen
    }
}
