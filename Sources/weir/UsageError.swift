import Live
import Terminal

/// An error in the arguments: one sentence, and the command whose help describes them.
struct UsageError: Error, Hashable {
    /// The sentence. Quoted arguments are escaped.
    var message: String
    /// The command of the arguments; `nil` if it is unknown.
    var command: Command?
    /// Lines that show the position of the error, safe for a terminal.
    var details: [String] = []

    init(_ message: String, command: Command? = nil) {
        self.message = message
        self.command = command
    }

    /// The error for a missing command, with suggestions.
    static var bare: Self {
        var error = Self("a command is missing; try one of these:")
        error.details = [
            "weir demo                          a demo chat: nothing to set up",
            "weir tail URL --token env:TOKEN    your server, live",
            "weir cheat                         commands to copy",
        ]
        return error
    }

    /// Returns the message for a word that is not in a closed list, with a suggestion.
    static func unlisted(_ word: String, among words: [String]) -> String {
        "\(quoted(word)) is not one of \(words.joined(separator: ", "))" + Suggestion.phrase(for: word, among: words)
    }

    /// Returns an argument as quoted in messages.
    static func quoted(_ argument: some StringProtocol) -> String {
        "'" + TerminalText.truncated(String(argument), to: 80) + "'"
    }
}
