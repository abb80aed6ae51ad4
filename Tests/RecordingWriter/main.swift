import Glibc
import WeirJSON
import WeirModel
import WeirPipeline
import WeirRecording
import WeirWire

// recording-writer FILE SEED plain|live: records a session that receives 10,000 messages a second, until it is killed.
// Prints the number of the last record after each flush.

/// A session fed with made-up traffic, and its recording.
struct RecordedSession: ~Copyable {
    private static let company = "c0000000-0000-4000-8000-000000000001"
    private static let workspace = "c0000000-0000-4000-8000-000000000002"
    private static let channel = "c0000000-0000-4000-8000-000000000003"
    private static let wallStart: Int64 = 1_767_323_045_000_000

    private let room: String
    private var session: Session
    private var writer: SegmentedWriter
    private var effects: [Effect] = []
    private var events = 0
    private(set) var number = 0
    private let started = RecordedSession.clock

    init(path: String, seed: UInt64, isCompressed: Bool) throws {
        let feed = "/companies/\(Self.company)/workspaces/\(Self.workspace)/channels/\(Self.channel)/feed"
        let configuration = Configuration(
            backend: .twake, revision: .v4, company: Self.company, workspace: Self.workspace, rooms: [feed],
            resyncInterval: nil)
        let head = Record.Head(
            recording: String(repeating: "0", count: 32), wallStart: Self.wallStart, tool: "recording-writer",
            seed: seed,
            session: configuration.json)
        let writer = try SegmentedWriter(
            SegmentPlan(path: path, options: .init(isCompressed: isCompressed)), head: head)
        self.writer = writer
        session = Session(configuration, seed: seed, keepsChecksum: true)
        room = feed
    }

    /// Connects and joins the room.
    mutating func begin() throws {
        session.handle(.start, n: 0, at: .zero, into: &effects)
        effects.removeAll()
        try self.feed(
            .opened(connection: 1, token: Secret("made up")), .connection(.init(connection: 1, state: .open)), at: .zero
        )
        try receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#)
        try receive(#"40{"sid":"t"}"#)
        try receive(#"42["authenticated"]"#)
        try receive(#"42["realtime:join:success",{"name":"\#(room)"}]"#)
    }

    /// Feeds and flushes a hundred messages.
    mutating func batch() throws {
        for _ in 0..<100 {
            events += 1
            let digits = String(events)
            let id = "d0000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
            let text = "message \(events), " + String(repeating: "words ", count: events % 50)
            let message =
                #"{"id":"\#(id)","thread_id":"\#(id)","type":"message","created_at":\#(1_767_323_045_000 + events),"updated_at":\#(1_767_323_045_000 + events),"user_id":"\#(Self.workspace)","text":"\#(text)"}"#
            let path = "/companies/\(Self.company)/threads/\(id)/\(id)"
            try receive(
                #"42["realtime:resource",{"action":"created","room":"\#(room)","type":"message","path":"\#(path)","resource":\#(message)}]"#
            )
        }
        if let checksum = session.model.checksum {
            let keys = session.model.sectionKeys
            let state = Record.StateRecord(
                after: number, checksum: checksum, checksumVersion: Item.checksumVersion, sections: keys.count,
                items: keys.indices.reduce(0) { $0 + session.model.elementCount(at: $1) })
            try writer.append(.state(state), stamp(number))
        }
        try writer.flush(at: now)
    }

    private mutating func receive(_ text: String) throws {
        let message = WebSocketMessage.text(text)
        try self.feed(
            .message(connection: 1, message),
            .frame(Record.FrameRecord(connection: 1, direction: .in, message: message)), at: now)
    }

    private mutating func feed(_ input: Input, _ record: Record, at now: Moment) throws {
        session.advance(to: now, into: &effects)
        effects.removeAll(keepingCapacity: true)
        number += 1
        try writer.append(record, Stamp(n: number, time: now, wall: Self.wallStart + now.microseconds))
        session.handle(input, n: number, at: now, into: &effects)
        effects.removeAll(keepingCapacity: true)
    }

    private func stamp(_ number: Int) -> Stamp {
        Stamp(n: number, time: now, wall: Self.wallStart + now.microseconds)
    }

    private var now: Moment { Moment(microseconds: Self.clock - started) }

    private static var clock: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let seed = UInt64(arguments[2]) else { exit(2) }
var recorded = try RecordedSession(path: arguments[1], seed: seed, isCompressed: arguments[3] == "live")
try recorded.begin()
var due = timespec()
clock_gettime(CLOCK_MONOTONIC, &due)
while true {
    try recorded.batch()
    let line = Array("\(recorded.number)\n".utf8)
    _ = line.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    // A hundred messages each 10 ms, or as many as a slow machine can write.
    due.tv_nsec += 10_000_000
    if due.tv_nsec >= 1_000_000_000 {
        due.tv_nsec -= 1_000_000_000
        due.tv_sec += 1
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nil)
}
