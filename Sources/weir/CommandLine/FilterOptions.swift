import WeirLive
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

/// The filters of the commands that show events.
struct FilterOptions {
    /// The settings of the view's filter.
    var view = ViewFilter.Setting()

    init(_ arguments: Arguments) throws(UsageError) {
        view.filter = Filter(kinds: try arguments.declaredKinds)
        for text in arguments.all(.filter) {
            try arguments.filtering(.filter) { () throws(FilterError) in
                try view.filter.add(parsing: text, origin: Option.filter.flag)
            }
        }
        try addSugar(arguments)
        for (option, isWanted) in [(Option.grep, true), (.exclude, false)] {
            try arguments.filtering(option) { () throws(FilterError) in
                try view.filter.add(patterns: arguments.all(option), isWanted: isWanted, origin: option.flag)
            }
        }
        for text in arguments.all(.highlight) {
            try arguments.filtering(.highlight) { () throws(FilterError) in
                view.highlights.append(
                    try Filter(parsing: text, origin: Option.highlight.flag, kinds: view.filter.kinds))
            }
        }
        if let text = arguments[.sample] {
            guard let sample = ViewFilter.Sample(text) else {
                throw arguments.error("--sample: invalid share \(UsageError.quoted(text)); write it like 10% or 1/40")
            }
            view.sample = sample
        }
        view.backlog = try arguments.count(.tail, in: 0...Configuration.maximumHistory)
    }

    /// Adds the short options to the filter as expressions.
    private mutating func addSugar(_ arguments: Arguments) throws(UsageError) {
        let sugar: [(option: Option, field: FilterField, isWanted: Bool)] = [
            (.kind, .kind, true), (.notKind, .kind, false), (.room, .room, true), (.notRoom, .room, false),
            (.from, .actor, true), (.notFrom, .actor, false),
        ]
        for (option, text) in [
            (Option.messages, "kind = message"), (.eventsOnly, "type = event"), (.noChanges, "type != diff"),
        ] where arguments.has(option) {
            try arguments.filtering(option) { () throws(FilterError) in
                try view.filter.add(parsing: text, origin: option.flag)
            }
        }
        if let text = arguments[.since] {
            let span = Duration(typed: text)
            let time = span.map { RecordingTime.text(MachineClock.wall - $0.microseconds) } ?? text
            do throws(FilterError) {
                try view.filter.add(parsing: "time >= " + FilterSyntax.quoted(time), origin: Option.since.flag)
            } catch {
                throw arguments.error(
                    "--since: invalid time \(UsageError.quoted(text)); write 10m, 2026-07-29 or 2026-07-29T08:00:00Z")
            }
        }
        for (option, field, isWanted) in sugar {
            try arguments.filtering(option) { () throws(FilterError) in
                try view.filter.add(field, among: arguments.all(option), isWanted: isWanted, origin: option.flag)
            }
        }
    }

    /// The text that `--explain-filter` prints.
    var explanation: String {
        var lines = [view.filter.isEmpty ? "everything is shown" : "shown: " + view.filter.text]
        let width = view.filter.clauses.map(\.origin.count).max() ?? 0
        for clause in view.filter.clauses {
            let padding = String(repeating: " ", count: width - clause.origin.count)
            lines.append("  \(clause.origin)\(padding)  \(clause.text)")
        }
        for filter in view.highlights { lines.append("highlighted: " + filter.text) }
        if let sample = view.sample { lines.append("sampled: \(sample.text) of the matching events") }
        if let backlog = view.backlog { lines.append("older messages: the last \(backlog) of each room") }
        lines.append("always shown: gaps and undecodable messages")
        return lines.map { $0 + "\n" }.joined()
    }
}

extension Arguments {
    /// Returns the expression of an option; `nil` if the option is not set.
    func expression(_ option: Option) throws(UsageError) -> Filter? {
        try self[option].map { text throws(UsageError) in try filter(text, of: option) }
    }

    /// Parses a text as a filter.
    func filter(_ text: String, of option: Option) throws(UsageError) -> Filter {
        let kinds = try declaredKinds
        var filter = Filter()
        try filtering(option) { () throws(FilterError) in
            filter = try Filter(parsing: text, origin: option.flag, kinds: kinds)
        }
        guard !filter.isEmpty else { throw error("\(option.flag): the expression is empty") }
        return filter
    }

    /// Parses the filters of an option. An error message contains the position.
    func filtering(_ option: Option, _ body: () throws(FilterError) -> Void) throws(UsageError) {
        do throws(FilterError) {
            try body()
        } catch {
            var usage = self.error("\(option.flag): \(error.message)")
            if !error.source.isEmpty, option.takesFilter {
                usage.message += " (column \(error.column))"
                usage.details = error.excerpt
            }
            throw usage
        }
    }
}

extension Option {
    /// Whether the value is an expression, so that an error has a position.
    fileprivate var takesFilter: Bool { placeholder?.hasPrefix("EXPR") ?? false }
}
