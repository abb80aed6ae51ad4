import WeirDemoServer
package import WeirEvents
import WeirJSON
import WeirPipeline
package import WeirWire

/// The server of a declared backend as a value: a gateway with JSON messages, hello, heartbeats and resumable sessions,
/// and its REST service. Publications inside a channel and publications about channels travel in separate queues.
package struct DeclaredSimulatedServer: SimulatedService {
    var machine: MessageServer
    let profile: Profile
    /// The number of messages of a channel in one page.
    let page: Int
    /// Whether an edit of a message that is not shown shows it.
    let showsEdited: Bool
    /// The time of the latest message. All messages have different times, so that each has a definite position in its
    /// channel.
    private var lastTime: Int64 = 0
    /// How often the server's process has restarted.
    private var life = 0
    /// The last state of every message ever sent, by id. Includes deleted messages.
    private var said: [String: JSONValue] = [:]

    /// Creates a small world that only acts change. The seed decides whether the server keeps clients' nonces, how many
    /// messages it returns at once, whether an edit of a hidden message shows it, and whether sessions can be resumed.
    package init(seed: UInt64) {
        page = seed % 4 == 1 ? 10 : 50
        showsEdited = seed % 3 == 0
        (profile, machine) = Self.world(
            hasEcho: seed % 2 == 0, page: page, showsEdited: showsEdited, resumes: seed % 5 != 4, seed: seed)
        for row in rows("message") { said[Self.id(row)] = row }
    }

    /// Returns the rows of an entity.
    func rows(_ entity: String) -> [JSONValue] { machine.service.rows(of: entity) }

    /// The ids of the channels.
    var channels: [String] { rows("channel").compactMap { $0["id"]?.stringValue } }

    /// The messages of all existing channels, in order of time.
    var messages: [JSONValue] {
        let channels = Set(channels)
        return rows("message").filter { channels.contains($0["channel_id"]?.stringValue ?? "") }
    }

    static func id(_ row: JSONValue) -> String { row["id"]?.stringValue ?? "" }

    /// Returns how many messages of a channel were deleted.
    func deletions(in channel: String) -> Int {
        func count(_ rows: some Sequence<JSONValue>) -> Int { rows.count { $0["channel_id"]?.stringValue == channel } }
        return count(said.values) - count(rows("message"))
    }

    /// Converts news of a change to a publication, and remembers the message in it.
    private mutating func publication(of news: DeclaredNews) -> SimulatedPublication {
        if ["MESSAGE_CREATE", "MESSAGE_UPDATE"].contains(news.name), let row = news.arguments.first {
            said[Self.id(row)] = row
        }
        return SimulatedPublication(news, life: life)
    }

    /// Returns the token of the watching user, which never changes.
    package func token(at now: Moment) -> Secret { Secret(machine.service.token) }

    /// Does nothing: the tokens never expire.
    package mutating func expireTokens(at now: Moment) {}

    /// When the next silent client is due to be closed. Nothing else happens by itself.
    package var deadline: Moment? { machine.deadline }
    package mutating func advance(to now: Moment, into outputs: inout [SimulatedOutput]) -> [SimulatedPublication] {
        carryOut(machine.advance(to: now), into: &outputs)
        return []
    }

    // MARK: - Clients

    package mutating func open(_ client: Int, at now: Moment, into outputs: inout [SimulatedOutput]) {
        carryOut(machine.opened(client, at: now), into: &outputs)
    }

    package mutating func receive(
        _ message: WebSocketMessage, from client: Int, at now: Moment, into outputs: inout [SimulatedOutput]
    ) -> [SimulatedPublication] {
        carryOut(machine.received(message.bytes, on: client, at: now), into: &outputs)
        return []
    }

    /// Handles the loss of a client's socket. Its session can still be resumed.
    package mutating func forget(_ client: Int) { machine.closed(client) }

    /// Restarts the process. Its queues of unsent publications are lost too: events during the outage are never
    /// published, and older publications could otherwise arrive after newer state.
    package mutating func forgetAll() {
        life += 1
        machine.forgetAll()
    }

    /// Disrupts a client in one of five ways: cuts the connection and keeps the session; cuts it and forgets all sessions; closes it with
    /// the code that ends a session; requests a reconnect; or forgets all sessions while sockets stay open, as happens when a balancer
    /// holds them.
    package mutating func kick(_ client: Int, _ manner: Int, into outputs: inout [SimulatedOutput]) {
        switch manner % 5 {
        case 0: carryOut([.cut(client)], into: &outputs)
        case 1:
            carryOut([.cut(client)], into: &outputs)
            machine.forgetAll()
        case 2:
            carryOut([.close(client, WebSocketClose(code: 4009))], into: &outputs)
            machine.forgetAll()
        case 3: emit(#"{"op":7}"#, to: client, into: &outputs)
        default: machine.forgetAll()
        }
    }

    package mutating func publish(_ publication: SimulatedPublication, into outputs: inout [SimulatedOutput]) {
        guard case .news(let news, life) = publication.content else { return }
        carryOut(machine.carryOut(machine.service.tell(news)), into: &outputs)
    }

    /// Sends a message to a client, regardless of its session.
    func emit(_ message: String, to client: Int, into outputs: inout [SimulatedOutput]) {
        outputs.append(.send(client: client, .text(ArraySlice(message.utf8))))
    }

    private mutating func carryOut(_ effects: [MessageServer.Effect], into outputs: inout [SimulatedOutput]) {
        for effect in effects {
            switch effect {
            case .send(let client, let message): outputs.append(.send(client: client, .text(message.raw.bytes)))
            case .close(let client, let close): outputs.append(.close(client: client, close))
            case .cut(let client): outputs.append(.close(client: client, WebSocketClose(code: 1006)))
            }
            if case .send = effect { continue }
            if case .close(let client, _)? = outputs.last { machine.closed(client) }
        }
    }

    // MARK: - REST

    package mutating func answer(
        _ method: String, _ target: String, body: [UInt8], bearer: String?, at now: Moment
    ) -> (status: Int, body: [UInt8], publications: [SimulatedPublication]) {
        let (status, answer, news) = machine.service.answer(method, target, body: body, bearer: bearer, at: now)
        return (status, answer, news.map { [publication(of: $0)] } ?? [])
    }

    // MARK: - What simulations ask

    package var conversations: Set<EntityID> { Set(channels.map { EntityID($0) }) }

    package var sayings: [SimulatedSaying] {
        said.values.map { message in
            let channel = EntityID(message["channel_id"]?.stringValue ?? "")
            return SimulatedSaying(
                id: EntityID(Self.id(message)), conversation: channel, thread: channel,
                text: message["content"]?.stringValue ?? "",
                createdAt: message["timestamp"]?.stringValue.flatMap { Timestamp(iso8601: $0) }
                    ?? Timestamp(milliseconds: 0), word: message["nonce"]?.stringValue)
        }
    }

    /// Returns false, since channels are joined without a request.
    package func isJoinAnswer(_ message: WebSocketMessage) -> Bool { false }
}

// The acts of people.
extension DeclaredSimulatedServer {
    package mutating func perform(
        _ act: SimulatedAct, by user: Int, _ a: Int, _ b: Int, at now: Moment
    ) -> [SimulatedPublication]? {
        if act == .burst { return burst(a, b, at: now) }
        guard let person = Self.pick(user, of: rows("account"))?["id"]?.stringValue,
            let deed = deed(act, by: person, a, b)
        else { return nil }
        return (0..<(act == .flood ? 8 + b % 24 : 1)).compactMap { _ in
            lastTime = max(lastTime + 1, DeclaredService.epoch + now.microseconds / 1_000)
            return machine.service.act(deed, by: person, at: lastTime).map { publication(of: $0) }
        }
    }

    private func deed(_ act: SimulatedAct, by user: String, _ a: Int, _ b: Int) -> DeclaredDeed? {
        let channel = Self.pick(a, of: channels)
        switch act {
        case .post, .flood:
            return channel.map {
                .make("message", .fields(["channel_id": .string($0), "text": .string("Text \(b)")]))
            }
        case .edit:
            return message(a, by: user).map { .change("message", id: $0, .fields(["text": .string("Text \(b)")])) }
        case .delete: return message(a, by: user).map { .delete("message", id: $0) }
        case .create:
            return .make("channel", .fields(["name": .string("New \(b)"), "position": .integer(Int64(a))]))
        case .rename:
            let fields: KeyValuePairs<String, JSONValue> =
                switch b % 3 {
                case 0: ["name": .string("Channel \(b)")]
                case 1: ["topic": .string("About \(b)")]
                default: ["position": .integer(Int64(b))]
                }
            return channel.map { .change("channel", id: $0, .fields(fields)) }
        // A server of this kind without rooms takes every name for a room's name, so the last channel stays.
        case .erase: return channels.count > 1 ? channel.map { .delete("channel", id: $0) } : nil
        case .typing:
            return channel.map {
                .tell(
                    DeclaredNews(
                        name: "TYPING_START",
                        arguments: [.fields(["channel_id": .string($0), "user_id": .string(user)])], room: $0))
            }
        case .reply, .react, .pin, .move, .direct, .add, .remove, .leave, .read, .unread, .favorite, .level, .come,
            .go, .retitle, .found, .burst:
            return nil
        }
    }

    /// Returns one of a user's messages; 0 is the newest.
    private func message(_ number: Int, by user: String) -> String? {
        let own = messages.filter { $0["author"]?["id"]?.stringValue == user }
        return Self.pick(number, of: own.reversed())?["id"]?.stringValue
    }
}

// The world and the profile that declares it.
extension DeclaredSimulatedServer {
    private static func world(
        hasEcho: Bool, page: Int, showsEdited: Bool, resumes: Bool, seed: UInt64
    ) -> (profile: Profile, machine: MessageServer) {
        let resume = """
            resume: {send: {op: 6, d: {token: "{token}", session_id: "{session}", seq: "{sequence}"}}, refused: payload.op = 9}
            """
        let text = """
            name: gateway
            realtime:
              protocol: websocket
              path: /gateway
              message: {name: t, data: d, sequence: s}
              hello: payload.op = 10
              identify: {op: 2, d: {token: "{token}"}}
              session: d.session_id
              \(resumes ? resume : "# Every connection begins anew.")
              heartbeat: {send: {op: 1, d: "{sequence}"}, interval: d.heartbeat_interval, answer: payload.op = 11}
              restart: payload.op = 7
              close: {refused: [4004], anew: [4007, 4009]}
            services: {api: /api/v1}
            entities:
              account:
                fields: {name: username}
              channel:
                fields: {name: , topic: , position: }
                sort: position
              message:
                fields:
                  text: content
                  user: author.username
                  at: {path: timestamp, type: time}
                  edited: {path: edited_timestamp, type: time}
                  nonce: {}
                parent: channel_id
                sort: at
                newer: edited
            rooms: {list: channels, reads: messages, history: messages}
            events:
              - {event: READY, kind: ready, says: ready, text: user.username}
              - {event: RESUMED, kind: ready, says: ready}
              - {event: MESSAGE_CREATE, kind: message, room: channel_id, actor: author.username, actor_id: author.id, text: content, time: timestamp, entity: message}
              - {event: MESSAGE_UPDATE, kind: edit, room: channel_id, actor: author.username, actor_id: author.id, text: content, time: edited_timestamp, entity: message\(showsEdited ? "" : ", then: {unknown: nothing}")}
              - {event: MESSAGE_DELETE, kind: deletion, room: channel_id, entity: message, then: remove}
              - {event: CHANNEL_CREATE, kind: channel, says: room, room: id, text: name, entity: channel}
              - {event: CHANNEL_UPDATE, kind: channel, room: id, text: name, entity: channel}
              - {event: CHANNEL_DELETE, kind: channel, says: gone, room: id, entity: channel, then: remove}
              - {event: TYPING_START, kind: typing, room: channel_id, actor: user_id}
            reads:
              me: {get: /users/me, entity: account}
              channels: {get: /channels, entity: channel, replaces: all}
              messages: {get: "/channels/{id}/messages", query: {limit: "\(page)"}, entity: message, replaces: window}
            writes:
              send:
                path: "/channels/{id}/messages"
                body: {content: "{text}"\(hasEcho ? ", nonce: \"{action}\"" : "")}
                entity: message
                shows: {text: "{text}"\(hasEcho ? ", nonce: \"{action}\"" : "")}
                \(hasEcho ? "echo: nonce" : "# It is not known again.")
                why: message
              edit: {method: patch, path: "/channels/{id}/messages/{message}", body: {content: "{text}"}, entity: message, shows: {text: "{text}"}, why: message}
              delete: {method: delete, path: "/channels/{id}/messages/{message}", entity: message, why: message}
            account: me
            """
        do {
            let profile = try Profile(parsing: Array(text.utf8))
            let scenario = try ProfileScenario(parsing: Array(scenario.utf8), for: profile)
            let service = DeclaredService(profile, scenario, seed: seed, startsAtOnce: true, at: .zero)
            return (profile, MessageServer(service, heartbeats: .seconds(10), seed: seed))
        } catch { fatalError("the simulated world cannot be read: \(error)") }
    }

    /// Four people, of which the first one watches, and three channels.
    private static let scenario = """
        tokens: {token-of-ana: "100"}
        rows:
          account:
            - {id: "100", name: ana}
            - {id: "200", name: bo}
            - {id: "300", name: cy}
            - {id: "400", name: di}
          channel:
            - {id: "1", name: general, position: 1}
            - {id: "2", name: random, position: 2}
            - {id: "3", name: news, position: 3}
          message:
            - {id: "10", channel_id: "1", user: bo, text: First, at: "2026-07-29T17:00:00Z"}
            - {id: "11", channel_id: "1", user: ana, text: Mine, at: "2026-07-29T17:01:00Z"}
            - {id: "12", channel_id: "2", user: cy, text: Third, at: "2026-07-29T17:02:00Z"}
        """
}
