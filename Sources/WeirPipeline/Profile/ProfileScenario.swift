package import WeirJSON
import WeirTerminal
import WeirWire
package import WeirYAML

/// The world of a declared backend and the events in it, as a file describes them for `weir serve --profile`. It is in
/// this folder because it uses the profile's tables of keys.
package struct ProfileScenario: Hashable, Sendable {
    /// The tokens that the server accepts.
    package var tokens: [Token] = []
    /// The initial rows, by entity.
    package var rows: [Table] = []
    /// The rooms that refuse every join.
    package var forbidden: [Forbidden] = []
    /// The events of the scenario, in order.
    package var steps: [Step] = []

    /// Creates an empty world without events.
    package init() {}
}

extension ProfileScenario {
    /// A token together with its user.
    package struct Token: Hashable, Sendable {
        /// The text of the token.
        package var name = ""
        /// The key of the user's row.
        package var user = ""
        /// The name of the service that accepts it; `nil` for all.
        package var service: String?
        package init() {}
    }

    /// The initial rows of an entity.
    package struct Table: Hashable, Sendable {
        /// The name of the entity.
        package var name = ""
        /// The rows. Each contains the entity's fields by name, and its key and parent by path.
        package var rows: [Placed] = []
        package init() {}
    }

    /// A room that refuses every join.
    package struct Forbidden: Hashable, Sendable {
        /// The id in the room's name.
        package var room = ""
        /// The reason that the server sends.
        package var why = "it is not for you"
        package init() {}
    }

    /// A single event of the scenario.
    package struct Step: Hashable, Sendable {
        /// The ways to interrupt connections.
        package enum Drop: String, Hashable, Sendable, CaseIterable {
            /// All connections are closed; sessions can be resumed.
            case connections
            /// All connections are closed, and no session can be resumed.
            case sessions
        }
        /// The delay after the previous step.
        package var after: Duration?
        /// The name of an event to emit, whether or not the profile has a rule for it.
        package var emit: String?
        /// The payload of the emitted event.
        package var payload: Placed?
        /// The id of the room that receives the event; `nil` for all clients.
        package var room: String?
        /// The entity of the row to create, change or delete.
        package var create: String?, change: String?, delete: String?
        /// The key of that row.
        package var id: String?
        /// The new values of the row's fields.
        package var row: Placed?
        /// The key of the user who acts.
        package var by: String?
        /// The way to interrupt connections; `nil` for other steps.
        package var drop: Drop?
        package init() {}
    }

    /// A value with its position in the file.
    package struct Placed: Hashable, Sendable {
        /// The node that contains the value.
        package var node: YAMLNode

        /// The members of a mapping; empty for any other value.
        var members: [YAMLNode.Member] { if case .mapping(let members) = node.value { members } else { [] } }
        /// The value as JSON; null if it cannot be converted.
        package var json: JSONValue { (try? JSONValue(parsing: node.json.bytes)) ?? .null }
    }
}

// MARK: - The keys

extension ProfileScenario: ProfileObject {
    static let places: [String]? = []
    static let keys: [ProfileKey<Self>] = [
        .init("tokens", named: \.tokens, "The accepted tokens, each with the key of its user's row."),
        .init("rows", named: \.rows, "The initial rows, by entity."),
        .init("forbidden", \.forbidden, "The rooms that cannot be joined."),
        .init("steps", \.steps, "The steps of the scenario, in order."),
    ]
}

extension ProfileScenario.Token: NamedProfileObject {
    static var shortKey: String? { "user" }
    static let keys: [ProfileKey<Self>] = [
        .init("user", \.user, "The key of its user's row.", isRequired: true),
        .init("service", \.service, "The service that accepts it; default all services."),
    ]
}

extension ProfileScenario.Table: NamedProfileObject {
    static let keys: [ProfileKey<Self>] = []

    static func read(_ node: YAMLNode, _ reader: inout ProfileReader) -> Self? {
        guard let rows = [ProfileScenario.Placed].read(node, &reader) else { return nil }
        var table = Self()
        table.rows = rows
        return table
    }
    func write(into writer: inout JSONWriter) { rows.write(into: &writer) }
    static var schema: JSONValue { [ProfileScenario.Placed].schema }
}

extension ProfileScenario.Forbidden: ProfileObject {
    static var shortKey: String? { "room" }
    static let keys: [ProfileKey<Self>] = [
        .init("room", \.room, "The id of the room's subject.", isRequired: true),
        .init("why", \.why, "The reason sent to the client."),
    ]
}

extension ProfileScenario.Step: ProfileObject {
    static let keys: [ProfileKey<Self>] = [
        .init("after", \.after, "The time since the previous step."),
        .init("emit", \.emit, "Emits an event with this name, regardless of the profile."),
        .init("payload", \.payload, "The payload of the event."),
        .init("room", \.room, "The room whose members receive it; default all clients."),
        .init("create", \.create, "Creates a row of this entity."),
        .init("change", \.change, "Changes a row of this entity."),
        .init("delete", \.delete, "Deletes a row of this entity."),
        .init("id", \.id, "The key of the row."),
        .init("row", \.row, "The new values of its fields."),
        .init("by", \.by, "The key of the user who does it."),
        .init("drop", \.drop, "Cuts the connections, or also forgets the sessions."),
    ]
    /// The keys that define the type of a step. Each step has exactly one.
    fileprivate static let deeds = ["emit", "create", "change", "delete", "drop"]
}
extension ProfileScenario.Step.Drop: ProfileWord {}

