import Live
import Pipeline
import Terminal

/// `weir explain EVENT`: what an event holds, who handles it, and what that sets off.
enum ExplainCommand {
    static func run(_ arguments: Arguments) throws(UsageError) -> ExitCode {
        guard let name = arguments.positionals.first else {
            let width = EventGuide.twake.map(\.kind.count).max() ?? 0
            let lines = EventGuide.twake.map { guide in
                guide.kind + String(repeating: " ", count: width - guide.kind.count + 2)
                    + guide.wireNames.filter { !$0.isEmpty }.joined(separator: ", ")
            }
            return print(lines)
        }
        let guide = EventGuide.twake.first { guide in
            guide.kind == name
                || guide.wireNames.contains { $0 == name || $0.split(separator: " ").contains(name[...]) }
        }
        guard let guide else {
            let names = EventGuide.twake.map(\.kind)
            throw arguments.error(
                "there is no event \(UsageError.quoted(name))" + Suggestion.phrase(for: name, among: names))
        }
        return print(lines(guide))
    }

    private static func print(_ lines: [String]) -> ExitCode {
        Console.print(lines.map { line in String(line.reversed().drop { $0 == " " }.reversed()) + "\n" }.joined())
    }

    private static func lines(_ guide: EventGuide) -> [String] {
        var lines = [guide.kind]
        let names = guide.wireNames.filter { !$0.isEmpty }
        lines.append(
            "  on the wire  " + (names.isEmpty ? "any name this version does not know" : names.joined(separator: ", ")))
        lines.append(
            "  handled by   "
                + (guide.handlers.isEmpty ? "nobody: it is shown" : guide.handlers.joined(separator: ", ")))
        if !guide.fields.isEmpty {
            lines += ["", "fields:"]
            let width = guide.fields.map(\.name.count).max() ?? 0
            lines += guide.fields.map { field in
                "  " + field.name + String(repeating: " ", count: width - field.name.count + 2) + field.type
            }
        }
        for (subject, cases) in guide.treatments {
            lines += ["", "what is done, by how it stands to the model's \(subject):"]
            let width = cases.map(\.standing.count).max() ?? 0
            lines += cases.map { treatment in
                var words = treatment.applies ? ["applied"] : []
                if !treatment.refetch.isEmpty { words.append("fetches \(treatment.refetch)") }
                return "  " + treatment.standing + String(repeating: " ", count: width - treatment.standing.count + 2)
                    + (words.isEmpty ? "nothing" : words.joined(separator: "; "))
            }
        }
        return lines
    }
}
