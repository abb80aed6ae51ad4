import Pipeline

/// The number of reports that a filter left out, by clause. A report counts for the first clause that failed.
public struct FilterTally: Hashable, Sendable {
    /// A number of reports: events and others.
    public struct Count: Hashable, Sendable {
        /// The number of events from the server.
        public var events = 0
        /// The number of changes and of all other reports that a filter tests.
        public var others = 0

        mutating func add(_ report: Report) {
            switch report {
            case .event: events += 1
            case .diff, .connection, .room, .action, .emit, .refetch, .typing: others += 1
            // No filter tests these, and notices are not printed among the events.
            case .gap, .undecodable, .notice: break
            }
        }

        static func += (a: inout Count, b: Count) {
            a.events += b.events
            a.others += b.others
        }
    }

    /// The reports that one clause left out.
    public struct Share: Hashable, Sendable {
        /// The text of the clause, as parsed.
        public var clause: String
        /// The source of the clause, such as the name of an option.
        public var origin: String
        /// The number of reports that the clause left out.
        public var removed = Count()
    }

    /// The number of reports that the filter tested.
    public private(set) var seen = Count()
    /// The reports left out, one share per clause, in the order of the tests.
    public private(set) var shares: [Share]
    /// The reports that clauses without a share left out.
    private var rest = Count()
    /// The number of events that sampling left out.
    public internal(set) var sampledOut = 0
    /// The payload paths in the filter that no event had.
    private var watch: FieldWatch

    init(_ setting: ViewFilter.Setting) {
        watch = FieldWatch(setting)
        shares = setting.filter.clauses.map { Share(clause: $0.text, origin: $0.origin) }
    }

    /// The number of reports that all clauses left out.
    public var removed: Count { shares.reduce(into: rest) { $0 += $1.removed } }

    mutating func see(_ report: Report) {
        seen.add(report)
        watch.see(report)
    }

    /// Checks a report for the filter's payload paths, without counting it.
    mutating func look(at report: Report) { watch.see(report) }

    /// One line for each payload path in the filter that no event had.
    var absent: [String] { watch.lines }

    mutating func remove(_ report: Report, by clause: Int) { shares[clause].removed.add(report) }

    /// Adds the counts of another tally. Clauses with the same text and origin share one entry.
    mutating func add(_ other: FilterTally) {
        seen += other.seen
        rest += other.rest
        sampledOut += other.sampledOut
        // The payload paths of the newer filter count.
        watch = other.watch
        for share in other.shares {
            if let index = shares.firstIndex(where: { $0.clause == share.clause && $0.origin == share.origin }) {
                shares[index].removed += share.removed
            } else if shares.count < Self.mostShares {
                shares.append(share)
            } else {
                rest += share.removed
            }
        }
    }

    /// The maximum number of shares, for a filter that changes again and again.
    private static let mostShares = 256

    /// The tally as lines for the end of a run; empty when nothing was left out.
    public var lines: [String] {
        var lines: [String] = []
        if !shares.isEmpty {
            lines.append(
                "  left out     \(removed.events) of \(seen.events) events, \(removed.others) of \(seen.others) changes"
            )
            for share in shares {
                let removed = share.removed
                lines.append(
                    "    \(removed.events) events, \(removed.others) changes by \(share.origin): \(share.clause)")
            }
            if rest != Count() { lines.append("    \(rest.events) events, \(rest.others) changes by other filters") }
        }
        if sampledOut > 0 { lines.append("  sampled out  \(sampledOut) events") }
        return lines + absent
    }
}
