import Events
import JSONText
import Wire

extension BackendAccounts {
    /// Twake's (4.2 to 4.4). Servers of the newer era know the answer to the probe, those of the older one say 404.
    static let twake = byEra(
        probe: TwakeEndpoints.server.call, [.twake(.b, Set(200..<300)), .twake(.a, [404, 410])])
}

extension AccountCalls {
    fileprivate static func twake(_ era: TwakeEra, _ statuses: Set<Int>) -> AccountCalls {
        AccountCalls(
            era: era.rawValue, statuses: statuses, whoami: TwakeEndpoints.account(era).call,
            account: { body throws(DecodingFailure) in
                let account = try Twake.account(from: body)
                return BackendAccount(id: account.id, name: account.name, picture: account.picture)
            },
            login: .twake(era), downloads: .twake(era))
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

    /// The newer era has the token inside an object.
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
    /// Era A keeps files outside the proxy, in a workspace; in era B a file belongs to no workspace.
    fileprivate static func twake(_ era: TwakeEra) -> DownloadCalls {
        let company = place("company") { _ in TwakeEndpoints.companies(era).call }
        switch era {
        case .a:
            let workspace = place("workspace") { TwakeEndpoints.workspaces(era, company: $0[0]).call }
            return DownloadCalls(
                places: [company, workspace],
                file: { RESTCall(.get, "/ajax/drive/download?workspace_id=\($1[1])&element_id=\($0)&download=1") },
                account: { RESTCall(.get, "\(TwakeEndpoints.proxy)/user?id=\($0)") })
        case .b:
            return DownloadCalls(
                places: [company],
                file: { RESTCall(.get, "\(TwakeEndpoints.core)/files/v1/companies/\($1[0])/files/\($0)/download") },
                account: { RESTCall(.get, "\(TwakeEndpoints.core)/users/v1/users/\($0)") })
        }
    }

    private static func place(_ name: String, list: @escaping @Sendable ([EntityID]) -> RESTCall) -> Place {
        Place(
            name: name, list: list,
            ids: { body throws(DecodingFailure) in try Twake.places(from: body).map(\.id) })
    }
}
