/// A limit set by an issue, and whether a figure meets it.
struct Bar {
    let name: String
    var unit = ""
    var digits = 1
    var least: Double?
    var most: Double?

    /// Returns one line of a report: reached or missed, the figure, and the limit. The figure has as many digits as are
    /// needed to show on which side of the limit it is.
    func verdict(on figure: Double) -> String {
        let isReached = isKept(by: figure)
        let shown =
            (digits..<digits + 6).lazy.map { figure.fixed($0) }
            .first { Double($0).map(isKept) == isReached } ?? "\(figure)"
        let asked = [least.map { "at least \(limit($0))" }, most.map { "at most \(limit($0))" }].compactMap { $0 }
        return
            "\(isReached ? "reached" : "MISSED ")  \(name): \(shown)\(unit), \(asked.joined(separator: " and ")) asked"
    }

    private func isKept(by figure: Double) -> Bool { figure >= least ?? -.infinity && figure <= most ?? .infinity }

    private func limit(_ value: Double) -> String { value.fixed(value == value.rounded() ? 0 : 2) }
}
