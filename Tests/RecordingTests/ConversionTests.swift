import Testing
import WeirJSON
import WeirWire

@testable import WeirRecording

@Suite struct `Conversions` {
    private let archive = SampleRecording.repository + "/samples/conversions/chrome.har"
    private let options = ImportOptions(tool: "weir test")

    /// The WebSocket messages of an archive, in order, by entry.
    private func messages(_ path: String) throws -> [[JSONValue]] {
        let value = try JSONValue(parsing: contents(of: path)[...])
        guard case .array(let entries)? = value["log"]?["entries"] else { return [] }
        return entries.compactMap { entry in
            guard case .array(let messages)? = entry["_webSocketMessages"] else { return nil }
            #expect(entry["_resourceType"] == .string("websocket"))
            return messages
        }
    }

    private func frames(_ path: String) throws -> [(Record.FrameRecord, Int64)] {
        try entries(of: contents(of: path)).compactMap { entry in
            guard case .record(.frame(let frame), let stamp) = entry else { return nil }
            return (frame, stamp.wall)
        }
    }

    @Test func `a HAR archive becomes a recording, and its messages read back`() throws {
        try withTemporaryFolder { folder in
            let report = try RecordingConversion.import(
                archive, from: .har, to: ToolDestination(path: folder + "/a"), options)
            #expect(report.written == 18)
            #expect(try findings(folder + "/a") == [])
            let reader = try RecordingReader(opening: folder + "/a")
            #expect(reader.head.session.description.contains(#""path":"/socket.io/""#))
            #expect(reader.head.session.description.contains(#""eio":4"#))
            _ = try RecordingConversion.export(
                folder + "/a", as: .har, to: ToolDestination(path: folder + "/b"), tool: "t")
            #expect(try messages(folder + "/b") == messages(archive))
            #expect(try messages(archive).map(\.count) == [16])
        }
    }

    @Test func `overlapping connections have an entry each, and gaps are reported`() throws {
        try withTemporaryFolder { folder in
            let bytes = try recording { writer in
                for (time, connection, text) in [(1, 1, "a"), (2, 2, "b"), (3, 1, "c"), (4, 2, "d")] {
                    let frame = Record.FrameRecord(connection: connection, direction: .in, message: .text(text))
                    try writer.append(
                        .frame(frame), at: Moment(microseconds: Int64(time)), wall: Int64(time) * 1_000_000)
                }
                try writer.append(.gap(.init(why: "reconnect", lost: 3)), at: Moment(microseconds: 5), wall: 5_000_000)
            }
            try write(bytes, to: folder + "/a")
            _ = try RecordingConversion.export(
                folder + "/a", as: .har, to: ToolDestination(path: folder + "/b"), tool: "t")
            let texts = try messages(folder + "/b").map { $0.compactMap { $0["data"] } }
            #expect(texts == [[.string("a"), .string("c")], [.string("b"), .string("d")]])
            let text = String(decoding: try contents(of: folder + "/b"), as: UTF8.self)
            #expect(text.contains(#""comment":"gap: reconnect, 3 events lost""#))
        }
    }

    @Test func `a connection continues in another entry when too many messages of others wait in memory`() throws {
        try withTemporaryFolder { folder in
            let bytes = try recording { writer in
                for (time, connection, text) in [(1, 1, "a"), (2, 2, "b"), (3, 1, "c"), (4, 2, "d"), (5, 1, "e")] {
                    let frame = Record.FrameRecord(connection: connection, direction: .in, message: .text(text))
                    try writer.append(
                        .frame(frame), at: Moment(microseconds: Int64(time)), wall: Int64(time) * 1_000_000)
                }
            }
            try write(bytes, to: folder + "/a")
            _ = try HARExport.run(
                folder + "/a", to: ToolDestination(path: folder + "/b"), tool: "t", mostWaiting: 1
            ) { _, _ in }
            let texts = try messages(folder + "/b").map { $0.compactMap { $0["data"] } }
            #expect(texts == [[.string("a")], [.string("b")], [.string("c")], [.string("d")], [.string("e")]])
        }
    }

