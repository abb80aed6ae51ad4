import TestSupport
import WeirJSON
import WeirLive
@testable import WeirViews
import WeirPipeline
import WeirRecording
import WeirWire

/// A small recording of a Socket.IO session: a connection, then numbered events called `tick`, one every `interval`.
struct PlayedRecording {
    let path: String

    /// The number of the first event's record. Earlier records set up the connection.
    static let firstEvent = 4

    /// Writes the recording. A mark called `here` follows the event `mark`.
    init(
        in folder: String, _ name: String = "a", events: Int, interval: Duration = .seconds(1), mark: Int? = nil,
        wallStart: Int64 = 1_767_323_045_000_000, idleLimit: Duration? = nil, isClosed: Bool = true,
        text: String = "tick"
    ) throws {
        path = folder + "/\(name).weir.jsonl"
        var head = Record.Head(
            recording: String(repeating: name == "a" ? "a" : "b", count: 32), wallStart: wallStart, tool: "test",
            seed: 1,
            session: Configuration(backend: .socketio, revision: .v4, resyncInterval: nil).json)
        head.idleLimit = idleLimit?.microseconds
        var script: [(time: Moment, record: Record)] = [
            (.zero, .connection(.init(connection: 1, state: .open))),
            (
                .zero,
                Self.frame(#"0{"sid":"s","upgrades":[],"pingInterval":300000,"pingTimeout":20000,"maxPayload":100000}"#)
            ),
            (.zero, Self.frame(#"40{"sid":"t"}"#)),
        ]
        var now = Moment.zero
        for event in 1...events {
            now = now + interval
            // A ping keeps the connection alive over long intervals.
            if interval >= .seconds(20) { script.append((now, Self.frame("2"))) }
            script.append((now, Self.frame(#"42["\#(text)",{"number":\#(event)}]"#)))
            if event == mark { script.append((now, .mark(.init(label: "here", author: "ctl")))) }
        }
        try Self.write(path, head, script, isClosed: isClosed)
    }

    /// Writes a recording with these records.
    static func write(
        _ path: String, _ head: Record.Head, _ script: [(time: Moment, record: Record)], isClosed: Bool = true
    ) throws {
        var writer = try RecordingWriter(creating: path, head: head, durability: .never)
        for (time, record) in script {
            try writer.append(record, at: time, wall: head.wallStart + time.microseconds)
        }
        guard isClosed else { return try writer.flush() }
        let end = script.last?.time ?? .zero
        try writer.close(why: .closed, at: Stamp(n: 0, time: end, wall: head.wallStart + end.microseconds))
    }

    static func frame(_ text: String) -> Record {
        .frame(.init(connection: 1, direction: .in, message: .text(text)))
    }

    /// Plays the recording with a changed configuration. Returns the numbers of the events shown.
    func play(_ change: (inout ReplayConfiguration) -> Void = { _ in }) throws -> (numbers: [Int], outcome: TailOutcome)
    {
        let (reports, summary) = try played([path], change)
        return (reports.numbers, summary.outcome)
    }

    /// Returns the file's lines without `sync` and `idx` records, whose counts would no longer match after a change.
    func records() throws -> [String] {
        String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { !$0.contains(#""k":"sync""#) && !$0.contains(#""k":"idx""#) }
    }
}

extension [StampedReport] {
    /// The numbers in the events, in the order shown.
    var numbers: [Int] {
        events.compactMap { event in
            guard case .array(let parts)? = try? JSONValue(parsing: event.payload.bytes), parts.count == 2,
                case .object(let members) = parts[1], case .integer(let number)? = members.first?.value
            else { return nil }
            return Int(number)
        }
    }
}
