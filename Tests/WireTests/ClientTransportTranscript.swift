import Testing
import WeirWire

/// A transport machine with its effects as comparable lines.
struct ClientTransportTranscript {
    var machine: EngineIOClientTransport
    let revision: EngineIO.Revision

    init(
        _ choice: EngineIO.TransportChoice, _ revision: EngineIO.Revision = .v4, detectsRevision: Bool = false
    ) {
        self.revision = revision
        machine = EngineIOClientTransport(
            EngineIOClientTransport.Configuration(
                transport: choice, revision: revision, detectsRevision: detectsRevision, path: "/s/", cacheBuster: "x"))
    }

    /// A polling session with GET 2 pending.
    static func polling(_ open: String) -> ClientTransportTranscript {
        var client = ClientTransportTranscript(.polling)
        _ = client.start()
        _ = client.answer(1, [open])
        return client
    }

    /// A session with its probe and GET 2 pending.
    static func upgrading(_ open: String) -> ClientTransportTranscript {
        var client = ClientTransportTranscript(.upgrade)
        _ = client.start()
        _ = client.answer(1, [open])
        _ = client.give(.webSocketOpened)
        return client
    }

    /// The target of polling request `number` of session `s`.
    func polling(_ number: Int) -> String {
        let base64 = revision == .v3 ? "&b64=1" : ""
        return "/s/?EIO=\(revision.rawValue)&transport=polling&sid=s\(base64)&t=x.\(number)"
    }

    mutating func start() -> [String] { give(.start) }

    mutating func give(_ input: EngineIOClientTransport.Input, at milliseconds: Int64 = 0) -> [String] {
        run { $0.handle(input, at: ms(milliseconds), into: &$1) }
    }

    mutating func send(_ text: String, at milliseconds: Int64 = 0) -> [String] {
        give(.send(.text(text)), at: milliseconds)
    }

    mutating func send(_ message: WebSocketMessage) -> [String] { give(.send(message)) }

    mutating func close() -> [String] { give(.close(WebSocketClose(code: 1000))) }

    mutating func fail(_ phase: ConnectFailure.Phase, _ status: Int?, _ text: String? = nil) -> [String] {
        give(.webSocketFailed(ConnectFailure(phase: phase, httpStatus: status, text: text, message: "words")))
    }

    mutating func chunk(_ number: Int, _ text: String, at milliseconds: Int64 = 0) -> [String] {
        give(.responseChunk(.init(number: number), ArraySlice(text.utf8)), at: milliseconds)
    }

    mutating func answer(
        _ number: Int, _ chunks: [String], status: Int = 200, at milliseconds: Int64 = 0
    ) -> [String] {
        give(.responseHead(.init(number: number), status: status), at: milliseconds)
            + chunks.flatMap { chunk(number, $0, at: milliseconds) }
            + give(.responseEnd(.init(number: number)), at: milliseconds)
    }

    mutating func answer(_ number: Int, bytes: [UInt8]) -> [String] {
        give(.responseHead(.init(number: number), status: 200))
            + give(.responseChunk(.init(number: number), bytes[...])) + give(.responseEnd(.init(number: number)))
    }

    mutating func advance(to milliseconds: Int64) -> [String] { run { $0.advance(to: ms(milliseconds), into: &$1) } }

    mutating func run(
        _ step: (inout EngineIOClientTransport, inout [EngineIOClientTransport.Effect]) -> Void
    ) -> [String] { effects(step).map(\.line) }

    mutating func effects(
        _ step: (inout EngineIOClientTransport, inout [EngineIOClientTransport.Effect]) -> Void
    ) -> [EngineIOClientTransport.Effect] {
        var effects: [EngineIOClientTransport.Effect] = []
        step(&machine, &effects)
        return effects
    }
}

extension EngineIOClientTransport.Effect {
    var line: String {
        switch self {
        case .openWebSocket(let target): "openWebSocket \(target)"
        case .sendWebSocket(let message): "ws \(message.line)"
        case .closeWebSocket(let close): "closeWebSocket \(close.code)"
        case .get(let id, let target): "get \(id.number) \(target)"
        case .post(let id, let target, let body, let type):
            "post \(id.number) \(target) \(type) "
                + String(decoding: body, as: UTF8.self).replacing("\u{1E}", with: "␞")
        case .cancel(let id): "cancel \(id.number)"
        case .opened: "opened"
        case .received(let messages): "received " + messages.map(\.line).joined(separator: " ")
        case .closed(let close):
            "closed \(close.code) \(close.retry.rawValue)" + (close.reason.isEmpty ? "" : ": \(close.reason)")
        case .failed(let failure): "failed \(failure.phase) \(failure.retry.rawValue): \(failure.message)"
        }
    }
}

