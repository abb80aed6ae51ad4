import Glibc
import WeirJSON
import WeirRecording
import WeirWire

/// `samples/recordings/hello.weir.jsonl`: a small Socket.IO session with a record of every kind, and a
/// lost connection in the middle.
///
/// The writer generates it. After a change of the format, `WEIR_WRITE_SAMPLES=1 swift test
/// --filter Sample` regenerates it.
enum SampleRecording {
    static let path = repository + "/samples/recordings/hello.weir.jsonl"

    /// The package's folder, derived from the path of this file.
    static let repository = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }

    static func bytes() throws -> [UInt8] {
        let session = #"""
            {"backend":"socketio","path":"/socket.io/","namespace":"/","eio":4,"rooms":[],"reconnect_us":[500000,10000000],\#
            "concurrent_requests":8}
            """#
        let head = Record.Head(
            recording: "5ca1ab1e0ddba11c0ffee0decade0123", wallStart: 1_767_323_045_000_000, tool: "weir 0.1.0",
            seed: 42,
            session: RawJSON(unchecked: ArraySlice(session.utf8)))
        return try recording(head: head, secrets: [Secret("hunter2")]) { writer in
            for (milliseconds, record) in script {
                let time = moment(milliseconds)
                try writer.append(record, at: time, wall: head.wallStart + time.microseconds)
            }
        }
    }

    private typealias Step = (milliseconds: Int, record: Record)

    private static let script = firstConnection + room + rest + secondConnection

    private static let firstConnection: [Step] = [
        (1, .clock(.init(step: 0))),
        (1, connecting(1, attempt: 1)),
        (9, .connection(.init(connection: 1, state: .open))),
        (10, frame(1, .in, handshake)),
        (11, frame(1, .out, #"40{"token":"hunter2"}"#)),
        (14, frame(1, .in, #"40{"sid":"wZX3oN0bSVIhsaknAAAB"}"#)),
        (140, frame(1, .in, #"42["hello",{"from":"ada","text":"Grüß dich 👋"}]"#)),
        (500, frame(1, .in, "42[\"hello\",{\"from\":\"mallory\",\"text\":\"\u{202E}evil\\u001b[2J\"}]")),
        (620, .frame(.init(connection: 1, direction: .in, message: .binary([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A])))),
    ]

    private static let room: [Step] = [
        (700, .subscription(.init(act: .want, room: "lobby", source: "ctl"))),
        (700, .subscription(.init(act: .deny, room: "lobby", why: "this backend has no rooms a client can join"))),
    ]

    private static let rest: [Step] = [
        (1_020, request(1, connection: 1, cause: 6)),
        (1_031, .http(.init(connection: 1, id: 1, phase: .response(status: 503, body: [], retryAfter: 1)))),
        (2_031, request(2, connection: 1, cause: 6)),
        (2_044, .http(.init(connection: 1, id: 2, phase: answer))),
        (2_100, .token(.init(renewed: true))),
        (2_500, frame(1, .in, #"42["price",{"eur":12.5}]"#)),
    ]

    private static let secondConnection: [Step] = [
        (3_010, .connection(.init(connection: 1, state: .closed, code: 1_006))),
        (3_446, connecting(2, attempt: 1)),
        (3_450, .connection(.init(connection: 2, state: .failed, code: 502, phase: "upgrade", why: "Bad Gateway"))),
        (4_246, connecting(3, attempt: 2)),
        (4_250, .connection(.init(connection: 3, state: .open))),
        (4_251, frame(3, .in, handshake)),
        (4_252, frame(3, .out, #"40{"token":"hunter2"}"#)),
        (4_255, frame(3, .in, #"40{"sid":"mNpQ7rT2uV9wX4yZAAAC"}"#)),
        (4_255, .gap(.init(why: "reconnect", from: moment(3_010), to: moment(4_255), connection: 3))),
        (4_300, request(3, connection: 3, cause: 24)),
        (4_310, .http(.init(connection: 3, id: 3, phase: .failure(kind: "closed", message: "connection closed")))),
        (4_400, frame(3, .in, #"42["hello",{"from":"ada","text":"are you back?"}]"#)),
        (4_500, frame(3, .in, "2")),
        (4_500, frame(3, .out, "3")),
        (4_510, .note(.init(level: "info", message: "one gap so far"))),
        (4_520, .mark(.init(label: "back again", author: "key"))),
    ]

    private static let handshake =
        #"0{"sid":"lv_VI97HAXpY6yYWAAAA","upgrades":[],"pingTimeout":20000,"pingInterval":25000,"maxPayload":1000000}"#

    private static let answer = Record.HTTPRecord.Phase.response(
        status: 200, body: Array(#"{"name":"lobby"}"#.utf8), retryAfter: nil)

    private static func moment(_ milliseconds: Int) -> Moment {
        Moment(microseconds: Int64(milliseconds) * 1_000 + 123)
    }

    private static func connecting(_ connection: Int, attempt: Int) -> Record {
        let url = "ws://localhost:5000/socket.io/?EIO=4&transport=websocket"
        return .connection(.init(connection: connection, state: .connecting, url: url, attempt: attempt))
    }

    private static func frame(_ connection: Int, _ direction: Record.FrameRecord.Direction, _ text: String) -> Record {
        .frame(.init(connection: connection, direction: direction, message: .text(text)))
    }

    private static func request(_ id: Int, connection: Int, cause: Int) -> Record {
        let url = "http://localhost:5000/rooms/lobby"
        return .http(
            .init(connection: connection, id: id, phase: .request(method: "GET", url: url, body: []), cause: cause))
    }
}
