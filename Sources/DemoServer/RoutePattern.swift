/// The path of a route: parts that stand for themselves, and open ones.
struct RoutePattern: Hashable, Sendable {
    /// Nil parts are open.
    private let parts: [String?]

    /// As in `groups/*/members/*/remove`.
    init(_ path: String) { parts = path.split(separator: "/").map { $0 == "*" ? nil : String($0) } }

    /// What stands in the open parts, when the path is of this pattern.
    func parameters(in path: [String]) -> [String]? {
        guard path.count == parts.count else { return nil }
        var parameters: [String] = []
        for (wanted, found) in zip(parts, path) {
            if let wanted {
                guard wanted == found else { return nil }
            } else {
                parameters.append(found)
            }
        }
        return parameters
    }
}
