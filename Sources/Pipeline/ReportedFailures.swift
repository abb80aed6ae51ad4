/// The failures that the session has reported to the user. A failure is not reported again until its request has succeeded.
struct ReportedFailures: Sendable {
    private var keys: Set<ResourceKey> = []

    /// The number of failures that the session has reported.
    var count: Int { keys.count }

    /// Records a failure; returns whether it is the first one since the request last succeeded.
    mutating func isNews(_ key: ResourceKey) -> Bool { keys.insert(key).inserted }

    /// Forgets the failure of a request that has succeeded.
    mutating func wentWell(_ key: ResourceKey) {
        if !keys.isEmpty { keys.remove(key) }
    }
}
