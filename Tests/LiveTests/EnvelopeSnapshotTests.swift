import Testing
import WeirEvents
import WeirJSON
import WeirModel
import WeirRecording
import WeirWire

@testable import WeirLive
@testable import WeirViews
@testable import WeirPipeline

/// Checks byte for byte what programs read. A change here affects all of them.
@Suite("Objects of --format json, type by type") struct EnvelopeSnapshotTests {
    private static func stamped(_ report: Report, context: String? = "work") -> StampedReport {
        StampedReport(stamp: Sample.stamp(10, 2500), report: report, clockOffset: 3, context: context)
    }

    private static func object(_ stamped: StampedReport, connection: Int = 1, leftOut: Int = 0) -> String {
        var envelope = Envelope()
        var mark = ViewMark()
        mark.leftOut = leftOut
        envelope.append(stamped, mark, connection: connection)
        return String(decoding: envelope.writer.bytes, as: UTF8.self)
    }

    private static let common = #""n":10,"time":"2026-01-02T03:04:07.623000Z","t_us":2500000,"ctx":"work""#

    @Test("event")
    func event() throws {
        let array = Array(#"["hello",{"text":"Grüß \u001b dich"}]"#.utf8)[...]
        let event = UntypedEvent(name: "hello", arguments: [RawJSON(unchecked: Array(#"{"text":1}"#.utf8)[...])])
        let report = EventReport(
            event: .socketIO(event),
            source: SocketIO.Event(namespace: "/chat", array: RawJSON(unchecked: array), ackID: 5))
        #expect(
            Self.object(Self.stamped(.event(report)), connection: 2, leftOut: 4)
                == #"{"v":1,"type":"event",\#(Self.common),"lag_ms":null,"conn":2,"dir":"in","namespace":"/chat","room":null,"#
                + #""actor":null,"kind":"event","event":"hello","known":true,"payload":["hello",{"text":"Grüß \u001b dich"}],"#
                + #""server_time":null,"clock_offset_ms":3,"room_title":null,"summary":"hello {\"text\":1}","dropped_before":4,"ack":5,"mentions":[],"actor_name":null,"text":null}"#
                + "\n")
    }

    @Test("diff, caused by an answer or by an event")
    func diff() {
        var batch = Batch<Item>()
        batch.deletions = [.init(path: SectionPath(section: 0, item: 2), element: Sample.channel(Sample.id(4), "old"))]
        let report = DiffReport(sequence: 3, cause: 8, batch: batch, refetched: ["channels"])
        let rows =
            #"[{"op":"delete","section":"channels","parent":null,"kind":"channel","#
            + #""id":"00000004-0000-4000-8000-000000000000","from":[0,2],"to":null,"fields":{}}]"#
        #expect(
            Self.object(Self.stamped(.diff(report)))
                == #"{"v":1,"type":"diff",\#(Self.common),"seq":3,"caused_by":8,"refetched":["channels"],"diff":\#(rows)}"#
                + "\n")
        let told = DiffReport(sequence: 4, cause: 9, batch: batch)
        #expect(
            Self.object(Self.stamped(.diff(told), context: nil))
                == #"{"v":1,"type":"diff",\#(Self.common.replacing("\"work\"", with: "null")),"seq":4,"caused_by":9,"#
                + #""refetched":[],"diff":\#(rows)}"# + "\n")
    }

    @Test("gap")
    func gap() {
        let gap = GapReport(
            cause: .reconnect, from: .zero, to: Moment(microseconds: 2_500_000), lost: 2, refetching: ["channels"])
        #expect(
            Self.object(Self.stamped(.gap(gap)))
                == #"{"v":1,"type":"gap",\#(Self.common),"cause":"reconnect","from_us":0,"to_us":2500000,"lost":2,"#
                + #""counted":"now","missed":null,"refetching":["channels"],"hole":null}"# + "\n")
    }

    @Test(
        "conn",
        arguments: [
            (
                ConnectionReport.connecting(attempt: 2, target: "/socket/"),
                #""state":"connecting","attempt":2,"target":"/socket/","eio":null,"why":null,"retry_in_us":null"#
            ),
            (
                .ready(.socketIO(.v4)),
                #""state":"ready","attempt":null,"target":null,"eio":4,"why":null,"retry_in_us":null"#
            ),
            (
                .lost(why: "closed \u{1B}", retryIn: .milliseconds(1500)),
                #""state":"lost","attempt":null,"target":null,"eio":null,"why":"closed \u001b","retry_in_us":1500000"#
            ),
        ])
    func connection(report: ConnectionReport, members: String) {
        #expect(
            Self.object(Self.stamped(.connection(report)))
                == #"{"v":1,"type":"conn",\#(Self.common),"conn":1,\#(members)}"# + "\n")
    }

    @Test("room")
    func room() {
        let room = RoomReport(change: .refused, room: "/secret", source: "ctl", why: "no\u{200B}!")
        #expect(
            Self.object(Self.stamped(.room(room)))
                == #"{"v":1,"type":"room",\#(Self.common),"room":"/secret","change":"refused","source":"ctl","#
                + #""why":"no\u200b!","room_title":null}"# + "\n")
    }

    @Test("typing")
    func typing() {
        let typing = TypingReport(
            change: .started, user: Sample.id(1), name: "Ann", channel: Sample.id(2), channelName: nil, thread: nil,
            typing: ["Ann"])
        #expect(
            Self.object(Self.stamped(.typing(typing)))
                == #"{"v":1,"type":"typing",\#(Self.common),"change":"started","user":"\#(Sample.id(1))","name":"Ann","#
                + #""channel":"\#(Sample.id(2))","channel_name":null,"thread":null,"typing":["Ann"]}"# + "\n")
    }

    @Test("emit")
    func emit() {
        var emit = Emit("join", patience: .seconds(5))
        emit.ackID = 3
        var report = EmitReport(emit, to: "/")
        report.duration = .milliseconds(12)
        report.outcome = .answered(.init(id: 3, arguments: RawJSON(unchecked: Array("[1]".utf8)[...])))
        let start =
            #"{"v":1,"type":"emit",\#(Self.common),"dir":"out","namespace":"/","event":"join","ack":3,"answers":false,"state":"#
        #expect(
            Self.object(Self.stamped(.emit(report)))
                == start + #""answered","payload":[1],"why":null,"took_us":12000}"# + "\n")
        report.outcome = .lost(why: "gone")
        #expect(
            Self.object(Self.stamped(.emit(report)))
                == start + #""lost","payload":null,"why":"gone","took_us":12000}"# + "\n")
    }

    @Test("refetch", arguments: RefetchReport.Outcome.allCases)
    func refetch(outcome: RefetchReport.Outcome) {
        let refetch = RefetchReport(
            resource: "channels", outcome: outcome, status: outcome == .delayed ? nil : 200, cause: 7,
            duration: .milliseconds(12))
        #expect(
            Self.object(Self.stamped(.refetch(refetch)))
                == #"{"v":1,"type":"refetch",\#(Self.common),"resource":"channels","outcome":"\#(outcome.rawValue)","#
                + #""status":\#(outcome == .delayed ? "null" : "200"),"caused_by":7,"took_us":12000}"# + "\n")
    }

    @Test("undecodable")
    func undecodable() {
        let failure = UndecodableReport(
            layer: .event, subject: "hello", message: "no text at byte 3", excerpt: Array("[1,\u{9B}".utf8)[...])
        #expect(
            Self.object(Self.stamped(.undecodable(failure)))
                == #"{"v":1,"type":"undecodable",\#(Self.common),"layer":"event","subject":"hello","#
                + #""message":"no text at byte 3","excerpt":"[1,\u009b"}"# + "\n")
    }

    @Test("mark, and no object for other notices")
    func mark() {
        let mark = Notice(Notice.Mark(label: "deploy", author: "ctl"))
        #expect(
            Self.object(Self.stamped(.notice(mark)))
                == #"{"v":1,"type":"mark",\#(Self.common),"label":"deploy","author":"ctl"}"# + "\n")
        #expect(Self.object(Self.stamped(.notice(Notice(.warning, "late")))) == "")
    }

    @Test("summary")
    func summary() throws {
        var summary = Summary()
        summary.add(Self.stamped(.room(RoomReport(change: .refused, room: "/secret", source: "cli"))))
        var requests = RequestFigures()
        requests.asked(1, at: .zero)
        requests.answered(1, failure: "timeout", at: .zero + .milliseconds(8))
        requests.asked(2, at: .zero)
        let end = TailSummary(
            outcome: .timedOut, events: 0, gaps: 0, undecodable: 0, sections: [(Item.Section("channels"), 3)],
            requests: requests, context: "work")
        var judge = FilterJudge(try Filter(parsing: "kind = message", origin: "--filter"))
        let join = EventReport(
            event: .twake(.joined(room: "/a")), source: SocketIO.Event(array: RawJSON(unchecked: Array("[]".utf8)[...]))
        )
        _ = judge.mark(Self.stamped(.event(join)))
        var writer = JSONWriter()
        summary.write(end, words: "timed out", code: 8, filtered: judge.tally, into: &writer)
        let none = #"{"most":[],"others":0}"#
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"v":1,"type":"summary","n":0,"time":"2026-01-02T03:04:07.623000Z","t_us":2500000,"ctx":"work","#
                + #""end":"timed out","code":8,"duration_us":0,"events":0,"undecodable":0,"gaps":0,"lost":0,"missed":0,"reconnects":0,"#
                + #""denied":1,"batches":0,"kinds":\#(none),"rooms":\#(none),"actors":\#(none),"unknown":\#(none),"#
                + #""requests":{"answered":1,"failed":1,"reasons":[{"name":"timeout","count":1}],"open":1,"p50_us":8192,"p99_us":8192},"#
                + #""changes":{"delete":0,"insert":0,"move":0,"update":0},"model":[{"section":"channels","rows":3}],"#
                + #""filter":{"events":1,"others":0,"sampled_out":0,"clauses":[{"clause":"kind = message","origin":"--filter","#
                + #""events":1,"others":0}]}}"# + "\n")
    }
}
