package import WeirPipeline

/// A filter with its highlights and limits.
package struct FilterSetting: Hashable, Sendable {
    /// The condition for reports to be shown.
    package var filter: Filter
    /// The conditions for highlights. A report is highlighted when it satisfies one of them.
    package var highlights: [Filter]
    /// The share of the accepted events that is shown; `nil` for all.
    package var sample: Sample?

    /// The number of messages per room from before the run that are shown, newest first; `nil` for all.
    package var backlog: Int?

    /// Creates a setting. The default shows everything.
    package init(filter: Filter = Filter(), highlights: [Filter] = [], sample: Sample? = nil, backlog: Int? = nil) {
        self.backlog = backlog
        self.filter = filter
        self.highlights = highlights
        self.sample = sample
    }

    /// Whether the setting shows everything, without highlights.
    package var isEmpty: Bool { filter.isEmpty && highlights.isEmpty && sample == nil && backlog == nil }

    /// A share of the events: `taken` out of `of`, evenly spread.
    package struct Sample: Hashable, Sendable {
        let taken: Int
        let of: Int

        /// Parses `10%`, `2.5%` or `1/40`. Returns `nil` for anything else, for more than everything, and for nothing
        /// at all.
        package init?(_ text: String) {
            if text.hasSuffix("%") {
                guard let thousandths = FilterNumber(String(text.dropLast())).map({ ($0.real * 1000).rounded() }),
                    thousandths >= 1, thousandths <= 100_000
                else { return nil }
                (taken, of) = (Int(thousandths), 100_000)
            } else {
                let parts = text.split(separator: "/", omittingEmptySubsequences: false)
                guard parts.count == 2, parts[0] == "1", let of = Int(parts[1]), (1...1_000_000_000).contains(of) else {
                    return nil
                }
                (taken, self.of) = (1, of)
            }
        }

        /// The sample as text, such as `1/40` or `2.5%`.
        package var text: String { taken == 1 ? "1/\(of)" : "\(Double(taken) / 1000)%" }
    }
}
