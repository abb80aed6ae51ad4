import WeirDemoServer
import WeirJSON
import WeirLive
import WeirPipeline
import WeirRecording
import WeirWire

/// The command `weir replay --serve`: serves a recording until a signal arrives.
enum ServedRecording {
    static func run(_ options: ReplayOptions, at listen: OwnServer.Place) async -> ExitCode {
        do {
            let speed: Double? = if case .factor(let factor) = options.replay.pace { factor } else { nil }
            let path = options.replay.paths[0]
            guard try RecordedScript.isSocketIO(path) else {
                Console.note("weir: --serve: a recording of a Bayeux server cannot be served")
                return .usage
            }
            let script = try RecordedScript(recording: path, speed: speed)
            let endpoint = try RecordedScript.endpoint(of: path)
            let server = try OwnServer(hint: { _ in "serving the recording until interrupted" }) { loop in
                let server = try RecordedServer(
                    on: loop, address: listen.address, port: listen.port, script: script, options: endpoint)
                return (server.url, { nil }, { server.close() })
            }
            return await server.run(quiet: options.output.quiet)
        } catch {
            return Console.fail(error)
        }
    }
}

extension RecordedScript {
    /// Reads the server's side of a recording into memory.
    init(recording path: String, speed: Double?) throws {
        var reader = try RecordingReader(opening: path)
        let configuration = try Configuration(of: reader.head, in: path)
        var reading = ScriptReading()
        while let entry = try reader.next() {
            if case .record(let record, let stamp) = entry { reading.take(record, at: stamp.time) }
        }
        let namespaces = ["/"] + configuration.namespaces.filter { $0 != "/" }
        self.init(
            connections: reading.connections, exchanges: reading.exchanges, namespaces: namespaces, speed: speed)
    }

    /// Returns whether the recorded server spoke Socket.IO.
    static func isSocketIO(_ path: String) throws -> Bool {
        let reader = try RecordingReader(opening: path)
        return try !Configuration(of: reader.head, in: path).backend.speaksBayeux
    }

    /// Returns the options for the recorded endpoint.
    static func endpoint(of path: String) throws -> EndpointOptions {
        let reader = try RecordingReader(opening: path)
        var options = EndpointOptions(path: (try? Configuration(json: reader.head.session))?.path ?? "/socket.io/")
        // This server must be able to send every packet that another one sent.
        options.maxPayload = 16 << 20
        options.maximumPending = 64 << 20
        return options
    }
}

/// Collects the server's side from the records of a recording.
private struct ScriptReading {
    /// The state of a connection while the recording is read.
    fileprivate struct Reading {
        var revision: EngineIO.Revision
        /// The time at which the namespace was joined; `nil` before. A capture may begin later, with an event.
        var joined: Moment?
        /// Whether the client closed the connection.
        var isClosing = false
        /// An event that waits for its attachments.
        var gathering: (event: SocketIO.Event, due: Int, attachments: [ArraySlice<UInt8>])?
        /// The order in which the client's events requested acknowledgements, by acknowledgement id.
        var asks: [Int: Int] = [:]
        var steps: [(at: Duration, step: RecordedScript.Step)] = []
    }

    private var readings: [Reading] = []
    /// The index of the reading of each open connection, by the connection's number.
    private var open: [Int: Int] = [:]
    private(set) var exchanges: [RecordedScript.Exchange] = []
    private var revision = EngineIO.Revision.v4
    private var requests: [Int: (method: String, target: String)] = [:]

    /// The connections that joined a namespace, in the order in which they opened.
    var connections: [RecordedScript.Connection] {
        readings.filter { $0.joined != nil }.map { RecordedScript.Connection(steps: $0.steps) }
    }

    mutating func take(_ record: Record, at time: Moment) {
        switch record {
        case .connection(let change): take(change, at: time)
        case .frame(let frame) where !frame.isDropped: take(frame, at: time)
        case .http(let exchange): take(exchange)
        case .head, .frame, .subscription, .gap, .token, .action, .memory, .mark, .state, .clock, .note, .sync, .index,
            .end, .unknown:
            break
        }
    }

