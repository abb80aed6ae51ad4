package import WeirEvents
package import WeirWire

/// The requests about accounts that a backend's servers accept: identity, login and logout, files and pictures. Used by
/// commands that need no session.
package enum BackendAccounts: Sendable {
    /// All servers accept the same requests.
    case alike(AccountCalls)
    /// The servers belong to different eras. A probe, sent first and without the token, tells them apart by the status
    /// of its answer.
    case byEra(probe: RESTCall, [AccountCalls])

    /// The requests of each era.
    package var eras: [AccountCalls] {
        switch self {
        case .alike(let calls): [calls]
        case .byEra(_, let eras): eras
        }
    }

    /// The page that shows users their token; `nil` if users get it with a password.
    package var tokenPage: String? { eras.lazy.compactMap(\.tokenPage).first }

    /// Returns the requests of a server that answered the probe with this status; `nil` if no era matches.
    package func calls(status: Int) -> AccountCalls? { eras.first { $0.statuses.contains(status) } }
}

/// The requests about accounts that the servers of one era accept, and the decoding of their answers.
package struct AccountCalls: Sendable {
    /// The name of the era; `nil` if there is only one.
    package var era: String?
    /// The statuses by which the probe identifies this era; empty if no probe is sent.
    var statuses: Set<Int> = []
    /// The request for the owner of the token; `nil` if no request returns it.
    package var whoami: RESTCall?
    /// Decodes the answer to `whoami`, and to every other request for an account.
    package var account: @Sendable (_ body: ArraySlice<UInt8>) throws(DecodingFailure) -> BackendAccount
    /// The requests to log in and out; `nil` if the service accepts no name and password.
    package var login: LoginCalls?
    /// The page that shows users their token, if the service issues none for a password. A login checks that token and
    /// stores it.
    package var tokenPage: String?
    /// Whether users can log in, with a password or with a token.
    package var canLogIn: Bool { login != nil || tokenPage != nil }
    /// The requests for files and pictures; `nil` if the service offers neither.
    package var downloads: DownloadCalls?
    /// The requests for other users; `nil` if the service has none.
    package var people: PeopleCalls?
}

/// The requests to log in and out.
package struct LoginCalls: Sendable {
    /// Returns the request to log in with a name, or an e-mail address, and a password.
    package var login: @Sendable (_ user: String, _ password: Secret) -> RESTCall
    /// Decodes the answer to `login`; returns `nil` if it contains no token.
    package var tokens: @Sendable (_ body: ArraySlice<UInt8>) -> AccountTokens?
    /// Returns the request for another token; `nil` if tokens are not renewed. If the call carries a token, the refresh
    /// token takes that place.
    package var renew: (@Sendable (_ refresh: Secret) -> RESTCall)?
    /// The request that announces a logout to the server; `nil` if the server needs none.
    package var logout: RESTCall?
}

/// The requests for files and pictures.
package struct DownloadCalls: Sendable {
    /// The kinds of place to search for files, from the outermost inwards.
    package var places: [PlaceCalls]
    /// Returns the request for a file's content. `places` contains one id for each kind of place.
    package var file: @Sendable (_ id: EntityID, _ places: [EntityID]) -> RESTCall
    /// Returns the request for a user's account, which contains the address of the picture.
    package var account: @Sendable (_ user: EntityID) -> RESTCall
}

/// A kind of place to search in. The search goes from the outermost place inwards, and takes the place that the user
/// names, or the first one of the list.
package struct PlaceCalls: Sendable {
    /// The name of the kind, as in the option `--company`.
    package var name: String
    /// The user's places of this kind, inside the places found already.
    package var list: @Sendable (_ around: [EntityID]) -> PagedList<BackendPlace>
}

