/// Names a resource of some backend, so that its refetches can be told apart and gathered.
enum ResourceKey: Hashable, Sendable {
    case twake(TwakeResource)

    /// A short name for people.
    var label: String {
        switch self {
        case .twake(let resource): resource.label
        }
    }
}
