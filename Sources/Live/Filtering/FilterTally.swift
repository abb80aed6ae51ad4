import Pipeline

/// How much a filter left out, and which of its clauses did: the first one that did not hold.
public struct FilterTally: Hashable, Sendable {
    /// Reports, counted.
    public struct Count: Hashable, Sendable {
        /// Events.
        public var events = 0
        /// Changes, and what else a filter is asked about.
        public var others = 0

        mutating func add(_ report: Report) {
            switch report {
            case .event: events += 1
            case .diff, .connection, .room, .action, .emit, .refetch, .typing: others += 1
            // Nobody filters these, and the last is not printed among events.
            case .gap, .undecodable, .notice: break
            }
        }

        static func += (a: inout Count, b: Count) {
            a.events += b.events
            a.others += b.others
        }
    }

    /// What one clause left out.
    public struct Share: Hashable, Sendable {
        /// The clause as it is understood.
        public var clause: String
        /// Who asked for it.
        public var origin: String
        /// What it left out.
        public var removed = Count()
    }

    /// What the filter was asked about.
    public private(set) var seen = Count()
    /// What each clause left out, in the order they are asked.
    public private(set) var shares: [Share]
    /// Events that a sample left out.
    public internal(set) var sampledOut = 0
    /// What the filter names and no event had.
    private var watch: FieldWatch

    init(_ setting: ViewFilter.Setting) {
        watch = FieldWatch(setting)
        shares = setting.filter.clauses.map { Share(clause: $0.text, origin: $0.origin) }
    }

    /// What was left out by clauses.
    public var removed: Count { shares.reduce(into: Count()) { $0 += $1.removed } }

    mutating func see(_ report: Report) {
        seen.add(report)
        watch.see(report)
    }

    /// Sees it for what the filter names, and does not count it.
    mutating func look(at report: Report) { watch.see(report) }

    /// What the filter names and no event had, a line for each.
    var absent: [String] { watch.lines }

    mutating func remove(_ report: Report, by clause: Int) { shares[clause].removed.add(report) }

    /// Adds what another counted; clauses of the same text and origin are one.
    mutating func add(_ other: FilterTally) {
        seen += other.seen
        sampledOut += other.sampledOut
        // The filter that came last is the one that counts.
        watch = other.watch
        for share in other.shares {
            if let index = shares.firstIndex(where: { $0.clause == share.clause && $0.origin == share.origin }) {
                shares[index].removed += share.removed
            } else if shares.count < Self.mostShares {
                shares.append(share)
            }
        }
    }

    /// Who changes a filter again and again is told of so many clauses.
    private static let mostShares = 256

    /// For the end of a run, for people; nothing when nothing was left out.
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
        }
        if sampledOut > 0 { lines.append("  sampled out  \(sampledOut) events") }
        return lines + absent
    }
}
