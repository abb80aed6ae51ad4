package import WeirJSON
package import WeirPipeline
package import WeirWire

/// A declared backend's server without its sockets: rows, tokens, the members of rooms, and the script. Pure: it takes
/// requests, client events and times, and returns answers and effects. The same seed gives the same history.
package struct DeclaredService: Sendable {
    /// An effect on the clients. Effects are performed in order.
    package enum Effect: Hashable, Sendable {
        /// Sends an event to one client.
        case tell(Int, DeclaredNews)
        /// Cuts every connection. With `forgetting`, no session can be resumed.
        case drop(forgetting: Bool)
    }

    /// A client of the realtime connection, or a session that outlives one.
    private struct Client {
        var user: DeclaredUser?
        /// The ids of the rooms that the client joined.
        var rooms: Set<String> = []
    }

    let profile: Profile
    let speech: DeclaredSpeech
    var tables: DeclaredTables
    private let forbidden: [String: String]
    /// The owner of each token, and the service that accepts it; `nil` for all services.
    private let tokens: [String: (user: DeclaredUser, service: String?)]
    /// The first token of the scenario, which `serve` prints.
    package let token: String
    private var clients: [Int: Client] = [:]
    var clock: ScriptClock
    var script: DeclaredScript

    /// The server's time when the script starts, in milliseconds since 1970. It is fixed, so that times are part of the
    /// history.
    package static let epoch: Int64 = 1_785_346_000_000

    /// Creates a service. Without a scenario it generates rows for the entities, and an event about once a second.
    package init(
        _ profile: Profile, _ scenario: ProfileScenario?, seed: UInt64, startsAtOnce: Bool = false, at now: Moment
    ) {
        self.profile = profile
        speech = DeclaredSpeech(profile: profile)
        let given = scenario ?? ProfileScenario()
        forbidden = Dictionary(given.forbidden.map { ($0.room, $0.why) }) { first, _ in first }
        clock = ScriptClock(
            epoch: Self.epoch,
            startsAtOnce ? .atOnce : .afterFirstClient(quiet: .milliseconds(400), longest: .seconds(3)), pace: 1,
            at: now)
        tables = DeclaredTables(profile)
        script = scenario.map { DeclaredScript($0.steps) } ?? DeclaredScript(seed: seed)
        let invented = scenario == nil ? DeclaredCast.rows(of: profile, speech, seed: seed) : []
        let account = Self.accountEntity(profile)
        for (name, rows) in given.rows.map({ ($0.name, $0.rows.map(\.json)) }) + invented {
            guard let entity = tables.entity(name) else { continue }
            for members in rows {
                let json = speech.completed(entity.row(members), of: entity, by: nil, at: Self.epoch)
                _ = try? tables.insert(json, into: entity)
            }
        }
        var users: [DeclaredUser] = []
        if let account { users = tables.rows(of: account).map { DeclaredUser($0, of: account) } }
        func user(_ id: String) -> DeclaredUser { users.first { $0.id == id } ?? DeclaredUser(id: id, name: id) }
        var owners = given.tokens.map { (token: $0.name, user: user($0.user), service: $0.service) }
        if owners.isEmpty { owners = [("token-of-\(users.first?.id ?? "you")", users.first ?? user("you"), nil)] }
        tokens = Dictionary(owners.map { ($0.token, ($0.user, $0.service)) }) { first, _ in first }
        token = owners[0].token
        script.others = users.filter { $0 != owners[0].user }
        // The account's read must find the owner of every token.
        guard let account else { return }
        for (_, user, _) in owners where tables.row(user.id, of: account) == nil {
            var row = JSONValue.object([])
            JSONPlace(account.key).put(.string(user.id), into: &row)
            account.namePlace?.fill(.string(user.name), into: &row)
            _ = try? tables.insert(row, into: account)
        }
    }

    private static func accountEntity(_ profile: Profile) -> Profile.Entity? {
        let name = profile.reads.first { $0.name == profile.account }?.entity ?? "account"
        return profile.entities.first { $0.name == name }
    }

    var accountEntity: Profile.Entity? { Self.accountEntity(profile) }

    /// Returns a token of the user with this name or id, for the first service.
    func token(of name: String) -> String? {
        tokens.filter { [$0.value.user.id, $0.value.user.name].contains(name) && user(of: $0.key) != nil }.keys.min()
    }

    /// Returns the rows of an entity as they are sent, in the entity's order.
    package func rows(of entity: String) -> [JSONValue] {
        tables.entity(entity).map { tables.rows(of: $0).map(\.json) } ?? []
    }

    /// Returns the owner of a token; `nil` if the token is unknown or the service does not accept it. The realtime
    /// connection accepts the tokens of the first service.
    func user(of token: String?, at service: Profile.Service? = nil) -> DeclaredUser? {
        guard let owner = token.flatMap({ tokens[$0] }) else { return nil }
        let service = service ?? profile.services.first
        return owner.service == nil || owner.service == service?.name ? owner.user : nil
    }

    // MARK: - Clients

    /// Connects a client. Returns the event that reports the connection as ready.
    mutating func connect(_ client: Int, _ user: DeclaredUser?, at now: Moment) -> [Effect] {
        clients[client] = Client(user: user)
        if profile.rooms?.join == nil { clock.joinedRoom(at: now) }
        return speech.news(saying: .ready, to: user, at: clock.time(at: now)).map { [.tell(client, $0)] } ?? []
    }

    /// Adds a client that receives all events. On Bayeux, the channels decide which client gets which event.
    mutating func hearAll(_ client: Int) { clients[client] = Client(user: DeclaredUser(id: "", name: "")) }

    mutating func disconnect(_ client: Int) { clients[client] = nil }

    mutating func disconnectAll() { clients = [:] }

    /// Returns the event for a client with an unknown token, sent before it is disconnected; `nil` when the profile
    /// defines none.
    func unauthorized(at now: Moment) -> DeclaredNews? {
        speech.news(saying: .unauthorized, why: Self.wrongToken, to: nil, at: clock.time(at: now))
    }

    static let wrongToken = "unknown token"

    /// Sets the user of a client that identifies itself by an event instead of CONNECT.
    mutating func identify(_ client: Int, _ user: DeclaredUser) { clients[client]?.user = user }

    /// Handles a client's request to join or leave a room. Returns the acknowledgement, or `nil` for any other event.
    mutating func heard(
        _ client: Int, _ asks: DeclaredAsk, at now: Moment
    ) -> (acknowledgement: JSONValue, effects: [Effect])? {
        let time = clock.time(at: now)
        let user = clients[client]?.user
        if let join = profile.rooms?.join, let id = roomID(asks.values(join.event, join.arguments, join.message)) {
            if let why = refusal(of: id, to: user) {
                let news =
                    join.answer == .event
                    ? speech.news(saying: .refused, room: .string(id), why: why, to: user, at: time) : nil
                return (acknowledgement(of: join, refusing: why), news.map { [.tell(client, $0)] } ?? [])
            }
            clients[client]?.rooms.insert(id)
            clock.joinedRoom(at: now)
            let news =
                join.answer == .event ? speech.news(saying: .joined, room: .string(id), to: user, at: time) : nil
            return (acknowledgement(of: join, refusing: nil), news.map { [.tell(client, $0)] } ?? [])
        }
        if let leave = profile.rooms?.leave, let id = roomID(asks.values(leave.event, leave.arguments, leave.message)) {
            clients[client]?.rooms.remove(id)
            let news = speech.news(saying: .left, room: .string(id), to: user, at: time)
            return (.object([]), news.map { [.tell(client, $0)] } ?? [])
        }
        return nil
    }

    /// Returns the room's id from the values of a template's placeholders.
    func roomID(_ values: [String: JSONValue]?) -> String? {
        if let id = values?["id"]?.plainText { return id }
        guard let name = values?["room"]?.plainText else { return nil }
        return profile.rooms?.name.values(in: name)?.values.first ?? name
    }

    /// Returns why a user may not join a room; `nil` when the user may.
    func refusal(of room: String, to user: DeclaredUser?) -> String? {
        if user == nil { return Self.wrongToken }
        if let why = forbidden[room] { return why }
        guard let entity = speech.roomEntity, !tables.rows(of: entity).isEmpty, tables.row(room, of: entity) == nil
        else {
            return nil
        }
        return "no such room"
    }

    /// Returns the acknowledgement of a client's request to join.
    private func acknowledgement(of join: Profile.Join, refusing why: String?) -> JSONValue {
        guard let condition = join.refused else { return .object([]) }
        guard var answer = condition.example(from: .object([]), fails: why == nil) else { return .object([]) }
        if let why, let path = join.why { JSONPlace(path).put(.string(why), into: &answer) }
        return answer
    }

    /// Returns the effects that send an event to every client in its room.
    package func tell(_ news: DeclaredNews?) -> [Effect] {
        guard let news else { return [] }
        return clients.keys.sorted().compactMap { id in
            guard let client = clients[id], client.user != nil else { return nil }
            guard let room = news.room, profile.rooms?.join != nil else { return .tell(id, news) }
            return client.rooms.contains(room) ? .tell(id, news) : nil
        }
    }
}

