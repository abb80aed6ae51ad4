import Testing
import WeirJSON
import WeirLive
@testable import WeirViews

@Suite("Templates, projections and tables")
struct PrintingFormatTests {
    @Test("A template consists of text and fields with widths, and text of a peer is escaped")
    func template() throws {
        let template = try LineTemplate(
            #"{{{n:3}}}\t{kind:>8.6}|{actor:^7}|{room:.8}|{payload.text:<10.4}|{payload[0]}|{lag}\\"#)
        #expect(
            try printed(.template(template)) == """
                {7  }\t  messa…| Anna  |/compan…|hel…      |realtime:resource|23ms\\
                {8  }\t   event|       ||          |custom:event|\\

                """)
        #expect(
            try printed(.template(LineTemplate("{payload.a} {summary}"))).split(separator: "\n").last
                == #"\u{7F} custom:event {"a":"\u{7F}"} 2"#)
    }

    @Test(
        "A malformed template is refused with a description of the problem",
        arguments: [
            ("{rom}", "did you mean 'room'?"), ("{kind", "{ without }"), ("kind}", "} without {"),
            ("{kind:x}", "invalid width"), ("{kind:2000}", "invalid width"), ("{kind:}", "invalid width"),
            ("{payload..a}", "unknown field 'payload..a'"),
            ("{payload[x]}", "unknown field 'payload[x]'"), ("{payload.0}", "payload[1] its first argument"),
            ("text", "no field; write one like {kind}: "),
            ("{lag:<-1}", "invalid width"),
        ])
    func malformed(text: String, complaint: String) {
        let error = #expect(throws: LineTemplate.Malformed.self) { try LineTemplate(text) }
        #expect(error?.message.contains(complaint) == true, "\(error?.message ?? "")")
    }

    @Test("A projection has the same members in every line, and null for missing ones")
    func fields() throws {
        #expect(
            try printed(.fields(EnvelopeFields("type, n,payload.text,payload[1].a,diff[0].op,lost"))) == """
                {"type":"event","n":7,"payload.text":"hello\\u001b","payload[1].a":null,"diff[0].op":null,"lost":null}
                {"type":"diff","n":7,"payload.text":null,"payload[1].a":null,"diff[0].op":"delete","lost":null}
                {"type":"event","n":8,"payload.text":null,"payload[1].a":"\\u007f","diff[0].op":null,"lost":null}
                {"type":"gap","n":9,"payload.text":null,"payload[1].a":null,"diff[0].op":null,"lost":null}

                """)
        let error = #expect(throws: EnvelopeFields.Malformed.self) { try EnvelopeFields("kind,payloat.text") }
        #expect(error?.message == "unknown member 'payloat'; did you mean 'payload'?")
        #expect(throws: EnvelopeFields.Malformed.self) { try EnvelopeFields("kind,") }
        #expect(throws: EnvelopeFields.Malformed.self) { try EnvelopeFields("payload[") }
    }

    @Test("Exactly the members of every type can be projected")
    func members() throws {
        var members: Set<String> = []
        for line in try printed(.format(.json), Sample.reports + Sample.status).split(separator: "\n") {
            guard case .object(let object) = try JSONValue(parsing: Array(line.utf8)[...]) else { continue }
            for member in object {
                members.insert(member.key)
                _ = try EnvelopeFields(member.key)
            }
        }
        #expect(members.count > 30)
        #expect(throws: EnvelopeFields.Malformed.self) { try EnvelopeFields("nothing") }
    }

    @Test("JSONL prints only the payloads, escaped, one per line")
    func jsonl() throws {
        #expect(
            try printed(.format(.jsonl)) == """
                ["realtime:resource",{"room":"…","text":"hello\\u001b"}]
                ["custom:event",{"a":"\\u007f"},2]

                """)
    }

    @Test("A table has a heading and fixed columns, and fits the terminal")
    func table() throws {
        let lines = try printed(.format(.table)).split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "TIME              LAG  ROOM                  KIND                ACTOR               WHAT",
                #"03:04:05.123Z    23ms  …/5828c718/feed       message             Anna                Anna: hello\nforged\u{1B}[31m \u{202E}"#,
                #"03:04:05.623Z                                event                                   custom:event {"a":"\u{7F}"} 2"#,
                "03:04:06.123Z                                gap                                     2.5s without a connection, loss not counted yet; refetching channels, badges",
            ])
        #expect(try printed(.format(.table), width: 60).split(separator: "\n").allSatisfy { $0.count <= 60 })
    }

    private func printed(_ form: PrintedForm, _ reports: [StampedReport] = Sample.reports, width: Int? = nil) throws
        -> String
    {
        let pipe = try Pipe()
        defer { pipe.close() }
        let printer = EventPrinter(form, descriptor: pipe.writeEnd, colour: false, width: width)
        for report in reports { try printer.write([report]) }
        return pipe.readAll()
    }
}
