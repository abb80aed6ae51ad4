import WeirWire

/// Checks that the state machines below Engine.IO survive any peer and any network, and follow their own rules. The
/// first byte selects the end, the revision and the transports. Each piece ends with FF, and its first byte selects the
/// event.
func fuzzTransport(_ input: ArraySlice<UInt8>) {
    guard let choice = input.first else { return }
    let revision: EngineIO.Revision = choice & 2 == 0 ? .v4 : .v3
    let pieces = input.dropFirst().split(separator: 0xFF)
    if choice & 1 == 0 {
        let choices = EngineIO.TransportChoice.allCases
        var client = ClientOfTransports(choices[Int(choice >> 2) % choices.count], revision)
        for piece in pieces { client.happen(piece) }
    } else {
        var server = ServerOfTransports(revision, isBase64: choice & 4 != 0)
        for piece in pieces { server.happen(piece) }
        server.end()
    }
}

/// The client's state machine, with its requests in progress.
private struct ClientOfTransports {
    private var machine: EngineIOClientTransport
    private var now = Moment.zero
    private var effects: [EngineIOClientTransport.Effect] = []
    private var gets: [EngineIOClientTransport.RequestID] = []
    private var posts: [EngineIOClientTransport.RequestID] = []
    /// The state of the WebSocket: `nil` when there is none, false while it opens, true when it is open.
    private var socket: Bool?
    private var isOpen = false
    private var isOver = false

    init(_ transport: EngineIO.TransportChoice, _ revision: EngineIO.Revision) {
        machine = EngineIOClientTransport(
            EngineIOClientTransport.Configuration(
                transport: transport, revision: revision, detectsRevision: true, path: "/socket.io/",
                maximumPacket: 4096))
        handle(.start)
    }

    mutating func happen(_ piece: ArraySlice<UInt8>) {
        let rest = piece.dropFirst()
        // The letter after the event selects the request: `p` for the POST, otherwise the GET.
        let request = rest.first == UInt8(ascii: "p") ? posts.last : gets.last
        switch piece.first.map({ Unicode.Scalar($0) }) {
        case "o":
            guard socket == false else { return }
            socket = true
            handle(.webSocketOpened)
        case "<": if socket == true { handle(.webSocketReceived([.text(rest)])) }
        case "[": if socket == true { handle(.webSocketReceived([.binary(rest)])) }
        case "c":
            guard socket == true else { return }
            socket = nil
            handle(.webSocketClosed(WebSocketClose(code: 1006)))
        case "x":
            guard socket == false else { return }
            socket = nil
            handle(.webSocketFailed(ConnectFailure(phase: .handshake, httpStatus: 400, message: "refused")))
        case "h":
            let statuses = [200, 204, 400, 403, 404, 413, 500]
            request.map { handle(.responseHead($0, status: statuses[Int(rest.last ?? 0) % statuses.count])) }
        case "b": request.map { handle(.responseChunk($0, rest.dropFirst())) }
        case "e": end(request) { .responseEnd($0) }
        case "f": end(request) { .requestFailed($0, ConnectFailure(phase: .connect, message: "lost")) }
        case "a":
            // Delivers a whole answer at once.
            guard let request else { return }
            handle(.responseHead(request, status: 200))
            handle(.responseChunk(request, rest.dropFirst()))
            end(request) { .responseEnd($0) }
        case "s": handle(.send(.text(([UInt8(ascii: "4")] + rest)[...])))
        case "S": handle(.send(.binary(rest)))
        case "q": handle(.close(WebSocketClose(code: 1000)))
        case "+":
            now = now + .seconds(Int(rest.first ?? 1) % 32)
            machine.advance(to: now, into: &effects)
            take()
        default: return
        }
    }

    private mutating func end(
        _ request: EngineIOClientTransport.RequestID?,
        _ input: (EngineIOClientTransport.RequestID) -> EngineIOClientTransport.Input
    ) {
        guard let request else { return }
        gets.removeAll { $0 == request }
        posts.removeAll { $0 == request }
        handle(input(request))
    }

    private mutating func handle(_ input: EngineIOClientTransport.Input) {
        machine.handle(input, at: now, into: &effects)
        take()
    }