/// An event that a client emitted, or a message of a plain WebSocket.
enum DeclaredAsk: Hashable, Sendable {
    case event(String, [JSONValue])
    case message(JSONValue)

    /// Returns the values of the placeholders in one of the profile's emissions; `nil` when this is a different one.
    func values(
        _ event: String, _ arguments: [JSONTemplate], _ message: JSONTemplate?
    ) -> [String: JSONValue]? {
        switch self {
        case .event(let name, let values):
            guard name == event, values.count >= arguments.count else { return nil }
            var found: [String: JSONValue] = [:]
            for (template, value) in zip(arguments, values) {
                guard let places = template.values(in: value) else { return nil }
                found.merge(places) { first, _ in first }
            }
            return found
        case .message(let value): return message?.values(in: value)
        }
    }

    func values(_ emission: Profile.Emission) -> [String: JSONValue]? {
        values(emission.event, emission.arguments, emission.message)
    }
}

extension DeclaredUser {
    /// Creates the user of an account's row.
    init(_ row: DeclaredTables.Row, of entity: Profile.Entity) {
        id = row.id
        name = entity.namePlace?.value(in: row.json)?.plainText ?? row.id
    }
}

extension Profile.Entity {
    /// The place of a row's display name.
    var namePlace: JSONPlace? { place(of: "name") ?? place(of: "title") }
}
