/// The requests that are to fail.
struct PlannedFailures: Sendable {
    private var planned: [(path: String, status: Int, times: Int)] = []

    /// The next `times` requests whose path begins with `path` fail with `status`.
    mutating func add(_ path: String, status: Int, times: Int) { planned.append((path, status, times)) }

    /// The status that a request for a path fails with; nil when it is to be answered.
    mutating func take(_ path: String) -> Int? {
        guard let index = planned.firstIndex(where: { path.hasPrefix($0.path) }) else { return nil }
        planned[index].times -= 1
        defer { if planned[index].times <= 0 { planned.remove(at: index) } }
        return planned[index].status
    }
}
