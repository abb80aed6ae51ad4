import JSONText
import Terminal

/// What a local notification is about. In JSON it is its name.
public enum LocalNotificationType: String, Sendable, CaseIterable {
    /// A message with a text.
    case message
    /// A message that is files alone.
    case file
    /// Anything else that a filter holds of.
    case event
}

/// Something the user is notified of, by the program itself.
public struct LocalNotification: Hashable, Sendable {
    /// What raised it.
    public enum Rule: String, Sendable, CaseIterable {
        /// The message mentions the user.
        case mention
        /// It was said in a direct.
        case direct
        /// A word that was asked for is in its text.
        case keyword
        /// A filter holds of it.
        case filter
    }

    /// What it says. All of it is untrusted text.
    public struct Payload: Hashable, Sendable {
        /// The channel's part in the names of rooms; the room's whole name where an event raised it.
        public var room: String?
        /// What people call the channel.
        public var title: String?
        /// The message's id.
        public var message: String?
        /// The sender's id.
        public var actor: String?
        /// The sender's name.
        public var name: String?
        /// The text, or what happened in one line.
        public var text: String

        /// A payload.
        public init(
            room: String? = nil, title: String? = nil, message: String? = nil, actor: String? = nil,
            name: String? = nil,
            text: String
        ) {
            self.room = room
            self.title = title
            self.message = message
            self.actor = actor
            self.name = name
            self.text = text
        }
    }

    /// What it is about.
    public var type: LocalNotificationType
    /// What raised it.
    public var rule: Rule
    /// What it says.
    public var payload: Payload

    /// A notification.
    public init(type: LocalNotificationType, rule: Rule, payload: Payload) {
        self.type = type
        self.rule = rule
        self.payload = payload
    }

    /// The notification as JSON text, its members always in this order: `type`, `rule`, `payload`.
    public var stringified: String { String(decoding: json(state: nil), as: UTF8.self) }

    /// Reads what `stringified` wrote, whatever else is in it; nil when that is no notification.
    public init?(stringified text: String) {
        guard let json = try? JSONValue(parsing: Array(text.utf8)[...]),
            let type = json.word("type").flatMap({ LocalNotificationType(rawValue: $0) }),
            let rule = json.word("rule").flatMap({ Rule(rawValue: $0) }),
            let payload = json["payload"], let words = payload.word("text")
        else { return nil }
        self.init(
            type: type, rule: rule,
            payload: Payload(
                room: payload.word("room"), title: payload.word("title"), message: payload.word("message"),
                actor: payload.word("actor"), name: payload.word("name"), text: words))
    }

    /// The same with what became of it, as programs get it.
    func json(state: String?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", string: type.rawValue)
        writer.member("rule", string: rule.rawValue)
        writer.key("payload")
        writer.beginObject()
        writer.member("room", payload.room)
        writer.member("title", payload.title)
        writer.member("message", payload.message)
        writer.member("actor", payload.actor)
        writer.member("name", payload.name)
        writer.member("text", string: payload.text)
        writer.endObject()
        writer.member("state", state)
        writer.endObject()
        return writer.bytes
    }

    // MARK: - For people

    /// The sender and the place.
    var heading: String {
        guard type != .event else { return "weir" }
        let place = rule == .direct ? nil : payload.title.map { "#" + $0 } ?? payload.room
        return [payload.name ?? payload.actor, place].compactMap(\.self).joined(separator: " in ")
    }

    /// The bell and OSC 9; nothing in it can end the sequence, or begin another.
    var bell: [UInt8] {
        let text = type == .event ? payload.text : "\(heading): \(payload.text)"
        return Array("\u{07}\u{1B}]9;weir: \(TerminalText.truncated(text, to: 120))\u{07}".utf8)
    }
}

extension JSONValue {
    fileprivate func word(_ key: String) -> String? {
        guard case .string(let word)? = self[key] else { return nil }
        return word
    }
}
