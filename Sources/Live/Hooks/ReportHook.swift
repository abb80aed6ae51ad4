public import Network
public import Pipeline

/// An action to perform for certain reports.
public struct ReportHook: Sendable {
    /// The action of a hook.
    public enum Action: Hashable, Sendable {
        /// Run a program, given by its words and without a shell. Its standard input is the report's object in
        /// `--format json`. Its environment is `PATH`, `HOME`, `WEIR_N` (the record's number) and `WEIR_TYPE`: it
        /// contains no text from a peer.
        case command([String])
        /// Post the report's object to this URL.
        case forward(URLParts)
    }

    /// The filter for reports; `nil` for every event.
    public var filter: Filter?
    /// The action to perform for a matching report.
    public var action: Action
    /// Creates a hook for reports that match a filter.
    public init(_ filter: Filter?, _ action: Action) {
        self.filter = filter
        self.action = action
    }
}

/// The counts of a hook outlet's actions, by outcome.
public struct HookFigures: Hashable, Sendable {
    /// The number of actions that succeeded.
    public var done = 0
    /// The number of programs that exited with a status other than 0, and of posts that the receiver rejected.
    /// Redirections are not followed.
    public var failed = 0
    /// The number of programs that exceeded the time limit and were killed.
    public var timedOut = 0
    /// The number of programs that still ran at the end and were killed.
    public var killed = 0
    /// The number of actions dropped because the queue was full.
    public var dropped = 0
    /// The number of reports that the receiver has not accepted.
    public var notForwarded = 0
    /// The number of the first such report, and the reason.
    public var firstNotForwarded: String?

    /// The names in filters that no event contained, one line each.
    public var absent: [String] = []

    /// Creates figures with all counts at zero.
    public init() {}

    /// A one-line summary for the end; `nil` if there were no actions.
    public var line: String? {
        guard done + failed + timedOut + killed + dropped + notForwarded > 0 else { return nil }
        var parts = ["hooks: \(done) done"]
        if failed > 0 { parts.append("\(failed) failed") }
        if timedOut > 0 { parts.append("\(timedOut) timed out") }
        if killed > 0 { parts.append("\(killed) killed at the end") }
        if dropped > 0 { parts.append("\(dropped) dropped, since too many were waiting") }
        if let firstNotForwarded {
            parts.append("\(notForwarded) not accepted by the receiver of --forward, the first \(firstNotForwarded)")
        }
        return parts.joined(separator: ", ")
    }
}
