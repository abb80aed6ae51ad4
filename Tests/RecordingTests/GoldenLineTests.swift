import Testing
import WeirJSON
import WeirWire

@testable import WeirRecording

/// The text of every kind of record. These lines define the format: a change here is a new version of it.
@Suite struct `Golden lines` {
    private static let stamp = Stamp(n: 812, time: Moment(microseconds: 60_412_003), wall: 1_767_323_045_123_456)
    private static let common = #""n":812,"t":60412003,"w":"2026-01-02T03:04:05.123456Z""#

    private func line(_ record: Record) -> String {
        var encoder = RecordEncoder()
        let fits = encoder.encode(record, Self.stamp)
        #expect(fits)
        return String(decoding: encoder.line, as: UTF8.self)
    }

    @Test func `head`() {
        #expect(
            line(.head(testHead))
                == #"{"k":"head","fmt":"weir-recording","v":1,"minor":0,"rec":"0123456789abcdef0123456789abcdef","seg":1,"#
                + #""w0":"2026-01-02T03:04:05.123456Z","clock":"CLOCK_BOOTTIME","tool":"weir 0.1.0","redact":["secrets"],"#
                + #""max_payload":33554432,"seed":"18446744073709551615","session":{"backend":"socketio"}}"# + "\n")
    }

    @Test func `head of a later segment, with a description`() {
        var head = testHead
        head.segment = 2
        head.previous = String(repeating: "ab", count: 32)
        head.boot = "b007"
        head.system = "linux"
        head.context = "work"
        head.title = "the outage"
        head.tags = ["prod", "2026"]
        head.idleLimit = 2_000_000
        head.filter = "kind = message"
        #expect(
            line(.head(head))
                == #"{"k":"head","fmt":"weir-recording","v":1,"minor":0,"rec":"0123456789abcdef0123456789abcdef","seg":2,"#
                + #""prev":"abababababababababababababababababababababababababababababababab","#
                + #""w0":"2026-01-02T03:04:05.123456Z","clock":"CLOCK_BOOTTIME","boot":"b007","tool":"weir 0.1.0","#
                + #""os":"linux","ctx":"work","title":"the outage","tags":["prod","2026"],"idle_limit":2000000,"#
                + #""redact":["secrets"],"filter":"kind = message","max_payload":33554432,"seed":"18446744073709551615","#
                + #""session":{"backend":"socketio"}}"# + "\n")
    }

