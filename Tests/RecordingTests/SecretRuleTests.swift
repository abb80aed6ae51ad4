import Testing
import WeirJSON
import WeirWire

@testable import WeirRecording

/// One secret of each kind, and its form in JSON; `§` is the secret.
private let planted: [(kind: String, secret: String, member: String)] = [
    ("JSON web token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLW9mLWl0", #""text":"see § now""#),
    ("password", "hunter2", #""password":"§""#),
    ("password in words", "pw-c0de", #""user_password":"§""#),
    ("password, camel case", "pw-c0df", #""newPassword":"§""#),
    ("password in one word", "pw-c0e0", #""dbpassword":"§""#),
    ("password hash", "$2b$10$abcdefghijkl", #""password_hash":"§""#),
    ("token", "tok-0123456789", #""accessToken":"§""#),
    ("token in kebab case", "tok-1123456789", #""x-auth-token":"§""#),
    ("api key", "k-93jdk20dk3", #""x-api-key":"§""#),
    ("client secret", "cs-93jdk20dk3", #""client_secret":"§""#),
    ("private key", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", #""privateKey":"§""#),
    ("value under a name", "tok-2123456789", #""token":{"v":"§"}"#),
    ("values under a name", "tok-3123456789", #""secrets":[["x1-a-b-c",{"any":"§"}]]"#),
    ("session id", "Zk39sKd02mXq81LpVb7c", #""sessionId":"§""#),
    ("cookie", "theme=dark; sid=9d02", #""cookie":"§""#),
    ("set-cookie", "ck=9d02ff; Path=/", #""headers":{"Set-Cookie":"§"}"#),
    ("bearer", "abcDEF123456.xyz", #""note":"Authorization was Bearer §.""#),
    ("basic", "YW5uOmh1bnRlcjI=", #""note":"Basic §""#),
    ("authorization", "abcdefghijklmnop", #""authorization":"Bearer §""#),
    ("key of an issuer", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", #""text":"use § please""#),
    ("access key", "AKIAIOSFODNN7EXAMPLE", #""text":"§""#),
    ("slack token", "xoxb-1234567890-123456789012-AbCdEfGhIjKlMnOpQrStUvWx", #""any":["§"]"#),
    ("user and password of a URL", "ann:pw9d02", #""u":"https://§@host/?a=1""#),
    ("token of a URL", "tk-9d02-ff", #""u":"https://host/p?a=1&access_token=§&b=2""#),
    ("signature of a URL", "AbC%2F9d02ffAbC", #""u":"https://host/p?se=2026&sig=§""#),
    ("token of a URL inside a URL", "tk-9d03-ff", #""u":"https://host/p?next=https%3A%2F%2Fh%3Ftoken%3D§%26x%3D1""#),
    ("form", "hunter3", #""body":"user=ann&password=§&x=1""#),
    ("encoded name of a form", "hunter4", #""body":"user=ann&p%61ssword=§&x=1""#),
    ("header in text", "a=b9d02; c=d", #""body":"HTTP/1.1 200\r\nSet-Cookie: §\r\nX: y""#),
    ("long hexadecimal key", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", #""v":"§""#),
    ("long base64 key", "q8Zr1XvT0pLk3mNw5yBd7cFg9hJs2aQeW4rT6yU8iO0p", #""v":"§""#),
    ("random under a key's name", "q8Zr1XvT0pLk3mNw5yBd7cFg9hJs2aQe", #""session_key":"§""#),
    (
        "private key in PEM", "MIIEvQIBADANBgkqhkiG9w0BAQEF\\nAASCBKcwggSjAgEAAoIBAQC7",
        #""pem":"-----BEGIN PRIVATE KEY-----\n§\n-----END PRIVATE KEY-----\n""#
    ),
    ("JSON in a string", "hunter5", #""json":"{\"a\":{\"password\":\"§\"}}""#),
    ("JSON in a string in a string", "hunter6", #""json":"{\"a\":\"{\\\"password\\\":\\\"§\\\"}\"}""#),
    ("escaped name", "tok-4123456789", #""\u0074oken":"§""#),
    ("escaped value", "tok-5123456789", #""token":"\u0074ok-5123456789""#),
    ("escaped JSON in a string", "hunter7", #""json":"{\u0022password\u0022:\u0022§\u0022}""#),
    ("escaped slashes", "ann:pw9d03", #""u":"https:\/\/§@host\/""#),
    ("member of a name and a value", "hunter8", #""list":[{"name":"password","value":"§"}]"#),
    ("member of a value and a name", "hunter9", #""list":[{"value":"§","name":"password"}]"#),
    ("a key that is a secret", "ghp_26C7e42F292c6912E7710c838347Ae178B4a", #""by":{"§":1}"#),
    ("JSON that is cut, in text", "tok-6123456789", #""text":"got {\"token\":\"§\", and""#),
    ("number", "48291057", #""pin_code":1,"password":48291057"#),
]

/// The payload formats that can surround a secret, with the text before and after it.
private let places: [(name: String, before: String, after: String)] = [
    ("event", #"42["x",{"#, "}]"), ("acknowledgement", #"4312[{"#, "}]"), ("namespace", #"42/chat,["x",{"#, "}]"),
    ("connect error", #"44{"message":"no","data":{"#, "}}"), ("answer", "{", "}"), ("list", "[{", "}]"),
    ("published", #"[{"channel":"/a","data":{"#, "}}]"), ("rows", "{\"id\":\"1\"}\n{\"id\":\"2\",\"entity\":{", "}}\n"),
    ("with attachments", #"451-["x",{"_placeholder":true,"num":0},{"#, "}]"),
]

private let scrubber = SecretScrubber(key: [1, 2, 3])

private func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }

private func scrubbed(_ payload: String) -> String { scrubber.scrubbed(payload) }

@Suite struct `Secrets by name and by form` {
    @Test(arguments: [
        ("user_password", SecretName.password), ("userPassword", .password), ("USER-PASSWORD", .password),
        ("password2", .password), ("password_hash", .password), ("passwordConfirmation", .password), ("pwd", .password),
        ("sessionId", .session), ("sessionID", .session), ("session_id", .session), ("connect.sid", .session),
        ("JSESSIONID", .session), ("accessToken", .token), ("ACCESS_TOKEN", .token), ("accesstoken", .token),
        ("x-api-key", .token), ("APIKey", .token), ("apikey", .token), ("XApiKey", .token), ("token[]", .token),
        ("tokens", .token), ("id_token", .token), ("device-token", .token), ("oauth2Token", .token),
        ("Set-Cookie", .cookie), ("cookies", .cookie), ("Proxy-Authorization", .authorization), ("otp", .code),
        ("user.pin", .code), ("key", .key), ("x-hub-signature", .key),
    ]) func `a name is split into words, and the last ones decide`(name: String, kind: SecretName) {
        #expect(SecretName(name) == kind)
    }

    @Test(arguments: [
        "tokenize", "passwordless", "tokenizer", "token_type", "tokenCount", "password_changed_at", "next_page_token",
        "nextPageToken", "page_token", "cookie_policy", "secretary", "keyboard", "monkey", "author", "session_name",
        "pinned", "typing", "spin", "side", "president", "inside", "expires_in", "authorized", "id", "message", "", "_",
    ]) func `a name that only resembles a secret's is not one`(name: String) {
        #expect(SecretName(name) == nil)
    }

    @Test(arguments: places.map(\.name)) func `each kind of secret is found in each place and removed`(place: String)
        throws
    {
        let (_, before, after) = try #require(places.first { $0.name == place })
        for (kind, secret, member) in planted {
            let payload = before + member.replacing("§", with: secret) + after
            let clean = scrubbed(payload)
            #expect(!clean.contains(secret), "\(kind): \(clean)")
            #expect(!clean.contains(#"\u0074ok-5"#), "\(kind): \(clean)")
            #expect(clean.contains("‹secret-"), "\(kind): \(clean)")
            #expect(scrubbed(clean) == clean, "\(kind): what was scrubbed is clean: \(clean)")
            // The surrounding text stays, and is JSON.
            for line in clean.split(separator: "\n") {
                let bytes = Array(line.utf8)
                let start = try #require(FrameContents.jsonStart(inPayload: bytes[...]))
                _ = try JSONValue(parsing: bytes[start...])
            }
        }
    }

    @Test func `doctor finds each kind, redact removes it, and neither finds any in scrubbed text`() throws {
        try withTemporaryFolder { folder in
            for (kind, secret, member) in planted {
                let payload = #"42["x",{"# + member.replacing("§", with: secret) + "}]"
                let clean = scrubbed(payload)
                for (name, payload) in [("raw", payload), ("clean", clean)] {
                    let bytes = try recording { writer in
                        let frame = Record.FrameRecord(connection: 1, direction: .in, message: .text(payload))
                        try writer.append(.frame(frame), at: .zero, wall: 0)
                        let answer = Record.HTTPRecord.Phase.response(
                            status: 200, body: Array(payload.dropFirst(2).utf8), retryAfter: nil)
                        try writer.append(.http(.init(id: 1, phase: answer)), at: .zero, wall: 0)
                    }
                    try write(bytes, to: "\(folder)/\(name)")
                }
                #expect(try findings(folder + "/raw", secrets: true).count >= 2, "\(kind)")
                #expect(try findings(folder + "/clean", secrets: true).map(\.message) == [], "\(kind): \(clean)")
                var redaction = RecordingRedaction([try RedactionTarget(parsing: "secrets")])
                let to = ToolDestination(path: folder + "/b", replaces: true)
                #expect(try redaction.redact(folder + "/raw", to: to).changed == 2, "\(kind)")
                let redacted = String(decoding: try contents(of: folder + "/b"), as: UTF8.self)
                #expect(!redacted.contains(secret), "\(kind): \(redacted)")
                #expect(try findings(folder + "/b", secrets: true).map(\.message) == [], "\(kind): \(redacted)")
            }
        }
    }

    /// A record of each kind, with a JSON text in each member that a peer or a user can influence.
    private func records(holding text: String) -> [Record] {
        let object = RawJSON(unchecked: ArraySlice(text.utf8)), body = Array(text.utf8)
        let room = #"42["x",{"room":\#(String(decoding: PayloadWalk.quoted(body), as: UTF8.self))}]"#
        return [
            .connection(.init(connection: 1, state: .connecting, url: text, attempt: 1)),
            .connection(.init(connection: 1, state: .failed, code: 502, phase: "upgrade", why: text)),
            .connection(.init(connection: 2, state: .closed, code: 1000, why: text)),
            .frame(.init(connection: 2, direction: .in, message: .text("42[\"x\",\(text)]"))),
            .frame(.init(connection: 2, direction: .in, message: .text(room))),
            .frame(.init(connection: 2, direction: .out, message: .text("42[\"x\",\(text)]"))),
            .http(.init(id: 1, phase: .request(method: "POST", url: text, body: body))),
            .http(.init(id: 1, phase: .response(status: 200, body: body, retryAfter: nil))),
            .http(.init(id: 2, phase: .failure(kind: "closed", message: text))),
            .subscription(.init(act: .want, room: text, source: text, why: text)),
            .gap(.init(why: text, actions: [text])), .mark(.init(label: text, author: text, colour: text)),
            .note(.init(level: "info", message: text)), .memory(.init(user: text, rows: body)),
            .action(.init(act: .ask, what: object)),
            .unknown(kind: "later", text: RawJSON(unchecked: ArraySlice(#"{"k":"later","what":\#(text)}"#.utf8))),
        ]
    }

    @Test func `each kind is removed from each member of each record, and from the head`() throws {
        try withTemporaryFolder { folder in
            for (kind, secret, member) in planted {
                let text = "{" + member.replacing("§", with: secret) + "}"
                var head = testHead
                (head.tool, head.system, head.context, head.title, head.filter) = (text, text, text, text, text)
                (head.tags, head.session) = ([text], RawJSON(unchecked: ArraySlice(text.utf8)))
                let bytes = try recording(head: head) { writer in
                    for record in records(holding: text) { try writer.append(record, at: .zero, wall: 0) }
                }
                try write(bytes, to: folder + "/a")
                var redaction = RecordingRedaction([try RedactionTarget(parsing: "secrets")])
                _ = try redaction.redact(folder + "/a", to: ToolDestination(path: folder + "/b", replaces: true))
                // An escape may change the spelling of the first character, and of any after another escape.
                let needle = secret.dropFirst().prefix { $0 != "\\" }
                #expect(String(decoding: bytes, as: UTF8.self).contains(needle), "\(kind)")
                for line in lines(of: try contents(of: folder + "/b")) {
                    #expect(!line.contains(needle), "\(kind): \(line)")
                }
                let found = try findings(folder + "/b", secrets: true).filter { $0.kind == .secret }.map(\.message)
                #expect(found == [], "\(kind): \(found)")
            }
        }
    }

    @Test(arguments: [
        #"{"email":"ana@b.example"}"#, #"{"users":[{"email":"ana@b.example"}]}"#,
        #"{"json":"{\"email\":\"ana@b.example\"}"}"#,
        #"{"url":"https://h/u?a=1&email=ana@b.example#x"}"#, #"{"url":"https://h/u?email=ana@b.example"}"#,
        #"{"email":["ana@b.example"]}"#,
        #"{"rows":"{\"id\":1}\n{\"email\":\"ana@b.example\"}\n{\"email\" : \"ana@b.exam"}"#,
        #"{"text":"email=ana@b.example&x=1"}"#, #"{"email":"ana@b.example \"quoted\""}"#,
    ])
    func `a value selected by a path is removed from every place that can contain text`(text: String) throws {
        try withTemporaryFolder { folder in
            var head = testHead
            (head.tool, head.system, head.context, head.title, head.filter) = (text, text, text, text, text)
            (head.tags, head.session) = ([text], RawJSON(unchecked: ArraySlice(text.utf8)))
            let url = "https://h/v1?email=ana@b.example&limit=2"
            let cut = ArraySlice((text.dropLast(1) + "\n" + #"{"email":"ana@b.ex"#).utf8)
            let rows = Array("\(text)\n\(text)\n\(text.dropLast(5))".utf8)
            let broken: [UInt8] = Array(text.utf8) + [0xFF]
            var all = records(holding: text)
            all.append(.http(.init(id: 3, phase: .request(method: "GET", url: url, body: []))))
            all.append(.memory(.init(user: "u", rows: rows)))
            for payload in [cut, broken[...]] {
                all.append(.frame(.init(connection: 2, direction: .in, message: .text(payload))))
            }
            let bytes = try recording(head: head) { writer in
                for record in all { try writer.append(record, at: .zero, wall: 0) }
            }
            try write(bytes, to: folder + "/a")
            var redaction = RecordingRedaction([try RedactionTarget(parsing: "path:email")])
            let report = try redaction.redact(folder + "/a", to: ToolDestination(path: folder + "/b"))
            #expect(report.unmet.isEmpty)
            for line in lines(of: try contents(of: folder + "/b")) { #expect(!line.contains("ana@b"), "\(line)") }
        }
    }

    @Test func `text that is not UTF-8 is written as base64, and is searched, too`() throws {
        try withTemporaryFolder { folder in
            let payload = Array(#"{"password":"hunter2","x":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
            let bytes = try recording { writer in
                let frame = Record.FrameRecord(connection: 1, direction: .in, message: .text(payload[...]))
                try writer.append(.frame(frame), at: .zero, wall: 0)
            }
            try write(bytes, to: folder + "/a")
            #expect(try findings(folder + "/a", secrets: true).count == 1)
            var redaction = RecordingRedaction([try RedactionTarget(parsing: "secrets")])
            _ = try redaction.redact(folder + "/a", to: ToolDestination(path: folder + "/b"))
            #expect(try findings(folder + "/b", secrets: true) == [])
            #expect(!text(scrubber.scrubbed(payload[...])).contains("hunter2"))
        }
    }

    @Test func `a payload full of secrets loses them all and grows within the record limit`() {
        for (member, mark) in [(#""pwd":"a","#, #""*""#), (#""pwd":1,"#, "0")] {
            let payload = "{" + String(repeating: member, count: 100_000) + #""end":true}"#
            let clean = scrubbed(payload)
            #expect(clean.utf8.count < payload.utf8.count + 4096 * 32)
            #expect(!clean.contains(member) && clean.hasSuffix(#""pwd":\#(mark),"end":true}"#))
            #expect(scrubbed(clean) == clean, "what was scrubbed is clean")
        }
    }

    @Test(arguments: [
        #"{"value":"hunter9","name":"password","key":"token"}"#, #"{"name":"x","value":"hunter9","name":"password"}"#,
        #"{"value":"hunter9","value":"hunter9","name":"password"}"#,
        #"{"key":"password","name":"pwd","value":"hunter9"}"#,
        #"{"value":"{\"value\":\"hunter9\",\"key\":\"pwd\",\"name\":\"pwd\"}","name":"x"}"#,
    ])
    func `a value with several names, and a name with several values, are removed once`(payload: String) {
        let clean = scrubbed(payload)
        #expect(clean.contains("‹secret-") && !clean.contains("hunter9"), "\(clean)")
        #expect(scrubbed(clean) == clean)
    }

    @Test func `a secret is removed even when the payload has no room for a mark`() {
        let payload = #"{"pwd":"a","x":""# + String(repeating: "x", count: Limits.largest - 30) + #""}"#
        let clean = scrubbed(payload)
        #expect(clean.utf8.count == payload.utf8.count && clean.hasPrefix(#"{"pwd":"*","x""#))
    }

    @Test func `a text full of secrets is replaced as a whole`() {
        let clean = scrubbed(String(repeating: "pwd=a&", count: 10_000))
        #expect(clean.wholeMatch(of: /‹secret-[0-9a-f]{16}›/) != nil, "\(clean.prefix(200))")
        let inside = scrubbed(#"{"said":""# + String(repeating: "pwd=a&", count: 10_000) + #"","end":true}"#)
        #expect(inside.wholeMatch(of: /\{"said":"‹secret-[0-9a-f]{16}›","end":true\}/) != nil, "\(inside.prefix(200))")
    }

    @Test func `the same secret gets the same mark everywhere, and a different one in another run`() {
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLW9mLWl0"
        let payload = #"42["x",{"token":"T","u":"https://h/?token=T","t":"a T b","authorization":"Bearer T"}]"#
        let clean = scrubbed(payload.replacing("T", with: token))
        let marks = clean.matches(of: /‹secret-[0-9a-f]{16}›/).map { String($0.output) }
        #expect(marks.count == 4 && Set(marks).count == 1, "\(clean)")
        #expect(
            scrubbed(#"{"password":"x-another"}"#) != SecretScrubber(key: [9]).scrubbed(#"{"password":"x-another"}"#))
    }

    @Test(arguments: [
        #"0{"sid":"lv_VI97HAXpY6yYWAAAC","upgrades":["websocket"],"pingInterval":25000,"pingTimeout":20000}"#,
        #"40{"sid":"wZX3oN0bSVIhsaknAAAI","pid":"YHcX2sdAF1z452-HAAAW"}"#,
        #"[{"id":"1","channel":"/meta/handshake","successful":true,"clientId":"0abc1def2ghi3jkl4mno5pqr6stu7vw"}]"#,
        #"42["x",{"id":"2982dc0a-65aa-47ae-a13c-082b2e3cc2a9"},"MzUPkW0"]"#,
        #"{"resources":[],"next_page_token":"0fd3a1b2c3d4e5f60718293a4b5c6d7e0fd3a1b2c3d4e5f60718293a4b5c6d7e"}"#,
    ]) func `fields that the protocols need stay`(payload: String) {
        #expect(scrubbed(payload) == payload)
    }

    @Test(arguments: [
        #"{"id":"2982dc0a-65aa-47ae-a13c-082b2e3cc2a9","key":"2982dc0a-65aa-47ae-a13c-082b2e3cc2a9"}"#,
        #"{"id":"5f2b18960123456789abcdef","avatar":"https://i.groupme.com/1024x768.jpeg.0f1e2d3c4b5a69788796a5b4c3d2e1f0"}"#,
        #"{"etag":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}"#,
        #"{"sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}"#,
        #"{"text":"commit da39a3ee5e6b4b0d3255bfef95601890afd80709 is in"}"#,
        #"{"source_guid":"android-2982dc0a65aa47aea13c082b2e3cc2a9","created_at":1700000000}"#,
        #"{"text":"my password is long gone, the token: none, and 12:30 @ann https://host/path?page=2#top"}"#,
        #"{"text":"bearer authentication, Basic understanding; mail ann@example.com"}"#,
        #"{"token":null,"password":null,"secret":false,"token_type":"Bearer","expires_in":3600,"pinned":true}"#,
        #"{"pin":{"message":"2982dc0a-65aa-47ae-a13c-082b2e3cc2a9","note":"read me"},"typing":"yes"}"#,
        #"{"usage":{"tokens":35,"max_tokens":4096},"key":"Enter","keys":["a","b"],"signature":"Best, Ann"}"#,
        #"{"text":"eyJ is how they begin","url":"https://cdn.example.com/a/AKIA/file.png?w=100&h=200"}"#,
        #"{"thumbnail":"/9j/4AAQSkZJRgABAQAAAQABAAD2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAs"}"#,
        #"{"name":"ThisIsAVeryLongNameOfAThingWithoutAnySpaceInIt2","token":"true"}"#,
    ]) func `text without a secret stays unchanged byte by byte`(payload: String) {
        for payload in [payload, #"42["x","# + payload + "]"] { #expect(scrubbed(payload) == payload) }
    }

    @Test(arguments: ["hello", "reconnect", "twake-day"]) func `the samples contain nothing that is taken for a secret`(
        name: String
    ) throws {
        let path = SampleRecording.path.replacing("hello", with: name)
        var reader = try RecordingReader(opening: path)
        var payloads = 0
        while let entry = try reader.next() {
            guard case .record(let record, _) = entry else { continue }
            let payload: ArraySlice<UInt8>
            switch record {
            case .frame(let frame) where frame.direction == .in: payload = frame.message.bytes
            case .http(let exchange):
                guard case .response(_, let body, _) = exchange.phase else { continue }
                payload = body[...]
            default: continue
            }
            payloads += 1
            #expect(scrubber.scrubbed(payload) == nil, "\(text(scrubber.scrubbed(payload)))")
        }
        #expect(payloads > 5)
    }

    @Test func `the fast check never skips a secret, wherever it is in the text`() {
        // Each secret follows 0 to 70 bytes, so that it crosses the block boundaries of the fast check.
        for (kind, secret, member) in planted {
            for length in 0...70 {
                let payload =
                    #"42["x",{"a":""# + String(repeating: "x ", count: length / 2)
                    + (length % 2 == 0 ? "" : "y") + #"","# + member.replacing("§", with: secret) + "}]"
                let bytes = Array(payload.utf8)
                #expect(bytes.withUnsafeBufferPointer { SecretFinder.mayHoldSecret($0) }, "\(kind) behind \(length)")
            }
        }
    }

    @Test(arguments: [
        String(repeating: "[", count: 5000), String(repeating: #"{"password":"#, count: 2000),
        "42" + String(repeating: #"\"token\":"#, count: 5000), String(repeating: "%25", count: 9000),
        String(repeating: "Bearer ", count: 9000), String(repeating: "://a:b@", count: 9000),
        String(repeating: "eyJ.", count: 9000),
        String(repeating: "=", count: 20000), String(repeating: "token=", count: 9000),
        String(repeating: "AKIA", count: 9000),
        #"{"a":""# + String(repeating: #"\\"#, count: 9000) + #""}"#,
    ]) func `nonsense from a peer neither traps nor takes long`(payload: String) {
        let clock = ContinuousClock()
        var size = 0
        let span = clock.measure { size = scrubber.scrubbed(ArraySlice(payload.utf8))?.count ?? 0 }
        #expect(size >= 0 && span < .seconds(20))
    }
}
