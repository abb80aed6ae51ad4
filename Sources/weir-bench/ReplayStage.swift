import Events
import Glibc
import JSONText
import Live
import Pipeline
import Recording
import Wire

/// A stage in processing a recording. Each stage includes the ones before it, except for the last, which reads the
/// output of the one before it.
enum ReplayStage: String, CaseIterable {
    case scan = "find the lines"
    case records = "records"
    case events = "decoded events"
    case diffs = "session, to diffs"
    case diffLines = "diff log lines"
    case applied = "diff log, applied"

    /// Whether the stage sees every event.
    var decodesEvents: Bool {
        switch self {
        case .scan, .records, .applied: false
        case .events, .diffs, .diffLines: true
        }
    }

    /// Runs the stage over `bytes`: a recording, or its diff log for the stage that applies one.
    func run(over bytes: [UInt8]) throws(BenchmarkError) -> ReplayTally {
        do {
            switch self {
            case .scan: return Self.scan(bytes)
            case .records: return try Self.readRecords(bytes)
            case .events: return try Self.decodeEvents(bytes)
            case .diffs: return try Self.runSession(bytes) { _, _ in }
            case .diffLines: return try Self.writeLines(bytes)
            case .applied: return try Self.apply(log: bytes)
            }
        } catch {
            throw .failed("\(rawValue): \(error)")
        }
    }
}

/// The counts of what a stage saw.
struct ReplayTally: Equatable {
    var records = 0
    var events = 0
    var diffs = 0
    var undecodable = 0
    var outputBytes = 0
}

extension ReplayStage {
    private static func scan(_ bytes: [UInt8]) -> ReplayTally {
        bytes.withUnsafeBytes { buffer in
            var tally = ReplayTally()
            var start = 0
            while start < buffer.count, let base = buffer.baseAddress,
                let feed = memchr(base + start, Int32(UInt8(ascii: "\n")), buffer.count - start)
            {
                tally.records += 1
                start = UnsafeRawPointer(feed) - base + 1
            }
            return tally
        }
    }

    private static func readRecords(_ bytes: [UInt8]) throws(RecordingError) -> ReplayTally {
        var tally = ReplayTally()
        var reader = try RecordingReader(bytes: bytes)
        while let entry = try reader.next() {
            if case .record = entry { tally.records += 1 } else { tally.undecodable += 1 }
        }
        return tally
    }

    private static func decodeEvents(_ bytes: [UInt8]) throws(RecordingError) -> ReplayTally {
        var tally = ReplayTally()
        var reader = try RecordingReader(bytes: bytes)
        var client = SocketIOClient(SocketIOClient.Configuration(revision: .v4), openedAt: .zero)
        var effects: [SocketIOClient.Effect] = []
        while let entry = try reader.next() {
            guard case .record(let record, let stamp) = entry else {
                tally.undecodable += 1
                continue
            }
            tally.records += 1
            guard case .frame(let frame) = record, frame.direction == .in else { continue }
            client.receive(frame.message, at: stamp.time, into: &effects)
            for effect in effects { tally.add(effect) }
            effects.removeAll(keepingCapacity: true)
        }
        return tally
    }

    /// Runs the session. It keeps a checksum when its diffs are logged.
    private static func runSession(
        _ bytes: [UInt8], logged: Bool = false, _ take: (DiffReport, Moment) -> Void
    ) throws -> ReplayTally {
        var tally = ReplayTally()
        var reader = try RecordingReader(bytes: bytes)
        var session = Session(
            try Configuration(json: reader.head.session), seed: reader.head.seed, keepsChecksum: logged)
        var effects: [Effect] = []
        session.handle(.start, n: 0, at: .zero, into: &effects)
        while let entry = try reader.next() {
            guard case .record(let record, let stamp) = entry else {
                tally.undecodable += 1
                continue
            }
            tally.records += 1
            guard let input = Input(record) else { continue }
            session.advance(to: stamp.time, into: &effects)
            session.handle(input, n: stamp.n, at: stamp.time, into: &effects)
            for effect in effects {
                guard case .report(let report) = effect else { continue }
                tally.add(report)
                if case .diff(let diff) = report { take(diff, stamp.time) }
            }
            effects.removeAll(keepingCapacity: true)
        }
        return tally
    }

    private static func writeLines(_ bytes: [UInt8]) throws -> ReplayTally {
        var writer = JSONWriter()
        var written = 0
        var tally = try runSession(bytes, logged: true) { diff, time in
            DiffLog.write(diff, at: time, into: &writer)
            guard writer.count > 1 << 16 else { return }
            written += writer.count
            writer.reset()
        }
        tally.outputBytes = written + writer.count
        return tally
    }

    /// Returns the diff log of a recording.
    static func log(of bytes: [UInt8]) throws(BenchmarkError) -> [UInt8] {
        var writer = JSONWriter()
        do {
            _ = try runSession(bytes, logged: true) { diff, time in DiffLog.write(diff, at: time, into: &writer) }
        } catch {
            throw .failed("the diff log cannot be made: \(error)")
        }
        return writer.bytes
    }

    /// Applies the log to an empty model. The model keeps a checksum and so verifies the log.
    private static func apply(log: [UInt8]) throws(DiffLogError) -> ReplayTally {
        var cursor = try DiffLogCursor(log)
        try cursor.seek(to: cursor.states.upperBound)
        var tally = ReplayTally()
        tally.diffs = cursor.sequence
        return tally
    }
}

extension ReplayTally {
    /// Decodes an event and counts it if it is part of the traffic. Answers to joins do not count.
    fileprivate mutating func add(_ effect: SocketIOClient.Effect) {
        switch effect {
        case .event(let event):
            do {
                if case .resource = try Twake.Event(array: event.array.bytes) { events += 1 }
            } catch {
                undecodable += 1
            }
        case .malformed: undecodable += 1
        case .send, .connected, .refused, .acknowledged, .unacknowledged, .dropped, .disconnected, .close:
            break
        }
    }

    fileprivate mutating func add(_ report: Report) {
        switch report {
        case .event(let report): if case .resource? = report.event.twake { events += 1 }
        case .diff: diffs += 1
        case .undecodable, .gap: undecodable += 1
        case .connection, .room, .action, .emit, .refetch, .typing, .notice: break
        }
    }
}
