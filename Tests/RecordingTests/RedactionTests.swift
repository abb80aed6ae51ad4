import Testing
import WeirJSON
import WeirWire

@testable import WeirRecording

@Suite struct `Redaction` {
    private static let hostile = "eyJ/h+b=.\"\\\n é𝄞%25 x"

    /// The spellings of a secret that a recording may contain.
    private func spellings(of secret: String) -> [String] {
        func json(_ text: String) -> String {
            var writer = JSONWriter(asciiOnly: true)
            writer.string(text)
            return String(String(decoding: writer.bytes, as: UTF8.self).dropFirst().dropLast())
        }
        func percent(_ text: String, _ isKept: (UInt8) -> Bool) -> String {
            text.utf8.map { byte in
                if isKept(byte) { return String(UnicodeScalar(byte)) }
                return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: byte % 2 == 0)
            }.joined()
        }
        func isUnreserved(_ byte: UInt8) -> Bool {
            let character = Character(Unicode.Scalar(byte))
            return byte < 0x80 && (character.isLetter || character.isNumber || "-._~".contains(character))
        }
        let units = secret.utf16.map { unit in
            let digits = String(unit, radix: 16, uppercase: true)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
        let component = percent(secret, isUnreserved)
        return [
            secret, json(secret), json(json(secret)), json(json(json(secret))), secret.replacing("/", with: "\\/"),
            units,
            json(units), component, component.replacing("%20", with: "+"), percent(component, isUnreserved),
            percent(secret) { _ in false },
            percent(component.replacing("%20", with: "+"), isUnreserved),
            component.replacing("%20", with: "\\u002b"),
        ]
    }

    @Test(arguments: [hostile, "plain-token", "a", "\\", "\\\\\"", "日本語", "%41", " "])
    func `a secret is found in every spelling, wherever it is`(secret: String) {
        var redactor = Redactor()
        redactor.add(Secret(secret))
        for spelling in spellings(of: secret) {
            #expect(redactor.redact("<" + spelling + ">") == "<‹redacted›>", "\(spelling)")
            #expect(redactor.redact(spelling + "|" + spelling) == "‹redacted›|‹redacted›", "\(spelling)")
            #expect(redactor.redact(spelling) == "‹redacted›", "\(spelling)")
        }
    }

    @Test func `text without the secret stays unchanged`() {
        var redactor = Redactor()
        redactor.add(Secret("token-1"))
        redactor.add(Secret(""))
        for text in ["", "token-", "oken-1", "token\\u002d2", "%74oken", "a\\\\b", "100 %", "\\u00", "token-%3"] {
            #expect(redactor.redact(text) == text)
        }
    }

    @Test func `when one secret is a prefix of another, neither leaves a trace`() {
        for secrets in [["abc", "abcdef"], ["abcdef", "abc"]] {
            var redactor = Redactor()
            for secret in secrets { redactor.add(Secret(secret)) }
            #expect(redactor.redact("x abcdef abc") == "x ‹redacted› ‹redacted›")
        }
    }

    @Test func `each of several secrets is replaced by its own word until it is removed from the list`() {
        var redactor = Redactor()
        let secrets = ["abcdef", "abc", "abd", "ab", "é", "éa"]
        for (index, secret) in secrets.enumerated() { redactor.add(Secret(secret), as: "<\(index)>") }
        redactor.add(Secret("abc"), as: "<again>")
        #expect(redactor.redact("abcdefg abcde abd abe \\u00e9b %C3%A9a") == "<0>g <1>de <2> <3>e <4>b <5>")
        for secret in ["abc", "ab", "é", "nobody's"] { redactor.remove(Secret(secret)) }
        #expect(redactor.redact("abcdefg abcde abd abe \\u00e9b %C3%A9a") == "<0>g abcde <2> abe \\u00e9b <5>")
        for secret in secrets { redactor.remove(Secret(secret)) }
        #expect(redactor.redact("abcdefg abcde abd abe éa") == "abcdefg abcde abd abe éa")
    }

