import Testing

@testable import WeirWire

/// A case of the list that WebSocket implementations are tested with: the peer's frames and the expected result.
struct WebSocketCase: Sendable, CustomTestStringConvertible {
    /// The number of the corresponding case in the list.
    var name: String
    /// The peer's frames. The first byte of each contains the opcode and its flags.
    var frames: [(first: UInt8, payload: [UInt8])]
    var messages: [WebSocketMessage] = []
    /// Control frames, followed by the protocol violation, if any.
    var rest: [String] = []

    var testDescription: String { name }

    init(
        _ name: String, _ frames: [(UInt8, [UInt8])], _ messages: [WebSocketMessage] = [], _ rest: [String] = []
    ) {
        self.name = name
        self.frames = frames.map { (first: $0.0, payload: $0.1) }
        self.messages = messages
        self.rest = rest
    }

    /// The bytes as sent by a client or a server.
    func bytes(from role: WebSocketRole) -> [UInt8] {
        frames.flatMap { frame($0.first, $0.payload, key: role == .client ? 0xa1b2_c3d4 : nil) }
    }
}

// The first byte of a frame: the last of a message, or with more to come.
private let text: UInt8 = 0x81, binary: UInt8 = 0x82, last: UInt8 = 0x80
private let textBegins: UInt8 = 0x01, binaryBegins: UInt8 = 0x02, more: UInt8 = 0x00
private let close: UInt8 = 0x88, ping: UInt8 = 0x89, pong: UInt8 = 0x8a

private func stars(_ count: Int) -> [UInt8] { [UInt8](repeating: UInt8(ascii: "*"), count: count) }
private func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }
private func closing(_ code: UInt16, _ reason: String = "") -> [UInt8] {
    [UInt8(code >> 8), UInt8(code & 0xff)] + reason.utf8
}
private let hello = utf8("Hello")
private let greek = utf8("Hello-µ@ßöäüàá-UTF-8!!")

extension WebSocketCase {
    static let all =
        framing + pings + reserved + opcodes + fragmentation + goodText + badText + closes + codes + limits

    private static let framing: [WebSocketCase] = [0, 125, 126, 127, 128, 65535, 65536].flatMap { size in
        [
            WebSocketCase("1.1 text of \(size)", [(text, stars(size))], [.text(stars(size)[...])]),
            WebSocketCase("1.2 binary of \(size)", [(binary, stars(size))], [.binary(stars(size)[...])]),
        ]
    }

    private static let pings: [WebSocketCase] = [
        WebSocketCase("2.1 empty ping", [(ping, [])], [], ["ping []"]),
        WebSocketCase("2.3 ping that is no text", [(ping, [0, 0xff, 0xfe])], [], ["ping [0, 255, 254]"]),
        WebSocketCase("2.4 longest ping", [(ping, stars(125))], [], ["ping \(stars(125))"]),
        WebSocketCase("2.5 ping too long", [(ping, stars(126))], [], ["1002 bad control frame"]),
        WebSocketCase("2.7 pong nobody asked for", [(pong, [])], [], ["pong"]),
        WebSocketCase("2.9 pong, then ping", [(pong, [1]), (ping, [2])], [], ["pong", "ping [2]"]),
        WebSocketCase(
            "2.10 ten pings", (0..<10).map { (ping, [$0]) }, [], (0..<10).map { "ping [\($0)]" }),
    ]

    private static let reserved: [WebSocketCase] =
        [0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70].flatMap { (bits: UInt8) in
            [text, binary, ping, close].map {
                WebSocketCase(
                    "3 bits \(bits) of \($0)", [(text, hello), ($0 | bits, hello)], [.text(hello[...])],
                    ["1002 reserved bits"])
            }
        }

    private static let opcodes: [WebSocketCase] =
        ([0x83, 0x84, 0x85, 0x86, 0x87, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f] as [UInt8]).flatMap { first in
            [
                WebSocketCase("4 opcode \(first)", [(first, [])], [], ["1002 bad opcode"]),
                WebSocketCase(
                    "4 opcode \(first) between", [(text, hello), (first, hello), (ping, [])], [.text(hello[...])],
                    ["1002 bad opcode"]),
            ]
        }

