/// A limit to hold ourselves to (issue 4), in the unit of its figure; lower is better.
struct ModelBar {
    /// What the standard library's `difference(from:)` of a single move took on the machine the bars are for (reference, model
    /// 6.4). A machine on which it takes more is slower by so much.
    static let yardstick = (name: "move one, 100,000 / 1,000, difference(from:)", microseconds: 1000.0)

    let limit: Double

    /// Whether a figure is within it, and how far beyond when not: as it stands, and for a machine that is `slowness` times as slow
    /// as the one the bars are for.
    func verdict(on figure: Double, isTime: Bool, slowness: Double?) -> String {
        if figure <= limit { return "reached" }
        let verdict = "missed, \((figure / limit).fixed(2)) x the bar"
        guard isTime, let slowness else { return verdict }
        return verdict + ", \((figure / limit / slowness).fixed(2)) x it scaled"
    }
}

/// One line of the report, measured once a run.
struct ModelFigure {
    let name: String
    let unit: String
    var digits = 2
    var bar: ModelBar?
    var values: [Double] = []

    var isTime: Bool { unit == "us" || unit == "ms" }
}

/// The lines of the report in groups, in the order they were first measured.
struct ModelFigures {
    /// What the lines of one table are about.
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

    /// How many times as slow this machine is as the one the bars are for; nil when the yardstick was not measured.
    var slowness: Double? {
        groups[.library]?.first { $0.name == ModelBar.yardstick.name }
            .map { Series($0.values).median / ModelBar.yardstick.microseconds }
    }

    /// The tables, an empty line before each.
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

/// What a change costs for each interval between two snapshots, one line a shape.
struct SnapshotMatrix {
    /// So many transactions between two snapshots; nil: none is taken.
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