    @Test func `conn`() {
        let connecting = Record.ConnectionRecord(
            connection: 1, state: .connecting, url: "wss://chat.example/socket/?EIO=3", attempt: 2)
        let failed = Record.ConnectionRecord(
            connection: 1, state: .failed, code: 404, phase: "upgrade", why: "not found", retry: "later")
        #expect(
            line(.connection(connecting))
                == #"{"k":"conn",\#(Self.common),"c":"1","st":"connecting","url":"wss://chat.example/socket/?EIO=3","try":2}"#
                + "\n")
        #expect(
            line(.connection(failed))
                == #"{"k":"conn",\#(Self.common),"c":"1","st":"failed","code":404,"phase":"upgrade","retry":"later","why":"not found"}"#
                + "\n")
    }

    @Test func `conn of a resumed session`() {
        let open = Record.ConnectionRecord(
            connection: 2, state: .open, spoken: "eio4", transport: "websocket", session: "5e55",
            resumed: Record.Resumption(session: "91d", offset: "0ff", isRecovered: true))
        let closed = Record.ConnectionRecord(connection: 2, state: .closed, code: 1_006, next: 743_000)
        #expect(
            line(.connection(open))
                == #"{"k":"conn",\#(Self.common),"c":"2","st":"open","proto":"eio4","tr":"websocket","sid":"5e55","#
                + #""resume":{"pid":"91d","offset":"0ff","recovered":true}}"# + "\n")
        #expect(
            line(.connection(closed))
                == #"{"k":"conn",\#(Self.common),"c":"2","st":"closed","code":1006,"next_us":743000}"#
                + "\n")
    }

    @Test func `f`() {
        let text = Record.FrameRecord(
            connection: 1, direction: .in, message: .text(#"42["message:new",{"room":"r7"}]"#))
        let hostile = Record.FrameRecord(connection: 1, direction: .in, message: .text("\u{1B}[2J\u{202E}日\u{200B}"))
        let binary = Record.FrameRecord(connection: 2, direction: .out, message: .binary([4, 0, 255]))
        let notUTF8 = Record.FrameRecord(connection: 2, direction: .out, message: .text([0xC3, 0x28]))
        let cut = Record.FrameRecord(connection: 2, direction: .in, message: .text("ab"), cutFrom: 20_000_000)
        let put = Record.FrameRecord(
            connection: 1, direction: .in, message: .text("2"), transport: "polling", isInjected: true, isDropped: true)
        #expect(
            line(.frame(put))
                == #"{"k":"f",\#(Self.common),"c":"1","d":"in","tr":"polling","inj":true,"drop":true,"op":1,"len":1,"p":"2"}"#
                + "\n")
        #expect(
            line(.frame(text))
                == #"{"k":"f",\#(Self.common),"c":"1","d":"in","op":1,"len":31,"p":"42[\"message:new\",{\"room\":\"r7\"}]"}"#
                + "\n")
        #expect(
            line(.frame(hostile))
                == #"{"k":"f",\#(Self.common),"c":"1","d":"in","op":1,"len":13,"p":"\u001b[2J\u202e日\u200b"}"# + "\n")
        #expect(
            line(.frame(binary)) == #"{"k":"f",\#(Self.common),"c":"2","d":"out","op":2,"len":3,"b":"BAD/"}"# + "\n")
        #expect(
            line(.frame(notUTF8)) == #"{"k":"f",\#(Self.common),"c":"2","d":"out","op":1,"len":2,"b":"wyg="}"# + "\n")
        #expect(
            line(.frame(cut))
                == #"{"k":"f",\#(Self.common),"c":"2","d":"in","op":1,"len":20000000,"cut":true,"p":"ab"}"# + "\n")
    }

    @Test func `http`() {
        let request = Record.HTTPRecord(
            connection: 1, id: 3,
            phase: .request(method: "GET", url: "https://chat.example/messages?after=5", body: []), cause: 7)
        let response = Record.HTTPRecord(id: 3, phase: .response(status: 503, body: Array("[]".utf8), retryAfter: 30))
        let failure = Record.HTTPRecord(id: 3, phase: .failure(kind: "timeout", message: "no answer in 20 s"))
        #expect(
            line(.http(request))
                == #"{"k":"http",\#(Self.common),"c":"1","id":3,"ph":"req","for":7,"m":"GET","#
                + #""url":"https://chat.example/messages?after=5","len":0,"p":""}"# + "\n")
        #expect(
            line(.http(response))
                == #"{"k":"http",\#(Self.common),"c":"0","id":3,"ph":"res","st":503,"hdr":{"retry-after":"30"},"len":2,"p":"[]"}"#
                + "\n")
        #expect(
            line(.http(failure))
                == #"{"k":"http",\#(Self.common),"c":"0","id":3,"ph":"err","err":"timeout","why":"no answer in 20 s"}"#
                + "\n")
    }

    @Test func `sub`() {
        let want = Record.SubscriptionRecord(act: .want, room: "/channels/1", source: "cli")
        let deny = Record.SubscriptionRecord(act: .deny, room: "/channels/1", why: "not a member", connection: 1)
        #expect(
            line(.subscription(want)) == #"{"k":"sub",\#(Self.common),"act":"want","room":"/channels/1","src":"cli"}"#
                + "\n")
        #expect(
            line(.subscription(deny))
                == #"{"k":"sub",\#(Self.common),"c":"1","act":"deny","room":"/channels/1","why":"not a member"}"# + "\n"
        )
    }

    @Test func `gap`() {
        let open = Record.GapRecord(why: "reconnect")
        let closed = Record.GapRecord(
            why: "overflow", from: Moment(microseconds: 5), to: Moment(microseconds: 9), lost: 4, recovered: true,
            actions: ["messages of 1", "badges"], connection: 1)
        #expect(line(.gap(open)) == #"{"k":"gap",\#(Self.common),"why":"reconnect","lost":null}"# + "\n")
        #expect(
            line(.gap(closed))
                == #"{"k":"gap",\#(Self.common),"c":"1","why":"overflow","from":5,"to":9,"lost":4,"recovered":true,"#
                + #""did":["messages of 1","badges"]}"# + "\n")
    }

    @Test func `mem`() {
        #expect(
            line(.memory(.init(user: "u", rows: Array("{}\n".utf8))))
                == #"{"k":"mem",\#(Self.common),"user":"u","len":3,"p":"{}\n"}"# + "\n")
    }

    @Test func `token`() {
        #expect(line(.token(.init(renewed: true))) == #"{"k":"token",\#(Self.common),"renewed":true}"# + "\n")
    }

    @Test func `mark`() {
        #expect(line(.mark(.init(label: "here"))) == #"{"k":"mark",\#(Self.common),"label":"here"}"# + "\n")
        #expect(
            line(.mark(.init(label: "\u{202E}", author: "ctl", colour: "red")))
                == #"{"k":"mark",\#(Self.common),"label":"\u202e","by":"ctl","color":"red"}"# + "\n")
    }

    @Test(arguments: [(1, "00000000000000ab"), (2, "2:00000000000000ab")])
    func `st`(version: Int, hash: String) {
        #expect(
            line(.state(.init(after: 811, checksum: 0xAB, checksumVersion: version, sections: 3, items: 70)))
                == #"{"k":"st","n":812,"t":60412003,"at":811,"h":"\#(hash)","sections":3,"items":70}"# + "\n")
    }

    @Test func `clock`() {
        #expect(line(.clock(.init(step: -12_000))) == #"{"k":"clock",\#(Self.common),"step_us":-12000}"# + "\n")
        #expect(line(.clock(.init(serverOffset: 5))) == #"{"k":"clock",\#(Self.common),"off_us":5}"# + "\n")
    }

    @Test func `note`() {
        #expect(
            line(.note(.init(level: "warning", message: "the queue is deep")))
                == #"{"k":"note",\#(Self.common),"lvl":"warning","msg":"the queue is deep"}"# + "\n")
    }

    @Test func `idx`() {
        let chunk = Record.IndexRecord.Chunk(
            offset: 4_096, firstTime: Moment(microseconds: 1), lastTime: Moment(microseconds: 2), firstNumber: 7,
            records: 9)
        let index = Record.IndexRecord(
            chunks: [chunk, chunk], kinds: [.init(name: "f", count: 8), .init(name: "conn", count: 1)],
            rooms: [.init(name: "/a\u{1B}", count: 3)])
        #expect(
            line(.index(index))
                == #"{"k":"idx","n":812,"t":60412003,"chunks":[[4096,1,2,7,9],[4096,1,2,7,9]],"kinds":{"f":8,"conn":1},"#
                + #""rooms":{"/a\u001b":3},"sum":"dbec315c"}"# + "\n")
    }

    @Test func `sync`() {
        let sync = Record.SyncRecord(
            offset: 4_096, bytes: 262_144, records: 700, firstTime: Moment(microseconds: 1),
            lastTime: Moment(microseconds: 2), crc: .max)
        #expect(
            line(.sync(sync))
                == #"{"k":"sync","n":812,"t":60412003,"off":4096,"bytes":262144,"recs":700,"t0":1,"t1":2,"crc":4294967295,"#
                + #""sum":"3bdf7958"}"#
                + "\n")
        var counted = sync
        counted.connections = [1, 3]
        counted.kinds = [.init(name: "f", count: 699), .init(name: "gap", count: 1)]
        #expect(
            line(.sync(counted))
                == #"{"k":"sync","n":812,"t":60412003,"off":4096,"bytes":262144,"recs":700,"t0":1,"t1":2,"crc":4294967295,"#
                + #""conns":["1","3"],"kinds":{"f":699,"gap":1},"sum":"6da73365"}"# + "\n")
    }

    @Test func `end, of constant length`() {
        let record = Record.end(.init(why: .closed))
        let text = #"{"k":"end","n":812,"t":60412003,"why":"closed""#
        #expect(
            line(record) == text + String(repeating: " ", count: 93 - text.utf8.count) + #","sum":"cbac32ff"}"# + "\n")
        let largest = Stamp(n: 1 << 53, time: Moment(microseconds: 1 << 53), wall: 0)
        for why in Record.EndRecord.Why.allCases {
            var encoder = RecordEncoder()
            let fits = encoder.encode(.end(.init(why: why, index: 1 << 53)), largest)
            #expect(fits)
            #expect(encoder.line.count == 112)
        }
    }

    @Test func `an unknown kind of a later version, passed through`() {
        let text = RawJSON(
            unchecked: ArraySlice(
                #"{ "n": 1, "k": "poll", "label": "\u202e!", "t": 0, "w": "x", "by" : { "n": 2 } }"#.utf8))
        #expect(
            line(.unknown(kind: "poll", text: text)) == #"{"k":"poll",\#(Self.common),"label":"\u202e!","by":{"n":2}}"#
                + "\n")
    }
}