    private static let fragmentation: [WebSocketCase] = [
        WebSocketCase("5.1 ping in two", [(0x09, [1]), (last, [2])], [], ["1002 bad control frame"]),
        WebSocketCase("5.2 pong in two", [(0x0a, [1]), (last, [2])], [], ["1002 bad control frame"]),
        WebSocketCase("5.3 text in two", [(textBegins, utf8("a")), (last, utf8("b"))], [.text("ab")]),
        WebSocketCase(
            "5.6 ping between", [(textBegins, utf8("a")), (ping, [7]), (last, utf8("b"))], [.text("ab")], ["ping [7]"]
        ),
        WebSocketCase("5.9 nothing to continue", [(last, [1]), (text, hello)], [], ["1002 nothing to continue"]),
        WebSocketCase("5.12 nothing to continue", [(more, [1]), (text, hello)], [], ["1002 nothing to continue"]),
        WebSocketCase(
            "5.15 continued after its end", [(textBegins, utf8("a")), (last, utf8("b")), (more, [1]), (text, hello)],
            [.text("ab")], ["1002 nothing to continue"]),
        WebSocketCase(
            "5.18 another begins", [(textBegins, utf8("a")), (text, utf8("b"))], [], ["1002 message not finished"]),
        WebSocketCase(
            "5.18 a binary one begins", [(textBegins, utf8("a")), (binaryBegins, [1])], [],
            ["1002 message not finished"]),
        WebSocketCase(
            "5.19 five pieces with pings",
            [
                (textBegins, utf8("1")), (more, utf8("2")), (ping, [1]), (more, utf8("3")), (more, utf8("4")),
                (ping, [2]), (last, utf8("5")),
            ], [.text("12345")], ["ping [1]", "ping [2]"]),
        WebSocketCase(
            "10.1 many pieces",
            [(binaryBegins, stars(1300))] + (0..<48).map { _ in (more, stars(1300)) } + [(last, [])],
            [.binary(stars(49 * 1300)[...])]),
    ]

    private static let goodText: [WebSocketCase] =
        [
            WebSocketCase("6.1.2 three empty pieces", [(textBegins, []), (more, []), (last, [])], [.text([])]),
            WebSocketCase(
                "6.1.3 text between empty pieces", [(textBegins, []), (more, hello), (last, [])], [.text(hello[...])]),
            WebSocketCase("6.2.1 text", [(text, greek)], [.text(greek[...])]),
            WebSocketCase(
                "6.2.2 cut in a character", [(textBegins, Array(greek[..<7])), (last, Array(greek[7...]))],
                [.text(greek[...])]),
            WebSocketCase(
                "6.2.4 a byte a piece", [(textBegins, [])] + greek.map { (more, [$0]) } + [(last, [])],
                [.text(greek[...])]),
        ]
        + ([
            [0], [0x7f], [0xc2, 0x80], [0xdf, 0xbf], [0xe0, 0xa0, 0x80], [0xed, 0x9f, 0xbf], [0xee, 0x80, 0x80],
            [0xef, 0xbf, 0xbd], [0xef, 0xbf, 0xbe], [0xef, 0xbf, 0xbf], [0xf0, 0x90, 0x80, 0x80],
            [0xf0, 0x9f, 0xbf, 0xbf],
            [0xf4, 0x8f, 0xbf, 0xbf], utf8("κόσμε"), stars(40) + utf8("κόσμε") + stars(15) + utf8("𐌼"),
        ] as [[UInt8]]).map { WebSocketCase("6.5 to 6.11, 6.22 \($0)", [(text, $0)], [.text($0[...])]) }

