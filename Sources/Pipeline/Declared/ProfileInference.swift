import Events
public import JSONText

/// Makes a first profile of what an unknown server was seen to say: its events with their payloads' fields, and guesses, each with a comment that
/// says why. Bounded, since a server names the events and the fields.
public struct ProfileInference: Sendable {
    /// What is known of a field: a path into the payload.
    private struct Field {
        var count = 0
        var texts = 0
        var numbers = 0
        var truths = 0
        var times = 0
        /// The first of its values, to tell a few from many.
        var values: Set<String> = []

        var type: String {
            switch count {
            case times: "time"
            case texts: "text"
            case numbers: "number"
            case truths: "boolean"
            default: "any"
            }
        }
    }

    /// What is known of the events of one name, and of one word where a field tells them apart.
    private struct Seen {
        var count = 0
        var fields: [String: Field] = [:]
        /// The paths in the order they were met.
        var order: [String] = []
    }

    private static let (mostNames, mostFields, deepest, mostValues) = (100, 60, 4, 40)
    private var seen: [String: Seen] = [:]
    private var names: [String] = []
    /// Events seen.
    public private(set) var count = 0

    /// Nothing seen.
    public init() {}

    /// Sees an event: its name on the wire, and its payload as `EventReport.payload` has it.
    public mutating func see(_ name: String, _ payload: RawJSON) {
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
            let way = path.isEmpty ? member.key : path + "." + member.key
            note(member.value.raw, at: way, depth: depth + 1, &seen)
        }
    }

    private static func note(scalar value: RawJSON, at path: String, _ seen: inout Seen) {
        if seen.fields[path] == nil {
            guard seen.order.count < mostFields else { return }
            seen.order.append(path)
        }
        var field = seen.fields[path] ?? Field()
        guard !value.isNull else { return }
        field.count += 1
        switch value.bytes.first {
        case UInt8(ascii: "\""):
            field.texts += 1
            if value.time != nil { field.times += 1 }
        case UInt8(ascii: "t"), UInt8(ascii: "f"): field.truths += 1
        case UInt8(ascii: "["): break
        default:
            field.numbers += 1
            // Between 2001 and 2100, in seconds or milliseconds.
            if let time = value.time, (1_000_000_000_000..<4_100_000_000_000).contains(time.milliseconds) {
                field.times += 1
            }
        }
        if let text = value.plainText, text.utf8.count <= 64, field.values.count < mostValues {
            field.values.insert(text)
        }
        seen.fields[path] = field
    }

    // MARK: - Guessing

    /// A guess and why.
    private struct Guess {
        var path: String
        var why: String
    }

    /// The path whose last words are one of these, the likeliest first; of those that hold, the shallowest.
    private static func guess(
        _ seen: Seen, _ words: [String], where holds: (Field) -> Bool, why: (String, Field) -> String
    ) -> Guess? {
        for word in words {
            let fits = seen.order.filter { path in
                (path == word || path.hasSuffix("." + word)) && seen.fields[path].map(holds) == true
            }
            guard let path = fits.min(by: { $0.utf8.count { $0 == 0x2E } < $1.utf8.count { $0 == 0x2E } }),
                let field = seen.fields[path]
            else { continue }
            return Guess(path: path, why: why(path, field))
        }
        return nil
    }

    private static let keys = ["id", "_id", "uuid", "message_id", "messageId"]
    private static let rooms = [
        "room_id", "roomId", "channel_id", "channelId", "room", "channel", "conversation_id", "conversationId",
        "chat_id",
        "chatId", "group_id", "groupId", "topic", "thread_id",
    ]
    private static let actors = [
        "sender.name", "user.name", "author.username", "author.name", "user.username", "username", "sender_name",
        "nick",
        "sender", "author", "user", "from", "user_id", "userId", "sender_id",
    ]
    private static let texts = ["text", "content", "message", "body", "msg"]
    private static let times = ["created_at", "createdAt", "timestamp", "time", "ts", "at", "date", "sent_at"]

    private static func count(of seen: Seen, _ field: Field) -> String {
        field.values.count >= mostValues
            ? "\(mostValues) values or more" : "\(field.values.count) values in \(seen.count) events"
    }

    /// A profile that is to be read, corrected and gone on with.
    public func profile(called name: String) -> String {
        var lines = [
            "# Made of \(count) events. Each guess says why: check it, then delete the comment.", "name: \(name)",
        ]
        var entities: [String] = []
        var rules: [String] = []
        for name in names {
            guard let seen = seen[name] else { continue }
            rules += rule(name, seen, &entities)
        }
        if !entities.isEmpty { lines += ["", "entities:"] + entities }
        if !rules.isEmpty { lines += ["", "events:"] + rules }
        return lines.joined(separator: "\n") + "\n"
    }

    private func rule(_ name: String, _ seen: Seen, _ entities: inout [String]) -> [String] {
        var lines = ["  # \(seen.count) events.", "  - event: \(Self.quoted(name))"]
        var used: Set<String> = []
        func add(_ key: String, _ guess: Guess?) {
            guard let guess else { return }
            used.insert(guess.path)
            lines.append("    \(key): \(guess.path)  # \(guess.why)")
        }
        let isText: (Field) -> Bool = { $0.texts == $0.count && $0.times < $0.count }
        let key = Self.guess(seen, Self.keys, where: { $0.values.count * 2 > $0.count }) { path, field in
            "by its name; \(Self.count(of: seen, field))"
        }
        add(
            "room",
            Self.guess(seen, Self.rooms, where: { $0.texts + $0.numbers == $0.count }) { path, field in
                "by its name; \(Self.count(of: seen, field))"
            })
        add(
            "actor",
            Self.guess(seen, Self.actors, where: { $0.texts + $0.numbers == $0.count }) { _, _ in "by its name" })
        let text = Self.guess(seen, Self.texts, where: isText) { _, _ in "by its name" }
        add("text", text)
        let time = Self.guess(seen, Self.times, where: { $0.times == $0.count }) { _, _ in "a time in every event" }
        add("time", time)
        if let key, let text {
            let entity =
                "message"
                + (entities.isEmpty ? "" : "\(entities.count { $0.hasSuffix(":") && $0.hasPrefix("  m") } + 1)")
            lines.append("    entity: \(entity)  # it has an id (\(key.path)) and a text")
            entities += self.entity(entity, seen, key, text, time)
        }
        let rest = seen.order.filter { !used.contains($0) }.compactMap { path in
            seen.fields[path].map { "\(path) (\($0.type))" }
        }
        if !rest.isEmpty { lines.append("    # Also there: " + rest.prefix(20).joined(separator: ", ")) }
        for path in seen.order {
            guard let field = seen.fields[path], field.texts == field.count, (2...12).contains(field.values.count),
                ["type", "event", "kind", "action", "op"].contains(
                    path.split(separator: ".").last.map(String.init) ?? "")
            else { continue }
            lines.append(
                "    # \(path) is one of \(field.values.count) words: a rule for each, as  when: payload.\(path) = WORD"
            )
        }
        return lines
    }

    private func entity(_ name: String, _ seen: Seen, _ key: Guess, _ text: Guess, _ time: Guess?) -> [String] {
        var lines = ["  \(name):", "    key: \(key.path)  # \(key.why)", "    fields:"]
        lines.append("      text: \(text.path)")
        if let time { lines.append("      at: {path: \(time.path), type: time}") }
        var taken: Set<String> = ["text", "at"]
        for path in seen.order where path != key.path && path != text.path && path != time?.path {
            let name = path.replacing(".", with: "_")
            guard let field = seen.fields[path], field.count > 0, field.type != "any", taken.insert(name).inserted,
                name.utf8.first.map({ (0x61...0x7A).contains($0 | 0x20) }) == true, name.utf8.count <= 64
            else { continue }
            lines.append("      \(name): \(path)")
        }
        if let room = Self.guess(seen, Self.rooms, where: { $0.texts + $0.numbers == $0.count }, why: { _, _ in "" }) {
            lines.append("    parent: \(room.path)  # the room")
        }
        if time != nil { lines.append("    sort: at") }
        return lines
    }

    /// A text of the server's as YAML: plain where that reads as the same, else in quotes.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
                UInt8(ascii: "/"):
                true
            default: false
            }
        }
        if isPlain, !["true", "false", "null", "True", "False", "Null", "TRUE", "FALSE", "NULL"].contains(text) {
            return text
        }
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
