import WeirJSON
import WeirWire

/// A client machine with its effects as comparable lines.
struct BayeuxClientTranscript {
    var machine: BayeuxClient

    init(
        _ connectionType: Bayeux.ConnectionType = .websocket, acknowledges: Bool = false,
        memory: BayeuxClient.Memory = .init()
    ) {
        let configuration = BayeuxClient.Configuration(connectionType: connectionType, acknowledges: acknowledges)
        machine = BayeuxClient(configuration, memory: memory, seed: 1)
    }

    /// A client with the session `c1` of a server that holds connects for 5 s; its
    /// connect (id 2) is pending since 0 ms.
    static func open() -> BayeuxClientTranscript {
        var client = BayeuxClientTranscript()
        _ = client.start()
        _ = client.receive(handshaken)
        return client
    }

    /// The client of `open()` with an established subscription to `/user/1` (id 3).
    static func subscribed() -> BayeuxClientTranscript {
        var client = open()
        _ = client.subscribe("/user/1")
        _ = client.receive(
            #"[{"id":"3","channel":"/meta/subscribe","successful":true,"subscription":"/user/1","clientId":"c1"}]"#)
        return client
    }

    mutating func start(at milliseconds: Int64 = 0) -> [String] {
        run { $0.start(at: ms(milliseconds), into: &$1) }
    }

    mutating func receive(_ frame: String, at milliseconds: Int64 = 0) -> [String] {
        run { $0.receive(ArraySlice(frame.utf8), at: ms(milliseconds), into: &$1) }
    }

    mutating func advance(to milliseconds: Int64) -> [String] {
        run { $0.advance(to: ms(milliseconds), into: &$1) }
    }

    mutating func subscribe(_ name: String, ext: String? = nil, at milliseconds: Int64 = 0) -> [String] {
        guard let channel = Bayeux.Channel(name) else { return ["no channel"] }
        return run { $0.subscribe(channel, ext: ext.map(json), at: ms(milliseconds), into: &$1) }
    }

    mutating func unsubscribe(_ name: String, at milliseconds: Int64 = 0) -> [String] {
        guard let channel = Bayeux.Channel(name) else { return ["no channel"] }
        return run { $0.unsubscribe(channel, at: ms(milliseconds), into: &$1) }
    }

    mutating func publish(_ name: String, _ data: String, at milliseconds: Int64 = 0) -> [String] {
        guard let channel = Bayeux.Channel(name) else { return ["no channel"] }
        return run { _ = $0.publish(channel, json(data), at: ms(milliseconds), into: &$1) }
    }

    mutating func run(_ step: (inout BayeuxClient, inout [BayeuxClient.Effect]) -> Void) -> [String] {
        var effects: [BayeuxClient.Effect] = []
        step(&machine, &effects)
        return effects.map(\.line)
    }
}

/// The answer to the handshake with id 1.
let handshaken = """
    [{"id":"1","channel":"/meta/handshake","successful":true,"version":"1.0","clientId":"c1",\
    "supportedConnectionTypes":["websocket"],"advice":{"reconnect":"retry","interval":0,"timeout":5000}}]
    """

extension BayeuxClient.Effect {
    var line: String {
        switch self {
        case .send(let frame):
            (frame.isConnect ? "connect " : "send ")
                + String(decoding: frame.bytes.dropFirst().dropLast(), as: UTF8.self)
        case .connected(let continuity): "connected \(continuity)"
        case .subscribed(let channel): "subscribed \(channel)"
        case .refused(let channel, let words): "refused \(channel): \(words)"
        case .unanswered(let channel): "unanswered \(channel)"
        case .unsubscribed(let channel): "unsubscribed \(channel)"
        case .delivery(let delivery): "delivery \(delivery.channel) \(delivery.data)"
        case .published(let number): "published \(number)"
        case .unpublished(let number, let failure): "unpublished \(number) \(failure)"
        case .malformed(let malformed): "malformed \(malformed.message)"
        case .close(let cause): "close \(cause)"
        }
    }
}

/// A server machine with its effects as lines. Session ids are shown as `c1`, `c2`, … in order of creation.
struct BayeuxServerTranscript {
    var machine: BayeuxServer
    /// The assigned ids, in order.
    private(set) var clientIDs: [String] = []
    /// Whether tokens are required, as by GroupMe.
    var wantsToken = false

    init(_ configuration: BayeuxServer.Configuration = .init(timeout: .seconds(5))) {
        machine = BayeuxServer(configuration, seed: 7)
    }

    /// Receives a frame on a WebSocket; `c1` in it is replaced by the first session's id.
    mutating func receive(
        _ frame: String, on link: Int = 1, isSocket: Bool = true, at milliseconds: Int64 = 0
    ) -> [String] {
        var text = frame
        for (index, id) in clientIDs.enumerated() { text = text.replacing("\"c\(index + 1)\"", with: "\"\(id)\"") }
        let wantsToken = self.wantsToken
        return run { machine, effects in
            machine.receive(
                ArraySlice(text.utf8), on: link, isSocket: isSocket, at: ms(milliseconds),
                policy: { request in
                    guard wantsToken else { return nil }
                    let ext: RawJSON? =
                        switch request {
                        case .subscribe(_, let ext), .publish(_, _, let ext): ext
                        }
                    return ext?.description.contains("good") == true ? nil : "403::access token authentication failed"
                }, into: &effects)
        }
    }

    mutating func advance(to milliseconds: Int64) -> [String] {
        run { $0.advance(to: ms(milliseconds), into: &$1) }
    }

    mutating func publish(_ name: String, _ data: String) -> [String] {
        guard let channel = Bayeux.Channel(name) else { return ["no channel"] }
        return run { $0.publish(channel, json(data), into: &$1) }
    }

    mutating func run(_ step: (inout BayeuxServer, inout [BayeuxServer.Effect]) -> Void) -> [String] {
        var effects: [BayeuxServer.Effect] = []
        step(&machine, &effects)
        for effect in effects {
            guard case .send(_, let bytes) = effect, let value = try? JSONValue(parsing: bytes[...]),
                case .array(let messages) = value
            else { continue }
            for message in messages {
                guard case .string(let id)? = message["clientId"], id.count == 31, !clientIDs.contains(id) else {
                    continue
                }
                clientIDs.append(id)
            }
        }
        return effects.map { line(of: $0) }
    }

    private func line(of effect: BayeuxServer.Effect) -> String {
        switch effect {
        case .send(let link, let bytes):
            var text = String(decoding: bytes, as: UTF8.self)
            for (index, id) in clientIDs.enumerated() { text = text.replacing(id, with: "c\(index + 1)") }
            return "\(link) ◄ \(text)"
        case .refuse(let link, let status): return "\(link) refused \(status)"
        case .close(let link): return "\(link) closed"
        case .occasion(.began(let session)): return "began \(session)"
        case .occasion(.subscribed(let session, let channel)): return "\(session) subscribed \(channel)"
        case .occasion(.unsubscribed(let session, let channel)): return "\(session) unsubscribed \(channel)"
        case .occasion(.published(let session, let channel, let data)):
            return "\(session.map(String.init) ?? "nobody") published \(data) on \(channel)"
        case .occasion(.ended(let session)): return "ended \(session)"
        }
    }
}
