import JSONText
import Wire

/// A client of a recorded server. It receives what was sent on one recorded connection, at the same times after it
/// joined the namespace.
///
/// It is a state machine. Before a step at which the recorded client had sent an event, it waits for its client to do
/// the same, so that an answer never precedes its cause. It waits at most `patience`, since the client may be a
/// different program. If a client fails to send an event of some name, the machine does not wait for that name again.
struct RecordedConnection: Sendable {
    /// An effect of the machine. Effects are performed in order.
    enum Effect: Hashable, Sendable {
        case send(WebSocketMessage)
        /// Ends the session. The machine takes no more input.
        case close(EngineIO.Ending)
        /// Cuts the client off, as the recorded connection was lost here. After a reconnect the client gets the next
        /// connection.
        case cut
    }

    /// The machine's position in its steps.
    private enum State {
        /// The client has joined no namespace yet. → playing
        case outside
        /// The steps are timed from `from`; `waitingSince` is when the machine began to wait for the client. → over
        case playing(from: Moment, waitingSince: Moment?)
        /// All steps were played, or the session ended.
        case over
    }

    /// The longest time to wait for an event that the recorded client had sent.
    static let patience: Duration = .seconds(2)

    private var server: SocketIOServer
    private let speed: Double?
    private var steps: ArraySlice<(at: Duration, step: RecordedScript.Step)>
    private var state = State.outside
    /// By name, the number of events that the client sent ahead of the recorded one.
    private var heard: [String: Int] = [:]
    /// The names of events that the client failed to send in time.
    private var missed: Set<String> = []
    /// The client's events that request an acknowledgement, in order.
    private var asks: [(namespace: String, id: Int)] = []

    init(
        _ configuration: SocketIOServer.Configuration, _ connection: RecordedScript.Connection, speed: Double?,
        openedAt now: Moment
    ) {
        server = SocketIOServer(configuration, openedAt: now)
        steps = connection.steps[...]
        self.speed = speed
    }

    /// The time at which `advance` must be called next.
    var deadline: Moment? {
        guard let own = ownDeadline else { return server.deadline }
        return server.deadline.map { min($0, own) } ?? own
    }

    private var ownDeadline: Moment? {
        guard case .playing(let start, let waitingSince) = state, let next = steps.first else { return nil }
        return waitingSince.map { $0 + Self.patience } ?? due(next.at, from: start)
    }

    /// Starts the session, which sends the open packet.
    mutating func start(at now: Moment, into effects: inout [Effect]) {
        run(at: now, into: &effects) { $0.start(into: &$1) }
    }

    /// Handles a packet from the client.
    mutating func receive(_ packet: WebSocketMessage, at now: Moment, into effects: inout [Effect]) {
        run(at: now, into: &effects) { $0.receive(packet, at: now, into: &$1) }
    }

    /// Performs everything that is due.
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

    /// The maximum number of acknowledgements that a client may wait for.
    private static let mostAsks = 10_000

    // MARK: - The steps

    private func due(_ time: Duration, from start: Moment) -> Moment {
        guard let speed else { return start }
        return start + .microseconds(Int64(min(Double(time.microseconds) / speed, 1e15)))
    }

    /// Plays the steps that are due.
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
            // A wait delays all later steps by the same time.
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
