import Testing

@testable import WeirWire

@Suite struct WebSocketCaseTests {
    @Test(
        "Every listed case ends as expected, at both ends, whole, byte by byte and in random pieces",
        arguments: WebSocketCase.all)
    func list(one: WebSocketCase) {
        var random = RandomSource(seed: 1)
        for role in [WebSocketRole.client, .server] {
            for pieces in cuts(one.bytes(from: role.other), &random) {
                let result = read(pieces, role: role, maximumMessage: WebSocketCase.maximumMessage)
                #expect(result.messages == one.messages)
                #expect(result.rest == one.rest)
            }
        }
    }

    @Test(
        "A frame masked by a server, or not masked by a client, is refused", arguments: [WebSocketRole.client, .server])
    func masks(role: WebSocketRole) {
        let bytes = frame(0x81, [65], key: role == .client ? 1 : nil)
        #expect(read([bytes[...]], role: role).rest == [role == .client ? "1002 masked" : "1002 not masked"])
    }

    @Test("An impossible length is refused, and one beyond the limit before its bytes arrive")
    func lengths() {
        let long: [UInt8] = [0x82, 0x7f, 0x80, 0, 0, 0, 0, 0, 0, 0]
        #expect(read([long[...]], role: .client).rest == ["1002 bad length"])
        let large: [UInt8] = [0x82, 0x7f, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]
        #expect(
            read([large[...]], role: .client).rest
                == ["1009 message of 9223372036854775807 bytes; the limit is 1048576"])
        let late = frame(0x01, [65, 65], key: nil) + [0x80, 0x7e, 0xff, 0xff]
        #expect(
            read([late[...]], role: .client, maximumMessage: 65536).rest
                == ["1009 message of 65537 bytes; the limit is 65536"])
        let open = frame(0x01, [65, 65], key: nil) + [0x00, 0x7e, 0xff, 0xff]
        #expect(
            read([open[...]], role: .client, maximumMessage: 65536).rest
                == ["1009 message of 65537 bytes or more; the limit is 65536"])
    }

    @Test("A length in a longer form than it needs is refused")
    func longForms() {
        let ofTwoBytes: [UInt8] = [0x82, 0x7e, 0, 1, 65]
        #expect(read([ofTwoBytes[...]], role: .client).rest == ["1002 bad length"])
        let ofEightBytes: [UInt8] = [0x82, 0x7f, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
        #expect(read([ofEightBytes[...]], role: .client).rest == ["1002 bad length"])
    }

    @Test("Messages that are complete in one read share its bytes")
    func sharing() {
        var bytes: [UInt8] = []
        for number in 0..<100 { bytes += frame(0x81, Array("message \(number)".utf8), key: nil) }
        var reader = WebSocketReader(role: .client, maximumMessage: 1 << 20)
        var controls: [WebSocketReader.Control] = []
        let place = bytes.withUnsafeBufferPointer(\.baseAddress)
        reader.append(bytes)
        #expect(throws: Never.self) { try reader.read(&controls) }
        let messages = reader.takeMessages()
        #expect(messages.count == 100)
        for message in messages {
            let start = message.bytes.withUnsafeBufferPointer(\.baseAddress)
            #expect(start == place.map { $0 + message.bytes.startIndex })
        }
        #expect(reader.heldBytes == 0)
    }
}

@Suite struct PermessageDeflateTests {
    @Test(
        "A server accepts the first offer it understands",
        arguments: [
            ("permessage-deflate", "permessage-deflate"),
            ("permessage-deflate; client_max_window_bits", "permessage-deflate"),
            ("permessage-deflate; client_max_window_bits=10", "permessage-deflate; client_max_window_bits=10"),
            ("permessage-deflate; server_max_window_bits=\"9\"", "permessage-deflate; server_max_window_bits=9"),
            (
                " Permessage-Deflate ;server_no_context_takeover ; client_no_context_takeover",
                "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
            ),
            ("x-webkit-deflate-frame, permessage-deflate", "permessage-deflate"),
            ("permessage-deflate; server_max_window_bits=8, permessage-deflate", "permessage-deflate"),
            (
                "permessage-deflate; unknown, permessage-deflate; client_max_window_bits=8",
                "permessage-deflate; client_max_window_bits=8"
            ),
            ("permessage-deflate; server_max_window_bits", nil), ("permessage-deflate; server_max_window_bits=16", nil),
            ("permessage-deflate; server_max_window_bits=09", nil),
            ("permessage-deflate; client_max_window_bits=7", nil),
            ("permessage-deflate; server_no_context_takeover=1", nil),
            ("permessage-deflate; client_max_window_bits; client_max_window_bits", nil), ("permessage-deflate;", nil),
            ("other", nil), ("", nil), (",;=", nil),
        ] as [(String, String?)])
    func answers(offer: String, answer: String?) {
        #expect(PermessageDeflate.answer(to: offer)?.text == answer)
    }

