import Simulation
import Testing
import WeirDemoServer
import WeirEvents
import WeirJSON
import WeirWire

@Suite struct `The simulated GroupMe server` {
    /// Exchanges frames between a client machine and the server at once.
    private func exchange(
        _ client: inout BayeuxClient, _ server: inout GroupMeSimulatedServer, _ effects: [BayeuxClient.Effect],
        at now: Moment, _ told: inout [BayeuxClient.Effect]
    ) {
        var waiting = effects
        while !waiting.isEmpty {
            var outputs: [SimulatedOutput] = []
            for effect in waiting {
                if case .send(let frame) = effect {
                    _ = server.receive(.text(frame.bytes[...]), from: 1, at: now, into: &outputs)
                } else {
                    told.append(effect)
                }
            }
            waiting = take(outputs, &client, at: now)
        }
    }

    private func take(
        _ outputs: [SimulatedOutput], _ client: inout BayeuxClient, at now: Moment
    ) -> [BayeuxClient.Effect] {
        var effects: [BayeuxClient.Effect] = []
        for case .send(_, let message) in outputs { client.receive(message.bytes, at: now, into: &effects) }
        return effects
    }

    @Test func `the server reports the whole opening, and its state is what it reported and answered`() throws {
        var server = GroupMeSimulatedServer(
            seed: 1, epoch: 1_785_346_000_000, timeout: .seconds(600), isEndless: false)
        var client = BayeuxClient(.init(connectionType: .websocket, probeAfter: nil), seed: 1)
        var told: [BayeuxClient.Effect] = []
        var effects: [BayeuxClient.Effect] = []
        client.start(at: .zero, into: &effects)
        let ext = RawJSON(unchecked: ArraySlice(#"{"access_token":"\#(server.token(at: .zero).reveal())"}"#.utf8))
        client.subscribe(try #require(Bayeux.Channel("/user/20000001")), ext: ext, at: .zero, into: &effects)
        exchange(&client, &server, effects, at: .zero, &told)
        while let due = server.deadline, due < Moment.zero + .seconds(60) {
            var outputs: [SimulatedOutput] = []
            for told in server.advance(to: due, into: &outputs) { server.publish(told, into: &outputs) }
            exchange(&client, &server, take(outputs, &client, at: due), at: due, &told)
        }
        var said: [GroupMe.MessageID] = []
        for case .delivery(let delivery) in told {
            guard case .push(let push) = try GroupMe.Event(channel: delivery.channel, data: delivery.data) else {
                continue
            }
            for case .said(let message) in push.facts { said.append(message.id) }
        }
        let known = Set(server.truth.messages.values.joined().map(\.id))
        #expect(said.count == 18 && Set(said).count == said.count && known.isSuperset(of: said))
    }

    @Test func `the server forgets its sessions when it restarts, and answers requests`() throws {
        var server = GroupMeSimulatedServer(seed: 1, epoch: 1_785_346_000_000, timeout: .seconds(5))
        var outputs: [SimulatedOutput] = []
        let handshake =
            #"{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["websocket"],"id":"1"}"#
        _ = server.receive(.text(ArraySlice(handshake.utf8)), from: 1, at: .zero, into: &outputs)
        guard case .send(1, let message)? = outputs.first else { throw NoAnswer() }
        let reply = try Bayeux.Frame(parsing: message.bytes).messages[0]
        let client = try #require(reply.clientID)
        server.forgetAll()
        outputs = []
        let connect =
            #"{"channel":"/meta/connect","clientId":"\#(client.reveal())","connectionType":"websocket","id":"2"}"#
        _ = server.receive(.text(ArraySlice(connect.utf8)), from: 2, at: .zero, into: &outputs)
        guard case .send(2, let refusal)? = outputs.first else { throw NoAnswer() }
        #expect(try Bayeux.Frame(parsing: refusal.bytes).messages[0].advice?.reconnect == .handshake)
        let answer = server.answer(
            "GET", "/v3/users/me", body: [], bearer: server.token(at: .zero).reveal(), at: .zero)
        #expect(try GroupMe.user(from: answer.body[...]).id == server.me && answer.status == 200)
        #expect(server.answer("GET", "/v3/users/me", body: [], bearer: nil, at: .zero).status == 401)
    }

    private struct NoAnswer: Error {}
}
