import JSONText
import Testing
import Wire

@testable import Recording

/// The text of every kind of record. These lines are the format: a change here is a new version of it.
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
                + #""max_payload":12000000,"seed":"18446744073709551615","session":{"backend":"socketio"}}"# + "\n")
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

    @Test func `f`() {
        let text = Record.FrameRecord(
            connection: 1, direction: .in, message: .text(#"42["message:new",{"room":"r7"}]"#))
        let hostile = Record.FrameRecord(connection: 1, direction: .in, message: .text("\u{1B}[2J\u{202E}日\u{200B}"))
        let binary = Record.FrameRecord(connection: 2, direction: .out, message: .binary([4, 0, 255]))
        let notUTF8 = Record.FrameRecord(connection: 2, direction: .out, message: .text([0xC3, 0x28]))
        let cut = Record.FrameRecord(connection: 2, direction: .in, message: .text("ab"), cutFrom: 20_000_000)
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

    @Test func `sync`() {
        let sync = Record.SyncRecord(
            offset: 4_096, bytes: 262_144, records: 700, firstTime: Moment(microseconds: 1),
            lastTime: Moment(microseconds: 2), crc: .max)
        #expect(
            line(.sync(sync))
                == #"{"k":"sync","n":812,"t":60412003,"off":4096,"bytes":262144,"recs":700,"t0":1,"t1":2,"crc":4294967295}"#
                + "\n")
    }

    @Test func `end, of constant length`() {
        let record = Record.end(.init(why: .closed))
        let text = #"{"k":"end","n":812,"t":60412003,"why":"closed""#
        #expect(line(record) == text + String(repeating: " ", count: 94 - text.utf8.count) + "}\n")
        let largest = Stamp(n: 1 << 53, time: Moment(microseconds: 1 << 53), wall: 0)
        for why in Record.EndRecord.Why.allCases {
            var encoder = RecordEncoder()
            let fits = encoder.encode(.end(.init(why: why)), largest)
            #expect(fits)
            #expect(encoder.line.count == 96)
        }
    }

    @Test func `a kind from a later version, which is passed on`() {
        let text = RawJSON(
            unchecked: ArraySlice(
                #"{ "n": 1, "k": "mark", "label": "\u202e!", "t": 0, "w": "x", "by" : { "n": 2 } }"#.utf8))
        #expect(
            line(.unknown(kind: "mark", text: text)) == #"{"k":"mark",\#(Self.common),"label":"\u202e!","by":{"n":2}}"#
                + "\n")
    }
}
