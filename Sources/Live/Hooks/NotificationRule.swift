public import Pipeline

/// A rule that selects the messages for notifications.
public enum NotificationRule: Sendable {
    /// Messages that mention the user.
    case mention
    /// Messages in a direct conversation with the user.
    case direct
    /// Messages whose text contains this word, or these consecutive words, ignoring case.
    case keyword(String)
    /// Reports that match the filter.
    case filter(Filter)

    /// Parses a rule: `mention`, `direct` or `keyword:WORD`. Returns `nil` for any other text.
    public init?(word: String) {
        switch word {
        case "mention": self = .mention
        case "direct": self = .direct
        default:
            let keyword = word.dropFirst("keyword:".count)
            guard word.hasPrefix("keyword:"), keyword.contains(where: { $0 != " " }) else { return nil }
            self = .keyword(String(keyword))
        }
    }

    /// The rule's name in a notification.
    var name: LocalNotification.Rule {
        switch self {
        case .mention: .mention
        case .direct: .direct
        case .keyword: .keyword
        case .filter: .filter
        }
    }

    /// Returns whether `text` contains `word` as a whole word, without an adjacent letter or digit.
    static func has(_ word: String, in text: String) -> Bool {
        let (word, text) = (Array(word.lowercased()), Array(text.lowercased()))
        guard let first = word.first, let last = word.last, word.count <= text.count else { return false }
        return (0...text.count - word.count).contains { start in
            let end = start + word.count
            guard text[start] == first, text[start..<end].elementsEqual(word) else { return false }
            return !(start > 0 && first.isOfWord && text[start - 1].isOfWord)
                && !(end < text.count && last.isOfWord && text[end].isOfWord)
        }
    }
}

extension Character {
    fileprivate var isOfWord: Bool { isLetter || isNumber || self == "_" }
}

/// The rules for notifications, and how they are shown.
public struct NotificationPlan: Sendable {
    /// The way in which the user is notified.
    public enum Means: Hashable, Sendable {
        /// Ring the terminal, which shows the text if it supports OSC 9.
        case terminal
        /// Show the notification on the desktop with `notify-send`.
        case desktop
        /// Run a program in the way of `ReportHook.Action.command`. Its standard input is the text of `stringified`
        /// with the additional member `state`, which is `raised` or `cleared`.
        case command([String])
    }

    /// The rules in order. The first one that applies raises the notification.
    public var rules: [NotificationRule]
    /// The way in which the user is notified.
    public var means: Means

    /// Creates a plan that rings the terminal by default.
    public init(_ rules: [NotificationRule], by means: Means = .terminal) {
        self.rules = rules
        self.means = means
    }
}
