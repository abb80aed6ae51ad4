import Pipeline

/// The backends whose vocabulary is known: that have a world to show, events to explain, and things that can be done.
enum KnownBackend: String, CaseIterable {
    case twake, groupme

    /// What is spoken.
    var kind: Configuration.BackendKind {
        switch self {
        case .twake: .twake
        case .groupme: .groupme
        }
    }
}