    @Test func `messages with the same time are ordered by the start of their connections`() throws {
        func entry(_ messages: (time: Int, text: String)...) -> String {
            let texts = messages.map { #"{"type":"receive","time":\#($0.time),"opcode":1,"data":"\#($0.text)"}"# }
            return #"{"request":{"url":"ws://h/"},"_webSocketMessages":[\#(texts.joined(separator: ","))]}"#
        }
        try withTemporaryFolder { folder in
            let entries = entry((5, "late"), (1, "b1")) + "," + entry((0, "a1"), (5, "a2"), (5, "a3"), (1, "a4"))
            try write(Array(#"{"log":{"entries":[\#(entries)]}}"#.utf8), to: folder + "/a")
            func imported(_ name: String) throws -> [String] {
                _ = try RecordingConversion.import(
                    folder + "/" + name, from: .har, to: ToolDestination(path: folder + "/made", replaces: true),
                    options)
                return try frames(folder + "/made").map { String(decoding: $0.0.message.bytes, as: UTF8.self) }
            }
            let texts = ["a1", "a4", "b1", "a2", "a3", "late"]
            #expect(try imported("a") == texts)
            _ = try RecordingConversion.export(
                folder + "/made", as: .har, to: ToolDestination(path: folder + "/b"), tool: "t")
            #expect(try imported("b") == texts)
        }
    }

    @Test func `an event belongs to the open connection, even after events of other connections`() throws {
        try withTemporaryFolder { folder in
            let lines = ["one", "two", "one", "two", "three"].enumerated().map { number, connection in
                #"{"specversion":"1.0","type":"io.socket.tick","data":\#(number),"weirconnection":"\#(connection)"}"#
            }
            try write(Array(lines.joined(separator: "\n").utf8), to: folder + "/a")
            _ = try RecordingConversion.import(
                folder + "/a", from: .cloudevents, to: ToolDestination(path: folder + "/b"), options)
            #expect(try frames(folder + "/b").map(\.0.connection) == [1, 2, 2, 2, 3])
            #expect(try findings(folder + "/b") == [])
        }
    }

    @Test(arguments: [
        "{", "{}", "[]", #"{"log":{"entries":[{"_webSocketMessages":[{"type":"send"}]}]}}"#, "\u{FEFF}{}",
    ])
    func `a file that is not an archive, or has no messages, is refused`(text: String) throws {
        try withTemporaryFolder { folder in
            try write(Array(text.utf8), to: folder + "/a")
            #expect(throws: RecordingError.self) {
                _ = try RecordingConversion.import(
                    folder + "/a", from: .har, to: ToolDestination(path: folder + "/b"), options)
            }
        }
    }

    @Test(arguments: [ForeignFormat.lines, .cloudevents]) func `messages read back from every format`(
        format: ForeignFormat
    ) throws {
        try withTemporaryFolder { folder in
            _ = try RecordingConversion.import(archive, from: .har, to: ToolDestination(path: folder + "/a"), options)
            _ = try RecordingConversion.export(
                folder + "/a", as: format, to: ToolDestination(path: folder + "/b"), tool: "t")
            #expect(try ForeignFormat.sniff(folder + "/b") == format)
            _ = try RecordingConversion.import(
                folder + "/b", from: format, to: ToolDestination(path: folder + "/c"), options)
            #expect(try findings(folder + "/c") == [])
            func told(_ path: String) throws -> [String] {
                try frames(path).compactMap { frame, wall in
                    if format == .lines { return "\(wall) \(frame.direction) \(frame.message)" }
                    guard let name = FrameContents(frame.message).event, !frame.message.bytes.starts(with: "45".utf8)
                    else {
                        return nil
                    }
                    return "\(wall) \(frame.direction) \(name)"
                }
            }
            let events = try told(folder + "/c").filter { !$0.contains("attachment") }
            #expect(events == (try told(folder + "/a")))
            #expect(events.count > 6)
        }
    }

    /// Frames of GroupMe: a reply, and a frame with two deliveries.
    private func published() throws -> [UInt8] {
        try recording { writer in
            let frames = [
                #"[{"channel":"/meta/connect","successful":true,"id":"3"}]"#,
                #"[{"channel":"/group/5","data":{"type":"typing","user_id":"7","started":1}},"#
                    + #"{"channel":"/user/1","data":{"type":"ping"},"id":"9"}]"#,
            ]
            for (number, text) in frames.enumerated() {
                let frame = Record.FrameRecord(connection: 1, direction: .in, message: .text(text))
                try writer.append(.frame(frame), at: Moment(microseconds: Int64(number)), wall: Int64(number))
            }
        }
    }

    @Test func `each publication on a channel is an event, and reads back on its channel`() throws {
        try withTemporaryFolder { folder in
            try write(published(), to: folder + "/a")
            let report = try RecordingConversion.export(
                folder + "/a", as: .cloudevents, to: ToolDestination(path: folder + "/b"), tool: "t")
            #expect(report.written == 2)
            let events = try lines(of: contents(of: folder + "/b")).map { try JSONValue(parsing: Array($0.utf8)[...]) }
            #expect(events.map { $0["weirchannel"] } == [.string("/group/5"), .string("/user/1")])
            #expect(events.map { $0["subject"] } == [.string("/group/5"), .string("/user/1")])
            #expect(Set(events.map { $0["id"] }).count == 2)
            _ = try RecordingConversion.import(
                folder + "/b", from: .cloudevents, to: ToolDestination(path: folder + "/c"), options)
            #expect(
                try frames(folder + "/c").map(\.0.message) == [
                    .text(#"[{"channel":"/group/5","data":{"type":"typing","user_id":"7","started":1}}]"#),
                    .text(#"[{"channel":"/user/1","data":{"type":"ping"}}]"#),
                ])
        }
    }

    @Test func `CloudEvents reports each omitted attachment and event with its position`() throws {
        try withTemporaryFolder { folder in
            let messages: [WebSocketMessage] = [
                .text(#"451-["photo",{"_placeholder":true,"num":0}]"#), .binary([1, 2, 3]), .text("2"),
                .text(#"430[{"ok":true}]"#), .text(#"42["broken",{"a":]"#), .text(#"42["hi"]"#),
            ]
            let bytes = try recording { writer in
                for (number, message) in messages.enumerated() {
                    let frame = Record.FrameRecord(connection: 1, direction: .in, message: message)
                    try writer.append(.frame(frame), at: Moment(microseconds: Int64(number)), wall: Int64(number))
                }
            }
            try write(bytes, to: folder + "/a")
            var told: [FileProblem] = []
            let report = try RecordingConversion.export(
                folder + "/a", as: .cloudevents, to: ToolDestination(path: folder + "/b"), tool: "t"
            ) { told.append($1) }
            #expect(report.written == 2 && report.problems == 2)
            #expect(
                told.map(\.message) == [
                    "a binary message is left out: CloudEvents have no place for the bytes of an attachment",
                    "an event is left out: its name and arguments cannot be read",
                ])
            #expect(told.map(\.line) == [3, 6])
        }
    }

    @Test func `publications on channels are counted and filtered by type and room`() throws {
        try withTemporaryFolder { folder in
            try write(published(), to: folder + "/a")
            let overview = try RecordingOverview(reading: folder + "/a")
            #expect(overview.events.map(\.name).sorted() == ["ping", "typing"])
            #expect(overview.rooms.map(\.name).sorted() == ["/group/5", "/user/1"])
            var selection = RecordSelection()
            selection.rooms.included = ["/group/*"]
            let destination = ToolDestination(path: folder + "/b", replaces: true)
            _ = try RecordingCopy.filter(folder + "/a", selection, to: destination)
            #expect(try frames(folder + "/b").count == 2)
            selection.events.included = ["ping"]
            _ = try RecordingCopy.filter(folder + "/a", selection, to: destination)
            #expect(try frames(folder + "/b").count == 1)
        }
    }

    @Test func `a line that is not a message is omitted, counted and reported with its position`() throws {
        try withTemporaryFolder { folder in
            let log = """
                Connected (press CTRL+C to quit)
                # a comment
                2026-01-02T03:04:05Z < one
                [03:04:05.123] < two
                2026-01-02 03:04:05 > three
                Jan  2 03:04:05 < four
                03:04:05 < five
                1767323045.5 < six
                <seven
                Disconnected (code: 1000, reason: "")

                """
            try write(Array(log.utf8), to: folder + "/a")
            var told: [FileProblem] = []
            let report = try RecordingConversion.import(
                folder + "/a", from: .lines, to: ToolDestination(path: folder + "/b"), options
            ) { told.append($1) }
            #expect(
                try frames(folder + "/b").map { String(decoding: $0.0.message.bytes, as: UTF8.self) } == ["one", "six"])
            #expect(report.problems == 5 && told.map(\.line) == [4, 5, 6, 7, 9])
            #expect(told.first?.message.hasPrefix("it begins neither with < or > nor with a time") == true)
        }
    }

    @Test func `invalid base64 and continuations of an omitted line are omitted and reported`() throws {
        try withTemporaryFolder { folder in
            let log = "< one\n<b no base64!\n\ttail of it\n<b iVBORw==\n\tAAAA\n> two\n\tgoes on\n"
            try write(Array(log.utf8), to: folder + "/a")
            var told: [FileProblem] = []
            let report = try RecordingConversion.import(
                folder + "/a", from: .lines, to: ToolDestination(path: folder + "/b"), options
            ) { told.append($1) }
            #expect(
                try frames(folder + "/b").map(\.0.message) == [
                    .text("one"), .binary([0x89, 0x50, 0x4E, 0x47]), .text("two\ngoes on"),
                ])
            #expect(report.problems == 3 && told.map(\.line) == [2, 3, 5])
            #expect(told.first?.message == "the text after its b is not base64")
        }
    }

    @Test func `an archive's closes and errors end its connections, and other control messages are reported`() throws {
        func entry(_ url: String, _ messages: String...) -> String {
            #"{"request":{"url":"\#(url)"},"_webSocketMessages":[\#(messages.joined(separator: ","))]}"#
        }
        func message(_ time: Int, _ opcode: Int, _ data: String, type: String = "receive") -> String {
            #"{"type":"\#(type)","time":\#(time),"opcode":\#(opcode),"data":"\#(data)"}"#
        }
        try withTemporaryFolder { folder in
            let closed = entry(
                "ws://h/chat/one?token=x&v=2", message(1, 1, "a"), message(2, 9, ""), message(3, 8, "A+hieWU="),
                message(4, 8, "A+g=", type: "send"), message(5, 2, "no base64"))
            let failed = entry("ws://h/two", message(6, 1, "b"), message(7, -1, "reset by peer", type: "error"))
            let empty = entry("ws://h/three", message(8, -1, "refused", type: "error"))
            try write(Array(#"{"log":{"entries":[\#(closed),\#(failed),\#(empty)]}}"#.utf8), to: folder + "/a")
            var told: [String] = []
            let report = try RecordingConversion.import(
                folder + "/a", from: .har, to: ToolDestination(path: folder + "/b"), options
            ) { told.append($1.message) }
            #expect(report.problems == 3)
            #expect(
                told == [
                    "entry 1: message 2 (a ping) is left out",
                    "entry 1: message 5 (its data is not base64) is left out",
                    "entry 3: a connection to ws://h/three without messages is left out",
                ])
            let ends = try entries(of: contents(of: folder + "/b")).compactMap { entry -> Record.ConnectionRecord? in
                guard case .record(.connection(let change), _) = entry, change.state != .open else { return nil }
                return change
            }
            #expect(ends.map(\.state) == [.connecting, .closed, .connecting, .failed])
            #expect(ends.map(\.url) == ["ws://h/chat/one?token=x&v=2", nil, "ws://h/two", nil])
            #expect(ends[1].code == 1000 && ends[1].why == "bye" && ends[3].why == "reset by peer")
            #expect(try findings(folder + "/b") == [])
        }
    }

    @Test func `a log of lines is read by its grammar`() throws {
        let log = """
            Connected (press CTRL+C to quit)
            < 0{"sid":"x"}
            2026-01-02T03:04:05.5Z > 40
            1767323046.25 <b iVBORw==
            < two
            \tlines
            # gap reconnect
            > \u{20}

            """
        try withTemporaryFolder { folder in
            try write(Array(log.utf8), to: folder + "/a")
            _ = try RecordingConversion.import(
                folder + "/a", from: .lines, to: ToolDestination(path: folder + "/b"), options)
            let found = try frames(folder + "/b")
            #expect(
                found.map(\.0.message) == [
                    .text(#"0{"sid":"x"}"#), .text("40"), .binary([0x89, 0x50, 0x4E, 0x47]), .text("two\nlines"),
                    .text(" "),
                ])
            #expect(found.map(\.0.direction) == [.in, .out, .in, .in, .out])
            #expect(found[1].1 == 1_767_323_045_500_000 && found[2].1 == 1_767_323_046_250_000)
            #expect(try RecordingOverview(reading: folder + "/b").gaps == [.init(name: "reconnect", count: 1)])
        }
    }

    @Test func `texts read back from a log of lines byte by byte, whatever their line endings`() throws {
        try withTemporaryFolder { folder in
            let texts = ["a", "a\r", "\r\n", "a\r\n\rb\n", "", "\n\r", "\tx\r\r\n"]
            let whole = try recording { writer in
                for (number, text) in texts.enumerated() {
                    let frame = Record.FrameRecord(connection: 1, direction: .in, message: .text(text))
                    try writer.append(.frame(frame), at: Moment(microseconds: Int64(number)), wall: Int64(number))
                }
            }
            try write(whole, to: folder + "/a")
            _ = try RecordingConversion.export(
                folder + "/a", as: .lines, to: ToolDestination(path: folder + "/b"), tool: "t")
            _ = try RecordingConversion.import(
                folder + "/b", from: .lines, to: ToolDestination(path: folder + "/c"), options)
            #expect(try frames(folder + "/c").map(\.0.message) == texts.map { .text($0) })
        }
    }

    @Test(arguments: ["\n< c", "\n", ""])
    func `a line too long for a record is omitted, and reported with its number and offset`(end: String) throws {
        try withTemporaryFolder { folder in
            let long = [UInt8](repeating: UInt8(ascii: "x"), count: RecordFormat.maximumLine + 10)
            try write(Array("< a\n< ".utf8) + long + Array(end.utf8), to: folder + "/a")
            var problems: [FileProblem] = []
            let report = try RecordingConversion.import(
                folder + "/a", from: .lines, to: ToolDestination(path: folder + "/b"), options
            ) { problems.append($1) }
            #expect(report.problems == 1)
            #expect(problems.map(\.line) == [2])
            #expect(problems.map(\.offset) == [4])
            let left = end.count > 1 ? ["a", "c"] : ["a"]
            #expect(try frames(folder + "/b").map(\.0.message) == left.map { .text($0) })
        }
    }

    @Test func `a format is recognised by its first bytes`() throws {
        #expect(try ForeignFormat.sniff(SampleRecording.path) == nil)
        #expect(try ForeignFormat.sniff(archive) == .har)
    }
}

@Suite struct `Redaction of files` {
    private func redacted(
        _ rules: [String], _ replacement: Replacement = Replacement(), _ payload: String
    ) throws -> (payload: String, head: Record.Head, report: RecordingRedaction.Report) {
        try withTemporaryFolder { folder in
            let bytes = try recording { writer in
                let frame = Record.FrameRecord(connection: 1, direction: .in, message: .text(payload))
                try writer.append(.frame(frame), at: .zero, wall: 0)
            }
            try write(bytes, to: folder + "/a")
            var redaction = RecordingRedaction(
                try rules.map { try RedactionTarget(parsing: $0) }, replacement: replacement)
            let report = try redaction.redact(folder + "/a", to: ToolDestination(path: folder + "/b"))
            #expect(try findings(folder + "/b") == [])
            var reader = try RecordingReader(opening: folder + "/b")
            var text = ""
            while let entry = try reader.next() {
                if case .record(.frame(let frame), _) = entry {
                    text = String(decoding: frame.message.bytes, as: UTF8.self)
                }
            }
            return (text, reader.head, report)
        }
    }

    @Test func `rules by name, path and expression remove values, and are listed in the head`() throws {
        let payload = #"42["hi",{"user":{"email":"a@b.c","name":"Ann"},"password":"x","n":12,"t":"call 555-0100"}]"#
        let result = try redacted(["secrets", "path:user.*", "regex:[0-9]{3}-[0-9]{4}"], payload: payload)
        #expect(
            result.payload
                == #"42["hi",{"user":{"email":"‹redacted›","name":"‹redacted›"},"password":"‹redacted›","n":12,"t":"call ‹redacted›"}]"#
        )
        #expect(result.head.redactions == ["secrets", "received", "path:user.*", "regex"])
        #expect(result.report.changed == 1 && result.report.replacements == 4)
    }

    private func redacted(_ rules: [String], payload: String) throws -> (
        payload: String, head: Record.Head, report: RecordingRedaction.Report
    ) {
        try redacted(rules, Replacement(), payload)
    }

    @Test func `a hash is the same for equal values, and a fake has a similar form`() throws {
        let payload = #"42["hi",{"a":"ann@example.com","b":"ann@example.com","c":"bob@example.com"}]"#
        let hashed = try redacted(["regex:[a-z]+@example.com"], Replacement(.hash), payload).payload
        let parts = hashed.split(separator: "\"").filter { $0.hasPrefix("‹") }
        #expect(parts.count == 3 && parts[0] == parts[1] && parts[0] != parts[2])
        let fake = try redacted(["path:a"], Replacement(.fake), #"42["hi",{"a":"Ann-12 é"}]"#).payload
        let value = fake.split(separator: "\"")[5]
        #expect(value.utf8.count == 9 && value.dropFirst(3).first == "-" && !value.contains("Ann"))
    }

    @Test(arguments: Replacement.Form.allCases) func `a replacement can keep the length`(form: Replacement.Form) throws
    {
        let payload = #"42["hi",{"a":"ann@example.com"}]"#
        let result = try redacted(["path:a"], Replacement(form, keepsLength: true), payload)
        #expect(result.payload.utf8.count == payload.utf8.count && !result.payload.contains("ann"))
    }

    @Test func `text that two rules match in part is removed completely`() throws {
        let result = try redacted(["regex:abcd", "regex:cdef"], payload: "x abcdef y")
        #expect(result.payload == "x ‹redacted› y")
    }

    @Test(arguments: ["nothing", "path:", "path:a..b", "regex:("]) func `an invalid rule is refused`(text: String) {
        #expect(throws: RedactionTarget.Malformed.self) { _ = try RedactionTarget(parsing: text) }
    }
}
