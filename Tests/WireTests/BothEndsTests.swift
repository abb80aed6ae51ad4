import Testing
import WeirJSON
import WeirWire

/// Connects the client to the server in memory: each receives what the other sends, in order,
/// until nothing is left to send.
struct BothEndsTests {
    private struct Link {
        var client: SocketIOClientMachine
        var server: SocketIOServer
        var atClient: [SocketIOClientMachine.Effect] = []
        var atServer: [SocketIOServer.Effect] = []

        init(_ revision: EngineIO.Revision, namespace: String) {
            client = SocketIOClientMachine(.init(revision: revision, namespace: namespace), openedAt: .zero)
            server = SocketIOServer(
                .init(revision: revision, sid: "engine-sid", namespaces: ["/", "/admin"]), openedAt: .zero)
            var effects: [SocketIOServer.Effect] = []
            server.start(into: &effects)
            deliver(effects, at: .zero)
        }

        mutating func deliver(_ effects: [SocketIOServer.Effect], at now: Moment) {
            var answers: [SocketIOClientMachine.Effect] = []
            for effect in effects {
                if case .send(let message) = effect {
                    client.receive(message, at: now, into: &answers)
                } else {
                    atServer.append(effect)
                }
            }
            if !answers.isEmpty { deliver(answers, at: now) }
        }

        mutating func deliver(_ effects: [SocketIOClientMachine.Effect], at now: Moment) {
            var answers: [SocketIOServer.Effect] = []
            for effect in effects {
                if case .send(let message) = effect {
                    server.receive(message, at: now, into: &answers)
                } else {
                    atClient.append(effect)
                }
            }
            if !answers.isEmpty { deliver(answers, at: now) }
        }

        mutating func fromServer(_ step: (inout SocketIOServer, inout [SocketIOServer.Effect]) -> Void) {
            var effects: [SocketIOServer.Effect] = []
            step(&server, &effects)
            deliver(effects, at: .zero)
        }

        mutating func fromClient(_ step: (inout SocketIOClientMachine, inout [SocketIOClientMachine.Effect]) -> Void) {
            var effects: [SocketIOClientMachine.Effect] = []
            step(&client, &effects)
            deliver(effects, at: .zero)
        }

        /// Runs both clocks: the machine that is due first is advanced.
        mutating func run(until end: Moment) -> Int {
            var steps = 0
            while let due = [client.deadline, server.deadline].compactMap({ $0 }).min(), due <= end {
                var fromClient: [SocketIOClientMachine.Effect] = []
                client.advance(to: due, into: &fromClient)
                deliver(fromClient, at: due)
                var fromServer: [SocketIOServer.Effect] = []
                server.advance(to: due, into: &fromServer)
                deliver(fromServer, at: due)
                steps += 1
            }
            return steps
        }
    }

    @Test(arguments: EngineIO.Revision.allCases, ["/", "/admin"])
    func `events, acknowledgements and a disconnect pass both ways`(revision: EngineIO.Revision, namespace: String) {
        var link = Link(revision, namespace: namespace)
        for number in 0..<1000 {
            link.fromServer {
                _ = $0.emit("tick", arguments: json("\(number)"), namespace: namespace, wantsAck: true, into: &$1)
            }
            link.fromClient { $0.acknowledge(number, arguments: json("[\(number)]"), into: &$1) }
            link.fromClient { _ = $0.emit("tock", arguments: json("{\"n\":\(number)}"), wantsAck: true, into: &$1) }
            link.fromServer { $0.acknowledge(number, arguments: json("[]"), namespace: namespace, into: &$1) }
        }
        link.fromClient { $0.disconnect(into: &$1) }

        let shown = namespace == "/" ? "" : " \(namespace)"
        var client = ["connected engine-sid\(shown)"]
        var server = revision == .v3 ? ["connected /"] : []
        if revision == .v4 || namespace != "/" { server.append("connected \(namespace)") }
        for number in 0..<1000 {
            client += ["event \(namespace) tick \(number) ack \(number)", "acknowledged\(shown) \(number) []"]
            server += ["acknowledged \(namespace) \(number) [\(number)]"]
            server += ["event \(namespace) tock {\"n\":\(number)} ack \(number)"]
        }
        #expect(link.atClient.map(\.line) == client + ["close requested"])
        #expect(link.atServer.map(\.line) == server + ["disconnected \(namespace)"])
    }

    @Test(arguments: EngineIO.Revision.allCases)
    func `an idle connection stays alive through heartbeats alone`(revision: EngineIO.Revision) {
        var link = Link(revision, namespace: "/")
        let steps = link.run(until: ms(3_600_000))
        #expect(steps == 144, "a ping every 25 s for an hour")
        #expect(link.atClient.map(\.line) == ["connected engine-sid"])
        #expect(link.atServer.map(\.line) == ["connected /"])
    }

    @Test(arguments: EngineIO.Revision.allCases)
    func `a disconnect by the server ends the client`(revision: EngineIO.Revision) {
        var link = Link(revision, namespace: "/")
        link.fromServer { $0.disconnect(into: &$1) }
        #expect(link.atClient.map(\.line) == ["connected engine-sid", "disconnected", "close byServer"])
    }

    @Test(arguments: EngineIO.Revision.allCases)
    func `an unknown namespace is refused in the server's words`(revision: EngineIO.Revision) {
        var link = Link(revision, namespace: "/nowhere")
        #expect(link.atClient.map(\.line) == ["refused /nowhere Invalid namespace", "close byServer"])
        #expect(link.run(until: .zero) == 0)
    }
}
