/// The path pattern of a route, with literal and wildcard components.
struct RoutePattern: Hashable, Sendable {
    /// The components; `nil` for a wildcard.
    private let parts: [String?]

    /// Creates a pattern from a path such as `groups/*/members/*/remove`.
    init(_ path: String) { parts = path.split(separator: "/").map { $0 == "*" ? nil : String($0) } }

    /// Returns the components that match the wildcards; `nil` when the path does not match.
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
