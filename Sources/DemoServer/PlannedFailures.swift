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
