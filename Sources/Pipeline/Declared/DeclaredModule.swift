extension BackendModule {
    /// Returns the module of the backend that a profile declares.
    static func declared(_ profile: Profile) -> BackendModule {
        var kinds: Set<String> = []
        let words = profile.events.map { $0.kind ?? $0.event } + ["event"]
        var module = BackendModule(
            name: profile.name,
            usualPath: profile.realtime.path ?? profile.realtime.transport.usualPath,
            reversedDomain: "weir.profile.\(profile.name)",
            makeBackend: { DeclaredBackend(profile, $0) }, eventKinds: words.filter { kinds.insert($0).inserted })
        module.profile = profile
        module.speaksBayeux = profile.realtime.transport == .bayeux
        module.guide = BackendGuide(
            kinds: { EventGuide.byKind(DeclaredGuide.all(profile)) }, names: { DeclaredGuide.all(profile) })
        module.tokenHeader = profile.services.first?.header
        module.accounts = .declared(profile)
        module.usualPace = profile.services.compactMap(\.rate).min()
        return module
    }
}

extension Profile.Realtime.Transport {
    /// The path of a server when the profile contains none.
    package var usualPath: String {
        switch self {
        case .socketio: "/socket.io/"
        case .bayeux: "/faye"
        case .websocket, .none: "/"
        }
    }
}

extension Configuration.BackendKind {
    /// Returns the backend that a profile declares.
    public static func declared(_ profile: Profile) -> Self { Self(.declared(profile)) }

    /// The kinds of events and rows that the profile declares; empty for a built-in backend.
    package var declaredKinds: [String] {
        guard let profile = module.profile else { return [] }
        return module.eventKinds + profile.entities.map(\.name)
    }
}