    @Test("A client accepts only what it offered")
    func agreements() throws {
        let agreement = try PermessageDeflate.agreement(
            from: "permessage-deflate; server_no_context_takeover; client_max_window_bits=9")
        #expect(agreement.serverNoContextTakeover)
        #expect(!agreement.clientNoContextTakeover)
        #expect(agreement.clientMaxWindowBits == 9)
        #expect(agreement.serverMaxWindowBits == 15)
        for wrong in [
            "", "other", "permessage-deflate; x", "permessage-deflate; client_max_window_bits",
            "permessage-deflate; server_max_window_bits=7", "permessage-deflate, permessage-deflate",
            "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
        ] {
            #expect(throws: WebSocketViolation.self, "\(wrong)") { try PermessageDeflate.agreement(from: wrong) }
        }
    }

    @Test(
        "Messages of every size pass through every compression in both directions (12 and 13 of the list)",
        arguments: [false, true], [8, 9, 15])
    func sizes(forgets: Bool, bits: Int) {
        var random = RandomSource(seed: 2)
        var compression = PermessageDeflate()
        compression.clientNoContextTakeover = forgets
        compression.serverNoContextTakeover = forgets
        compression.clientMaxWindowBits = bits
        compression.serverMaxWindowBits = bits
        for role in [WebSocketRole.client, .server] {
            var writer = WebSocketWriter(role: role, compression: compression)
            var bytes: [UInt8] = []
            let messages = [0, 1, 16, 64, 256, 1024, 4096, 8192, 16384, 32768, 65536, 131072].map { size in
                WebSocketMessage.text(ArraySlice((0..<size).map { _ in UInt8.random(in: 97...101, using: &random) }))
            }
            for message in messages {
                writer.write(message, mask: role == .client ? random.next() : nil, to: &bytes)
            }
            let pieces = stride(from: 0, to: bytes.count, by: 1000).map { bytes[$0..<min(bytes.count, $0 + 1000)] }
            for pieces in [[bytes[...]], pieces] {
                let result = read(pieces, role: role.other, compression: compression)
                #expect(result.messages == messages)
                #expect(result.rest == [])
            }
        }
    }

    /// RFC 7692, 7.2.3: the same word in one block, again from the window, not compressed, with a final block, and in two frames.
    @Test("The examples of the standard are read")
    func examples() {
        let bytes: [UInt8] =
            [0xc1, 0x07, 0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00]
            + [0xc1, 0x05, 0xf2, 0x00, 0x11, 0x00, 0x00]
            + [0xc1, 0x0b, 0x00, 0x05, 0x00, 0xfa, 0xff, 0x48, 0x65, 0x6c, 0x6c, 0x6f, 0x00]
            + [0xc1, 0x08, 0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x00]
            + [0xc1, 0x05, 0xf2, 0x00, 0x11, 0x00, 0x00]
            + [0x41, 0x03, 0xf2, 0x48, 0xcd, 0x89, 0x00, 0x80, 0x04, 0xc9, 0xc9, 0x07, 0x00]
        var random = RandomSource(seed: 4)
        for pieces in cuts(bytes, &random) {
            let result = read(pieces, role: .client, compression: PermessageDeflate())
            #expect(result.messages == [WebSocketMessage](repeating: .text("Hello"), count: 6))
            #expect(result.rest == ["ping []"])
        }
    }

    @Test(
        "Invalid compressed frames are refused",
        arguments: [
            ([0xc9, 0x00], "1002 reserved bits"), ([0x01, 0x01, 65, 0xc0, 0x00], "1002 reserved bits"),
            ([0xe1, 0x00], "1002 reserved bits"), ([0xc1, 0x02, 0xff, 0xff], "1007 bad compressed data"),
            // A match before the first byte.
            ([0xc1, 0x05, 0xf2, 0x00, 0x11, 0x00, 0x00], "1007 bad compressed data"),
            // Not UTF-8 after inflation.
            ([0xc1, 0x07, 0x00, 0x01, 0x00, 0xfe, 0xff, 0xff, 0x00], "1007 text is not UTF-8"),
        ] as [([UInt8], String)])
    func refusals(bytes: [UInt8], words: String) {
        #expect(read([bytes[...]], role: .client, compression: PermessageDeflate()).rest == [words])
    }

    @Test("A message that inflates beyond the limit is refused, however small it is")
    func bomb() {
        var writer = WebSocketWriter(role: .server, compression: PermessageDeflate())
        var bytes: [UInt8] = []
        writer.write(.binary(ArraySlice([UInt8](repeating: 0, count: 1001))), mask: nil, to: &bytes)
        #expect(bytes.count < 30)
        let compression = PermessageDeflate()
        #expect(read([bytes[...]], role: .client, maximumMessage: 1001, compression: compression).rest == [])
        let refused = read([bytes[...]], role: .client, maximumMessage: 1000, compression: compression)
        #expect(refused.messages.isEmpty)
        #expect(refused.rest == ["1009 message of 1001 bytes or more; the limit is 1000"])
    }
}