    @Test(.timeLimit(.minutes(1)))
    func `many secrets take no more time than one`() {
        var redactor = Redactor()
        var generator = RandomSource(seed: 7)
        for _ in 0..<2_000 { redactor.add(Secret(String(generator.next(), radix: 36))) }
        let text = String(repeating: #"{\"id\":\"0f8b%20c1/x\"} + é\\u0041 "#, count: 20_000)
        #expect(redactor.redact(text) == text)
    }

    @Test(arguments: ["abc", "\\\\abc"])
    func `runs of backslashes from a peer take linear time and hide no secret`(secret: String) {
        var redactor = Redactor()
        redactor.add(Secret(secret))
        let text = String(repeating: "\\", count: 5_000)
        #expect(redactor.redact(text) == text)
        #expect(redactor.redact(text + "abc").hasSuffix("\\‹redacted›"))
    }

    @Test func `a secret is nowhere in the file, in no spelling`() throws {
        let secret = Self.hostile
        let frame = #"42["authenticate",{"token":"\#(spellings(of: secret)[1])"}]"#
        let body = #"{"token":"\#(spellings(of: secret)[2])"}"#
        let url = "https://chat.example/?token=\(spellings(of: secret)[7])"
        var head = testHead
        head.tool = "weir " + secret
        head.session = RawJSON(unchecked: ArraySlice(#"{"a":"\#(spellings(of: secret)[1])"}"#.utf8))
        let all: [Record] = [
            .connection(.init(connection: 1, state: .connecting, url: url, phase: secret, why: secret)),
            .frame(.init(connection: 1, direction: .out, message: .text(frame))),
            .frame(.init(connection: 1, direction: .out, message: .binary([0xFF] + ArraySlice(secret.utf8)))),
            .frame(.init(connection: 1, direction: .out, message: .text([0xFF] + ArraySlice(frame.utf8)))),
            .http(.init(id: 1, phase: .request(method: secret, url: url, body: Array(body.utf8)))),
            .http(.init(id: 1, phase: .response(status: 200, body: [0xFF] + Array(body.utf8), retryAfter: nil))),
            .http(.init(id: 2, phase: .failure(kind: secret, message: url))),
            .subscription(.init(act: .deny, room: secret, source: secret, why: url)),
            .gap(.init(why: secret, actions: [url, secret])),
            .unknown(
                kind: "poll",
                text: RawJSON(unchecked: ArraySlice(#"{"x":"\#(spellings(of: secret)[1])","a":[1]}"#.utf8))),
        ]
        let bytes = try recording(head: head, secrets: [Secret(secret)]) { writer in
            for record in all { try writer.append(record, at: .zero, wall: 0) }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        for spelling in spellings(of: secret) { #expect(!text.contains(spelling)) }
        let read = try entries(of: bytes)
        for case .record(let record, _) in read { expectNoSecret(in: record, secret) }
        #expect(records(read).count == all.count)
        #expect(
            records(read)[1]
                == .frame(
                    .init(connection: 1, direction: .out, message: .text(#"42["authenticate",{"token":"‹redacted›"}]"#))
                ))
        #expect(text.split(separator: "\n")[0].contains(#""session":{"a":"‹redacted›"}"#))
    }

    private func expectNoSecret(in record: Record, _ secret: String) {
        func isIn(_ bytes: some Collection<UInt8>) -> Bool { bytes.firstRange(of: Array(secret.utf8)) != nil }
        switch record {
        case .frame(let frame): #expect(!isIn(frame.message.bytes))
        case .http(let http):
            switch http.phase {
            case .request(_, _, let body), .response(_, let body, _): #expect(!isIn(body))
            case .failure: break
            }
        default: break
        }
    }

    @Test func `a secret within numbers of an unknown kind invalidates only that text`() throws {
        let bytes = try recording(secrets: [Secret("123")]) { writer in
            let text = RawJSON(unchecked: ArraySlice(#"{"x":91234}"#.utf8))
            try writer.append(.unknown(kind: "poll", text: text), at: .zero, wall: 0)
        }
        #expect(!String(decoding: bytes, as: UTF8.self).contains("91234"))
        #expect(try entries(of: bytes).count == 4)
    }
}