    private mutating func take() {
        for effect in effects {
            switch effect {
            case .openWebSocket:
                require(socket == nil, "two WebSockets are open at once")
                socket = false
            case .sendWebSocket: require(socket == true, "a message is sent on no WebSocket")
            case .closeWebSocket: socket = nil
            case .get(let id, _):
                gets.append(id)
                require(gets.count == 1, "two GETs are under way")
            case .post(let id, _, let body, _):
                posts.append(id)
                require(posts.count == 1, "two POSTs are under way")
                require(!body.isEmpty, "a POST has no body")
            case .cancel(let id):
                gets.removeAll { $0 == id }
                posts.removeAll { $0 == id }
            case .opened:
                require(!isOpen && !isOver, "a session opens twice")
                isOpen = true
            case .received: require(isOpen && !isOver, "something is received before or behind the session")
            case .closed:
                require(isOpen && !isOver, "a session ends that is none")
                isOver = true
            case .failed:
                require(!isOpen && !isOver, "a session fails that was open")
                isOver = true
            }
        }
        effects.removeAll(keepingCapacity: true)
    }
}

/// The server's state machine, with the requests that wait for it.
private struct ServerOfTransports {
    private var machine: EngineIOServerTransport
    private var now = Moment.zero
    private var effects: [EngineIOServerTransport.Effect] = []
    private var waiting: [Int] = []
    private var number = 0
    private var sockets: Set<Int> = []
    private var isOver = false

    init(_ revision: EngineIO.Revision, isBase64: Bool) {
        machine = EngineIOServerTransport(
            EngineIOServerTransport.Configuration(revision: revision, isBase64: isBase64, maxPayload: 4096))
        machine.send(.text("0{}"), into: &effects)
        take()
    }

    mutating func happen(_ piece: ArraySlice<UInt8>) {
        let rest = piece.dropFirst()
        let socket = EngineIOServerTransport.SocketID(Int(rest.first ?? 0) % 3)
        switch piece.first.map({ Unicode.Scalar($0) }) {
        case "p": machine.poll(newRequest(), into: &effects)
        case "P":
            let request = newRequest()
            machine.beginPost(request, into: &effects)
            machine.receive(rest, contentType: nil, of: request, into: &effects)
            machine.endPost(into: &effects)
        case "B": machine.beginPost(newRequest(), into: &effects)
        case "E":
            guard let request = waiting.last else { return }
            machine.receive(rest, contentType: "text/plain", of: .init(request), into: &effects)
            machine.endPost(into: &effects)
        case "a":
            guard let request = waiting.popLast() else { return }
            machine.aborted(.init(request), into: &effects)
        case "o": if sockets.insert(socket.number).inserted { machine.open(socket, at: now, into: &effects) }
        case "<":
            guard sockets.contains(socket.number) else { return }
            machine.receive(.text(rest.dropFirst()), on: socket, at: now, into: &effects)
        case "c": if sockets.remove(socket.number) != nil { machine.closed(socket, into: &effects) }
        case "s": machine.send(.text(([UInt8(ascii: "4")] + rest)[...]), into: &effects)
        case "S": machine.send(.binary(([UInt8(4)] + rest)[...]), into: &effects)
        case "q": machine.close(.orderly("asked"), at: now, into: &effects)
        case "l": machine.close(.lost("lost"), at: now, into: &effects)
        case "+":
            now = now + .seconds(Int(rest.first ?? 1) % 32)
            machine.advance(to: now, into: &effects)
        default: return
        }
        take()
    }

    /// Ends the session, and checks that no request still waits.
    mutating func end() {
        machine.close(.lost("over"), at: now, into: &effects)
        take()
        require(isOver, "a session that was lost is not over")
        require(waiting.isEmpty, "requests wait for a session that is over")
    }

    private mutating func newRequest() -> EngineIOServerTransport.RequestID {
        number += 1
        waiting.append(number)
        return .init(number)
    }

    private mutating func take() {
        for effect in effects {
            switch effect {
            case .received: require(!isOver, "something is received behind the session")
            case .respond(let request, _):
                require(waiting.contains(request.number), "a request is answered twice")
                waiting.removeAll { $0 == request.number }
            case .send(_, let socket): require(sockets.contains(socket.number), "a message is sent on no WebSocket")
            case .closeSocket(let socket): sockets.remove(socket.number)
            case .closed:
                require(!isOver, "a session ends twice")
                isOver = true
            }
        }
        effects.removeAll(keepingCapacity: true)
    }
}
