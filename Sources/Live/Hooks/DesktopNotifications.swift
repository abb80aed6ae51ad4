import Terminal

/// The commands that make notify-send show a notification and remove it again.
///
/// Since version 0.7.10 notify-send prints the id of a notification (`-p`), with which it can be replaced (`-r`). It
/// cannot close one, so a read message is replaced by a short notice that disappears at once. With an older version,
/// notifications are shown but never removed.
struct DesktopNotifications {
    /// The environment variables that notify-send needs to find the desktop.
    static let variables = ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY"]
    private static let mostNumbers = 1_000

    private var hasNumbers = true
    /// The ids of the shown notifications, with the ids of their messages.
    private var numbers: [(message: String, number: String)] = []

    /// Returns the command for a change, or `nil` if there is no notification to remove.
    func words(for change: NotificationBook.Change) -> [String]? {
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
    mutating func ended(_ isWell: Bool, printing text: [UInt8], _ change: NotificationBook.Change) -> Bool {
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
