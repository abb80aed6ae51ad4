import Live
import Terminal

/// Wrong arguments: one sentence, and the command whose help to read.
struct UsageError: Error, Hashable {
    /// What is wrong; quoted arguments are escaped.
    var message: String
    /// The command the arguments were for, when they got that far.
    var command: Command?
    /// Lines that show where it is wrong, safe for a terminal.
    var details: [String] = []

    init(_ message: String, command: Command? = nil) {
        self.message = message
        self.command = command
    }

    /// Nothing was said: what to begin with.
    static var bare: Self {
        var error = Self("a command is missing; try one of these:")
        error.details = [
            "weir demo                          a chat in this program: nothing to set up",
            "weir tail URL --token env:TOKEN    your server, live",
            "weir cheat                         commands to copy",
        ]
        return error
    }

    /// What is wrong with a word that is not in a closed list, with what may have been meant.
    static func unlisted(_ word: String, among words: [String]) -> String {
        "\(quoted(word)) is none of \(words.joined(separator: ", "))" + Suggestion.phrase(for: word, among: words)
    }

    /// An argument as shown in a message.
    static func quoted(_ argument: some StringProtocol) -> String {
        "'" + TerminalText.truncated(String(argument), to: 80) + "'"
    }
}
