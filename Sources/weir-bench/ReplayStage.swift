import Events
import Glibc
import JSONText
import Live
import Pipeline
import Recording
import Wire

/// How far the bytes of a recording are followed; each stage does what the ones before it do.
enum ReplayStage: String, CaseIterable {
    case scan = "find the lines"
    case records = "records"
    case events = "decoded events"
    case diffs = "session, to diffs"
    case diffLines = "diff log lines"

    /// Whether the stage sees every event.
    var decodesEvents: Bool {
        switch self {
        case .scan, .records: false
        case .events, .diffs, .diffLines: true
        }
    }

    func run(over bytes: [UInt8]) throws(BenchmarkError) -> ReplayTally {
        do {
            switch self {
            case .scan: return Self.scan(bytes)
            case .records: return try Self.readRecords(bytes)
            case .events: return try Self.decodeEvents(bytes)
            case .diffs: return try Self.runSession(bytes, writesLines: false)
            case .diffLines: return try Self.runSession(bytes, writesLines: true)
            }
        } catch {
            throw .failed("\(rawValue): \(error)")
        }
    }
}

/// What a stage saw.
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

    private static func runSession(_ bytes: [UInt8], writesLines: Bool) throws -> ReplayTally {
        var tally = ReplayTally()
        var reader = try RecordingReader(bytes: bytes)
        var session = Session(try Configuration(json: reader.head.session), seed: reader.head.seed)
        var effects: [Effect] = []
        var writer = JSONWriter()
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
                guard writesLines, case .diff(let diff) = report else { continue }
                DiffLog.write(diff, at: stamp.time, into: &writer)
            }
            effects.removeAll(keepingCapacity: true)
            guard writer.bytes.count > 1 << 16 else { continue }
            tally.outputBytes += writer.bytes.count
            writer.reset()
        }
        tally.outputBytes += writer.bytes.count
        return tally
    }
}

extension ReplayTally {
    /// Decodes an event; counts what the traffic is about, not the answers to joins.
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
        case .event(let report): if case .twake(.resource) = report.event { events += 1 }
        case .diff: diffs += 1
        case .undecodable, .gap: undecodable += 1
        case .connection, .room, .notice: break
        }
    }
}
