/// Of which failures the user was told, and need not be told again before it went well.
struct ToldFailures: Sendable {
    private var keys: Set<ResourceKey> = []

    /// Of how many the user was told.
    var count: Int { keys.count }

    /// Whether it is the first time that the user is told of it since it went well.
    mutating func isNews(_ key: ResourceKey) -> Bool { keys.insert(key).inserted }

    /// It went well.
    mutating func wentWell(_ key: ResourceKey) {
        if !keys.isEmpty { keys.remove(key) }
    }
}
