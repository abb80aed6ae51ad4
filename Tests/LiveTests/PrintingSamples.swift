import Glibc
import WeirEvents
import WeirJSON
import WeirLive
@testable import WeirViews
import WeirModel
import WeirRecording
import WeirWire

@testable import WeirPipeline

/// Reports as a session makes them, some with text of a hostile peer.
enum Sample {
    static let channel = EntityID("5828c718-b49e-11eb-8ae0-0242ac120003")
    static let feed = "/companies/c920712e-b49d-11eb-8ed2-0242ac120003/workspaces/W/channels/\(channel)/feed"
    static let messagePayload = #"["realtime:resource",{"room":"…","text":"hello\u001b"}]"#

    static func id(_ number: Int) -> EntityID { EntityID("0000000\(number)-0000-4000-8000-000000000000") }

    static func stamp(_ n: Int, _ milliseconds: Int64) -> Stamp {
        Stamp(n: n, time: Moment(microseconds: milliseconds * 1000), wall: 1_767_323_045_123_000 + milliseconds * 1000)
    }

    static func raw(_ text: String) -> RawJSON { RawJSON(unchecked: Array(text.utf8)[...]) }

    static func message(_ number: Int, _ text: String) -> Item {
        let message = Twake.Message(
            id: id(number), thread: id(number), channel: channel, senderName: "Anna", text: text)
        return Item(
            id: Item.ID(.message, id(number)), section: Item.Section("messages", channel), sortKey: 0,
            entity: Item.Entity(message))
    }

    static func channel(_ id: EntityID, _ name: String, icon: String? = nil) -> Item {
        let channel = Twake.Channel(id: id, company: Sample.id(1), workspace: Sample.id(2), name: name, icon: icon)
        return Item(
            id: Item.ID(.channel, id), section: Item.Section("channels"), sortKey: 0, entity: Item.Entity(channel))
    }

    static func manyInsertions(_ count: Int) -> DiffReport {
        var batch = Batch<Item>()
        batch.insertions = (0..<count).map {
            .init(path: SectionPath(section: 1, item: $0), element: message($0, "text \($0)"))
        }
        return DiffReport(sequence: 2, cause: 9, batch: batch)
    }

    private static var messageEvent: EventReport {
        let message = Twake.Message(
            id: id(3), thread: id(3), senderName: "Anna", text: "hello\nforged\u{1B}[31m \u{202E}",
            createdAt: Timestamp(milliseconds: 1_767_323_045_100))
        let resource = Twake.SocketIOResource(
            action: .created, room: feed, type: .message, path: nil, resource: .message(message))
        return EventReport(
            event: .twake(.resource(resource)), source: SocketIO.Event(array: raw(messagePayload)))
    }

    private static var untypedEvent: EventReport {
        let arguments = [raw("{\"a\":\"\u{7F}\"}"), raw("2")]
        return EventReport(
            event: .socketIO(UntypedEvent(name: "custom:event", arguments: arguments)),
            source: SocketIO.Event(namespace: "/chat", array: raw("[\"custom:event\",{\"a\":\n\"\u{7F}\"},\r2]")))
    }

    private static var diff: DiffReport {
        var batch = Batch<Item>()
        batch.deletions = [.init(path: SectionPath(section: 1, item: 4), element: message(4, "gone"))]
        batch.insertions = [.init(path: SectionPath(section: 1, item: 0), element: message(3, "hello"))]
        let general = channel(channel, "general")
        batch.moves = [
            .init(
                from: SectionPath(section: 0, item: 2), to: SectionPath(section: 0, item: 0), old: general, new: general
            )
        ]
        batch.updates = [
            .init(
                from: SectionPath(section: 0, item: 1), to: SectionPath(section: 0, item: 1),
                old: channel(id(9), "old", icon: "🦆"),
                new: channel(id(9), "new"))
        ]
        return DiffReport(sequence: 1, cause: 7, batch: batch)
    }

    /// The reports printed on standard output.
    static var reports: [StampedReport] {
        let gap = GapReport(
            cause: .reconnect, from: Moment(microseconds: 0), to: Moment(microseconds: 2_500_000),
            refetching: ["channels", "badges"])
        return [
            StampedReport(stamp: stamp(7, 0), report: .event(messageEvent)),
            StampedReport(stamp: stamp(7, 0), report: .diff(diff)),
            StampedReport(stamp: stamp(8, 500), report: .event(untypedEvent)),
            StampedReport(stamp: stamp(9, 1000), report: .gap(gap)),
        ]
    }

    /// The reports not printed on standard output, except in JSON.
    static var status: [StampedReport] {
        let unreadable = UndecodableReport(
            layer: .event, subject: "realtime:\u{7}", message: "text: expected a string at byte 3",
            excerpt: Array("[1,\u{9B}2]".utf8)[...])
        let reports: [Report] = [
            .connection(.connecting(attempt: 1, target: "/socket/?EIO=4&transport=websocket")),
            .connection(.ready(.socketIO(.v4))),
            .connection(.lost(why: "closed by the server: \u{1B}c", retryIn: .milliseconds(1500))),
            .connection(.connecting(attempt: 2, target: "/socket/?EIO=4&transport=websocket")),
            .connection(.lost(why: "refused", retryIn: nil)),
            .room(RoomReport(change: .wanted, room: feed, source: "cli")),
            .room(RoomReport(change: .joined, room: feed, source: "cli")),
            .room(RoomReport(change: .refused, room: "secret", source: "ctl", why: "no\u{200B}!")),
            .room(RoomReport(change: .left, room: "old", source: "ctl")),
            .undecodable(unreadable),
            .notice(Notice(.info, "info")),
            .notice(Notice(.warning, "warning\u{2028}")),
            .notice(Notice(.error, "error")),
        ]
        return reports.enumerated().map { StampedReport(stamp: stamp(10 + $0, 2000), report: $1) }
    }
}

/// A pipe that is read after the writer is done.
struct Pipe {
    let readEnd: Int32
    let writeEnd: Int32

    struct Failure: Error {
        var code: Int32
    }

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw Failure(code: errno) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    /// Returns what was written, up to the capacity of a pipe.
    func readAll() -> String {
        _ = fcntl(readEnd, F_SETFL, O_NONBLOCK)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(readEnd, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    func close() {
        Glibc.close(readEnd)
        Glibc.close(writeEnd)
    }
}
