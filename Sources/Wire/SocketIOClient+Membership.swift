import JSONText

extension SocketIOClient {
    /// A namespace the client has asked for, or was put into by a server of Engine.IO 3.
    struct Membership: Sendable {
        enum State {
            /// To be asked for when the session opens. Follows: joining.
            case waiting
            /// The answer is due; for ever, where nobody asked. Follows: joined, gone.
            case joining(until: Moment?)
            /// Events flow. Follows: gone.
            case joined
            /// Left, taken out or refused. Follows: joining, when it is asked for again.
            case gone
        }

        let name: String
        /// What CONNECT names over Engine.IO 3: the name and perhaps a query.
        var address: String
        var auth: RawJSON?
        /// False for the default namespace of a server of Engine.IO 3 when nobody asked for it: its events are delivered, and no more is said.
        var isWanted: Bool
        var state = State.waiting
        var ledger: EmitLedger
        /// Events that came before the answer (1.10).
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

        /// When something of the namespace is due.
        var deadline: Moment? {
            guard case .joining(let until?) = state else { return ledger.deadline }
            return ledger.deadline.map { min($0, until) } ?? until
        }

        /// The server has so much longer for its answers.
        mutating func postpone(by span: Duration) {
            if case .joining(let until?) = state { state = .joining(until: until + span) }
            ledger.postpone(by: span)
        }

        /// The connection is gone: nothing of it is kept but the ledger.
        mutating func disconnected(into effects: inout [Effect]) {
            if isGone { return }
            state = .waiting
            forgetEarly()
            ledger.disconnected(into: &effects)
        }

        /// The namespace is not ours any more, and nobody will join it again by itself.
        mutating func end(into effects: inout [Effect]) {
            state = .gone
            forgetEarly()
            ledger.abandon(into: &effects)
        }

        private mutating func forgetEarly() {
            _ = early.drain()
            hasLostEarly = false
        }

        /// The CONNECT that asks for the namespace, with what recovers its last session (1.12).
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
    /// This object with the members of another behind its own.
    fileprivate func merged(with other: RawJSON?) -> RawJSON {
        guard let members = other?.members else { return self }
        return RawJSON(unchecked: bytes.dropLast() + [UInt8(ascii: ",")] + members + [UInt8(ascii: "}")])
    }

    /// What stands between the braces; nil when this is no object, or an empty one.
    private var members: ArraySlice<UInt8>? {
        guard bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else { return nil }
        let inside = bytes.dropFirst().dropLast()
        return inside.allSatisfy { $0 <= 0x20 } ? nil : inside
    }

    /// `sid` and `pid` of the CONNECT answer of Engine.IO 4; nil for anything without a `sid` that is a string.
    var sessionIDs: (sid: String, pid: String?)? {
        guard case (let sid?, let pid)? = texts("sid", "pid") else { return nil }
        return (sid, pid)
    }
}
