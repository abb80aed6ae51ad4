import Events
import JSONText

extension BackendModule {
    /// The backend that a profile declares.
    static func declared(_ profile: Profile) -> BackendModule {
        var kinds: Set<String> = []
        let words = profile.events.map { $0.kind ?? $0.event } + ["event"]
        var module = BackendModule(
            name: profile.name,
            usualPath: profile.realtime.path ?? (profile.realtime.transport == .websocket ? "/" : "/socket.io/"),
            reversedDomain: "weir.profile.\(profile.name)",
            makeBackend: { DeclaredBackend(profile, $0) }, eventKinds: words.filter { kinds.insert($0).inserted })
        module.profile = profile
        module.tokenHeader = profile.services.first?.header
        module.accounts = accounts(profile)
        module.usualPace = profile.services.compactMap(\.rate).min()
        return module
    }

    /// Whose a token is, where the profile says which read tells it.
    private static func accounts(_ profile: Profile) -> BackendAccounts? {
        let backend = DeclaredBackend(profile, Configuration(backend: .socketio))
        guard let read = profile.account.flatMap({ backend.reads[$0] }),
            let call = backend.call(of: read, { _ in nil }),
            let entity = read.entity.flatMap({ backend.entities[$0] })
        else { return nil }
        return .alike(
            AccountCalls(
                whoami: call,
                account: { body throws(DecodingFailure) in
                    guard
                        let row = try read.rows(of: entity, in: body, page: nil, isLast: true, RowSieve()).first
                    else { throw DecodingFailure(subject: read.name, message: "no row", offset: 0) }
                    let name = entity.row(row, over: nil, parent: nil).channelName
                    return BackendAccount(id: row.id, name: name ?? row.id.description)
                }))
    }
}

extension Configuration.BackendKind {
    /// The backend that a profile declares.
    public static func declared(_ profile: Profile) -> Self { Self(.declared(profile)) }

    /// The kinds of events and rows that its profile declares; none for a backend that Weir knows.
    package var declaredKinds: [String] {
        guard let profile = module.profile else { return [] }
        return module.eventKinds + profile.entities.map(\.name)
    }
}
