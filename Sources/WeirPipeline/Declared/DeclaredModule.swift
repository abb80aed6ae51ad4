import WeirEvents
import WeirJSON
import WeirWire

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

extension BackendAccounts {
    /// Returns the account calls of a declared backend, or `nil` when its profile declares neither an account nor a
    /// login.
    static func declared(_ profile: Profile) -> BackendAccounts? {
        let backend = DeclaredBackend(profile, Configuration(backend: .socketio))
        let read = profile.account.flatMap { backend.reads[$0] }
        let entity = read?.entity.flatMap { backend.entities[$0] }
        let login = profile.login.map { LoginCalls.declared($0, backend) }
        guard entity != nil || login != nil else { return nil }
        return .alike(
            AccountCalls(
                whoami: entity == nil ? nil : read.flatMap { backend.call(of: $0, { _ in nil }) },
                account: { body throws(DecodingFailure) in
                    guard let read, let entity,
                        let row = try read.rows(of: entity, in: body, page: nil, isLast: true, RowSieve()).first
                    else { throw DecodingFailure(subject: "account", message: "no row", offset: 0) }
                    let name = entity.row(row, over: nil, parent: nil).channelName
                    return BackendAccount(id: row.id, name: name ?? row.id.description)
                }, login: login))
    }
}

extension LoginCalls {
    fileprivate static func declared(_ login: Profile.Login, _ backend: DeclaredBackend) -> LoginCalls {
        var calls = LoginCalls(
            login: { user, password in
                var call = backend.call(of: login.call, ["user": user, "password": password.reveal()])
                call.carriesToken = false
                return call
            }, tokens: { login.tokens(in: $0) })
        if let renew = login.renew {
            calls.renew = { refresh in
                var call = backend.call(of: renew, ["refresh": refresh.reveal()])
                call.carriesToken = !renew.places.contains("refresh")
                return call
            }
        }
        calls.logout = login.logout.map { backend.call(of: $0, [:]) }
        return calls
    }
}

extension DeclaredBackend {
    fileprivate func call(of login: Profile.Login.Call, _ values: [String: String]) -> RESTCall {
        // Parsing rejects a profile whose places could stay unfilled.
        call(
            .post, login.path.filled({ values[$0] }, encoded: Self.encoded) ?? "/",
            body: login.body?.filled { values[$0] }, of: nil)
    }
}

extension Profile.Login.Call {
    /// The names of the places in all templates of the call.
    package var places: [String] { path.places + (body?.places ?? []) }
}

extension Profile.Login {
    /// The smallest number that is a point in time, in seconds since 1970 (September 2001). A smaller number is a
    /// duration.
    private static let longestSpan: Int64 = 1_000_000_000

    fileprivate func tokens(in body: ArraySlice<UInt8>) -> AccountTokens? {
        guard let answer = try? RawJSON(checking: body), let text = token.inValue.value(in: answer)?.plainText else {
            return nil
        }
        var tokens = AccountTokens(token: Secret(text))
        tokens.refresh = refresh?.inValue.value(in: answer)?.plainText.map { Secret($0) }
        let end = expires?.inValue.value(in: answer)
        if let span = end?.plainText.flatMap({ Int64($0) }), span < Self.longestSpan {
            tokens.lifetime = span
        } else {
            tokens.expiration = end?.time.map { $0.milliseconds / 1000 }
        }
        return tokens
    }
}

/// Computes the `EventGuide` of each event from the rules of a profile.
enum DeclaredGuide {
    /// Returns one guide for each rule, in the order of the profile.
    static func all(_ profile: Profile) -> [EventGuide] {
        profile.events.map { rule in
            EventGuide(
                kind: rule.kind ?? rule.event,
                wireNames: [rule.event + (rule.when.map { " where \($0.text)" } ?? "")],
                fields: fields(of: rule, profile),
                handlers: handlers(of: rule), treatments: treatments(of: rule, profile))
        }
    }

    /// Returns the fields that the profile reads, each with its path in a filter.
    private static func fields(of rule: Profile.EventRule, _ profile: Profile) -> [EventGuide.Field] {
        var fields: [EventGuide.Field] = []
        func add(_ path: ProfilePath?, in place: ProfilePath? = nil, _ what: String) {
            guard let path else { return }
            var way = (place?.way ?? "") + path.way
            // A value that is the whole event is its first argument, if events have arguments.
            let isOfWhole = way.isEmpty || place == .whole && way.hasPrefix("[")
            if isOfWhole, profile.realtime.transport == .socketio { way = "[1]" + way }
            guard !way.isEmpty else { return }
            if let index = fields.firstIndex(where: { $0.path == "payload" + way }) {
                fields[index].type += "; " + what
            } else {
                fields.append(EventGuide.Field(path: "payload" + way, type: what))
            }
        }
        add(rule.room, "the room's id")
        add(rule.actor, rule.actorID == nil ? "the user" : "the user's name")
        add(rule.actorID, "the user's id")
        add(rule.text, "the text")
        add(rule.mentions, "the mentioned users")
        add(rule.time, "the time")
        add(rule.why, "why it was refused")
        guard let entity = profile.entities.first(where: { $0.name == rule.entity }) else { return fields }
        let place = rule.at ?? .whole
        add(rule.at, "\(entity.name), one or a list")
        add(entity.key, in: place, "\(entity.name)'s key")
        add(entity.parent, in: place, "\(entity.name)'s parent")
        for field in rule.then.onlyRemoves ? [] : entity.fields {
            add(
                field.path ?? ProfilePath(field.name), in: place,
                "\(entity.name).\(field.name), \(field.type.rawValue)\(field.required ? ", required" : "")")
        }
        return fields
    }

    private static func handlers(of rule: Profile.EventRule) -> [String] {
        var handlers: [String] = []
        switch rule.says {
        case nil: break
        case .ready: handlers.append("connection: it is ready")
        case .unauthorized: handlers.append("token: it is refused")
        case .room: handlers.append("rooms: one was created")
        case .gone: handlers.append("rooms: one was deleted")
        case .joined, .refused, .left: handlers.append("rooms: one is \(rule.says?.rawValue ?? "")")
        }
        if let entity = rule.entity { handlers.append("rows of \(entity)") }
        if !rule.reads.isEmpty { handlers.append("reads") }
        return handlers
    }

    private static func treatments(
        of rule: Profile.EventRule, _ profile: Profile
    ) -> [(subject: String, cases: [EventGuide.Treatment])] {
        let reads = rule.reads.joined(separator: " and ")
        guard let entity = profile.entities.first(where: { $0.name == rule.entity }) else {
            return reads.isEmpty
                ? [] : [("", [EventGuide.Treatment(standing: "always", applies: false, refetch: reads)])]
        }
        let freshnesss: [(Profile.Entity.Freshness, String)] =
            entity.newer == nil
            ? [(.unknown, "not known yet"), (.newer, "known")]
            : [
                (.unknown, "not known yet"), (.older, "overtaken by a newer one"), (.same, "known already"),
                (.newer, "newer"),
            ]
        return [
            (
                entity.name,
                freshnesss.map { freshness, words in
                    let treatment = rule.then[freshness]
                    let isKnown = freshness != .unknown
                    return EventGuide.Treatment(
                        standing: words, applies: treatment == .apply && !(entity.once && isKnown),
                        refetch: treatment == .fetch ? reads : "", removes: treatment == .remove && isKnown)
                }
            )
        ]
    }
}
