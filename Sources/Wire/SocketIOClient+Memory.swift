extension SocketIOClient {
    /// What outlives a connection, to be given to the next machine: the sessions to recover, the events that wait, the retry
    /// queues. Take it from `socketClosed`; while there is no machine, emit to it.
    public struct Memory: Sendable {
        var ledgers: [EmitLedger] = []

        /// Nothing to remember.
        public init() {}

        /// When `advance` wants to be called next: an acknowledgement is given up then.
        public var deadline: Moment? { ledgers.compactMap(\.deadline).min() }

        /// Keeps an event as far as its delivery allows; gives its ack id. An event that names no namespace is for `first`.
        public mutating func emit(
            _ emission: SocketIO.Emission, first: String = "/", overflow: SocketIO.OverflowPolicy = .refuseNewest,
            at now: Moment, into effects: inout [Effect]
        ) -> Int? {
            let name = SocketIO.NamespaceAddress(emission.namespace ?? first).name
            let index = ledgers.firstIndex { $0.namespace == name } ?? ledgers.endIndex
            if index == ledgers.endIndex { ledgers.append(EmitLedger(namespace: name)) }
            return ledgers[index].hold(emission, at: now, overflow, into: &effects)
        }

        /// Does what is due up to `now`.
        public mutating func advance(to now: Moment, into effects: inout [Effect]) {
            for index in ledgers.indices { ledgers[index].advance(to: now, nil, into: &effects) }
        }

        /// There will be no connection any more: gives up everything, each with its effect.
        public mutating func abandon(into effects: inout [Effect]) {
            for index in ledgers.indices { ledgers[index].abandon(into: &effects) }
        }
    }
}
