import DemoServer
import JSONText
import Live
import Pipeline
import Recording
import Wire

extension RecordedScript {
    /// What the server of a recording said. All of it is held in memory.
    init(recording path: String, speed: Double?) throws {
        var reader = try RecordingReader(opening: path)
        let configuration = try Configuration(of: reader.head, in: path)
        var reading = ScriptReading()
        while let entry = try reader.next() {
            if case .record(let record, let stamp) = entry { reading.take(record, at: stamp.time) }
        }
        let namespaces = configuration.namespace == "/" ? ["/"] : ["/", configuration.namespace]
        self.init(
            connections: reading.connections, exchanges: reading.exchanges, namespaces: namespaces, speed: speed)
    }

    /// Where the recorded endpoint was.
    static func endpoint(of path: String) throws -> EndpointOptions {
        let reader = try RecordingReader(opening: path)
        var options = EndpointOptions(path: (try? Configuration(json: reader.head.session))?.path ?? "/socket.io/")
        // What was received once can be sent again.
        options.maxPayload = 16 << 20
        options.maximumPending = 64 << 20
        return options
    }
}

/// Gathers what a server said from a recording's records.
private struct ScriptReading {
    private(set) var connections: [RecordedScript.Connection] = []
    private(set) var exchanges: [RecordedScript.Exchange] = []
    /// When the namespace of the connection at hand was joined; nil before.
    private var joined: Moment?
    private var revision = EngineIO.Revision.v4
    /// Whether the client itself ended the connection at hand.
    private var isClosing = false
    /// A packet whose attachments are due.
    private var gathering: (event: SocketIO.Event, due: Int, attachments: [ArraySlice<UInt8>])?
    /// The client's events that asked for an acknowledgement, on the connection at hand, by their id.
    private var asks: [Int: Int] = [:]
    private var requests: [Int: (method: String, target: String)] = [:]

    mutating func take(_ record: Record, at time: Moment) {
        switch record {
        case .connection(let change): take(change, at: time)
        case .frame(let frame) where !frame.isDropped:
            switch frame.message {
            case .text(let text): take(text, frame.direction, at: time)
            case .binary(let bytes): if frame.direction == .in { take(attachment: bytes, at: time) }
            }
        case .http(let exchange): take(exchange)
        case .head, .frame, .subscription, .gap, .token, .action, .memory, .mark, .state, .clock, .note, .sync, .index,
            .end, .unknown:
            break
        }
    }

    private mutating func take(_ change: Record.ConnectionRecord, at time: Moment) {
        switch change.state {
        case .open:
            connections.append(RecordedScript.Connection())
            (joined, isClosing, gathering, asks) = (nil, false, nil, [:])
        case .closing: isClosing = true
        case .closed: if !isClosing { add(.lost, at: time) }
        case .connecting: if let url = change.url { revision = url.contains("EIO=3") ? .v3 : .v4 }
        case .upgraded, .failed: break
        }
    }

    /// A frame of text: an Engine.IO packet, of which only messages are Socket.IO's.
    private mutating func take(_ text: ArraySlice<UInt8>, _ direction: Record.FrameRecord.Direction, at time: Moment) {
        guard text.first == UInt8(ascii: "4") else { return }
        guard let packet = try? SocketIO.Packet(parsing: text.dropFirst(), revision: revision) else { return }
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

    private mutating func take(attachment bytes: ArraySlice<UInt8>, at time: Moment) {
        guard var open = gathering else { return }
        gathering = nil
        // Engine.IO 3 says in front of the bytes that they are a message.
        open.attachments.append(revision == .v3 ? bytes.dropFirst() : bytes)
        if open.attachments.count < open.due { gathering = open } else { add(open.event, open.attachments, at: time) }
    }

    private mutating func add(_ event: SocketIO.Event, _ attachments: [ArraySlice<UInt8>], at time: Moment) {
        add(
            .event(
                RecordedScript.Event(
                    namespace: event.namespace, name: event.name, arguments: event.argumentList,
                    attachments: attachments)),
            at: time)
    }

    private mutating func add(_ step: RecordedScript.Step, at time: Moment) {
        guard let joined, !connections.isEmpty else { return }
        connections[connections.count - 1].steps.append((max(time - joined, .zero), step))
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
