import Pipeline

/// What the log shows: lines that match a POSIX extended regular expression, as they are printed. What was lost, and what is told of
/// the connection and the rooms, is never hidden.
struct WatchFilter {
    /// As it was typed.
    let text: String
    private let matcher: LineMatcher?

    /// Shows everything.
    init() {
        text = ""
        matcher = nil
    }

    /// The filter that a text is; an empty one shows everything.
    init(_ text: String) throws(LinePattern.Malformed) {
        self.text = text
        matcher = text.isEmpty ? nil : LineMatcher(try LinePattern(text))
    }

    /// Whether a report is shown.
    func passes(_ stamped: StampedReport) -> Bool {
        switch stamped.report {
        case .event, .diff, .typing: matcher?.matches([stamped]) ?? true
        case .gap, .connection, .room, .action, .undecodable, .notice: true
        }
    }
}
