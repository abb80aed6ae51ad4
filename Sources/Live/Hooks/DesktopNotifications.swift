import Terminal

/// How notify-send is asked to show a notification, and to take it from the desktop again.
///
/// Since 0.7.10 it prints the number of what it shows (`-p`), which can be replaced by that number (`-r`). It cannot close one: what is
/// read is replaced by a short notice that goes at once. An older notify-send shows notifications, and none is taken back.
struct DesktopNotifications {
    /// What it needs of the environment to find the desktop.
    static let variables = ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY"]
    private static let mostNumbers = 1_000

    private var hasNumbers = true
    /// The numbers of what is shown, by the ids of the messages.
    private var numbers: [(message: String, number: String)] = []

    /// The words to run; nil where there is nothing to take back.
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

    /// It ended; whether it is to be tried again in another way.
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

    /// The text may be marked up, but this one is not.
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
