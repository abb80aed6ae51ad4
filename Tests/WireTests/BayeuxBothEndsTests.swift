import Testing
import WeirJSON
import WeirWire

/// Clients and a server in one simulated time, with links that are cut or go silent and servers that restart.
struct BayeuxBothEndsTests {
    @Test(arguments: [Bayeux.ConnectionType.websocket, .longPolling])
    func `after any link failures and a quiet time, every client is subscribed and knows of each gap`(
        connectionType: Bayeux.ConnectionType
    ) throws {
        for seed in 1...40 as ClosedRange<UInt64> {
            var world = BayeuxWorld(connectionType, clients: 3, seed: seed)
            for _ in 0..<120 { world.step() }
            world.settle()
            for client in world.clients {
                #expect(client.standing == ["/a/*", "/user/\(client.number)"], "seed \(seed)")
                #expect(client.problems == [], "seed \(seed)")
            }
            world.publish()
            world.settle()
            #expect(world.clients.map(\.latest) == Array(repeating: world.published, count: 3), "seed \(seed)")
        }
    }

    @Test func `text that is not Bayeux, truncated frames and mixed frames never trap either end`() {
        var random = RandomSource(seed: 5)
        let frames = [
            handshaken, BayeuxServerTests.handshake, BayeuxServerTests.connect, BayeuxServerTests.subscribe("/a/*"),
            #"[{"id":"2","channel":"/meta/connect","successful":false,"advice":{"interval":-1e9,"reconnect":"retry"}}]"#,
            #"[{"id":"3","channel":"/meta/subscribe","successful":false,"error":"401:"}]"#,
            #"{"channel":"/meta/disconnect","clientId":"c1"}"#, #"{"channel":"/a/b","data":{"x":[1,null]}}"#,
        ]
        var client = BayeuxClientTranscript.subscribed()
        var server = BayeuxServerTranscript(.init(timeout: .seconds(5), mostSessions: 20))
        for step in 0..<6000 {
            var text = Array(frames[Int(random.next() % UInt64(frames.count))].utf8)
            switch random.next() % 3 {
            case 0: text[Int(random.next() % UInt64(text.count))] = UInt8(truncatingIfNeeded: random.next())
            case 1: text.removeLast(Int(random.next() % UInt64(text.count)))
            default: break
            }
            let frame = String(decoding: text, as: UTF8.self)
            let now = Int64(step) * 100
            _ = client.receive(frame, at: now)
            _ = client.advance(to: now)
            _ = server.receive(frame, on: Int(random.next() % 4), isSocket: step.isMultiple(of: 2), at: now)
            _ = server.advance(to: now)
            if server.clientIDs.count > 20 {
                server = BayeuxServerTranscript(.init(timeout: .seconds(5), mostSessions: 20))
            }
            if client.machine.deadline == nil { client = .subscribed() }
            #expect(server.machine.sessionCount <= 20)
        }
    }
}

/// One server, some clients, and a counter that is published to all of them.
private struct BayeuxWorld {
    struct Client {
        let number: Int
        var machine: BayeuxClient
        var memory = BayeuxClient.Memory()
        /// The link of its WebSocket; `nil` without one.
        var link: Int?
        /// The time of its next connection.
        var comesBack: Moment?
        var standing: [String] = []
        /// The last number that the client received.
        var latest = 0
        /// Whether events may be missing of which no gap was reported.
        var knowsOfGap = true
        var problems: [String] = []
    }

    /// A message in transit on a link.
    struct Parcel {
        var link: Int
        var client: Int
        var bytes: [UInt8]
        var toServer: Bool
    }

    let connectionType: Bayeux.ConnectionType
    var server: BayeuxServer
    var clients: [Client] = []
    var random: RandomSource
    var now = Moment.zero
    var published = 0
    private var nextLink = 1
    private var owners: [Int: Int] = [:]
    private var parcels: [Parcel] = []
    /// The links that drop every message.
    private var dark: Set<Int> = []

    init(_ connectionType: Bayeux.ConnectionType, clients count: Int, seed: UInt64) {
        self.connectionType = connectionType
        random = RandomSource(seed: seed)
        server = BayeuxServer(.init(timeout: .seconds(5)), seed: seed)
        for number in 0..<count {
            clients.append(Client(number: number, machine: Self.machine(connectionType, .init(), seed: seed)))
            start(number)
            run(number) { client, effects in
                for name in ["/a/*", "/user/\(number)"] {
                    if let channel = Bayeux.Channel(name) { client.subscribe(channel, at: .zero, into: &effects) }
                }
            }
        }
    }

    private static func machine(
        _ type: Bayeux.ConnectionType, _ memory: BayeuxClient.Memory, seed: UInt64
    ) -> BayeuxClient {
        BayeuxClient(.init(connectionType: type, probeAfter: .seconds(3)), memory: memory, seed: seed)
    }

    private mutating func start(_ number: Int) {
        clients[number].comesBack = nil
        clients[number].link = newLink(of: number)
        let now = self.now
        run(number) { client, effects in client.start(at: now, into: &effects) }
    }

    private mutating func newLink(of number: Int) -> Int {
        defer { nextLink += 1 }
        owners[nextLink] = number
        return nextLink
    }

    // MARK: - Steps

    mutating func step() {
        switch random.next() % 20 {
        case 0: cut(Int(random.next() % UInt64(clients.count)))
        case 1: if let link = clients[Int(random.next() % UInt64(clients.count))].link { dark.insert(link) }
        case 2 where random.next() % 4 == 0: restartServer()
        case 3...9: publish()
        case 10...12: pass(.milliseconds(Int64(random.next() % 12_000)))
        default: carry(Int(random.next() % 6))
        }
    }