    private mutating func take(_ change: Record.ConnectionRecord, at time: Moment) {
        switch change.state {
        case .open: begin(change.connection)
        case .closing: if let place = open[change.connection] { readings[place].isClosing = true }
        case .closed: end(change.connection, at: time)
        case .connecting: if let url = change.url { revision = url.contains("EIO=3") ? .v3 : .v4 }
        case .upgraded, .failed, .paused, .stalled, .resumed: break
        }
    }

    private mutating func begin(_ connection: Int) {
        open[connection] = readings.count
        readings.append(Reading(revision: revision))
    }

    private mutating func end(_ connection: Int, at time: Moment) {
        guard let place = open.removeValue(forKey: connection), !readings[place].isClosing else { return }
        readings[place].add(.lost, at: time)
    }

    private mutating func take(_ frame: Record.FrameRecord, at time: Moment) {
        // In a log that distinguishes no connections, another handshake means another connection.
        if frame.direction == .in, case .text(let text) = frame.message, text.starts(with: "0{".utf8),
            let place = open[frame.connection], readings[place].joined != nil
        {
            end(frame.connection, at: time)
            begin(frame.connection)
        }
        guard let place = open[frame.connection] else { return }
        switch frame.message {
        case .text(let text): readings[place].take(text, frame.direction, at: time)
        case .binary(let bytes): if frame.direction == .in { readings[place].take(attachment: bytes, at: time) }
        }
    }

    private mutating func take(_ exchange: Record.HTTPRecord) {
        switch exchange.phase {
        case .request(let method, let url, _):
            guard let target = Record.HTTPRecord.target(of: url[...]) else { return }
            requests[exchange.id] = (method, String(target))
        case .response(let status, let body, _):
            guard let request = requests.removeValue(forKey: exchange.id) else { return }
            exchanges.append(
                RecordedScript.Exchange(method: request.method, target: request.target, status: status, body: body))
        case .failure: requests[exchange.id] = nil
        }
    }
}

extension ScriptReading.Reading {
    /// Handles a text frame: an Engine.IO packet, which contains Socket.IO only if it is a message.
    fileprivate mutating func take(
        _ text: ArraySlice<UInt8>, _ direction: Record.FrameRecord.Direction, at time: Moment
    ) {
        guard text.first == UInt8(ascii: "4") else { return }
        guard
            let packet = try? SocketIO.Packet(
                parsing: text.dropFirst(), revision: revision, mostAttachments: Limits.attachmentCounts.upperBound)
        else { return }
        switch (packet, direction) {
        case (.connect, .in): if joined == nil { joined = time }
        case (.event(let event, let due), .in):
            if due > 0 { gathering = (event, due, []) } else { add(event, [], at: time) }
        case (.event(let event, _), .out):
            if let id = event.ackID { asks[id] = asks.count }
            add(.heard(name: event.name), at: time)
        case (.acknowledgement(let answer, 0), .in):
            guard let index = asks[answer.id] else { return }
            add(.acknowledged(index: index, namespace: answer.namespace, arguments: answer.arguments), at: time)
        case (.acknowledgement, _), (.connect, .out), (.disconnect, _), (.connectError, _): break
        }
    }

    fileprivate mutating func take(attachment bytes: ArraySlice<UInt8>, at time: Moment) {
        guard var open = gathering else { return }
        gathering = nil
        // In Engine.IO 3, a type byte precedes the attachment.
        open.attachments.append(revision == .v3 ? bytes.dropFirst() : bytes)
        if open.attachments.count < open.due { gathering = open } else { add(open.event, open.attachments, at: time) }
    }

    private mutating func add(_ event: SocketIO.Event, _ attachments: [ArraySlice<UInt8>], at time: Moment) {
        if joined == nil { joined = time }
        add(
            .event(
                RecordedScript.Event(
                    namespace: event.namespace, name: event.name, arguments: event.argumentList,
                    attachments: attachments)),
            at: time)
    }

    /// Adds a step unless it precedes the join of the namespace.
    fileprivate mutating func add(_ step: RecordedScript.Step, at time: Moment) {
        if let joined { steps.append((max(time - joined, .zero), step)) }
    }
}