    private static let badText: [WebSocketCase] =
        ([
            // Cut short, in each length.
            [0xc2], [0xe1, 0x80], [0xf1, 0x80, 0x80], utf8("κόσμε").dropLast() + [],
            // Beyond Unicode, and bytes that are never valid.
            [0xf4, 0x90, 0x80, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xfc, 0x84, 0x80, 0x80, 0x80, 0x80], [0xfe],
            [0xff],
            // Continuations without a start, starts without continuations.
            [0x80], [0xbf, 0x80], [0xc0, 0x20], [0xe0, 0x20], [0xf0, 0x20], [0xce, 0xba, 0xe1],
            // Overlong encodings.
            [0xc0, 0xaf], [0xc1, 0xbf], [0xe0, 0x80, 0xaf], [0xe0, 0x9f, 0xbf], [0xf0, 0x80, 0x80, 0xaf],
            [0xf0, 0x8f, 0xbf, 0xbf],
            // Surrogates, alone and in pairs.
            [0xed, 0xa0, 0x80], [0xed, 0xbf, 0xbf], [0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80],
        ] as [[UInt8]]).flatMap { sequence -> [WebSocketCase] in
            let long = stars(33) + sequence + stars(20)
            return [
                WebSocketCase("6.3 to 6.21 \(sequence)", [(text, sequence)], [], ["1007 text is not UTF-8"]),
                WebSocketCase(
                    "6.4 \(sequence) in pieces", [(text, hello), (textBegins, sequence), (more, []), (last, stars(3))],
                    [.text(hello[...])], ["1007 text is not UTF-8"]),
                WebSocketCase("6.3 \(sequence) in a long text", [(text, long)], [], ["1007 text is not UTF-8"]),
                WebSocketCase("6 \(sequence) is binary", [(binary, sequence)], [.binary(sequence[...])]),
            ]
        }

    private static let closes: [WebSocketCase] = [
        WebSocketCase(
            "7.1.1 text and close", [(text, hello), (close, closing(1000))], [.text(hello[...])], ["close 1000 "]),
        WebSocketCase("7.1.2 two closes", [(close, closing(1000)), (close, closing(1001))], [], ["close 1000 "]),
        WebSocketCase("7.1.3 ping after close", [(close, closing(1000)), (ping, [])], [], ["close 1000 "]),
        WebSocketCase("7.1.4 text after close", [(close, closing(1000)), (text, hello)], [], ["close 1000 "]),
        WebSocketCase(
            "7.1.5 close in a message", [(textBegins, hello), (close, closing(1000)), (last, hello)], [],
            ["close 1000 "]),
        WebSocketCase("7.3.1 empty", [(close, [])], [], ["close 1005 "]),
        WebSocketCase("7.3.2 one byte", [(close, [3])], [], ["1002 bad close frame"]),
        WebSocketCase("7.3.4 reason", [(close, closing(1000, "bye"))], [], ["close 1000 bye"]),
        WebSocketCase(
            "7.3.5 longest reason", [(close, closing(1000) + stars(123))], [],
            ["close 1000 " + String(repeating: "*", count: 123)]),
        WebSocketCase("7.3.6 reason too long", [(close, closing(1000) + stars(124))], [], ["1002 bad control frame"]),
        WebSocketCase(
            "7.5.1 reason that is no text", [(close, closing(1000) + [0xce, 0xba, 0xe1])], [],
            ["1007 close reason is not UTF-8"]),
    ]

    private static let codes: [WebSocketCase] =
        ([
            1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 1015, 3000, 3999, 4000, 4999,
        ] as [UInt16]).map { WebSocketCase("7.7 code \($0)", [(close, closing($0, "x"))], [], ["close \($0) x"]) }
        + ([0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999, 5000, 65535] as [UInt16]).map {
            WebSocketCase("7.9 code \($0)", [(close, closing($0))], [], ["1002 bad close code"])
        }

    /// The maximum message size in the tests of this list.
    static let maximumMessage = 1 << 18

    private static let limits: [WebSocketCase] = [text, binary].flatMap { kind -> [WebSocketCase] in
        let largest = stars(maximumMessage)
        let message: WebSocketMessage = kind == text ? .text(largest[...]) : .binary(largest[...])
        let pieces = (1..<16).map { _ in (more, stars(maximumMessage / 16)) } + [(last, [])]
        let begin = (kind & 0x7f, stars(maximumMessage / 16))
        return [
            WebSocketCase("9.1 largest of \(kind)", [(kind, largest)], [message]),
            WebSocketCase("9.3 largest of \(kind) in pieces", [begin] + pieces, [message]),
            WebSocketCase(
                "9 too large of \(kind)", [(kind, largest + [0])], [],
                ["1009 message of \(maximumMessage + 1) bytes; the limit is \(maximumMessage)"]),
            WebSocketCase(
                "9 too large of \(kind) in pieces", [begin] + pieces.dropLast() + [(last, [0])], [],
                ["1009 message of \(maximumMessage + 1) bytes; the limit is \(maximumMessage)"]),
        ]
    }
}
