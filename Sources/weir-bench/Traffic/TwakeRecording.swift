import Glibc
import WeirPipeline
import WeirRecording
import WeirWire

/// Writes a recording like that of a tail of a Twake backend. A session receives generated traffic: it connects,
/// authenticates, and joins the channels' list and every channel's feed. Then the events follow, one per millisecond,
/// with the answers to the session's requests.
struct TwakeRecording: ~Copyable {
    private var session: Session
    private var writer: RecordingWriter
    private var traffic: TwakeTraffic
    private var now = Moment.zero
    private var effects: [Effect] = []
    private var requests: [FetchRequest] = []

    /// Returns the bytes of a recording of `events` events.
    static func bytes(events: Int, channels: Int, seed: UInt64) throws(BenchmarkError) -> [UInt8] {
        let folder = try TemporaryFolder()
        do {
            let recording = try TwakeRecording(
                path: folder.path + "/traffic.weir.jsonl", TwakeTraffic(channels: channels, seed: seed), seed)
            try recording.write(events: events)
        } catch {
            throw .failed("the recording cannot be written: \(error)")
        }
        return try folder.contents(of: "traffic.weir.jsonl")
    }

    /// Writes a recording of `events` events to a temporary file. The channels hold at most `messages` messages in
    /// total.
    static func file(
        events: Int, channels: Int, messages: Int, isTerse: Bool = false, seed: UInt64
    ) throws(BenchmarkError) -> RecordedFile {
        let file = try RecordedFile()
        do {
            let traffic = TwakeTraffic(channels: channels, messages: messages, isTerse: isTerse, seed: seed)
            let recording = try TwakeRecording(path: file.path, traffic, seed)
            try recording.write(events: events)
        } catch {
            throw .failed("the recording cannot be written: \(error)")
        }
        return file
    }

    private init(path: String, _ traffic: TwakeTraffic, _ seed: UInt64) throws(RecordingError) {
        let rooms = [traffic.listRoom] + traffic.channels.indices.map { traffic.feedRoom($0) }
        let configuration = Configuration(
            backend: .twake, revision: .v4, company: traffic.company, workspace: traffic.workspace, rooms: rooms,
            resyncInterval: nil)
        self.traffic = traffic
        session = Session(configuration, seed: seed)
        writer = try RecordingWriter(
            creating: path,
            head: Record.Head(
                recording: String(repeating: "0", count: 32), wallStart: 1_700_000_000_000_000, tool: "weir-bench",
                seed: seed, session: configuration.json),
            durability: .never)
    }

    private consuming func write(events: Int) throws(RecordingError) {
        try connect()
        var nextPing = Moment(microseconds: 25_000_000)
        for _ in 0..<events {
            now = now + .milliseconds(1)
            if now >= nextPing {
                try receive("2")
                nextPing = nextPing + .seconds(25)
            }
            try receive(traffic.next())
        }
        try writer.close(why: .closed, at: Stamp(n: 0, time: now, wall: wall))
    }

    private mutating func connect() throws(RecordingError) {
        session.handle(.start, n: 0, at: now, into: &effects)
        try perform()
        try feed(
            .opened(connection: 1, token: Secret("made up")),
            .connection(Record.ConnectionRecord(connection: 1, state: .open)))
        try receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#)
        try receive(#"40{"sid":"t"}"#)
        try receive(#"42["authenticated"]"#)
        for room in session.configuration.rooms {
            try receive(#"42["realtime:join:success",{"name":"\#(room)"}]"#)
        }
    }

    /// Delivers a frame, and the answers to all requests that it causes.
    private mutating func receive(_ text: String) throws(RecordingError) {
        let message = WebSocketMessage.text(text)
        try feed(
            .message(connection: 1, message),
            .frame(Record.FrameRecord(connection: 1, direction: .in, message: message)))
        while !requests.isEmpty {
            let request = requests.removeFirst()
            let body = Array(traffic.answer(to: request.target).utf8)
            try feed(
                .answered(request: request.id, .response(status: 200, body: body[...], retryAfter: nil)),
                .http(Record.HTTPRecord(id: request.id, phase: .response(status: 200, body: body, retryAfter: nil))))
        }
    }

    private mutating func feed(_ input: Input, _ record: Record) throws(RecordingError) {
        session.advance(to: now, into: &effects)
        try perform()
        let number = try writer.append(record, at: now, wall: wall)
        session.handle(input, n: number, at: now, into: &effects)
        try perform()
    }

    /// Records the session's effects, and collects its requests.
    private mutating func perform() throws(RecordingError) {
        for effect in effects {
            switch effect {
            case .send(let connection, let message):
                let frame = Record.FrameRecord(connection: connection, direction: .out, message: message)
                try writer.append(.frame(frame), at: now, wall: wall)
            case .request(let request):
                let phase = Record.HTTPRecord.Phase.request(method: request.method, url: request.target, body: [])
                let exchange = Record.HTTPRecord(id: request.id, phase: phase, cause: request.cause)
                try writer.append(.http(exchange), at: now, wall: wall)
                requests.append(request)
            case .connect, .close, .cancel, .renewToken, .remember, .report, .finish: break
            }
        }
        effects.removeAll(keepingCapacity: true)
    }

    private var wall: Int64 { 1_700_000_000_000_000 + now.microseconds }
}

/// A recording in a temporary folder, removed when this object is released.
final class RecordedFile {
    private let folder: TemporaryFolder
    let path: String

    init() throws(BenchmarkError) {
        folder = try TemporaryFolder()
        path = folder.path + "/traffic.weir.jsonl"
    }

    /// The size of the file in bytes.
    var size: Int {
        var facts = stat()
        return stat(path, &facts) == 0 ? Int(facts.st_size) : 0
    }
}
