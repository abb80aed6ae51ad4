extension SocketIOClient {
    /// The state that outlives a connection: sessions to recover, waiting events, and retry queues.
    ///
    /// Take it from `socketClosed(into:)` and pass it to the next client. Between two clients, emit to it directly.
    public struct Memory: Sendable {
        var ledgers: [EmitLedger] = []

        /// Creates an empty memory, for the first connection.
        public init() {}

        /// When to call `advance` next: an acknowledgement is given up at that time.
        public var deadline: Moment? { ledgers.compactMap(\.deadline).min() }

        /// Keeps an event if its delivery mode permits, and returns its acknowledgement id. `first` is the namespace of
        /// an event that names none.
        public mutating func emit(
            _ emission: SocketIO.Emission, first: String = "/", overflow: SocketIO.OverflowPolicy = .refuseNewest,
            at now: Moment, into effects: inout [Effect]
        ) -> Int? {
            let name = SocketIO.NamespaceAddress(emission.namespace ?? first).name
            let index = ledgers.firstIndex { $0.namespace == name } ?? ledgers.endIndex
            if index == ledgers.endIndex { ledgers.append(EmitLedger(namespace: name)) }
            return ledgers[index].hold(emission, at: now, overflow, into: &effects)
        }

        /// Performs the steps that are due up to `now`.
        public mutating func advance(to now: Moment, into effects: inout [Effect]) {
            for index in ledgers.indices { ledgers[index].advance(to: now, nil, into: &effects) }
        }

        /// Gives up everything, with an effect for each event, because no further connection will follow.
        public mutating func abandon(into effects: inout [Effect]) {
            for index in ledgers.indices { ledgers[index].abandon(into: &effects) }
        }
    }
}
