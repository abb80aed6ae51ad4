import Live
import Terminal

/// The commands `weir completion SHELL` and `weir complete WORD…`; the scripts of the former call the latter.
enum CompletionCommand {
    /// The shells with a completion script.
    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    static func run(_ arguments: Arguments) throws(UsageError) -> ExitCode {
        switch try arguments.choice(of: arguments.positionals[0]) as Shell {
        case .bash: return Console.print(CompletionScripts.bash)
        case .zsh: return Console.print(CompletionScripts.zsh)
        case .fish: return Console.print(CompletionScripts.fish)
        }
    }

    /// The hidden command that the scripts call. It prints one candidate a line, followed by a tab and its meaning, and
    /// `:files` if a file name may follow. Names from peers are omitted if a terminal or a shell could read them as
    /// more than a word.
    static func complete(_ words: [String]) -> ExitCode {
        var words = words
        // The shell handles a quote that is still open.
        if let last = words.last, last.hasPrefix("'") || last.hasPrefix("\"") {
            words[words.count - 1] = String(last.dropFirst())
        }
        let completion = Completion(of: words, knowing: KnownNames())
        var lines = completion.candidates.compactMap { candidate -> String? in
            guard candidate.word.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else { return nil }
            guard TerminalText.escaped(candidate.word) == candidate.word else { return nil }
            return candidate.word + "\t" + candidate.meaning
        }
        if completion.takesFiles { lines.append(":files") }
        return Console.print(lines.map { $0 + "\n" }.joined())
    }
}
