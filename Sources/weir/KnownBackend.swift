import Pipeline

/// The backends whose vocabulary is known: that have events to explain, and things that can be done.
struct KnownBackend: RawRepresentable, CaseIterable {
    /// What is spoken.
    let kind: Configuration.BackendKind
    /// What is known of its events.
    let guide: BackendGuide

    init?(rawValue: String) {
        guard let kind = Configuration.BackendKind(rawValue: rawValue), let guide = kind.module.guide else {
            return nil
        }
        (self.kind, self.guide) = (kind, guide)
    }

    static let allCases = BackendModule.all.compactMap { KnownBackend(rawValue: $0.name) }
    /// The one that is meant where none is named.
    static var usual: KnownBackend { allCases[0] }

    var rawValue: String { kind.rawValue }
    /// Every kind of its events.
    var kinds: [EventGuide] { guide.kinds() }
}
