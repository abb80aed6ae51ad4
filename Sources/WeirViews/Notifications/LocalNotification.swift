import WeirJSON
import WeirTerminal

/// The subject of a local notification. JSON contains the case's name.
package enum LocalNotificationType: String, Sendable, CaseIterable {
    /// A message with a text, with or without files.
    case message
    /// A message that contains only files.
    case file
    /// Any other report that matches a filter.
    case event
}

/// A notification that the program itself shows the user.
package struct LocalNotification: Hashable, Sendable {
    /// The kind of rule that raised a notification.
    package enum Rule: String, Sendable, CaseIterable {
        /// The message mentions the user.
        case mention
        /// The message is in a direct conversation.
        case direct
        /// The text contains one of the user's keywords.
        case keyword
        /// The report matches a filter.
        case filter
    }

    /// The content of a notification. All of it is untrusted text.
    package struct Payload: Hashable, Sendable {
        /// The channel's part in room names; the complete room name if an event raised the notification.
        package var room: String?
        /// The display name of the channel.
        package var title: String?
        /// The id of the message; `nil` if the subject is not a message.
        package var message: String?
        /// The id of the sender.
        package var actor: String?
        /// The display name of the sender.
        package var name: String?
        /// The text of the message, or one line that describes the event.
        package var text: String

        /// Creates a payload with at least a text.
        package init(
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

    /// The subject of the notification.
    package var type: LocalNotificationType
    /// The kind of rule that raised the notification.
    package var rule: Rule
    /// The content of the notification.
    package var payload: Payload

    /// Creates a notification, which is not shown yet.
    package init(type: LocalNotificationType, rule: Rule, payload: Payload) {
        self.type = type
        self.rule = rule
        self.payload = payload
    }

    /// The notification as JSON text. Its members always have this order: `type`, `rule`, `payload`.
    package var stringified: String { String(decoding: json(state: nil), as: UTF8.self) }

    /// Creates a notification from the text of `stringified`. Other members are ignored. Returns `nil` for any other
    /// text.
    package init?(stringified text: String) {
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

    /// Returns the notification as JSON with its state, `raised` or `cleared`, as programs receive it.
    package func json(state: String?) -> [UInt8] {
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

    /// The sender and the channel, as a title.
    var heading: String {
        guard type != .event else { return "weir" }
        let place = rule == .direct ? nil : payload.title.map { "#" + $0 } ?? payload.room
        return [payload.name ?? payload.actor, place].compactMap(\.self).joined(separator: " in ")
    }

    /// The bell and OSC 9. Control characters are escaped, so that the text cannot end the sequence or begin another.
    package var bell: [UInt8] {
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

/// The commands that make notify-send show a notification and remove it again.
///
/// Since version 0.7.10 notify-send prints the id of a notification (`-p`), with which it can be replaced (`-r`). It
/// cannot close one, so a read message is replaced by a short notice that disappears at once. With an older version,
/// notifications are shown but never removed.
package struct DesktopNotifications {
    /// The environment variables that notify-send needs to find the desktop.
    package static let variables = ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY"]
    private static let mostNumbers = 1_000

    private var hasNumbers = true
    /// The ids of the shown notifications, with the ids of their messages.
    private var numbers: [(message: String, number: String)] = []

    package init() {}

    /// Returns the command for a change, or `nil` if there is no notification to remove.
    package func words(for change: NotificationBook.Change) -> [String]? {
        let notification = change.notification
        let (heading, text) = (Self.plain(notification.heading), Self.plain(notification.payload.text))
        switch change {
        case .raised:
            return ["notify-send", "--app-name=weir"] + (hasNumbers ? ["-p"] : []) + ["--", heading, Self.marked(text)]
        case .cleared:
            guard let shown = numbers.last(where: { $0.message == notification.payload.message }) else { return nil }
            return [
                "notify-send", "--app-name=weir", "-r", shown.number, "-t", "1", "-h", "int:transient:1", "--", heading,
                "read",
            ]
        }
    }

    /// Handles the end of the command. Returns whether to run it again without ids.
    package mutating func ended(_ isWell: Bool, printing text: [UInt8], _ change: NotificationBook.Change) -> Bool {
        let message = change.notification.payload.message
        switch change {
        case .cleared: numbers.removeAll { $0.message == message }
        case .raised where isWell:
            let number = String(decoding: text.prefix { (48...57).contains($0) }, as: UTF8.self)
            guard hasNumbers, let message, !number.isEmpty else { return false }
            if numbers.count == Self.mostNumbers { numbers.removeFirst() }
            numbers.append((message, number))
        case .raised:
            defer { hasNumbers = false }
            return hasNumbers
        }
        return false
    }

    private static func plain(_ text: String) -> String { TerminalText.truncated(text, to: 200) }

    /// Escapes the text, since the desktop may interpret it as markup.
    private static func marked(_ text: String) -> String {
        var marked = ""
        for character in text {
            switch character {
            case "&": marked += "&amp;"
            case "<": marked += "&lt;"
            case ">": marked += "&gt;"
            default: marked.append(character)
            }
        }
        return marked
    }
}
