import Events
import JSONText
import Wire

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