    mutating func publish() {
        published += 1
        guard let channel = Bayeux.Channel("/a/b") else { return }
        let data = RawJSON(unchecked: ArraySlice("\(published)".utf8))
        var effects: [BayeuxServer.Effect] = []
        server.publish(channel, data, into: &effects)
        carryOut(effects)
    }

    /// Lets a quiet minute and a half pass: silent links stay silent and are detected.
    mutating func settle() {
        for _ in 0..<90 {
            carry(.max)
            pass(.seconds(1))
        }
        carry(.max)
    }

    private mutating func cut(_ number: Int) {
        guard let link = clients[number].link else { return }
        parcels.removeAll { $0.client == number }
        for (other, owner) in owners where owner == number { server.linkClosed(other) }
        owners = owners.filter { $0.value != number }
        dark.remove(link)
        lose(number)
    }

    /// Closes the client's transport; the client reconnects after a second.
    private mutating func lose(_ number: Int) {
        clients[number].link = nil
        var memory = BayeuxClient.Memory()
        run(number) { client, effects in memory = client.transportClosed(into: &effects) }
        clients[number].machine = Self.machine(connectionType, memory, seed: random.next())
        clients[number].comesBack = now + .seconds(1)
    }

    private mutating func restartServer() {
        server = BayeuxServer(.init(timeout: .seconds(5)), seed: random.next())
        for number in clients.indices { cut(number) }
    }

    private mutating func pass(_ span: Duration) {
        let end = now + span
        while true {
            let dues =
                clients.flatMap { [$0.comesBack, $0.link == nil ? nil : $0.machine.deadline] } + [server.deadline]
            guard let due = dues.compactMap({ $0 }).min(), due <= end else { break }
            now = max(now, due)
            fire(due)
        }
        now = end
    }

    private mutating func fire(_ due: Moment) {
        for number in clients.indices {
            if let back = clients[number].comesBack, back <= due { start(number) }
            guard clients[number].link != nil else { continue }
            run(number) { client, effects in client.advance(to: due, into: &effects) }
        }
        var effects: [BayeuxServer.Effect] = []
        server.advance(to: due, into: &effects)
        carryOut(effects)
        if random.next() % 2 == 0 { carry(.max) }
    }

    // MARK: - Links

    private mutating func carry(_ most: Int) {
        var left = most
        while left > 0, !parcels.isEmpty {
            left -= 1
            let parcel = parcels.removeFirst()
            if let socket = clients[parcel.client].link, dark.contains(socket) { continue }
            guard owners[parcel.link] == parcel.client else { continue }
            if parcel.toServer {
                var effects: [BayeuxServer.Effect] = []
                server.receive(
                    parcel.bytes[...], on: parcel.link, isSocket: connectionType == .websocket, at: now,
                    policy: { _ in nil }, into: &effects)
                carryOut(effects)
            } else {
                let now = self.now
                run(parcel.client) { client, effects in client.receive(parcel.bytes[...], at: now, into: &effects) }
            }
        }
    }

    private mutating func carryOut(_ effects: [BayeuxServer.Effect]) {
        for effect in effects {
            switch effect {
            case .send(let link, let bytes):
                guard let owner = owners[link] else { continue }
                parcels.append(Parcel(link: link, client: owner, bytes: bytes, toServer: false))
            case .close(let link): if let owner = owners[link], clients[owner].link == link { cut(owner) }
            case .refuse, .occasion: break
            }
        }
    }

    private mutating func run(_ number: Int, _ body: (inout BayeuxClient, inout [BayeuxClient.Effect]) -> Void) {
        var effects: [BayeuxClient.Effect] = []
        body(&clients[number].machine, &effects)
        for effect in effects { take(effect, number) }
    }

    private mutating func take(_ effect: BayeuxClient.Effect, _ number: Int) {
        switch effect {
        case .send(let frame):
            guard let socket = clients[number].link else { return }
            let link = connectionType == .websocket ? socket : newLink(of: number)
            parcels.append(Parcel(link: link, client: number, bytes: frame.bytes, toServer: true))
        case .connected(let continuity):
            clients[number].knowsOfGap = true
            if continuity == .first || continuity == .renewed { clients[number].standing = [] }
        case .subscribed(let channel):
            clients[number].standing.append(channel.name)
            clients[number].standing.sort()
        case .delivery(let delivery): receive(delivery, number)
        case .close: if clients[number].link != nil { cut(number) }
        case .unanswered(let channel): clients[number].problems.append("\(channel) is not answered")
        case .refused(let channel, let words): clients[number].problems.append("\(channel) refused: \(words)")
        case .malformed(let malformed): clients[number].problems.append(malformed.message)
        case .unsubscribed, .published, .unpublished: break
        }
    }

    /// Numbers only increase, and the client skips none without a report that some may be missing.
    private mutating func receive(_ delivery: BayeuxClient.Delivery, _ number: Int) {
        guard let value = Int(delivery.data.description) else { return }
        let latest = clients[number].latest
        if value <= latest { clients[number].problems.append("\(value) behind \(latest)") }
        if value > latest + 1, !clients[number].knowsOfGap { clients[number].problems.append("\(latest) … \(value)") }
        clients[number].latest = value
        clients[number].knowsOfGap = false
    }
}
