package import JSONText
package import Pipeline
package import Wire

/// A declared backend's server without its sockets: rows, tokens, who is in which room, and what happens. Pure:
/// requests, events of the clients and times in, answers and effects out. One seed gives one history.
package struct DeclaredService: Sendable {
    /// What is done for clients, in order.
    package enum Effect: Hashable, Sendable {
        /// Tells one client an event.
        case tell(Int, DeclaredNews)
        /// Cuts every connection; with `forgetting` no session can be resumed.
        case drop(forgetting: Bool)
    }

    /// A client of the realtime connection, or a session that outlives one.
    private struct Client {
        var user: DeclaredUser?
        /// The ids of what the rooms are of.
        var rooms: Set<String> = []
    }

    let profile: Profile
    let speech: DeclaredSpeech
    var tables: DeclaredTables
    private let forbidden: [String: String]
    /// Whose each token is, and the service that takes it; nil for every one.
    private let tokens: [String: (user: DeclaredUser, service: String?)]
    /// The first token of the scenario: the one that `serve` prints.
    package let token: String
    private var clients: [Int: Client] = [:]
    var clock: ScriptClock
    var script: DeclaredScript

    /// The world's time when the script starts, milliseconds since 1970. Fixed, so that times belong to the history.
    package static let epoch: Int64 = 1_785_346_000_000

    /// Without a scenario, with rows made of the entities, and something happens about once a second.
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
        // Whose token it is, is somebody that the account's read finds.
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

    /// A token of the user of that name or id, for the first service.
    func token(of name: String) -> String? {
        tokens.filter { [$0.value.user.id, $0.value.user.name].contains(name) && user(of: $0.key) != nil }.keys.min()
    }

    /// The rows of an entity as they go over the wire, in its order.
    package func rows(of entity: String) -> [JSONValue] {
        tables.entity(entity).map { tables.rows(of: $0).map(\.json) } ?? []
    }

    /// Whose a token is; nil for none, and for one that the service does not take. The realtime connection takes those of the first service.
    func user(of token: String?, at service: Profile.Service? = nil) -> DeclaredUser? {
        guard let owner = token.flatMap({ tokens[$0] }) else { return nil }
        let service = service ?? profile.services.first
        return owner.service == nil || owner.service == service?.name ? owner.user : nil
    }

    // MARK: - Clients

    /// Somebody is connected; what the connection's readiness is said by.
    mutating func connect(_ client: Int, _ user: DeclaredUser?, at now: Moment) -> [Effect] {
        clients[client] = Client(user: user)
        if profile.rooms?.join == nil { clock.joinedRoom(at: now) }
        return speech.news(saying: .ready, to: user, at: clock.time(at: now)).map { [.tell(client, $0)] } ?? []
    }

    /// A client that hears everything: the channels of Bayeux choose what reaches whom.
    mutating func hearAll(_ client: Int) { clients[client] = Client(user: DeclaredUser(id: "", name: "")) }

    mutating func disconnect(_ client: Int) { clients[client] = nil }

    mutating func disconnectAll() { clients = [:] }

    /// What a client that has a token of nobody's is told before it is cut off; nil where the profile has no word for
    /// it.
    func unauthorized(at now: Moment) -> DeclaredNews? {
        speech.news(saying: .unauthorized, why: Self.wrongToken, to: nil, at: clock.time(at: now))
    }

    static let wrongToken = "the token is nobody's"

    /// A client says who it is by an event, where CONNECT does not.
    mutating func identify(_ client: Int, _ user: DeclaredUser) { clients[client]?.user = user }

    /// A client asked to join or to leave a room. Gives what acknowledges it, and nil where it asked for something
    /// else.
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

    /// What the places of a template say of a room: the id of what it is of.
    func roomID(_ values: [String: JSONValue]?) -> String? {
        if let id = values?["id"]?.plainText { return id }
        guard let name = values?["room"]?.plainText else { return nil }
        return profile.rooms?.name.values(in: name)?.values.first ?? name
    }

    /// Why somebody may not be in a room; nil when they may.
    func refusal(of room: String, to user: DeclaredUser?) -> String? {
        if user == nil { return Self.wrongToken }
        if let why = forbidden[room] { return why }
        guard let entity = speech.roomEntity, !tables.rows(of: entity).isEmpty, tables.row(room, of: entity) == nil
        else {
            return nil
        }
        return "there is no such room"
    }

    /// What is acknowledged to a client that asks to join.
    private func acknowledgement(of join: Profile.Join, refusing why: String?) -> JSONValue {
        guard let condition = join.refused else { return .object([]) }
        guard var answer = condition.example(from: .object([]), fails: why == nil) else { return .object([]) }
        if let why, let path = join.why { JSONPlace(path).put(.string(why), into: &answer) }
        return answer
    }

    /// Tells an event to whoever is in its room.
    package func tell(_ news: DeclaredNews?) -> [Effect] {
        guard let news else { return [] }
        return clients.keys.sorted().compactMap { id in
            guard let client = clients[id], client.user != nil else { return nil }
            guard let room = news.room, profile.rooms?.join != nil else { return .tell(id, news) }
            return client.rooms.contains(room) ? .tell(id, news) : nil
        }
    }
}

/// Something that a client emitted, or a message of a plain WebSocket.
enum DeclaredAsk: Hashable, Sendable {
    case event(String, [JSONValue])
    case message(JSONValue)

    /// What was filled into an emission of the profile's; nil where this is another one.
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
    /// The user of an account's row.
    init(_ row: DeclaredTables.Row, of entity: Profile.Entity) {
        id = row.id
        name = entity.namePlace?.value(in: row.json)?.plainText ?? row.id
    }
}

extension Profile.Entity {
    /// Where what people call a row is.
    var namePlace: JSONPlace? { place(of: "name") ?? place(of: "title") }
}
