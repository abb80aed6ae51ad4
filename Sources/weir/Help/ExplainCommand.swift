import WeirLive
import WeirPipeline
import WeirTerminal

/// The command `weir explain EVENT`: the fields of an event, its handlers and their effects.
enum ExplainCommand {
    static func run(_ arguments: Arguments) throws(UsageError) -> ExitCode {
        let backends =
            if let declared = try arguments.declaredBackend() {
                [KnownBackend(declared)].compactMap { $0 }
            } else { try arguments.choice(.backend).map { [$0] } ?? KnownBackend.allCases }
        guard let name = arguments.positionals.first else { return print(backends.flatMap { list(of: $0) }) }
        let found = backends.flatMap { backend in backend.guides(of: name).map { lines($0, backend) } }
        guard !found.isEmpty else {
            let names = KnownNames.explainedEvents(of: backends)
            throw arguments.error(
                "there is no event \(UsageError.quoted(name))" + Suggestion.phrase(for: name, among: names))
        }
        return print(Array(found.joined(separator: [""])))
    }

    /// Returns the kinds of a backend, each with its names on the wire.
    private static func list(of backend: KnownBackend) -> [String] {
        let width = backend.kinds.map(\.kind.count).max() ?? 0
        return [backend.rawValue]
            + backend.kinds.flatMap { wrapped(names(of: $0), behind: "  " + padded($0.kind, width + 2)) }
    }

    private static func names(of guide: EventGuide) -> [String] { guide.wireNames.filter { !$0.isEmpty } }

    private static func print(_ lines: [String]) -> ExitCode {
        // A profile may contain a stranger's text.
        Console.print(
            lines.map { line in
                TerminalText.escaped(String(line.reversed().drop { $0 == " " }.reversed())) + "\n"
            }.joined())
    }

    private static func lines(_ guide: EventGuide, _ backend: KnownBackend) -> [String] {
        var lines = [guide.kind]
        let names = names(of: guide)
        lines += wrapped(names.isEmpty ? ["any unknown name"] : names, behind: "  on the wire  ")
        lines.append(
            "  handled by   "
                + (guide.handlers.isEmpty ? "none: the event is only shown" : guide.handlers.joined(separator: ", ")))
        lines.append("  backend      " + backend.rawValue)
        if !guide.fields.isEmpty {
            lines += ["", "fields, for --filter, --fields and --template:"]
            let width = guide.fields.map(\.path.count).max() ?? 0
            lines += guide.fields.map { "  " + padded($0.path, width + 2) + $0.type }
        }
        for (subject, cases) in guide.treatments {
            // Split a type's name, such as replyCounter, into words.
            let subject = subject.reduce(into: "") { $0 += $1.isUppercase ? " " + $1.lowercased() : String($1) }
            let isAlways = subject.isEmpty || subject.hasPrefix(",")
            let about = "effects\(isAlways ? "" : ", by comparison with the model's ")\(subject):"
            lines += [""] + wrapped(about.split(separator: ", ").map(String.init), behind: "")
            let width = cases.map(\.standing.count).max() ?? 0
            lines += cases.map { treatment in
                var words = treatment.applies ? ["applied"] : treatment.removes ? ["removed"] : []
                if !treatment.refetch.isEmpty { words.append("fetches \(treatment.refetch)") }
                return "  " + padded(treatment.standing, width + 2)
                    + (words.isEmpty ? "nothing" : words.joined(separator: "; "))
            }
        }
        return lines
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Joins words with commas and wraps the lines at 100 columns, indented by the label.
    private static func wrapped(_ words: [String], behind label: String) -> [String] {
        var lines = [label]
        for (index, word) in words.enumerated() {
            let last = lines.count - 1
            let text = word + (index < words.count - 1 ? ", " : "")
            if lines[last].count + text.count > 100, lines[last].count > label.count {
                lines.append(String(repeating: " ", count: label.count) + text)
            } else {
                lines[last] += text
            }
        }
        return lines
    }
}

extension KnownBackend {
    /// Returns the kinds with the given name, or those with that name on the wire.
    func guides(of name: String) -> [EventGuide] {
        let isSaid: (EventGuide) -> Bool = { guide in
            guide.wireNames.contains {
                $0 == name || $0.split(whereSeparator: { " ,".contains($0) }).contains(name[...])
            }
        }
        let called = kinds.filter { $0.kind == name }
        guard called.isEmpty else { return called }
        return guide.names?().filter(isSaid) ?? Array(kinds.filter(isSaid).prefix(1))
    }
}

/// A backend with a known vocabulary: its events can be explained, and it has actions.
struct KnownBackend: RawRepresentable, CaseIterable {
    /// The backend's kind in a configuration.
    let kind: Configuration.BackendKind
    /// The description of its events.
    let guide: BackendGuide

    init?(rawValue: String) {
        guard let kind = Configuration.BackendKind(rawValue: rawValue) else { return nil }
        self.init(kind)
    }

    init?(_ kind: Configuration.BackendKind) {
        guard let guide = kind.module.guide else { return nil }
        (self.kind, self.guide) = (kind, guide)
    }

    static let allCases = BackendModule.all.compactMap { KnownBackend(rawValue: $0.name) }
    /// The backend of commands that name none.
    static var usual: KnownBackend { allCases[0] }

    var rawValue: String { kind.rawValue }
    /// All kinds of its events.
    var kinds: [EventGuide] { guide.kinds() }
    /// Further names for its events: those that a profile declares, and those in the server messages of a backend.
    var names: [String] {
        if let profile = kind.module.profile { return profile.events.map(\.event) }
        return (guide.names?() ?? []).flatMap { $0.wireNames.flatMap { $0.split(separator: " ").map(String.init) } }
            .filter { $0.contains(".") && !$0.hasSuffix(",") }
    }
}
