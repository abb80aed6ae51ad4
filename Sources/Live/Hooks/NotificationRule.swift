public import Pipeline

/// What the user wants to be notified of.
public enum NotificationRule: Sendable {
    /// Messages that mention the user.
    case mention
    /// Messages in directs.
    case direct
    /// Messages whose text has this word, or these words in a row, however it is capitalised.
    case keyword(String)
    /// Whatever the filter holds of.
    case filter(Filter)

    /// The rule that a word stands for: `mention`, `direct`, `keyword:WORD`; nil for anything else.
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

    /// Its name in a notification.
    var name: LocalNotification.Rule {
        switch self {
        case .mention: .mention
        case .direct: .direct
        case .keyword: .keyword
        case .filter: .filter
        }
    }

    /// Whether `word` is in `text` with no letter or digit beside it that would make it another word.
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

/// What is notified of, and by what.
public struct NotificationPlan: Sendable {
    /// What the user is notified by.
    public enum Means: Hashable, Sendable {
        /// The terminal is rung, and shows it (OSC 9) where it can.
        case terminal
        /// `notify-send` shows it on the desktop.
        case desktop
        /// A program gets it on standard input, run as `ReportHook.Action.command` is: the text of `stringified` with the member
        /// `state`, `raised` or `cleared`.
        case command([String])
    }

    /// What is notified of: the first rule that holds raises it.
    public var rules: [NotificationRule]
    /// By what.
    public var means: Means

    /// A plan.
    public init(_ rules: [NotificationRule], by means: Means = .terminal) {
        self.rules = rules
        self.means = means
    }
}
