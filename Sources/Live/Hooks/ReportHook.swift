public import Network
public import Pipeline

/// Something that is done for certain reports.
public struct ReportHook: Sendable {
    /// What is done.
    public enum Action: Hashable, Sendable {
        /// A program is run, by its words and never by a shell, with the report's object of `--format json` on standard input. Its
        /// environment is `PATH`, `HOME`, `WEIR_N` (the record's number) and `WEIR_TYPE`: nothing that a peer wrote.
        case command([String])
        /// The report's object is posted to this URL.
        case forward(URLParts)
    }

    /// Which reports; nil for every event.
    public var filter: Filter?
    /// What is done.
    public var action: Action
    /// A hook.
    public init(_ filter: Filter?, _ action: Action) {
        self.filter = filter
        self.action = action
    }
}

/// What became of what was to be done.
public struct HookFigures: Hashable, Sendable {
    /// Done, and well.
    public var done = 0
    /// Programs that ended with another code than 0, and what was forwarded and not taken: a redirection is not followed.
    public var failed = 0
    /// Programs that took too long and were killed.
    public var timedOut = 0
    /// Still under way at the end, and killed.
    public var killed = 0
    /// Left out, because too much waited already.
    public var dropped = 0
    /// Reports that were to be forwarded, and that the receiver has not taken.
    public var notForwarded = 0
    /// The first of those: its number, and why.
    public var firstNotForwarded: String?

    /// What filters name and no event had, a line for each.
    public var absent: [String] = []

    /// Nothing yet.
    public init() {}

    /// One line for the end; nil when there was nothing.
    public var line: String? {
        guard done + failed + timedOut + killed + dropped + notForwarded > 0 else { return nil }
        var parts = ["hooks: \(done) done"]
        if failed > 0 { parts.append("\(failed) failed") }
        if timedOut > 0 { parts.append("\(timedOut) took too long") }
        if killed > 0 { parts.append("\(killed) still ran at the end and \(killed == 1 ? "was" : "were") killed") }
        if dropped > 0 { parts.append("\(dropped) left out, since too many waited") }
        if let firstNotForwarded {
            parts.append("\(notForwarded) not taken by the receiver of --forward, the first \(firstNotForwarded)")
        }
        return parts.joined(separator: ", ")
    }
}
