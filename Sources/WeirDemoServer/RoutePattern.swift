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

/// The failures planned for requests, used by tests.
struct PlannedFailures: Sendable {
    private var planned: [(path: String, status: Int, times: Int)] = []

    /// Makes the next `times` requests whose path begins with `path` fail with `status`.
    mutating func add(_ path: String, status: Int, times: Int) { planned.append((path, status, times)) }

    /// Returns the status with which a request must fail, and counts the failure. Returns `nil` when the request
    /// succeeds.
    mutating func take(_ path: String) -> Int? {
        guard let index = planned.firstIndex(where: { path.hasPrefix($0.path) }) else { return nil }
        planned[index].times -= 1
        defer { if planned[index].times <= 0 { planned.remove(at: index) } }
        return planned[index].status
    }
}
