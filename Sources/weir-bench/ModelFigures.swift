/// A limit for a figure (issue 4), in the figure's unit; lower is better.
struct ModelBar {
    /// The time of the standard library's `difference(from:)` for a single move on the machine for which the limits
    /// were set (diff log DL-15). On a slower machine, the limits are scaled by the ratio of the times.
    static let yardstick = (name: "move one, 100,000 / 1,000, difference(from:)", microseconds: 1000.0)

    let limit: Double

    /// Returns whether a figure meets the limit. If it does not, also returns the excess, both as measured and scaled
    /// for a machine that is `slowness` times as slow as the one for which the limits were set.
    func verdict(on figure: Double, isTime: Bool, slowness: Double?) -> String {
        if figure <= limit { return "reached" }
        let verdict = "missed, \((figure / limit).fixed(2)) x the bar"
        guard isTime, let slowness else { return verdict }
        return verdict + ", \((figure / limit / slowness).fixed(2)) x it scaled"
    }
}

/// One line of the report, measured once per run.
struct ModelFigure {
    let name: String
    let unit: String
    var digits = 2
    var bar: ModelBar?
    var values: [Double] = []

    var isTime: Bool { unit == "us" || unit == "ms" }
}

/// The lines of the report by group, in the order of their first measurement.
struct ModelFigures {
    /// The groups of figures. The raw values are the headings of their tables.
    enum Group: String, CaseIterable {
        case bars = "the bars of issue 4"
        case others = "beside them"
        case library = "the standard library on the same data"
    }

    private var groups: [Group: [ModelFigure]] = [:]

    mutating func add(
        _ name: String, _ value: Double, _ unit: String, digits: Int = 2, bar limit: Double? = nil,
        in group: Group = .bars
    ) {
        var figures = groups[group] ?? []
        if let index = figures.firstIndex(where: { $0.name == name }) {
            figures[index].values.append(value)
        } else {
            figures.append(
                ModelFigure(name: name, unit: unit, digits: digits, bar: limit.map(ModelBar.init), values: [value]))
        }
        groups[group] = figures
    }

    /// How many times slower this machine is than the one for which the limits were set; `nil` when the yardstick was
    /// not measured.
    var slowness: Double? {
        groups[.library]?.first { $0.name == ModelBar.yardstick.name }
            .map { Series($0.values).median / ModelBar.yardstick.microseconds }
    }

    /// The lines of all tables, each preceded by an empty line.
    var lines: [String] {
        Group.allCases.flatMap { group -> [String] in
            guard let figures = groups[group] else { return [] }
            var table = Table([group.rawValue, "median [lowest..highest]", "", "bar", ""])
            for figure in figures {
                let series = Series(figure.values)
                table.add([
                    figure.name, series.text(digits: figure.digits), figure.unit.padded(to: 7),
                    figure.bar.map { $0.limit.fixed($0.limit < 10 ? 1 : 0) } ?? "",
                    figure.bar?.verdict(on: series.median, isTime: figure.isTime, slowness: slowness).padded(to: 8)
                        ?? "",
                ])
            }
            return [""] + table.lines
        }
    }
}

/// The cost of a change at each snapshot interval, with one line per shape.
struct SnapshotMatrix {
    /// The numbers of transactions between two snapshots; `nil` means no snapshots.
    static let intervals: [Int?] = [nil, 4096, 256, 16, 1]
    private var rows: [(shape: String, series: [[Double]])] = []

    mutating func add(_ shape: String, _ microseconds: [Double]) {
        let index = rows.firstIndex { $0.shape == shape } ?? rows.count
        if index == rows.count { rows.append((shape, Array(repeating: [], count: microseconds.count))) }
        for (column, value) in microseconds.enumerated() { rows[index].series[column].append(value) }
    }

    var lines: [String] {
        var table = Table(
            ["us a change, a snapshot every"] + Self.intervals.map { $0.map { $0.grouped } ?? "none" })
        for row in rows { table.add([row.shape] + row.series.map { Series($0).text(digits: 2) }) }
        return [""] + table.lines
    }
}
