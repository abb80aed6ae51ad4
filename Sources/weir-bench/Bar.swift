/// A limit that an issue sets, and whether a figure keeps it.
struct Bar {
    let name: String
    var unit = ""
    var digits = 1
    var least: Double?
    var most: Double?

    /// One line of a report: reached or missed, the figure, and what was asked.
    func verdict(on figure: Double) -> String {
        let isReached = figure >= least ?? -.infinity && figure <= most ?? .infinity
        let asked = [least.map { "at least \(limit($0))" }, most.map { "at most \(limit($0))" }].compactMap { $0 }
        return "\(isReached ? "reached" : "MISSED ")  \(name): \(figure.fixed(digits))\(unit), "
            + "\(asked.joined(separator: " and ")) asked"
    }

    private func limit(_ value: Double) -> String { value.fixed(value == value.rounded() ? 0 : 2) }
}
