import Testing
import WeirJSON
import WeirWire

@testable import WeirRecording

@Suite struct `Redaction while recording` {
    private func written(_ records: [Record], sessionPath: JSONPath? = nil) throws -> [String] {
        try withTemporaryFolder { folder in
            let path = folder + "/x.weir.jsonl"
            var options = RecordingWriter.Options(durability: .never, redactions: Set(RedactionRule.allCases))
            options.sessionPath = sessionPath
            var writer = try RecordingWriter(creating: path, head: testHead, options: options)
            for record in records { try writer.append(record, at: .zero, wall: 0) }
            try writer.close(why: .closed, at: Stamp(n: 0, time: .zero, wall: 0))
            return lines(of: try contents(of: path))
        }
    }

    private func message(_ text: String, _ direction: Record.FrameRecord.Direction = .in) -> Record {
        .frame(.init(connection: 1, direction: direction, message: .text(text)))
    }

    @Test func `a session id is replaced by the same word everywhere, and by another in another recording`() throws {
        let records = [
            message(
                #"0{"sid":"lv_VI97HAXpY6yYWAAAC","upgrades":["websocket"],"pingInterval":25000,"pingTimeout":20000}"#),
            message(#"40{"sid":"wZX3oN0bSVIhsaknAAAI","pid":"YHcX2sdAF1z452-HAAAW"}"#),
            message(#"42["hello","wZX3oN0bSVIhsaknAAAI"]"#),
            message(#"40{"pid":"YHcX2sdAF1z452-HAAAW","offset":"MzUPkW0"}"#, .out),
        ]
        let first = try written(records)
        let text = first.joined()
        for id in ["lv_VI97HAXpY6yYWAAAC", "wZX3oN0bSVIhsaknAAAI", "YHcX2sdAF1z452-HAAAW"] {
            #expect(!text.contains(id))
        }
        let names = first.compactMap { line -> [Substring]? in
            let found = line.matches(of: /sid-[0-9a-f]{16}/).map { $0.output }
            return found.isEmpty ? nil : found
        }
        #expect(names.map(\.count) == [1, 2, 1, 1])
        #expect(names[2][0] == names[1][0])
        #expect(names[3][0] == names[1][1])
        #expect(Set(names.flatMap { $0 }).count == 3)
        let second = try written(records).joined()
        #expect(!second.contains(names[0][0]))
    }

    @Test func `the id of a Bayeux session, which grants access to it, is hidden from the handshake on`()
        throws
    {
        let id = "0abc1def2ghi3jkl4mno5pqr6stu7vw"
        let lines = try written([
            message(#"[{"id":"1","channel":"/meta/handshake","successful":true,"version":"1.0","clientId":"\#(id)"}]"#),
            message(#"[{"channel":"/meta/connect","id":"2","clientId":"\#(id)","connectionType":"websocket"}]"#, .out),
        ])
        #expect(!lines.joined().contains(id))
        let names = lines.flatMap { line in line.matches(of: /sid-[0-9a-f]{16}/).map { $0.output } }
        #expect(names.count == 2 && names[0] == names[1])
    }

    @Test func `a profile's session id reaches the session unchanged, and the file as a word`() throws {
        let id = "f1e2d3c4b5a697887766554433221100"
        let path = try #require(JSONPath(".d.session_id", beginsInArguments: false))
        let ready = #"{"op":0,"t":"READY","d":{"session_id":"\#(id)","password":"hunter2!x"}}"#
        let scrubber = SecretScrubber(leaving: path)
        let shown = try #require(scrubber.scrubbed(WebSocketMessage.text(ready)))
        guard case .text(let text) = shown else { return }
        #expect(String(decoding: text, as: UTF8.self).contains(id))
        #expect(!String(decoding: text, as: UTF8.self).contains("hunter2"))
        #expect(!SecretScrubber().scrubbed(ready).contains(id))
        let lines = try written(
            [
                .frame(.init(connection: 1, direction: .in, message: shown)),
                message(#"{"op":6,"d":{"s":"\#(id)"}}"#, .out),
            ],
            sessionPath: path)
        #expect(!lines.joined().contains(id))
        let names = lines.flatMap { line in line.matches(of: /sid-[0-9a-f]{16}/).map { $0.output } }
        #expect(names.count == 2 && names[0] == names[1])
    }

    @Test func `credentials in sent frames and URLs are hidden, whatever their values`() throws {
        let text = try written([
            .connection(
                .init(
                    connection: 1, state: .connecting, url: "wss://h/socket/?EIO=4&token=abc%20def&access_token=x&t=9")),
            message(#"42["authenticate",{"token":"s3cret\"1","more":{"a":"kept"}}]"#, .out),
            message(#"40{"auth":1,"Access-Token":{"value":["s3cret2",{"deep":"s3cret3"}]},"b":"kept too"}"#, .out),
            .http(
                .init(
                    id: 1,
                    phase: .request(
                        method: "POST", url: "https://h/login?password=s3cret4#x",
                        body: Array(#"{"user":"u","password":"s3cret5","tokens":3}"#.utf8)))),
            message(#"42["x",{"token":"a server says this"}]"#),
        ]).joined(separator: "\n")
        for secret in ["abc%20def", "access_token=x", "s3cret", "s3cret4", "s3cret5"] {
            #expect(!text.contains(secret), "\(secret)")
        }
        for kept in [
            "EIO=4&token=‹redacted›&access_token=‹redacted›&t=9", "kept", "kept too", "tokens", "a server says",
        ] {
            #expect(text.contains(kept), "\(kept)")
        }
    }

    @Test func `redacted messages remain valid JSON`() throws {
        let messages = [
            #"42["a",{"token":"x"}]"#, #"42["a",{"token":{"v":"x","w":[1,"y",null]},"z":true}]"#,
            #"42["a",{"token":null,"password":12,"secret":""}]"#, #"42["token","x"]"#, "42[\"a\",{\"token\":\"cut",
        ]
        for text in messages {
            let clean = CredentialRedactor.redact(Array(text.utf8)[...])
            guard text.hasSuffix("]") else { continue }
            _ = try JSONValue(parsing: clean.dropFirst(2))
        }
        #expect(
            CredentialRedactor.redact(Array("42[\"token\",\"x\"]".utf8)[...]) == Array("42[\"token\",\"x\"]".utf8)[...])
        #expect(CredentialRedactor.redact(url: "http://h/?a=1&token") == "http://h/?a=1&token")
    }
}