/// The requests for other users. `places` contains one id for each kind of place.
package struct PeopleCalls: Sendable {
    /// The kinds of place, from the outermost inwards. Names are searched for in the first.
    package var places: [PlaceCalls]
    /// Returns the request for a user's account.
    package var account: @Sendable (_ user: EntityID) -> RESTCall
    /// Searches for users by words of their names. Each result may contain less than the account.
    package var search: @Sendable (_ words: String, _ place: EntityID) -> PagedList<BackendAccount>
    /// The members of the innermost place.
    package var members: @Sendable (_ places: [EntityID]) -> PagedList<BackendMember>
    /// The lists of channels in the innermost place.
    package var channels: @Sendable (_ places: [EntityID]) -> [ChannelCalls]
    /// The accounts of users who are known only by their ids, as far as these lists contain them.
    package var accounts: @Sendable (_ users: [EntityID], _ places: [EntityID]) -> [PagedList<BackendMember>]

    /// A list of channels, and the members of each channel.
    package struct ChannelCalls: Sendable {
        package var list: PagedList<BackendPlace>
        package var members: @Sendable (_ channel: EntityID) -> PagedList<BackendMember>
    }
}

/// A list that is requested page by page.
package struct PagedList<Row: Sendable>: Sendable {
    /// The request for the first page. The request for another page has its token as `page_token`.
    package var call: RESTCall
    /// Decodes a page into its rows and the token of the next page. Both are untrusted.
    package var read: @Sendable (_ body: ArraySlice<UInt8>) throws(DecodingFailure) -> (rows: [Row], next: String?)

    init<Answer>(_ endpoint: Endpoint<[Answer]>, _ row: @escaping @Sendable (Answer) -> Row) {
        call = endpoint.call
        read = { body throws(DecodingFailure) in
            let sieve = RowSieve()
            return (try endpoint.parse(body, sieve).map(row), sieve.leftOut.nextPage)
        }
    }
}

/// A company, a workspace or a channel. Untrusted.
package struct BackendPlace: Hashable, Sendable {
    package var id: EntityID
    /// The name of the place; empty if it has none.
    package var name: String
}

/// A user and their role in the place that was searched.
package struct BackendMember: Hashable, Sendable {
    /// The account of the user, possibly reduced to the id.
    package var account: BackendAccount
    /// The user's role in the place, if the server reports it.
    package var role: String?
}

/// A user's account as the server reports it. Untrusted.
package struct BackendAccount: Hashable, Sendable {
    /// The server's id of the user.
    package var id: EntityID
    /// The display name, or the id if there is none.
    package var name: String
    /// The address of the user's picture, possibly a path at the server.
    package var picture: String?
    /// The name used in mentions and logins, without `@`.
    package var username: String?
    /// The user's e-mail address, if known.
    package var email: String?
    /// The language that the user chose, if the server reports it.
    package var language: String?
    /// The user's status text, with an emoji before it if there is one.
    package var status: String?
}

/// The tokens that a server issues at a login.
package struct AccountTokens: Sendable {
    /// The token that authenticates every request.
    package var token: Secret
    /// The token that obtains another token; `nil` if there is none.
    package var refresh: Secret?
    /// When the token expires, in seconds since 1970.
    package var expiration: Int64?
    /// The lifetime of the token in seconds, if the server reports that instead.
    package var lifetime: Int64?
    /// When the token was issued by the server's clock, in seconds since 1970, if the server reports it.
    package var issued: Int64?

    package init(
        token: Secret, refresh: Secret? = nil, expiration: Int64? = nil, refreshExpiration: Int64? = nil
    ) {
        (self.token, self.refresh) = (token, refresh)
        (self.expiration, self.refreshExpiration) = (expiration, refreshExpiration)
    }
    /// When the refresh token expires, in seconds since 1970.
    package var refreshExpiration: Int64?
}

/// The callers that wait for things of which each is fetched only once: looked up where it may be stored, otherwise
/// downloaded, once for all callers that ask meanwhile.
///
///     idle ──ask: look it up──► under way ──settled──► idle
package struct DownloadBook<Key: Hashable & Sendable, Asker: Sendable>: Sendable {
    private var askers: [Key: [Asker]] = [:]

    /// Creates a book in which nothing is under way.
    package init() {}

    /// The number of things under way.
    package var count: Int { askers.count }

    /// Adds a caller; returns `true` for the first one. That caller must look the thing up, and download it if it is
    /// not found.
    package mutating func ask(for key: Key, _ asker: Asker) -> Bool {
        askers[key, default: []].append(asker)
        return askers[key]?.count == 1
    }

    /// Removes and returns the callers of a thing that was found or whose download ended, in order. A later call of
    /// `ask` starts again.
    package mutating func settle(_ key: Key) -> [Asker] { askers.removeValue(forKey: key) ?? [] }
}
