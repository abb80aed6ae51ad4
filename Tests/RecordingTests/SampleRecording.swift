import Glibc
import JSONText
import Recording
import Wire

/// `samples/recordings/hello.weir.jsonl`: a small Socket.IO session with a record of every kind, a lost connection in
/// its middle.
///
/// It is made by the writer. After a change of the format, `WEIR_WRITE_SAMPLES=1 swift test --filter Sample` makes it
/// anew.
enum SampleRecording {
    static let path = repository + "/samples/recordings/hello.weir.jsonl"

    /// Folder of the package, from the place of this file in it.
    static let repository = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }

    static func bytes() throws -> [UInt8] {
        let session = #"""
            {"backend":"socketio","path":"/socket.io/","namespace":"/","eio":4,"rooms":["lobby"],"reconnect_us":[500000,10000000],\#
            "concurrent_requests":8}
            """#
        let head = Record.Head(
            recording: "5ca1ab1e0ddba11c0ffee0decade0123", wallStart: 1_767_323_045_000_000, tool: "weir 0.1.0",
            seed: 42,
            session: RawJSON(unchecked: ArraySlice(session.utf8)))
        return try recording(head: head, secrets: [Secret("hunter2")]) { writer in
            for (milliseconds, record) in script {
                let time = Moment(microseconds: Int64(milliseconds) * 1_000 + 123)
                try writer.append(record, at: time, wall: head.wallStart + time.microseconds)
            }
        }
    }

    private static let script: [(milliseconds: Int, record: Record)] =
        [(0, .subscription(.init(act: .want, room: "lobby", source: "cli")))] + firstConnection + secondConnection

    private static let firstConnection: [(milliseconds: Int, record: Record)] = [
        (1, .connection(.init(connection: 1, state: .connecting, url: url, attempt: 1))),
        (9, .connection(.init(connection: 1, state: .open))),
        (10, frame(1, .in, handshake)),
        (11, frame(1, .out, #"40{"token":"hunter2"}"#)),
        (14, frame(1, .in, #"40{"sid":"wZX3oN0bSVIhsaknAAAB"}"#)),
        (
            20,
            .http(
                .init(
                    connection: 1, id: 1,
                    phase: .request(method: "GET", url: "http://localhost:5000/rooms/lobby", body: [])))
        ),
        (31, .http(.init(connection: 1, id: 1, phase: .response(status: 503, body: [], retryAfter: 1)))),
        (140, frame(1, .in, #"42["hello",{"room":"lobby","from":"ada","text":"Grüß dich 👋"}]"#)),
        (
            900,
            frame(1, .in, "42[\"hello\",{\"room\":\"lobby\",\"from\":\"mallory\",\"text\":\"\u{202E}evil\\u001b[2J\"}]")
        ),
        (
            1_031,
            .http(
                .init(
                    connection: 1, id: 2,
                    phase: .request(method: "GET", url: "http://localhost:5000/rooms/lobby", body: [])))
        ),
        (
            1_044,
            .http(
                .init(
                    connection: 1, id: 2,
                    phase: .response(status: 200, body: Array(#"{"name":"lobby"}"#.utf8), retryAfter: nil)))
        ),
        (1_500, frame(1, .in, #"42["price",{"room":"lobby","eur":12.5}]"#)),
        (1_620, frame(1, .in, #"451-["photo",{"_placeholder":true,"num":0}]"#)),
        (1_620, .frame(.init(connection: 1, direction: .in, message: .binary([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A])))),
        (2_010, .connection(.init(connection: 1, state: .closed, code: 1_006))),
        (2_010, .subscription(.init(act: .lost, room: "lobby", connection: 1))),
    ]

    private static let secondConnection: [(milliseconds: Int, record: Record)] = [
        (2_431, .token(.init(renewed: false))),
        (2_432, .connection(.init(connection: 2, state: .connecting, url: url, attempt: 1))),
        (2_440, .connection(.init(connection: 2, state: .failed, code: 502, phase: "upgrade", why: "Bad Gateway"))),
        (3_312, .connection(.init(connection: 3, state: .connecting, url: url, attempt: 2))),
        (3_320, .connection(.init(connection: 3, state: .open))),
        (3_321, frame(3, .in, handshake)),
        (3_322, frame(3, .out, #"40{"token":"hunter2"}"#)),
        (3_325, frame(3, .in, #"40{"sid":"mNpQ7rT2uV9wX4yZAAAC"}"#)),
        (
            3_325,
            .gap(
                .init(
                    why: "reconnect", from: Moment(microseconds: 2_010_123), to: Moment(microseconds: 3_325_123),
                    connection: 3))
        ),
        (3_400, frame(3, .in, #"42["hello",{"room":"lobby","from":"ada","text":"are you back?"}]"#)),
        (
            3_900,
            .http(
                .init(
                    connection: 3, id: 3,
                    phase: .request(method: "GET", url: "http://localhost:5000/rooms/lobby", body: []), cause: 27))
        ),
        (
            3_950,
            .http(
                .init(
                    connection: 3, id: 3, phase: .failure(kind: "closed", message: "the server closed the connection"),
                    cause: 27))
        ),
        (4_000, frame(3, .in, "2")),
        (4_000, frame(3, .out, "3")),
    ]

    private static let url = "ws://localhost:5000/socket.io/?EIO=4&transport=websocket"
    private static let handshake =
        #"0{"sid":"lv_VI97HAXpY6yYWAAAA","upgrades":[],"pingTimeout":20000,"pingInterval":25000,"maxPayload":1000000}"#

    private static func frame(_ connection: Int, _ direction: Record.FrameRecord.Direction, _ text: String) -> Record {
        .frame(.init(connection: connection, direction: direction, message: .text(text)))
    }
}
