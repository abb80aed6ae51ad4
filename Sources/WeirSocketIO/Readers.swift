import WeirNetwork
import WeirThreads
import WeirWire

/// The sequences that read a client's events and states, and the client's driver while it runs. Any thread.
final class Readers: Sendable {
    enum Life {
        /// Not connected yet. Sequences wait. Follows: running, over.
        case new
        /// A driver runs. Follows: over.
        case running(SocketIODriver)
        /// Nothing more happens until the next `connect()`. New sequences are empty. Follows: running.
        case over(SocketIOError?)
    }

    /// An event with the number of the connection on which it arrived.
    struct Arrival: Sendable {
        let event: SocketIO.Event
        let connection: Int

        /// The bytes of the event's text and attachments.
        var weight: Int { event.attachments.reduce(event.array.bytes.count) { $0 + $1.count } }
    }

    private struct EventReader {
        let namespace: String
        let name: String?
        let queue: ReaderQueue<Arrival>
    }

    private struct State {
        var life = Life.new
        var lastID: UInt64 = 0
        var connections = 0
        var events: [UInt64: EventReader] = [:]
        var states: [UInt64: ReaderQueue<SocketIOState>] = [:]
        var current: SocketIOState?
    }

    private let state = Monitor(State())

    /// The driver, while it runs.
    var driver: SocketIODriver? { state.look { if case .running(let driver) = $0.life { driver } else { nil } } }

    /// Whether the client has been connected and has ended.
    var isOver: Bool { state.look { if case .over = $0.life { true } else { false } } }

    func begin(_ driver: SocketIODriver) { state.change { $0.life = .running(driver) } }

    /// Adds a reader for events. It takes all events of the namespace if `name` is `nil`.
    func addEvents(_ namespace: String, _ name: String?, bound: Int) -> (UInt64, ReaderQueue<Arrival>) {
        let queue = ReaderQueue<Arrival>(bound: bound, .pause, weigh: \.weight) { [weak self] in self?.relieved() }
        return add(queue) { $0.events[$1] = EventReader(namespace: namespace, name: name, queue: queue) }
    }

    /// Adds a reader for states. It begins with the current one.
    func addStates() -> (UInt64, ReaderQueue<SocketIOState>) {
        let queue = ReaderQueue<SocketIOState>(bound: 64, .keepNewest)
        return add(queue) { state, id in
            if let current = state.current { queue.push([current]) }
            state.states[id] = queue
        }
    }

    private func add<Element>(
        _ queue: ReaderQueue<Element>, _ insert: (inout State, UInt64) -> Void
    ) -> (UInt64, ReaderQueue<Element>) {
        let (id, isOver) = state.change { state -> (UInt64, Bool) in
            state.lastID += 1
            insert(&state, state.lastID)
            guard case .over = state.life else { return (state.lastID, false) }
            state.events[state.lastID] = nil
            state.states[state.lastID] = nil
            return (state.lastID, true)
        }
        if isOver { queue.finish() }
        return (id, queue)
    }

    func remove(_ id: UInt64) {
        let removed = state.change { state in
            state.states[id] = nil
            return state.events.removeValue(forKey: id)
        }
        if removed?.queue.isFull(hard: false) == true { relieved() }
    }

    private func relieved() {
        guard let driver else { return }
        driver.loop.run { driver.assumeIsolated { $0.followReaders() } }
    }

    // MARK: The driver's side

    /// Returns a number for a new connection, which no other connection of this client has.
    func nextConnection() -> Int {
        state.change { state in
            state.connections += 1
            return state.connections
        }
    }

    /// Gives events to their readers, in order.
    func deliver(_ arrivals: [Arrival]) {
        let readers = state.look { Array($0.events.values) }
        for reader in readers {
            let wanted = arrivals.filter { arrival in
                arrival.event.namespace == reader.namespace
                    && (reader.name.map { arrival.event.name == $0 } ?? true)
            }
            if !wanted.isEmpty { reader.queue.push(wanted) }
        }
    }

    /// Whether so many events wait for a reader that the socket must pause.
    func areFull(hard: Bool) -> Bool { state.look { $0.events.values.contains { $0.queue.isFull(hard: hard) } } }

    func tell(_ told: SocketIOState) {
        let queues = state.change { state in
            state.current = told
            return Array(state.states.values)
        }
        for queue in queues { queue.push([told]) }
    }

    /// Ends all sequences after the elements that wait.
    func finish(_ error: SocketIOError?) {
        tell(.ended(error))
        let (events, states) = state.change { state in
            state.life = .over(error)
            defer { (state.events, state.states) = ([:], [:]) }
            return (Array(state.events.values), Array(state.states.values))
        }
        for reader in events { reader.queue.finish() }
        for queue in states { queue.finish() }
    }
}
