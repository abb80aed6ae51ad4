import JSONText
import Wire

/// One client of a recorded server: it is said what was said on one recorded connection, at the same times after it joined the namespace.
///
/// A machine. Where the recorded client had sent something, this one waits for its client to do the same, so that an answer never comes
/// before what it answers; for `patience` at the most, since the client may be another one that does not. A client that once did not
/// send an event of some name is not waited for again when it comes to that name.
struct RecordedConnection: Sendable {
    /// What the machine wants done, in this order.
    enum Effect: Hashable, Sendable {
        case send(WebSocketMessage)
        /// End the session; the machine is finished.
        case close(EngineIO.Ending)
        /// The recorded connection was lost here: cut the client off. It goes on with the next one when it comes again.
        case cut
    }

    /// Where the machine is in its steps.
    private enum State {
        /// No namespace was joined yet. → playing
        case outside
        /// The steps are counted from that moment; what was waited for since when. → over
        case playing(from: Moment, waitingSince: Moment?)
        /// Everything was said.
        case over
    }

    /// How long the client may take for what the recorded one had done.
    static let patience: Duration = .seconds(2)

    private var server: SocketIOServer
    private let speed: Double?
    private var steps: ArraySlice<(at: Duration, step: RecordedScript.Step)>
    private var state = State.outside
    /// How many events of a name the client has sent and the recorded one not yet.
    private var heard: [String: Int] = [:]
    /// Names of events that the client does not send as the recorded one did.
    private var missed: Set<String> = []
    /// Events that ask for an acknowledgement, in order.
    private var asks: [(namespace: String, id: Int)] = []

    init(
        _ configuration: SocketIOServer.Configuration, _ connection: RecordedScript.Connection, speed: Double?,
        openedAt now: Moment
    ) {
        server = SocketIOServer(configuration, openedAt: now)
        steps = connection.steps[...]
        self.speed = speed
    }

    /// When `advance` wants to be called next.
    var deadline: Moment? {
        guard let own = ownDeadline else { return server.deadline }
        return server.deadline.map { min($0, own) } ?? own
    }

    private var ownDeadline: Moment? {
        guard case .playing(let start, let waitingSince) = state, let next = steps.first else { return nil }
        return waitingSince.map { $0 + Self.patience } ?? due(next.at, from: start)
    }

    /// Sends the open packet.
    mutating func start(at now: Moment, into effects: inout [Effect]) {
        run(at: now, into: &effects) { $0.start(into: &$1) }
    }

    /// A packet came.
    mutating func receive(_ packet: WebSocketMessage, at now: Moment, into effects: inout [Effect]) {
        run(at: now, into: &effects) { $0.receive(packet, at: now, into: &$1) }
    }

    /// Does what is due.
    mutating func advance(to now: Moment, into effects: inout [Effect]) {
        run(at: now, into: &effects) { $0.advance(to: now, into: &$1) }
    }

    private mutating func run(
        at now: Moment, into effects: inout [Effect],
        _ body: (inout SocketIOServer, inout [SocketIOServer.Effect]) -> Void
    ) {
        var below: [SocketIOServer.Effect] = []
        body(&server, &below)
        for effect in below { take(effect, at: now, into: &effects) }
        play(at: now, into: &effects)
    }

    private mutating func take(_ effect: SocketIOServer.Effect, at now: Moment, into effects: inout [Effect]) {
        switch effect {
        case .send(let message): effects.append(.send(message))
        case .close(let ending):
            state = .over
            effects.append(.close(ending))
        case .connected: if case .outside = state { state = .playing(from: now, waitingSince: nil) }
        case .event(let event):
            heard[event.name, default: 0] += 1
            if let id = event.ackID, asks.count < Self.mostAsks { asks.append((event.namespace, id)) }
        case .recoveryAsked, .joinAsked, .acknowledged, .unacknowledged, .disconnected: break
        }
    }

    /// Acknowledgements that a client may wait for.
    private static let mostAsks = 10_000

    // MARK: - The steps

    private func due(_ time: Duration, from start: Moment) -> Moment {
        guard let speed else { return start }
        return start + .microseconds(Int64(min(Double(time.microseconds) / speed, 1e15)))
    }

    /// Plays what is due.
    private mutating func play(at now: Moment, into effects: inout [Effect]) {
        while case .playing(let start, let waitingSince) = state {
            guard let next = steps.first else { return }
            guard due(next.at, from: start) <= now else { return }
            if case .heard(let name) = next.step {
                if let count = heard[name], count > 0 {
                    heard[name] = count - 1
                } else if let waitingSince {
                    guard waitingSince + Self.patience <= now else { return }
                    missed.insert(name)
                } else if !missed.contains(name) {
                    state = .playing(from: start, waitingSince: now)
                    return
                }
            }
            steps.removeFirst()
            // What was waited for makes everything later by as much.
            let late = waitingSince.map { speed == nil ? .zero : now - max($0, due(next.at, from: start)) } ?? .zero
            state = .playing(from: start + late, waitingSince: nil)
            perform(next.step, into: &effects)
        }
    }

    private mutating func perform(_ step: RecordedScript.Step, into effects: inout [Effect]) {
        var below: [SocketIOServer.Effect] = []
        switch step {
        case .event(let event):
            guard !SocketIO.isReserved(event.name) else { return }
            server.emit(
                event.name, arguments: event.arguments, attachments: event.attachments, namespace: event.namespace,
                into: &below)
        case .acknowledged(let index, let namespace, let arguments):
            guard index < asks.count, asks[index].namespace == namespace else { return }
            server.acknowledge(asks[index].id, arguments: arguments, namespace: namespace, into: &below)
        case .heard: return
        case .lost:
            state = .over
            effects.append(.cut)
        }
        for case .send(let message) in below { effects.append(.send(message)) }
    }
}
