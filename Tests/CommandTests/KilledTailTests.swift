import Glibc
import Testing
import TestSupport
import WeirNetwork
import WeirThreads
import WeirWire

/// How many tails are killed in each form: 5, or half of the number in the environment (`WEIR_KILLS=200`).
private var kills: Int { max((getenv("WEIR_KILLS").flatMap { Int(String(cString: $0)) } ?? 10) / 2, 1) }

/// A Socket.IO server that sends numbered events to a client that joins, twenty every two milliseconds.
private final class NumberedServer: HTTPServerHandler {
    private struct State {
        var sent = 0
        var socket: ServerWebSocket?
    }

    private static let pace: Duration = .milliseconds(2)
    private let loop: EventLoop
    private let server = Monitor<HTTPServer?>(nil)
    private let state = Monitor(State())

    init() throws {
        loop = try EventLoop(name: "weir-numbered")
        let made = try HTTPServer(on: loop, handler: self)
        server.change { $0 = made }
    }

    var port: UInt16 { server.look { $0?.port ?? 0 } }
    /// The number of the last event sent.
    var sent: Int { state.look { $0.sent } }

    func close() {
        server.change { $0 }?.close()
        loop.shutDown()
    }

    func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        respond(HTTPResponse(status: 404))
    }
    func refuses(_ upgrade: ServerRequest) -> HTTPResponse? { nil }
    func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {
        socket.send(.text(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#))
    }
    func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {
        guard messages.contains(where: { $0 == .text("40") }) else { return }
        socket.send(.text(#"40{"sid":"t"}"#))
        state.change { $0.socket = socket }
        feed()
    }
    func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) { state.change { $0.socket = nil } }

    private func feed() {
        guard let socket = state.look({ $0.socket }) else { return }
        let first = state.change { state in
            state.sent += 20
            return state.sent - 19
        }
        for number in first..<first + 20 {
            socket.send(.text(#"42["seq",\#(number),"\#(String(repeating: "x", count: number % 300))"]"#))
        }
        _ = loop.schedule(at: loop.now + Self.pace) { [weak self] in self?.feed() }
    }
}

@Suite(.serialized) struct KilledTailTests {
    @Test(arguments: ["plain", "live"])
    func `everything that a killed tail has shown is in its recording or in the open frame, and the recording verifies`(
        form: String
    ) throws {
        let folder = try temporaryFolder()
        var dice = SystemRandomNumberGenerator()
        var lost: [Int] = []
        for round in 0..<kills {
            let server = try NumberedServer()
            defer { server.close() }
            let path = "\(folder)/\(round).weir.jsonl"
            let tail = try Peer(
                [
                    try pathOfWeir(), "tail", "http://127.0.0.1:\(server.port)", "--backend", "socketio", "--record",
                    path, "--format", "jsonl", "--quiet", "--no-ctl", "--store", "none", "--config", "none",
                ] + (form == "live" ? ["--compress", "live"] : []))
            let target = Int.random(in: 1...3_000, using: &dice)
            var shown = 0
            while shown < target, let line = tail.readLine() { shown = number(in: line[...]) ?? shown }
            try #require(shown >= target)
            kill(tail.pid, SIGKILL)
            let sent = server.sent
            // Reads the output that was printed before the kill. A line may be torn.
            while let line = tail.readLine() { shown = line.hasSuffix("]") ? number(in: line[...]) ?? shown : shown }
            tail.wait()
            let verified = try weir(
                "replay", path, "--speed", "max", "--verify", "--quiet", "--no-ctl", "--summary", "none", "--format",
                "jsonl")
            let recorded = verified.output.split(separator: "\n").compactMap { number(in: $0) }
            #expect(recorded == Array(1..<recorded.count + 1), "round \(round)")
            // A compressed file lacks its open frame: less than 256 KiB of text. A record has more bytes than these.
            let missing = (1...shown).dropFirst(recorded.count).reduce(0) { $0 + 100 + $1 % 300 }
            #expect(missing < (form == "live" ? 256 << 10 : 1), "round \(round)")
            lost.append(max(sent - recorded.count, 0))
            // A kill during a write leaves a torn line or frame, which a replay counts as lost.
            let isToldOf = verified.errors.contains("the recording was cut off")
            #expect(verified.status == (isToldOf ? 3 : 0), "round \(round): \(verified.errors)")
            if form == "plain" {
                #expect(isToldOf == (try readFile(path).last != UInt8(ascii: "\n")), "round \(round)")
            }
            unlink(path)
        }
        lost.sort()
        print(
            "\(kills) kills, \(form): of what was sent, \(lost[lost.count / 2]) events not recorded (median), \(lost.last ?? 0) at most"
        )
    }

    /// Returns the event number in a payload, or in the line of its frame.
    private func number(in line: Substring) -> Int? {
        guard let match = line.firstMatch(of: /seq\\?",\s?([0-9]+),/) else { return nil }
        return Int(match.1)
    }
}
