import WeirEvents
package import WeirJSON

/// Infers a first draft of a profile from the events of an unknown server: its events, the fields of their payloads,
/// and guesses, each with a comment that explains it. Bounded, since the server chooses the names of events and fields.
package struct ProfileInference: Sendable {
    /// The statistics of a field, which is a path into the payload.
    fileprivate struct Field {
        var count = 0
        var texts = 0
        var numbers = 0
        var truths = 0
        var times = 0
        /// The first distinct values, which show whether there are few or many.
        var values: Set<String> = []

        var type: String {
            switch count {
            case 0: "any"
            case times: "time"
            case texts: "text"
            case numbers: "number"
            case truths: "boolean"
            default: "any"
            }
        }
    }

    /// The statistics of all events with one name.
    fileprivate struct Seen {
        var count = 0
        var fields: [String: Field] = [:]
        /// The paths of the fields, in the order of first appearance.
        var order: [String] = []
        /// The paths of objects whose members are named by ids.
        var byID: Set<String> = []
    }

    fileprivate static let (mostNames, mostFields, deepest, mostValues) = (100, 60, 4, 40)
    private var seen: [String: Seen] = [:]
    private var names: [String] = []
    /// The number of events seen so far.
    package private(set) var count = 0

    /// Creates an inference that has seen no events.
    package init() {}

    /// Adds an event: its name on the wire, and its payload as in `EventReport.payload`.
    package mutating func see(_ name: String, _ payload: RawJSON) {
        count += 1
        if seen[name] == nil {
            guard names.count < Self.mostNames, !name.isEmpty, name.utf8.count <= 100 else { return }
            names.append(name)
        }
        var known = seen[name] ?? Seen()
        known.count += 1
        if let value = payload.arguments.first { Self.note(value, at: "", depth: 0, &known) }
        seen[name] = known
    }

    private static func note(_ value: RawJSON, at path: String, depth: Int, _ seen: inout Seen) {
        guard value.bytes.first == UInt8(ascii: "{") else {
            if !path.isEmpty { note(scalar: value, at: path, &seen) }
            return
        }
        guard depth < deepest, case .object(let members)? = try? JSONValue(parsing: value.bytes) else { return }
        for member in members where FilterSyntax.isPlainKey(member.key) {
            // A member named by an id has another name in the next event.
            if isID(member.key) {
                seen.byID.insert(path.isEmpty ? "the payload" : path)
                continue
            }
            let way = path.isEmpty ? member.key : path + "." + member.key
            note(member.value.raw, at: way, depth: depth + 1, &seen)
        }
    }

    /// Whether a member's name is an id: a number, or a long text with digits.
    private static func isID(_ key: String) -> Bool {
        let digits = key.utf8.count { (0x30...0x39).contains($0) }
        return digits == key.utf8.count || digits >= 4 && key.utf8.count >= 16
    }

    private static func note(scalar value: RawJSON, at path: String, _ seen: inout Seen) {
        if seen.fields[path] == nil {
            guard seen.order.count < mostFields else { return }
            seen.order.append(path)
        }
        var field = seen.fields[path] ?? Field()
        defer { seen.fields[path] = field }
        guard !value.isNull else { return }
        field.count += 1
        switch value.bytes.first {
        case UInt8(ascii: "\""): field.texts += 1
        case UInt8(ascii: "t"), UInt8(ascii: "f"): field.truths += 1
        case UInt8(ascii: "["): break
        default: field.numbers += 1
        }
        // A time between 2001 and 2100. Without these limits, any number or text of digits could be a time.
        if let time = value.time, (1_000_000_000_000..<4_100_000_000_000).contains(time.milliseconds) {
            field.times += 1
        }
        if let text = value.plainText, text.utf8.count <= 64, field.values.count < mostValues {
            field.values.insert(text)
        }
    }

    static func count(_ number: Int, _ what: String) -> String { "\(number) \(what)\(number == 1 ? "" : "s")" }

    /// Returns a draft of a profile, to be reviewed, corrected and extended.
    ///
    /// - Parameters:
    ///   - path: The path of the connection in which the events were seen.
    ///   - namespace: The namespace in which the events were seen.
    package func profile(called name: String, path: String = "/socket.io/", namespace: String = "/") -> String {
        var draft = ProfileDraft()
        draft.timeReason = "a time in every event"
        draft.add(names.compactMap { name in seen[name].map { $0.event(called: name) } })
        var lines = [
            "# Made from \(Self.count(count, "event")). Each guess has its reason in a comment: check it, then delete the comment.",
            "name: \(name)",
        ]
        let places = [("path", path, "/socket.io/"), ("namespace", namespace, "/")].filter { $0.1 != $0.2 }
        if !places.isEmpty { lines += ["", "realtime:"] }
        for (key, place, _) in places { lines.append("  \(key): \(ProfileDraft.quoted(place))  # as recorded") }
        if !draft.entities.isEmpty { lines += ["", "entities:"] + draft.entities }
        if !draft.rules.isEmpty { lines += ["", "events:"] + draft.rules }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension ProfileInference.Seen {
    fileprivate func event(called name: String) -> ProfileDraft.Event {
        ProfileDraft.Event(
            name: name, comments: ["\(ProfileInference.count(count, "event"))."],
            fields: order.compactMap { path in
                fields[path].map { field in
                    let isFull = field.values.count >= ProfileInference.mostValues
                    return ProfileDraft.Field(
                        path: path, type: field.type,
                        isPlain: field.count > 0 && field.texts + field.numbers == field.count,
                        isDistinct: field.values.count * 2 > field.count,
                        note: isFull
                            ? "\(ProfileInference.mostValues) values or more"
                            : "\(ProfileInference.count(field.values.count, "value")) in "
                                + ProfileInference.count(count, "event"),
                        words: field.texts == field.count && field.values.count <= 12 ? field.values.count : 0)
                }
            }, byID: byID.sorted())
    }
}

/// A first draft of a profile, to be reviewed, corrected and extended. It turns events with known fields into rules and
/// entities. A comment explains each guess.
struct ProfileDraft {
    /// A value in an event's payload.
    struct Field {
        /// The path of the value.
        var path: String
        /// The type: `time`, `text`, `integer`, `number`, `boolean`, or `any`.
        var type: String
        /// Whether every value is a text or a number.
        var isPlain: Bool
        /// Whether the values are distinct enough for a key.
        var isDistinct = true
        /// A remark on the values for a comment; empty for none.
        var note = ""
        /// The number of distinct words, if there are few; otherwise 0.
        var words = 0
    }

    /// An event with its known properties.
    struct Event {
        var name: String
        var comments: [String] = []
        var fields: [Field]
        /// The kind for printing; `nil` for the event's name.
        var kind: Guess?
        /// The path of the room, if it is known other than by a field's name.
        var room: Guess?
        /// An identifier of the payload's schema. Events with the same payload contain rows of the same entity.
        var payload: String?
        /// The name for an entity of that payload.
        var entity = "message"
        /// Whether the event removes its row.
        var removes = false
        /// The paths of objects whose members are named by ids.
        var byID: [String] = []
    }

    /// A guessed path or word, with the reason for it.
    struct Guess {
        var path: String
        var why: String
    }

    /// The reason given for a field that is a time.
    var timeReason = "a time"
    /// Whether the fields of entities are written with their types.
    var writesTypes = false
    private(set) var rules: [String] = []
    private(set) var entities: [String] = []
    /// The entities by payload, and the path of each entity's key.
    private var known: [String: String] = [:]
    private var keyPaths: [String: String] = [:]
    /// The entities by the paths of their key, text, time and room.
    private var shapes: [[String?]: String] = [:]

    // MARK: - Guessing

    /// Returns the field whose path ends with one of the words, in the order of the words. Among several such fields,
    /// the one with the shortest path wins.
    static func guess(
        _ fields: [Field], _ words: [String], where holds: (Field) -> Bool,
        why: (Field) -> String = { $0.path == "." ? "it is all of the payload" : "by its name" }
    ) -> Guess? {
        for word in words {
            let fits = fields.filter { ($0.path == word || $0.path.hasSuffix("." + word)) && holds($0) }
            func depth(_ field: Field) -> Int { field.path.utf8.count { $0 == UInt8(ascii: ".") } }
            guard let field = fits.min(by: { depth($0) < depth($1) }) else { continue }
            return Guess(path: field.path, why: why(field))
        }
        return nil
    }

    /// Returns the reason for a field that was found by its name.
    private static func reason(_ field: Field) -> String {
        "by its name" + (field.note.isEmpty ? "" : "; \(field.note)")
    }

    static let keys = ["id", "_id", "uuid", "message_id", "messageId"]
    static let rooms = [
        "room_id", "roomId", "channel_id", "channelId", "room", "channel", "conversation_id", "conversationId",
        "chat_id", "chatId", "group_id", "groupId", "topic", "thread_id", "threadId",
    ]
    private static let actors = [
        "sender.name", "user.name", "author.username", "author.name", "user.username", "username", "sender_name",
        "nick", "sender", "author", "user", "from", "user_id", "userId", "sender_id",
    ]
    /// The path `.` accepts a payload that is itself a text.
    private static let texts = ["text", "content", "message", "body", "msg", "output", "."]
    private static let names = ["name", "title", "username", "display_name", "displayName"]
    static let times = ["created_at", "createdAt", "timestamp", "time", "ts", "at", "date", "sent_at", "sentAt"]

    // MARK: - Writing

    /// Writes the rules of the events in their order. Removals are processed last, because the other events name the
    /// entities.
    mutating func add(_ events: [Event]) {
        var written: [Int: [String]] = [:]
        for (index, event) in events.enumerated() where !event.removes { written[index] = rule(event) }
        for (index, event) in events.enumerated() where event.removes { written[index] = rule(event) }
        rules += events.indices.flatMap { written[$0] ?? [] }
    }

    /// Whether a profile can contain the path of a field. YAML reads `null` as no value.
    static func isPath(_ text: String) -> Bool { ProfilePath(text) != nil && text.lowercased() != "null" }

    private mutating func rule(_ event: Event) -> [String] {
        var event = event
        event.fields.removeAll { !Self.isPath($0.path) }
        var lines = event.comments.map { "  # \($0)" } + ["  - event: \(Self.quoted(event.name))"]
        var used: Set<String> = []
        func add(_ key: String, _ guess: Guess?) {
            guard let guess else { return }
            used.insert(guess.path)
            lines.append("    \(key): \(guess.path)  # \(guess.why)")
        }
        if let kind = event.kind { lines.append("    kind: \(kind.path)  # \(kind.why)") }
        let room = event.room ?? Self.guess(event.fields, Self.rooms, where: \.isPlain, why: Self.reason)
        add("room", room)
        add("actor", Self.guess(event.fields, Self.actors, where: \.isPlain))
        let text = Self.guess(event.fields, Self.texts, where: { $0.type == "text" })
        add("text", text)
        let time = Self.guess(event.fields, Self.times, where: { $0.type == "time" }) { _ in timeReason }
        add("time", time)
        let key = Self.guess(event.fields, Self.keys, where: { $0.isPlain && $0.isDistinct }, why: Self.reason)
        let isMessage = event.entity == "message"
        if event.removes {
            lines += removal(event, key)
        } else if let key, let name = isMessage ? text : Self.guess(event.fields, Self.names, where: \.isPlain) {
            let label = isMessage ? "text" : "name"
            let place = Self.place(of: key, name)
            let shape = [key, name, time, room].map { $0.flatMap { Self.path($0.path, in: place) } }
            if event.payload == nil, let entity = shapes[shape] {
                lines.append("    entity: \(entity)  # its id, \(label) and time are where another event has them")
            } else {
                let entity = entity(event, key, label, place, shape)
                lines.append("    entity: \(entity)  # it has an id (\(key.path)) and a \(label)")
            }
            if !place.isEmpty { lines.append("    at: \(place.dropLast())") }
            used.insert(key.path)
        }
        let rest = event.fields.filter { !used.contains($0.path) }.map { "\($0.path) (\($0.type))" }
        if !rest.isEmpty { lines.append("    # Also there: " + rest.prefix(20).joined(separator: ", ")) }
        for object in event.byID {
            lines.append("    # The members of \(object) are named by ids: no path leads to their contents.")
        }
        for field in event.fields where field.words > 1 {
            guard let last = field.path.split(separator: ".").last,
                ["type", "event", "kind", "action", "op"].contains(last)
            else { continue }
            lines.append(
                "    # \(field.path) is one of \(field.words) words: a rule for each, as  when: payload.\(field.path) = WORD"
            )
        }
        return lines
    }

    private func removal(_ event: Event, _ key: Guess?) -> [String] {
        guard let path = keyPaths[event.entity] else { return [] }
        guard let key, key.path == path else {
            return ["    # It takes a row of \(event.entity) away, whose key is \(path): the event has none"]
        }
        let place = Self.place(of: key)
        return ["    entity: \(event.entity)  # it has its id (\(path))"]
            + (place.isEmpty ? [] : ["    at: \(place.dropLast())"]) + ["    then: remove  # by its name"]
    }

    /// Returns the path of the row in an event: that of its id, with a trailing dot; empty when the name lies
    /// elsewhere.
    private static func place(of key: Guess, _ name: Guess? = nil) -> String {
        let row = key.path.lastIndex(of: ".").map { String(key.path[...$0]) } ?? ""
        return name?.path.hasPrefix(row) ?? true ? row : ""
    }

    /// Returns the rest of a path after a prefix, or `nil` when the path has another prefix.
    private static func path(_ path: String, in place: String) -> String? {
        path.hasPrefix(place) ? String(path.dropFirst(place.count)) : nil
    }

    /// Returns the name of an event's entity, and writes the entity if it is new.
    private mutating func entity(
        _ event: Event, _ guess: Guess, _ label: String, _ place: String, _ shape: [String?]
    ) -> String {
        if let payload = event.payload, let entity = known[payload] { return entity }
        var entity = event.entity
        var number = 1
        while keyPaths[entity] != nil {
            number += 1
            entity = "\(event.entity)\(number)"
        }
        keyPaths[entity] = guess.path
        shapes[shape] = entity
        let (key, name, time, room) = (shape[0] ?? "id", shape[1] ?? label, shape[2], shape[3])
        if let payload = event.payload { known[payload] = entity }
        var lines = ["  \(entity):", "    key: \(key)  # \(guess.why)", "    fields:"]
        lines.append("      \(label): \(name)")
        if let time { lines.append("      at: {path: \(time), type: time}") }
        var taken: Set<String> = [label, "at"]
        for field in event.fields {
            guard let way = Self.path(field.path, in: place), ![key, name, time].contains(way) else { continue }
            let word = way.replacing(".", with: "_")
            guard field.type != "any", Self.isWord(word), taken.insert(word).inserted else { continue }
            let path = word == way ? "" : "path: \(way), "
            lines.append("      \(word): " + (writesTypes ? "{\(path)type: \(field.type)}" : way))
        }
        if let room, entity != "channel" { lines.append("    parent: \(room)  # the room") }
        if time != nil { lines.append("    sort: at") }
        entities += lines
        return entity
    }

    /// Whether a text can be a name in a profile.
    static func isWord(_ text: String) -> Bool {
        text.utf8.first.map { (0x61...0x7A).contains($0 | 0x20) } == true && text.utf8.count <= 64
            && FilterSyntax.isPlainKey(text)
    }

    /// Returns an untrusted text as YAML: plain if that reads back unchanged, otherwise quoted.
    static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.enumerated().allSatisfy { index, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
                UInt8(ascii: "/"):
                true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"): index > 0
            default: false
            }
        }
        if isPlain, !["true", "false", "null", "True", "False", "Null", "TRUE", "FALSE", "NULL", ""].contains(text) {
            return text
        }
        return yaml(.string(text))
    }

    /// Returns JSON as YAML. Characters that YAML rejects are escaped.
    static func yaml(_ json: JSONValue) -> String {
        json.raw.description.unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.value <= 0xFFFF, scalar.properties.isNoncharacterCodePoint {
                text += "\\u" + String(scalar.value, radix: 16)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}
