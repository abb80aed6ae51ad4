import Live
import Terminal

/// `weir completion SHELL`, and what its scripts ask: `weir complete WORD…`.
enum CompletionCommand {
    /// The shells there is a script for.
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

    /// The hidden half: a candidate a line, behind a tab what it means; `:files` where a file's name may stand. What a peer called a room
    /// is left out where it could be taken for more than a word.
    static func complete(_ words: [String]) -> ExitCode {
        var words = words
        // A quote that is still open is the shell's.
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
