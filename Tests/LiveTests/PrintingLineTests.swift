import Glibc
import Testing
import WeirJSON
@testable import WeirLive
@testable import WeirViews
import WeirModel
import WeirRecording
import WeirTerminal
import WeirWire

@testable import WeirEvents
@testable import WeirPipeline

@Suite("Printed lines")
struct PrintingLineTests {
    @Test("Compact prints one line per event, gap or changed row")
    func compact() throws {
        #expect(
            try printed(.compact, Sample.reports) == #"""
                03:04:05.123Z    23ms  …/5828c718/feed       message           Anna: hello\nforged\u{1B}[31m \u{202E}
                  - message  #general  Anna: gone
                  + message  #general  Anna: hello
                  → channel  channels 2 → 0  #general
                  ~ channel  #new  name, icon
                03:04:05.623Z          /chat                 event             custom:event {"a":"\u{7F}"} 2
                03:04:06.123Z          gap  2.5s without a connection, loss not counted yet; refetching channels, badges

                """#)
    }

    @Test("Compact prints the sizes of binary data in the answer to an emit")
    func answer() throws {
        var emit = Emit("up", patience: .seconds(5))
        emit.ackID = 3
        var report = EmitReport(emit, to: "/")
        report.duration = .milliseconds(12)
        let place = RawJSON(unchecked: Array(#"[{"_placeholder":true,"num":0},1]"#.utf8)[...])
        report.outcome = .answered(.init(id: 3, arguments: place, attachments: [[1, 2, 3]]))
        let stamped = StampedReport(stamp: Sample.stamp(4, 1), report: .emit(report))
        #expect(try printed(.compact, [stamped]).contains(#"up #3 after 12ms  [{"bytes":3},1]"#))
        #expect(try printed(.json, [stamped]).contains(#""payload":[{"base64":"AQID","bytes":3},1]"#))
    }

    @Test("Compact lines fit the given width")
    func fits() throws {
        for width in [20, 40, 80] {
            let lines = try printed(.compact, Sample.reports, width: width).split(separator: "\n")
            #expect(lines.count == 7)
            #expect(lines.allSatisfy { TerminalText.width(of: String($0)) <= width })
            #expect(lines.allSatisfy { $0.filter { $0 == "…" }.count <= 2 })
        }
    }

    @Test("Pretty prints an event's whole text and every changed field")
    func pretty() throws {
        let lines = try printed(.pretty, Sample.reports)
        #expect(
            lines == #"""
                03:04:05.123Z    23ms  message  Anna: hello\nforged\u{1B}[31m \u{202E}
                    room      /companies/c920712e-b49d-11eb-8ed2-0242ac120003/workspaces/W/channels/5828c718-b49e-11eb-8ae0-0242ac120003/feed
                    event     realtime:resource, record 7
                    payload   [
                                "realtime:resource",
                                {
                                  "room": "…",
                                  "text": "hello\u001b"
                                }
                              ]
                  - message  #general  Anna: gone
                  + message  #general  Anna: hello
                  → channel  channels 2 → 0  #general
                  ~ channel  #new
                    name  "old" → "new"
                    icon  "🦆" → nothing
                03:04:05.623Z          event  custom:event {"a":"\u{7F}"} 2
                    event     custom:event in /chat, record 8
                    payload   [
                                "custom:event",
                                {"a":"\u007f"},
                                2
                              ]
                03:04:06.123Z          gap  2.5s without a connection, loss not counted yet; refetching channels, badges

                """#)
    }

    @Test
    func
        `a payload is printed with dates next to its times, in seconds or milliseconds, but not next to other numbers`()
        throws
    {
        let json = #"{"created_at":1767323045,"last_activity":1767323045123,"count":1767323045,"at":3}"#
        let value = try JSONValue(parsing: Array(json.utf8)[...])
        let lines = JSONLines.lines(of: value).map { $0.map(\.text).joined() }
        #expect(
            lines == [
                "{", #"  "created_at": 1767323045,  2026-01-02T03:04:05.000000Z"#,
                #"  "last_activity": 1767323045123,  2026-01-02T03:04:05.123000Z"#, #"  "count": 1767323045,"#,
                #"  "at": 3"#, "}",
            ])
        let many = JSONValue.array((0..<1000).map { .object([.init("a", .integer($0)), .init("b", .null)]) })
        #expect(JSONLines.lines(of: many, most: 50).count < 60)
    }

    @Test("A change of the typing users is printed as a line")
    func typing() throws {
        let crowds = [["Anna"], ["Anna", "Bo"], ["Anna", "Bo", "\u{1B}[31m", "D"], []]
        let reports = crowds.enumerated().map { index, typing in
            StampedReport(
                stamp: Sample.stamp(index, 0),
                report: .typing(
                    TypingReport(
                        change: typing.isEmpty ? .expired : .started, user: Sample.id(1), name: "Anna",
                        channel: Sample.channel, channelName: index == 0 ? nil : "General",
                        thread: index == 1 ? Sample.id(2) : nil, typing: typing)))
        }
        #expect(
            try printed(.compact, reports) == #"""
                  ✎ Anna is typing in 5828c718
                  ✎ Anna and Bo are typing in #General, in a thread
                  ✎ Anna, Bo and 2 more are typing in #General
                  ✎ typing stopped in #General

                """#)
    }

    @Test("A user id is printed as the account's name once that is known")
    func names() throws {
        var account = Twake.Account(id: Sample.id(5))
        account.fullName = "Eva Li"
        let row = Item(
            id: Item.ID(.account, account.id), section: Item.Section("accounts"), sortKey: 0,
            entity: Item.Entity(account))
        let member = Item(
            id: Item.ID(.member, account.id, qualifier: Sample.channel),
            section: Item.Section("members", Sample.channel), sortKey: 0,
            entity: Item.Entity(Twake.ChannelMember(channel: Sample.channel, user: account.id)))
        var batch = Batch<Item>()
        batch.insertions = [row, member].enumerated().map {
            .init(path: SectionPath(section: $0, item: 0), element: $1)
        }
        let message = Twake.Message(id: Sample.id(3), thread: Sample.id(3), user: account.id, text: "hello")
        let resource = Twake.SocketIOResource(
            action: .created, room: Sample.feed, type: .message, path: nil, resource: .message(message))
        let event = EventReport(
            event: .twake(.resource(resource)), source: SocketIO.Event(array: Sample.raw(Sample.messagePayload)))
        let diff = DiffReport(sequence: 1, cause: 1, batch: batch)
        let reports = [Report.event(event), .diff(diff), .event(event)].map {
            StampedReport(stamp: Sample.stamp(1, 0), report: $0)
        }
        #expect(
            try printed(.compact, reports) == #"""
                03:04:05.123Z          …/5828c718/feed       message           00000005: hello
                  + account  @Eva Li
                  + member  members/5828c718  @Eva Li
                03:04:05.123Z          …/5828c718/feed       message           Eva Li: hello

                """#)
    }

    @Test("JSON prints one object per line with keys in a fixed order")
    func json() throws {
        #expect(
            try printed(.json, Sample.reports + Sample.status) == #"""
                {"v":1,"type":"event","n":7,"time":"2026-01-02T03:04:05.123000Z","t_us":0,"ctx":null,"lag_ms":23,"conn":0,"dir":"in","namespace":"/","room":"/companies/c920712e-b49d-11eb-8ed2-0242ac120003/workspaces/W/channels/5828c718-b49e-11eb-8ae0-0242ac120003/feed","actor":"Anna","kind":"message","event":"realtime:resource","known":true,"payload":["realtime:resource",{"room":"…","text":"hello\u001b"}],"server_time":"2026-01-02T03:04:05.100000Z","clock_offset_ms":0,"room_title":null,"summary":"Anna: hello\nforged\u001b[31m \u202e","dropped_before":0,"ack":null,"mentions":[],"actor_name":"Anna","text":"hello\nforged\u001b[31m \u202e"}
                {"v":1,"type":"diff","n":7,"time":"2026-01-02T03:04:05.123000Z","t_us":0,"ctx":null,"seq":1,"caused_by":7,"refetched":[],"diff":[{"op":"delete","section":"messages","parent":"5828c718-b49e-11eb-8ae0-0242ac120003","kind":"message","id":"00000004-0000-4000-8000-000000000000","from":[1,4],"to":null,"fields":{}},{"op":"insert","section":"messages","parent":"5828c718-b49e-11eb-8ae0-0242ac120003","kind":"message","id":"00000003-0000-4000-8000-000000000000","from":null,"to":[1,0],"fields":{"id":"00000003-0000-4000-8000-000000000000","thread_id":"00000003-0000-4000-8000-000000000000","channel_id":"5828c718-b49e-11eb-8ae0-0242ac120003","sender_name":"Anna","text":"hello","pinned":false},"is_read":null},{"op":"move","section":"channels","parent":null,"kind":"channel","id":"5828c718-b49e-11eb-8ae0-0242ac120003","from":[0,2],"to":[0,0],"fields":{}},{"op":"update","section":"channels","parent":null,"kind":"channel","id":"00000009-0000-4000-8000-000000000000","from":[0,1],"to":[0,1],"fields":{"name":"new","icon":null}}]}
                {"v":1,"type":"event","n":8,"time":"2026-01-02T03:04:05.623000Z","t_us":500000,"ctx":null,"lag_ms":null,"conn":0,"dir":"in","namespace":"/chat","room":null,"actor":null,"kind":"event","event":"custom:event","known":true,"payload":["custom:event",{"a":"\u007f"},2],"server_time":null,"clock_offset_ms":0,"room_title":null,"summary":"custom:event {\"a\":\"\u007f\"} 2","dropped_before":0,"ack":null,"mentions":[],"actor_name":null,"text":null}
                {"v":1,"type":"gap","n":9,"time":"2026-01-02T03:04:06.123000Z","t_us":1000000,"ctx":null,"cause":"reconnect","from_us":0,"to_us":2500000,"lost":null,"counted":"later","missed":null,"refetching":["channels","badges"],"hole":null}
                {"v":1,"type":"conn","n":10,"time":"2026-01-02T03:04:07.123000Z","t_us":2000000,"ctx":null,"conn":1,"state":"connecting","attempt":1,"target":"/socket/?EIO=4&transport=websocket","eio":null,"why":null,"retry_in_us":null}
                {"v":1,"type":"conn","n":11,"time":"2026-01-02T03:04:07.123000Z","t_us":2000000,"ctx":null,"conn":1,"state":"ready","attempt":null,"target":null,"eio":4,"why":null,"retry_in_us":null}
                {"v":1,"type":"conn","n":12,"time":"2026-01-02T03:04:07.123000Z","t_us":2000000,"ctx":null,"conn":1,"state":"lost","attempt":null,"target":null,"eio":null,"why":"closed by the server: \u001bc","retry_in_us":1500000}
                {"v":1,"type":"conn","n":13,"time":"2026-01-02T03:04:07.123000Z","t_us":2000000,"ctx":null,"conn":2,"state":"connecting","attempt":2,"target":"/socket/?EIO=4&transport=websocket","eio":null,"why":null,"retry_in_us":null}
                {"v":1,"type":"conn","n":14,"time":"2026-01-02T03:04:07.123000Z","t_us":2000000,"ctx":null,"conn":2,"state":"lost","attempt":null,"target":null,"eio":null,"why":"refused","retry_in_us":null}
                {"v":1,"type":"room","n":15,"time":"2026-01-02T03:04:07.123000Z","t_us":2000000,"ctx":null,"room":"/companies/c920712e-b49d-11eb-8ed2-0242ac120003/workspaces/W/channels/5828c718-b49e-11eb-8ae0-0242ac120003/feed","change":"wanted","source":"cli","why":null,"room_title":"general"}
                {"v":1,"type":"room","n":16,"time":"2026-01-02T03:04:07.123000Z","t_us":2000000,"ctx":null,"room":"/companies/c920712e-b49d-11eb-8ed2-0242ac120003/workspaces/W/channels/5828c718-b49e-11eb-8ae0-0242ac120003/feed","change":"joined","source":"cli","why":null,"room_title":"general"}
                {"v":1,"type":"room","n":17,"time":"2026-01-02T03:04:07.123000Z","t_us":2000000,"ctx":null,"room":"secret","change":"refused","source":"ctl","why":"no\u200b!","room_title":null}
                {"v":1,"type":"room","n":18,"time":"2026-01-02T03:04:07.123000Z","t_us":2000000,"ctx":null,"room":"old","change":"left","source":"ctl","why":null,"room_title":null}
                {"v":1,"type":"undecodable","n":19,"time":"2026-01-02T03:04:07.123000Z","t_us":2000000,"ctx":null,"layer":"event","subject":"realtime:\u0007","message":"text: expected a string at byte 3","excerpt":"[1,\u009b2]"}

                """#)
    }

    @Test("A changed row shows added, changed and removed fields and the delivery, each once")
    func differences() throws {
        func row(_ message: Twake.Message, _ delivery: Item.Delivery? = nil) -> Item {
            Item(
                id: Item.ID(.message, message.id), section: Item.Section("messages"), sortKey: 0,
                entity: Item.Entity(message), delivery: delivery)
        }
        var new = Twake.Message(id: Sample.id(1), thread: Sample.id(1), senderName: "A \"B\"", text: "one")
        var old = new
        new.text = "a \u{202E}\u{1B} \"quoted\" {\"text\":1}"
        new.editedAt = Timestamp(milliseconds: 5)
        old.subtype = .deleted
        var batch = Batch<Item>()
        let path = SectionPath(section: 0, item: 0)
        batch.updates = [.init(from: path, to: path, old: row(old, .pending), new: row(new))]
        let report = StampedReport(
            stamp: Sample.stamp(1, 0), report: .diff(DiffReport(sequence: 1, cause: 1, batch: batch)))
        let line = try JSONValue(parsing: Array(try printed(.json, [report]).utf8)[...])
        guard case .array(let rows)? = line["diff"], case .object(let fields)? = rows.first?["fields"] else {
            Issue.record("no fields")
            return
        }
        #expect(fields.map(\.key) == ["text", "edited_at", "subtype", "delivery"])
        #expect(fields[0].value == .string("a \u{202E}\u{1B} \"quoted\" {\"text\":1}"))
        #expect(fields[1].value == .integer(5))
        #expect(fields[2...].allSatisfy { $0.value == .null })
        let compact = try printed(.compact, [report])
        #expect(compact.contains("text, edited_at, subtype, delivery"))
    }

    @Test("Raw prints the arrays of packets unchanged, one per line")
    func raw() throws {
        let untyped = #"["custom:event",{"a": "\#u{7F}"}, 2]"#
        #expect(try printed(.raw, Sample.reports) == "\(Sample.messagePayload)\n\(untyped)\n")
    }

    @Test("Standard error shows the connection, rooms, undecodable messages and notices, escaped")
    func status() throws {
        #expect(
            try printed(on: { StatusPrinter(descriptor: $0, colour: false) }, Sample.reports + Sample.status) == #"""
                03:04:06.123Z  ! gap  2.5s without a connection, loss not counted yet; refetching channels, badges
                03:04:07.123Z  connecting  /socket/?EIO=4&transport=websocket
                03:04:07.123Z  connected  Engine.IO 4
                03:04:07.123Z  disconnected  closed by the server: \u{1B}c; next attempt in 1.5s
                03:04:07.123Z  connecting  /socket/?EIO=4&transport=websocket (attempt 2)
                03:04:07.123Z  disconnected  refused
                03:04:07.123Z  + room  #general
                03:04:07.123Z  ! room  secret refused: no\u{200B}!
                03:04:07.123Z  - room  old
                03:04:07.123Z  ! cannot read event  realtime:\u{7}: text: expected a string at byte 3  [1,\u{9B}2]
                03:04:07.123Z  info
                03:04:07.123Z  warning: warning\u{2028}
                03:04:07.123Z  error: error

                """#)
    }

    @Test("Quiet prints only warnings, errors and losses")
    func quiet() throws {
        #expect(
            try printed(
                on: { StatusPrinter(descriptor: $0, colour: false, quiet: true) }, Sample.reports + Sample.status)
                    == #"""
                    03:04:06.123Z  ! gap  2.5s without a connection, loss not counted yet; refetching channels, badges
                    03:04:07.123Z  disconnected  closed by the server: \u{1B}c; next attempt in 1.5s
                    03:04:07.123Z  disconnected  refused
                    03:04:07.123Z  ! room  secret refused: no\u{200B}!
                    03:04:07.123Z  ! cannot read event  realtime:\u{7}: text: expected a string at byte 3  [1,\u{9B}2]
                    03:04:07.123Z  warning: warning\u{2028}
                    03:04:07.123Z  error: error

                    """#)
    }

    @Test("Many rows of one kind are summarised in compact and listed in pretty")
    func sumsUp() throws {
        let many = StampedReport(stamp: Sample.stamp(9, 0), report: .diff(Sample.manyInsertions(10)))
        let compact = try printed(.compact, [many]).split(separator: "\n")
        #expect(compact.count == 4)
        #expect(compact.last == "  + 7 more of message  messages/5828c718")
        #expect(try printed(.pretty, [many]).split(separator: "\n").count == 10)
    }

    private func printed(_ format: OutputFormat, _ reports: [StampedReport], width: Int? = nil) throws -> String {
        try printed(on: { EventPrinter(format: format, descriptor: $0, colour: false, width: width) }, reports)
    }

    private func printed(on outlet: (Int32) -> any Outlet, _ reports: [StampedReport]) throws -> String {
        let pipe = try Pipe()
        defer { pipe.close() }
        let outlet = outlet(pipe.writeEnd)
        try outlet.write(reports)
        try outlet.finish()
        return pipe.readAll()
    }
}
