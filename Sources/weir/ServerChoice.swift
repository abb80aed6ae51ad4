import Glibc
import Live
import Terminal

/// A question for the server, on the terminal, if a command names none and this machine knows some.
enum ServerChoice {
    /// A candidate, with the command and words that select it.
    private struct Candidate {
        var name: String
        var meaning: String
        var command: Command
        var words: [String]
    }

    /// Returns the command and its words as if the chosen server had been typed; unchanged if no question applies.
    /// Blocks.
    static func settle(
        _ command: Command, _ words: [String], _ parsed: Arguments
    ) throws(UsageError) -> (command: Command, words: [String]) {
        guard command == .tail || command == .watch, parsed.positionals.isEmpty, !parsed.has(.on),
            !parsed.has(.explainFilter), parsed[.ctx] == nil, ContextChoice.current(nil) == nil, isatty(0) == 1,
            isatty(2) == 1
        else { return (command, words) }
        let candidates = candidates(command)
        guard !candidates.isEmpty else { return (command, words) }
        let chosen = try ask(candidates, parsed)
        return (chosen.command, chosen.words + words)
    }

    private static func candidates(_ command: Command) -> [Candidate] {
        let contexts = ContextFolder.names.map { name in
            let url = (try? ContextFolder.context(name))?.url ?? "no URL"
            return Candidate(name: name, meaning: "context  \(url)", command: command, words: ["--ctx", name])
        }
        let tails = RunningProcess.all.map { tail in
            Candidate(
                name: tail.name, meaning: "running tail", command: command == .tail ? .attach : .watch,
                words: command == .tail ? [tail.name] : ["--on", tail.name])
        }
        return contexts + tails
    }

    private static func ask(_ candidates: [Candidate], _ parsed: Arguments) throws(UsageError) -> Candidate {
        let width = candidates.map(\.name.utf8.count).max() ?? 0
        var text = "Which server?\n"
        for (index, candidate) in candidates.enumerated() {
            text +=
                "  \(index + 1)  " + candidate.name + String(repeating: " ", count: width - candidate.name.utf8.count)
                + "  \(candidate.meaning)\n"
        }
        text += "Number or name (Enter: none): "
        _ = text.withCString { write(2, $0, strlen($0)) }
        let answer = (readLine() ?? "").filter { !$0.isWhitespace }
        if answer.isEmpty { throw parsed.error("URL is missing") }
        if let number = Int(answer), candidates.indices.contains(number - 1) { return candidates[number - 1] }
        guard let named = candidates.first(where: { $0.name == answer }) else {
            throw parsed.error(
                "no context or tail is named \(UsageError.quoted(answer))"
                    + Suggestion.phrase(for: answer, among: candidates.map(\.name)))
        }
        return named
    }
}
