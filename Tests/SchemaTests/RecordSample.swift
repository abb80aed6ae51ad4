import WeirJSON
import WeirPipeline
import WeirWire

@testable import WeirRecording

/// Records of every kind, with every member that a writer can produce.
enum RecordSample {
    static var head: Record.Head {
        Record.Head(
            recording: "0123456789abcdef0123456789abcdef", segment: 2, previous: String(repeating: "0f", count: 32),
            wallStart: 1_767_323_045_123_456, boot: "b007", tool: "weir 1", system: "linux", context: "work",
            title: "the outage", tags: ["prod"], idleLimit: 2_000_000, filter: "kind = message",
            seed: .max,
            session: Configuration(backend: .twake, company: "C", rooms: ["/a"]).json)
    }

    static var records: [Record] {
        connections + frames + exchanges + subscriptions + [
            .gap(
                Record.GapRecord(
                    why: "reconnect", from: Moment(microseconds: 5), to: Moment(microseconds: 9), lost: 3,
                    recovered: true, actions: ["channels"], connection: 2)),
            .gap(Record.GapRecord(why: "damage")),
            .token(Record.TokenRecord(renewed: true)),
            .memory(Record.MemoryRecord(user: "u", rows: Array("{}\n".utf8))),
            .mark(Record.MarkRecord(label: "here", author: "ctl", colour: "red")),
            .state(Record.StateRecord(after: 3, checksum: .max, checksumVersion: 2, sections: 1, items: 2)),
            .clock(Record.ClockRecord(step: -5, serverOffset: 7)),
            .note(Record.NoteRecord(level: "info", message: "why")),
            .sync(sync),
            .index(index),
            .end(Record.EndRecord(why: .rotated, index: 5)),
        ] + actions
    }

    private static var connections: [Record] {
        [
            .connection(
                Record.ConnectionRecord(
                    connection: 1, state: .connecting, url: "ws://localhost/socket/?EIO=4", attempt: 1)),
            .connection(
                Record.ConnectionRecord(
                    connection: 1, state: .failed, code: 400, phase: "handshake", why: "refused", retry: "later")),
            .connection(
                Record.ConnectionRecord(
                    connection: 2, state: .open, spoken: "eio4", transport: "websocket", session: "5e55",
                    resumed: Record.Resumption(session: "91d", offset: "0ff", isRecovered: true))),
            .connection(Record.ConnectionRecord(connection: 2, state: .closing)),
            .connection(Record.ConnectionRecord(connection: 2, state: .closed, code: 1006, why: "", next: 500)),
        ]
    }

    private static var sync: Record.SyncRecord {
        Record.SyncRecord(
            offset: 0, bytes: 1, records: 2, firstTime: .zero, lastTime: Moment(microseconds: 5), crc: 7,
            connections: [2], kinds: [Record.Count(name: "f", count: 2)])
    }

    private static var index: Record.IndexRecord {
        let chunk = Record.IndexRecord.Chunk(
            offset: 0, firstTime: .zero, lastTime: Moment(microseconds: 5), firstNumber: 1, records: 2)
        return Record.IndexRecord(
            chunks: [chunk], kinds: [Record.Count(name: "f", count: 2)], rooms: [Record.Count(name: "/a", count: 1)])
    }

    private static var actions: [Record] {
        Record.ActionRecord.Act.allCases.map {
            .action(Record.ActionRecord(act: $0, what: RawJSON(unchecked: ArraySlice(#""id""#.utf8))))
        }
    }

    private static var frames: [Record] {
        [
            .frame(Record.FrameRecord(connection: 2, direction: .in, message: .text(#"42["a",{"b":1}]"#))),
            .frame(Record.FrameRecord(connection: 2, direction: .out, message: .binary([0, 1, 255]))),
            .frame(Record.FrameRecord(connection: 2, direction: .in, message: .text("4"), cutFrom: 20_000_000)),
            .frame(
                Record.FrameRecord(
                    connection: 2, direction: .in, message: .text("2"), transport: "polling", isInjected: true,
                    isDropped: true)),
        ]
    }

    private static var exchanges: [Record] {
        [
            .http(
                Record.HTTPRecord(
                    id: 1, phase: .request(method: "GET", url: "http://localhost/a", body: []), cause: 7)),
            .http(Record.HTTPRecord(id: 1, phase: .response(status: 429, body: Array("{}".utf8), retryAfter: 3))),
            .http(Record.HTTPRecord(connection: 2, id: 2, phase: .response(status: 200, body: [255], retryAfter: nil))),
            .http(Record.HTTPRecord(id: 3, phase: .failure(kind: "timeout", message: "no answer within 30 s"))),
        ]
    }

    private static var subscriptions: [Record] {
        Record.SubscriptionRecord.Act.allCases.map {
            .subscription(
                Record.SubscriptionRecord(
                    act: $0, room: "/a", source: "ctl", why: "why", span: .seconds(60), since: 1_767_323_045_123,
                    rivals: ["a1", "b2"], connection: 2))
        }
    }
}
