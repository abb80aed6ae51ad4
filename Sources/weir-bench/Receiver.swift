import Network

/// Who receives the source's events, how, and how far it takes them.
struct Receiver {
    /// What a receiver is.
    enum Kind {
        /// Ours: who frames the WebSocket, and what is done with its messages.
        case weir(WebSocketFraming, Depth)
        /// `peer_node.js` in a mode.
        case node([String])
        /// `peer_python.py`.
        case python
    }
    /// How far our receiver goes.
    enum Depth {
        case frames, events, session
        /// The session, by a consumer that takes so many events a second.
        case slowly(Int)
    }

    let name: String
    let kind: Kind
    let isSecure: Bool

    private init(_ name: String, _ kind: Kind, isSecure: Bool = false) {
        self.name = name
        self.kind = kind
        self.isSecure = isSecure
    }

    /// The reference client, which the ratios are of.
    var isReference: Bool { if case .node(let mode) = kind { mode[0] == "--bundle" } else { false } }

    /// How often it is measured: a consumer that is slow on purpose once, as its rate is given.
    func runs(of wanted: Int) -> Int { if case .weir(_, .slowly) = kind { 1 } else { wanted } }

    /// Everybody who can be measured here, in the order of the table.
    static func all(_ peers: BenchmarkPeers) -> [Receiver] {
        var all = [
            Receiver("node ws: frames (--raw)", .node(["--raw"])),
            Receiver("node ws: JSON.parse (--raw-parse)", .node(["--raw-parse"])),
        ]
        if let bundle = peers.bundle { all.append(Receiver("socket.io-client bundle", .node(["--bundle", bundle]))) }
        if peers.python != nil { all.append(Receiver("python-socketio AsyncClient", .python)) }
        all += [
            Receiver("weir: frames", .weir(.own, .frames)),
            Receiver("weir: decoded events", .weir(.own, .events)),
            Receiver("weir: session, to diffs", .weir(.own, .session)),
            Receiver("weir: session, library framing", .weir(.library, .session)),
            Receiver("weir: session, 20,000/s wanted", .weir(.own, .slowly(20_000))),
        ]
        if let bundle = peers.bundle {
            all.append(Receiver("TLS: socket.io-client bundle", .node(["--bundle", bundle]), isSecure: true))
        }
        all += [
            Receiver("TLS: weir: frames", .weir(.own, .frames), isSecure: true),
            Receiver("TLS: weir: session, to diffs", .weir(.own, .session), isSecure: true),
        ]
        return all
    }

    /// Receives everything once.
    func run(on loop: EventLoop, _ peers: BenchmarkPeers, _ source: BlastSource) throws(BenchmarkError)
        -> ReceiveFigures
    {
        switch kind {
        case .weir(let framing, let depth):
            let connection =
                switch depth {
                case .frames: SourceConnection(on: loop, FrameCounter())
                case .events: SourceConnection(on: loop, EventDecoder())
                case .session: SourceConnection(on: loop, SessionRunner())
                case .slowly(let rate): SourceConnection(on: loop, SessionRunner(), rate: rate)
                }
            return try connection.receive(from: source, framing)
        case .node(let mode): return try peers.nodeReceives(from: source, mode: mode)
        case .python: return try peers.pythonReceives(from: source)
        }
    }
}

/// What one run of a receiver gave.
struct ReceiveFigures: Sendable {
    var events: Int
    var span: Span
    /// Megabytes; nil when it is not known for this receiver alone.
    var peak: Double?

    /// Events a second.
    var rate: Double { Double(events) / span.seconds }
    /// Microseconds of processor time an event.
    var processor: Double { span.processor * 1e6 / Double(events) }
}

/// A running `blast_node.js`.
struct BlastSource: Sendable {
    var port: UInt16
    /// The certificate authority to believe when it speaks TLS.
    var authority: String?
}
