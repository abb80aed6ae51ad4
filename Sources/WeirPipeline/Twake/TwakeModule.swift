import WeirEvents
import WeirJSON
import WeirWire

extension BackendModule {
    /// The Twake module, for servers of all eras.
    static let twake = BackendModule(
        name: "twake", usualPath: "/socket/", reversedDomain: "app.twake", hasPlaces: true,
        makeBackend: { TwakeBackend($0) },
        decodeAhead: { array in (try? Twake.Event(array: array)).map(Event.twake) },
        landmarks: BackendLandmarks(
            room: ("realtime:", "name"), admission: "authenticated", join: "realtime:join:success"),
        entities: [
            Twake.Channel.self, Twake.Message.self, Twake.ChannelMember.self, Twake.Badge.self, Twake.BadgeCount.self,
            Twake.Account.self, Twake.Company.self, Twake.Workspace.self, Twake.OnlineStatus.self,
        ],
        eventKinds: [
            "authenticated", "unauthorized", "join", "join_error", "leave", "leave_error", "event_error", "message",
            "typing", "channel", "channel_activity", "channel_member", "channel_tabs", "badge", "notification",
            "bookmark",
            "workspace", "user", "company", "company_user", "company_application", "online", "documents", "unknown",
        ],
        guide: BackendGuide(kinds: { TwakeGuide.all }),
        takesFiles: true,
        accounts: .twake)
}

extension Configuration.BackendKind {
    /// The Twake backend, named `twake`.
    public static let twake = Self(.twake)
}

extension BackendAccounts {
    /// The account calls of Twake (Twake TW-67 to TW-85). Servers of era B answer the probe; servers of era A answer
    /// 404.
    static let twake = byEra(
        probe: TwakeEndpoints.server.call, [.twake(.b, Set(200..<300)), .twake(.a, [404, 410])])
}

extension AccountCalls {
    fileprivate static func twake(_ era: TwakeEra, _ statuses: Set<Int>) -> AccountCalls {
        AccountCalls(
            era: era.rawValue, statuses: statuses, whoami: TwakeEndpoints.account(era).call,
            account: { body throws(DecodingFailure) in
                BackendAccount(try Twake.account(from: body))
            },
            login: .twake(era), downloads: .twake(era), people: .twake(era))
    }
}

extension LoginCalls {
    fileprivate static func twake(_ era: TwakeEra) -> LoginCalls {
        switch era {
        case .a:
            LoginCalls(
                login: { user, password in
                    post(
                        "\(TwakeEndpoints.proxy)/authorize",
                        [
                            "username": .string(user), "password": .string(password.reveal()),
                            "device": .string("android"), "timezoneoffset": .integer(0), "fcm_token": .string(""),
                        ])
                }, tokens: { tokens(in: $0) },
                renew: { refresh in
                    var call = post(
                        "\(TwakeEndpoints.proxy)/authorization/prolong",
                        [
                            "refresh_token": .string(refresh.reveal()), "timezoneoffset": .integer(0),
                            "fcm_token": .string(""),
                        ])
                    call.carriesToken = false
                    return call
                },
                logout: post("\(TwakeEndpoints.proxy)/logout", ["fcm_token": .string("")]))
        case .b:
            LoginCalls(
                login: { user, password in
                    post(
                        "\(TwakeEndpoints.core)/console/v1/login",
                        ["email": .string(user), "password": .string(password.reveal())])
                }, tokens: { tokens(in: $0) },
                renew: { _ in post("\(TwakeEndpoints.core)/console/v1/token", [:]) })
        }
    }

    private static func post(_ path: RESTTarget, _ fields: KeyValuePairs<String, JSONValue>) -> RESTCall {
        RESTCall(.post, path, body: JSONValue.fields(fields).bytes)
    }

    /// Reads the tokens from an answer. Era B puts them into an object.
    private static func tokens(in body: ArraySlice<UInt8>) -> AccountTokens? {
        guard let value = try? JSONValue(parsing: body) else { return nil }
        let object = value["access_token"].flatMap { $0["value"]?.text == nil ? nil : $0 }
        let (fields, names) = object.map { ($0, ("value", "refresh")) } ?? (value, ("token", "refresh_token"))
        guard let token = fields[names.0]?.text else { return nil }
        var tokens = AccountTokens(
            token: Secret(token), refresh: fields[names.1]?.text.map { Secret($0) },
            expiration: fields["expiration"]?.int64, refreshExpiration: fields["refresh_expiration"]?.int64)
        tokens.issued = fields["time"]?.int64
        return tokens
    }
}

