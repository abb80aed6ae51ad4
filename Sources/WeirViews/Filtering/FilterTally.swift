import WeirJSON
import WeirPipeline
import WeirTerminal

/// The number of reports that a filter left out, by clause. A report counts for the first clause that failed.
package struct FilterTally: Hashable, Sendable {
    /// A number of reports: events and others.
    package struct Count: Hashable, Sendable {
        /// The number of events from the server.
        package var events = 0
        /// The number of changes and of all other reports that a filter tests.
        package var others = 0

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
    package struct Share: Hashable, Sendable {
        /// The text of the clause, as parsed.
        package var clause: String
        /// The source of the clause, such as the name of an option.
        package var origin: String
        /// The number of reports that the clause left out.
        package var removed = Count()
    }

    /// The number of reports that the filter tested.
    package private(set) var seen = Count()
    /// The reports left out, one share per clause, in the order of the tests.
    package private(set) var shares: [Share]
    /// The reports that clauses without a share left out.
    private var rest = Count()
    /// The number of events that sampling left out.
    package internal(set) var sampledOut = 0
    /// The payload paths in the filter that no event had.
    private var watch: FieldWatch

    package init(_ setting: FilterSetting) {
        watch = FieldWatch(setting)
        shares = setting.filter.clauses.map { Share(clause: $0.text, origin: $0.origin) }
    }

    /// The number of reports that all clauses left out.
    package var removed: Count { shares.reduce(into: rest) { $0 += $1.removed } }

    mutating func see(_ report: Report) {
        seen.add(report)
        watch.see(report)
    }

    /// Checks a report for the filter's payload paths, without counting it.
    mutating func look(at report: Report) { watch.see(report) }

    /// One line for each payload path in the filter that no event had.
    package var absent: [String] { watch.lines }

    mutating func remove(_ report: Report, by clause: Int) { shares[clause].removed.add(report) }

    /// Adds the counts of another tally. Clauses with the same text and origin share one entry.
    package mutating func add(_ other: FilterTally) {
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
    package var lines: [String] {
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

/// Checks whether any event has the payload values that a filter refers to by path, and collects the paths that events
/// have instead. Bounded: it collects paths from the first events only.
struct FieldWatch: Hashable, Sendable {
    private static let mostEvents = 200
    private static let mostPaths = 500
    private static let deepest = 8

    /// The filter's paths that no event has had, in filter order.
    private var missing: [[FilterField.Step]] = []
    /// The paths that events had, as text, in the order of their first occurrence.
    private var paths: [String] = []
    private var events = 0

    init(_ setting: FilterSetting) {
        for clause in setting.filter.clauses + setting.highlights.flatMap(\.clauses) {
            for case .payload(let steps) in clause.expression.tests.map(\.field) where !missing.contains(steps) {
                missing.append(steps)
            }
        }
    }

    mutating func see(_ report: Report) {
        guard !missing.isEmpty, case .event(let event) = report else { return }
        let payload = event.payload
        missing.removeAll { FilterMatcher.isThere($0, in: payload) }
        events += 1
        if !missing.isEmpty, events <= Self.mostEvents { learn(from: payload) }
    }

    /// One line for each path that no event had; empty without any event.
    var lines: [String] {
        guard events > 0 else { return [] }
        return missing.map { steps in
            let name = FilterField.payload(steps).description
            return "  no event had \(name)" + (closest(to: steps, name).map { "; closest: \($0)" } ?? "")
        }
    }

    /// Returns the path of a value with the same name; otherwise the path with the most similar text.
    private func closest(to steps: [FilterField.Step], _ name: String) -> String? {
        if let last = steps.last, case .key = last {
            let ending = FilterField.payload([last]).description.dropFirst("payload".count)
            if let same = paths.filter({ $0.hasSuffix(ending) }).min(by: { $0.utf8.count < $1.utf8.count }) {
                return same
            }
        }
        return Suggestion.nearest(to: name, among: paths)
    }

    private mutating func learn(from payload: RawJSON) {
        do throws(JSONError) {
            var reader = JSONReader(payload.bytes.span)
            if try reader.peek() == .array {
                try reader.beginArray()
                // An array starts with the event's name. Its first argument follows.
                guard try reader.nextElement() else { return }
                try reader.skip()
                guard try reader.nextElement() else { return }
            }
            try walk(&reader, [])
        } catch {
            return
        }
    }

    private mutating func walk(_ reader: inout JSONReader, _ steps: [FilterField.Step]) throws(JSONError) {
        let kind = try reader.peek()
        guard kind == .object || kind == .array, steps.count < Self.deepest, paths.count < Self.mostPaths else {
            try reader.skip()
            return
        }
        if kind == .object {
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let way = steps + [.key(reader.string(key))]
                let name = FilterField.payload(way).description
                if paths.count < Self.mostPaths, !paths.contains(name) { paths.append(name) }
                try walk(&reader, way)
            }
        } else {
            try reader.beginArray()
            var index = 0
            // The elements of a list are alike, so the first one is enough.
            while try reader.nextElement() {
                if index == 0 { try walk(&reader, steps + [.element(0)]) } else { try reader.skip() }
                index += 1
            }
        }
    }
}
