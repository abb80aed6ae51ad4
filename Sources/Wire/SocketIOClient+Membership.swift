import JSONText

extension SocketIOClient {
    /// The state of one namespace that the client has requested, or to which a server of Engine.IO 3 has joined it.
    struct Membership: Sendable {
        enum State {
            /// To be requested when the session opens. Follows: joining.
            case waiting
            /// The answer is due, without a time limit if it was not requested. Follows: joined, gone.
            case joining(until: Moment?)
            /// The namespace is joined and events flow. Follows: gone.
            case joined
            /// Left, removed or refused. Follows: joining, if it is requested again.
            case gone
        }

        let name: String
        /// The address for CONNECT over Engine.IO 3: the name and perhaps a query.
        var address: String
        var auth: RawJSON?
        /// False for the default namespace of an Engine.IO 3 server if the application did not request it. Its events
        /// are delivered, but nothing else is reported.
        var isWanted: Bool
        var state = State.waiting
        var ledger: EmitLedger
        /// The events that arrived before the server's answer (Socket.IO SIO-10).
        var early = BoundedBuffer<SocketIO.Event>(countLimit: 16_384)
        var hasLostEarly = false

        init(_ namespace: Namespace, isWanted: Bool = true, ledger: EmitLedger? = nil) {
            let address = SocketIO.NamespaceAddress(namespace.name)
            name = address.name
            self.address = address.text
            auth = namespace.auth
            self.isWanted = isWanted
            self.ledger = ledger ?? EmitLedger(namespace: address.name)
        }

        var isJoined: Bool { if case .joined = state { true } else { false } }
        var isGone: Bool { if case .gone = state { true } else { false } }

        /// The next deadline in this namespace.
        var deadline: Moment? {
            guard case .joining(let until?) = state else { return ledger.deadline }
            return ledger.deadline.map { min($0, until) } ?? until
        }

        /// Extends the deadlines for the server's answers.
        mutating func postpone(by span: Duration) {
            if case .joining(let until?) = state { state = .joining(until: until + span) }
            ledger.postpone(by: span)
        }

        /// Handles the loss of the connection. Only the ledger is kept.
        mutating func disconnected(into effects: inout [Effect]) {
            if isGone { return }
            state = .waiting
            forgetEarly()
            ledger.disconnected(into: &effects)
        }

        /// Ends the membership. The client does not rejoin the namespace by itself.
        mutating func end(into effects: inout [Effect]) {
            state = .gone
            forgetEarly()
            ledger.abandon(into: &effects)
        }

        private mutating func forgetEarly() {
            _ = early.drain()
            hasLostEarly = false
        }

        /// Returns the CONNECT that requests the namespace, with the data to recover its last session
        /// (Socket.IO SIO-15).
        mutating func connect(_ revision: EngineIO.Revision) -> WebSocketMessage {
            switch revision {
            case .v3: return SocketIO.Packet.connect(namespace: address, payload: nil).message
            case .v4:
                guard let point = ledger.recovery.ask() else {
                    return SocketIO.Packet.connect(namespace: name, payload: auth).message
                }
                let wish = RawJSON.object {
                    $0.member("pid", point.pid)
                    $0.member("offset", point.offset)
                }
                return SocketIO.Packet.connect(namespace: name, payload: wish.merged(with: auth)).message
            }
        }
    }
}

extension RawJSON {
    /// Returns this object with the members of another appended.
    fileprivate func merged(with other: RawJSON?) -> RawJSON {
        guard let members = other?.members else { return self }
        return RawJSON(unchecked: bytes.dropLast() + [UInt8(ascii: ",")] + members + [UInt8(ascii: "}")])
    }

    /// The text between the braces, or `nil` if this is not an object or is empty.
    private var members: ArraySlice<UInt8>? {
        guard bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else { return nil }
        let inside = bytes.dropFirst().dropLast()
        return inside.allSatisfy { $0 <= 0x20 } ? nil : inside
    }

    /// The `sid` and the `pid` of a CONNECT answer of Engine.IO 4, or `nil` if `sid` is not a string.
    var sessionIDs: (sid: String, pid: String?)? {
        guard case (let sid?, let pid)? = texts("sid", "pid") else { return nil }
        return (sid, pid)
    }
}