/// Checks the invariants of a machine's effects, and generates inputs that could follow.
struct TransportWatch {
    private var gets: [Int] = []
    private var posts: [Int] = []
    private var answered: Set<Int> = []
    private var hasWebSocket = false
    private var isClosing = false
    private var hasOpenedWebSocket = false
    private var isOpen = false
    private(set) var isOver = false

    mutating func note(_ effects: [EngineIOClientTransport.Effect]) {
        for effect in effects {
            #expect(!isOver, "\(effect.line) after the end")
            switch effect {
            case .openWebSocket:
                #expect(!hasWebSocket)
                hasWebSocket = true
            case .sendWebSocket: #expect(hasWebSocket && !isClosing)
            case .closeWebSocket: isClosing = true
            case .get(let id, _): gets.append(id.number)
            case .post(let id, _, let body, _):
                #expect(!body.isEmpty)
                posts.append(id.number)
            case .cancel(let id):
                gets.removeAll { $0 == id.number }
                posts.removeAll { $0 == id.number }
            case .opened:
                #expect(!isOpen)
                isOpen = true
            case .received: #expect(isOpen)
            case .closed:
                #expect(isOpen)
                isOver = true
            case .failed:
                #expect(!isOpen)
                isOver = true
            }
        }
        #expect(gets.count <= 1 && posts.count <= 1)
        if isOver { #expect(gets.isEmpty && posts.isEmpty) }
    }

    /// Generates an input that could occur now.
    mutating func input(
        using generator: inout RandomSource, revision: EngineIO.Revision
    ) -> EngineIOClientTransport.Input {
        let request = (gets + posts).randomElement(using: &generator)
        switch Int.random(in: 0..<14, using: &generator) {
        case 0 where hasWebSocket && !hasOpenedWebSocket:
            hasOpenedWebSocket = true
            return .webSocketOpened
        case 1 where hasOpenedWebSocket: return .webSocketReceived([.text("6"), .text("3probe")])
        case 2 where hasOpenedWebSocket && Int.random(in: 0..<4, using: &generator) == 0:
            (hasWebSocket, hasOpenedWebSocket, isClosing) = (false, false, false)
            return .webSocketClosed(WebSocketClose(code: 1006))
        case 3 where hasWebSocket && !hasOpenedWebSocket:
            (hasWebSocket, isClosing) = (false, false)
            return .webSocketFailed(ConnectFailure(phase: .handshake, message: "no"))
        case 4 where Int.random(in: 0..<10, using: &generator) == 0: return .close(WebSocketClose(code: 1000))
        case 5...7: return .send(.text("42[1]"))
        default:
            guard let request else { return .send(.binary([4, 1])) }
            return answer(to: request, using: &generator, revision: revision)
        }
    }

    private mutating func answer(
        to request: Int, using generator: inout RandomSource, revision: EngineIO.Revision
    ) -> EngineIOClientTransport.Input {
        let id = EngineIOClientTransport.RequestID(number: request)
        if answered.insert(request).inserted {
            return .responseHead(id, status: Int.random(in: 0..<30, using: &generator) == 0 ? 400 : 200)
        }
        switch Int.random(in: 0..<20, using: &generator) {
        case 0:
            gets.removeAll { $0 == request }
            posts.removeAll { $0 == request }
            return .requestFailed(id, ConnectFailure(phase: .connect, message: "reset"))
        case 1...12:
            let open = EngineIOClientTransportTests.open
            let body = isOpen ? ["6", "42[1]", "1", "2"].randomElement(using: &generator) ?? "6" : open
            return .responseChunk(id, ArraySlice((revision == .v3 ? "\(body.utf8.count):\(body)" : body).utf8))
        default:
            gets.removeAll { $0 == request }
            posts.removeAll { $0 == request }
            return .responseEnd(id)
        }
    }
}
