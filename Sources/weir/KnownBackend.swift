import Pipeline

/// The backends whose vocabulary is known: that have events to explain, and things that can be done.
struct KnownBackend: RawRepresentable, CaseIterable {
    /// What is spoken.
    let kind: Configuration.BackendKind
    /// What is known of its events.
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
    /// The one that is meant where none is named.
    static var usual: KnownBackend { allCases[0] }

    var rawValue: String { kind.rawValue }
    /// Every kind of its events.
    var kinds: [EventGuide] { guide.kinds() }
    /// Other names that its events can be asked for by: what a profile declares, and what the messages of a backend's own server tell.
    var names: [String] {
        if let profile = kind.module.profile { return profile.events.map(\.event) }
        return (guide.names?() ?? []).flatMap { $0.wireNames.flatMap { $0.split(separator: " ").map(String.init) } }
            .filter { $0.contains(".") && !$0.hasSuffix(",") }
    }
}
