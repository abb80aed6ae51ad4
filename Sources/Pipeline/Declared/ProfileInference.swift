import Events
public import JSONText

/// Infers a first draft of a profile from the events of an unknown server: its events, the fields of their payloads,
/// and guesses, each with a comment that explains it. Bounded, since the server chooses the names of events and fields.
public struct ProfileInference: Sendable {
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
    public private(set) var count = 0

    /// Creates an inference that has seen no events.
    public init() {}

    /// Adds an event: its name on the wire, and its payload as in `EventReport.payload`.
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
    public func profile(called name: String, path: String = "/socket.io/", namespace: String = "/") -> String {
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
