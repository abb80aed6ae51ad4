import Pipeline

/// A backend with a known vocabulary: its events can be explained, and it has actions.
struct KnownBackend: RawRepresentable, CaseIterable {
    /// The backend's kind in a configuration.
    let kind: Configuration.BackendKind
    /// The description of its events.
    let guide: BackendGuide

    init?(rawValue: String) {
        guard let kind = Configuration.BackendKind(rawValue: rawValue) else { return nil }
        self.init(kind)
    }

    init?(_ kind: Configuration.BackendKind) {
        guard let guide = kind.module.guide else { return nil }
        (self.kind, self.guide) = (kind, guide)
    }

    static let allCases = BackendModule.all.compactMap { KnownBackend(rawValue: $0.name) }
    /// The backend of commands that name none.
    static var usual: KnownBackend { allCases[0] }

    var rawValue: String { kind.rawValue }
    /// All kinds of its events.
    var kinds: [EventGuide] { guide.kinds() }
    /// Further names for its events: those that a profile declares, and those in the server messages of a backend.
    var names: [String] {
        if let profile = kind.module.profile { return profile.events.map(\.event) }
        return (guide.names?() ?? []).flatMap { $0.wireNames.flatMap { $0.split(separator: " ").map(String.init) } }
            .filter { $0.contains(".") && !$0.hasSuffix(",") }
    }
}