extension DownloadCalls {
    /// The calls for files and pictures. Era A stores files outside the proxy, in a workspace. In era B a file belongs
    /// to no workspace.
    fileprivate static func twake(_ era: TwakeEra) -> DownloadCalls {
        switch era {
        case .a:
            DownloadCalls(
                places: PlaceCalls.twake(era),
                file: { RESTCall(.get, "/ajax/drive/download?workspace_id=\($1[1])&element_id=\($0)&download=1") },
                account: { TwakeEndpoints.account(era, of: $0).call })
        case .b:
            DownloadCalls(
                places: [PlaceCalls.twake(era)[0]],
                file: { RESTCall(.get, "\(TwakeEndpoints.core)/files/v1/companies/\($1[0])/files/\($0)/download") },
                account: { TwakeEndpoints.account(era, of: $0).call })
        }
    }
}

extension PlaceCalls {
    /// The calls that list the companies, and the workspaces of one company.
    fileprivate static func twake(_ era: TwakeEra) -> [PlaceCalls] {
        [
            PlaceCalls(name: "company") { _ in list(TwakeEndpoints.companies(era).call) },
            PlaceCalls(name: "workspace") { list(TwakeEndpoints.workspaces(era, company: $0[0]).call) },
        ]
    }

    private static func list(_ call: RESTCall) -> PagedList<BackendPlace> {
        PagedList(Endpoint(call, rows: Twake.places)) { BackendPlace(id: $0.id, name: $0.name) }
    }
}

extension PeopleCalls {
    fileprivate static func twake(_ era: TwakeEra) -> PeopleCalls {
        PeopleCalls(
            places: PlaceCalls.twake(era), account: { TwakeEndpoints.account(era, of: $0).call },
            search: { PagedList(TwakeEndpoints.accounts(era, called: $0, company: $1)) { BackendAccount($0) } },
            members: { places in
                era == .a
                    ? PagedList(TwakeEndpoints.proxyMembers(of: TwakePlace(places))) { BackendMember($0) }
                    : PagedList(TwakeEndpoints.coreMembers(of: TwakePlace(places))) { user in
                        BackendMember(account: BackendAccount(user.user), role: user.role?.wireName)
                    }
            },
            channels: { places in
                let place = TwakePlace(places)
                let channels = TwakeEndpoints.channels(
                    era, company: place.company, workspace: place.workspace, user: nil)
                let directs = TwakeEndpoints.directs(era, company: place.company, user: nil)
                return [
                    .twake(era, channels, in: place),
                    .twake(era, directs, in: TwakePlace(company: place.company, workspace: .direct)),
                ]
            },
            accounts: { users, places in
                // The proxy of era A has no call that lists users by their ids.
                era == .a
                    ? [PagedList(TwakeEndpoints.proxyMembers(of: TwakePlace(places))) { BackendMember($0) }]
                    : TwakeAccountBook.batches(of: users).map {
                        PagedList(TwakeEndpoints.accounts(era, $0)) { BackendMember($0) }
                    }
            })
    }
}

extension PeopleCalls.ChannelCalls {
    fileprivate static func twake(_ era: TwakeEra, _ list: Endpoint<[Twake.Channel]>, in place: TwakePlace) -> Self {
        Self(
            list: PagedList(list) { BackendPlace(id: $0.id, name: $0.name ?? "") },
            members: { channel in
                let path = TwakeChannelPath(company: place.company, workspace: place.workspace, channel: channel)
                return PagedList(TwakeEndpoints.members(era, path)) { member in
                    let id = member.user ?? .none
                    let account = BackendAccount(id: id, name: id.description, email: member.email)
                    return BackendMember(account: account, role: member.type?.wireName)
                }
            })
    }
}

extension TwakePlace {
    fileprivate init(_ places: [EntityID]) { self.init(company: places[0], workspace: places[1]) }
}

extension BackendAccount {
    fileprivate init(_ account: Twake.Account) {
        let status = [account.statusIcon, account.status].compactMap(\.self).joined(separator: " ")
        self.init(
            id: account.id, name: account.name, picture: account.picture, username: account.username,
            email: account.email, language: account.language, status: status.isEmpty ? nil : status)
    }
}

extension BackendMember {
    fileprivate init(_ account: Twake.Account) { self.init(account: BackendAccount(account)) }
}