extension ProfileScenario.Placed: ProfileValue {
    static func read(_ node: YAMLNode, _ reader: inout ProfileReader) -> Self? { Self(node: node) }
    func write(into writer: inout JSONWriter) { writer.raw(node.json) }
    static var schema: JSONValue { .object([]) }
}

// MARK: - Reading

extension ProfileScenario {
    /// Reads a scenario for a profile, in YAML and therefore also in JSON.
    package init(parsing bytes: [UInt8], for profile: Profile) throws(Profile.Invalid) {
        let root: YAMLNode
        do throws(YAMLError) { root = try YAMLNode.parse(bytes) } catch {
            throw Profile.Invalid(problems: error.problems.map { ProfileProblem($0.message, at: $0.position) })
        }
        var reader = ProfileReader()
        let scenario = Self.read(root, &reader)
        scenario?.check(root, profile, &reader)
        guard let scenario, reader.problems.isEmpty else { throw Profile.Invalid(reader.problems) }
        self = scenario
    }

    private func check(_ root: YAMLNode, _ profile: Profile, _ reader: inout ProfileReader) {
        let names = profile.entities.map(\.name)
        for table in rows {
            guard let entity = profile.entities.first(where: { $0.name == table.name }) else {
                let node = root["rows"]?.key(table.name) ?? root
                reader.unknown(node, named: table.name, among: names, what: "entity")
                continue
            }
            var keys: Set<String> = []
            for row in table.rows {
                check(row, entity, isWhole: true, &reader)
                guard let key = row.node[entity.key.text] else {
                    reader.problem(row.node, "the key '\(entity.key.text)' is missing: where the id of a row is")
                    continue
                }
                if let text = key.text, !keys.insert(text).inserted {
                    reader.problem(key, "the row '\(TerminalText.truncated(text, to: 40))' already exists")
                }
            }
        }
        let account = profile.reads.first { $0.name == profile.account }?.entity
        let known = profile.entities.first { $0.name == account }.flatMap { keys(of: $0) }
        let services = profile.services.map(\.name)
        for token in tokens {
            let node = root["tokens"]?[token.name] ?? root
            if let known, !known.contains(token.user) {
                reader.unknown(node["user"] ?? node, named: token.user, among: known, what: "user")
            }
            if let service = token.service, !services.contains(service) {
                reader.unknown(node["service"] ?? node, named: service, among: services, what: "service")
            }
        }
        var nodes = root["steps"].map { [$0] } ?? []
        if case .sequence(let elements)? = root["steps"]?.value { nodes = elements }
        // A step that could not be read was already reported.
        guard nodes.count == steps.count else { return }
        for (step, node) in zip(steps, nodes) { check(step, node, profile, &reader) }
    }

    /// Returns the keys of an entity's rows, or `nil` when the scenario has none for it.
    private func keys(of entity: Profile.Entity) -> [String]? {
        rows.first { $0.name == entity.name }.map { $0.rows.compactMap { $0.node[entity.key.text]?.text } }
    }

    private func check(_ row: Placed, _ entity: Profile.Entity, isWhole: Bool, _ reader: inout ProfileReader) {
        guard case .mapping(let members) = row.node.value else {
            return reader.problem(row.node, "a row's fields are expected here, not \(row.node.kindName)")
        }
        let own = [entity.key.text, entity.parent?.text].compactMap { $0 }
        for member in members {
            let name = member.key.text ?? ""
            guard let field = entity.fields.first(where: { $0.name == name }) else {
                if own.contains(name) { continue }
                reader.unknown(member.key, among: own + entity.fields.map(\.name), what: "field")
                continue
            }
            if !member.value.isNull, field.type.normal(member.value.json) == nil {
                reader.problem(
                    member.value,
                    "a field of type \(field.type.rawValue) is expected here, not \(member.value.kindName)")
            }
        }
        for field in entity.fields where isWhole && field.required && row.node[field.name] == nil {
            reader.problem(row.node, "the field '\(field.name)' is missing: the profile requires it")
        }
    }

    private func check(_ step: Step, _ node: YAMLNode, _ profile: Profile, _ reader: inout ProfileReader) {
        let deeds = Step.deeds.filter { node[$0] != nil }
        if deeds.count != 1 {
            reader.problem(node, "a step needs one of \(Step.deeds.joined(separator: ", "))")
        }
        if let name = step.emit, SocketIO.isReserved(name), profile.realtime.transport == .socketio {
            reader.problem(node["emit"] ?? node, "'\(name)' is reserved by Socket.IO and cannot be emitted")
        }
        guard let name = step.create ?? step.change ?? step.delete else { return }
        guard let entity = profile.entities.first(where: { $0.name == name }) else {
            let names = profile.entities.map(\.name)
            return reader.unknown(node[deeds.first ?? ""] ?? node, named: name, among: names, what: "entity")
        }
        if step.create == nil, step.id == nil {
            reader.problem(node, "the key 'id' is missing: The key of the row.")
        }
        if let row = step.row { check(row, entity, isWhole: step.create != nil, &reader) }
        if step.create != nil, step.row == nil {
            reader.problem(node, "the key 'row' is missing: The new values of its fields.")
        }
    }
}

extension YAMLNode {
    /// Returns the key node with a given name, for its position.
    fileprivate func key(_ name: String) -> YAMLNode? {
        guard case .mapping(let members) = value else { return nil }
        return members.first { $0.key.text == name }?.key
    }
}

extension Profile.Invalid {
    /// Creates the error, with the problems sorted by line and column.
    init(_ problems: [ProfileProblem]) {
        self.init(
            problems: problems.enumerated().sorted {
                ($0.element.line, $0.element.column, $0.offset) < ($1.element.line, $1.element.column, $1.offset)
            }.map(\.element))
    }
}
