public import Events
public import Wire

/// What a backend's servers are asked about accounts: who one is, logging in and out, files and pictures. For commands that need no
/// session.
package enum BackendAccounts: Sendable {
    /// All servers are asked the same.
    case alike(AccountCalls)
    /// Servers of several eras, which the status of the answer to a probe tells apart. It is asked first, without the token.
    case byEra(probe: RESTCall, [AccountCalls])

    /// What the servers of each era are asked.
    package var eras: [AccountCalls] {
        switch self {
        case .alike(let calls): [calls]
        case .byEra(_, let eras): eras
        }
    }

    /// The page that shows people their token; nil where a password gets one.
    package var tokenPage: String? { eras.lazy.compactMap(\.tokenPage).first }

    /// What a server is asked that answered the probe with this status; nil when that says nothing.
    package func calls(status: Int) -> AccountCalls? { eras.first { $0.statuses.contains(status) } }
}

/// The requests about accounts that the servers of one era take, and the reading of their answers.
package struct AccountCalls: Sendable {
    /// What the era is called; nil where there is one only.
    package var era: String?
    /// The statuses of answers to the probe that mean it; empty where none is sent.
    var statuses: Set<Int> = []
    /// Asks whose the token is; nil where nothing tells it.
    package var whoami: RESTCall?
    /// The answer to that, and to every other question for an account.
    package var account: @Sendable (_ body: ArraySlice<UInt8>) throws(DecodingFailure) -> BackendAccount
    /// Logging in and out; nil where that is not for a name and a password.
    package var login: LoginCalls?
    /// The page that shows people their token, where the service hands out none for a password: a login checks that token and keeps it.
    package var tokenPage: String?
    /// Whether one logs in, with a password or with a token.
    package var canLogIn: Bool { login != nil || tokenPage != nil }
    /// Files and pictures; nil where none can be had.
    package var downloads: DownloadCalls?
    /// Other users; nil where the service looks up none.
    package var people: PeopleCalls?
}

/// How one logs in and out.
package struct LoginCalls: Sendable {
    /// Logs in with a name, or an address, and a password.
    package var login: @Sendable (_ user: String, _ password: Secret) -> RESTCall
    /// The answer to that; nil when it has no token.
    package var tokens: @Sendable (_ body: ArraySlice<UInt8>) -> AccountTokens?
    /// Asks for another token; the refresh token goes as the call's token where the call carries one. Nil where a token is not renewed.
    package var renew: (@Sendable (_ refresh: Secret) -> RESTCall)?
    /// Tells the server that one goes; nil where it has nothing to be told.
    package var logout: RESTCall?
}

/// How files and pictures are had.
package struct DownloadCalls: Sendable {
    /// Where files are looked for, one after the other.
    package var places: [PlaceCalls]
    /// Asks for a file's bytes; `places` has one id each.
    package var file: @Sendable (_ id: EntityID, _ places: [EntityID]) -> RESTCall
    /// Asks for a user's account, which says where the picture is.
    package var account: @Sendable (_ user: EntityID) -> RESTCall
}

/// Where things are looked for, from the outermost on: in the place that the user names, else in the first one of the list.
package struct PlaceCalls: Sendable {
    /// What it is, as in `--company`.
    package var name: String
    /// The user's, inside those that were found already.
    package var list: @Sendable (_ around: [EntityID]) -> PagedList<BackendPlace>
}

/// How people are looked up; `places` has one id for each of the places.
package struct PeopleCalls: Sendable {
    /// Where, one after the other; names are looked for in the first.
    package var places: [PlaceCalls]
    /// Asks for a user's account.
    package var account: @Sendable (_ user: EntityID) -> RESTCall
    /// Users by words of their names. What comes of each may be less than the account.
    package var search: @Sendable (_ words: String, _ place: EntityID) -> PagedList<BackendAccount>
    /// The members of the last of the places.
    package var members: @Sendable (_ places: [EntityID]) -> PagedList<BackendMember>
    /// The lists of channels there.
    package var channels: @Sendable (_ places: [EntityID]) -> [ChannelCalls]
    /// The accounts of users whose ids alone are known, as far as these lists have them.
    package var accounts: @Sendable (_ users: [EntityID], _ places: [EntityID]) -> [PagedList<BackendMember>]

    /// A list of channels, and the members of one.
    package struct ChannelCalls: Sendable {
        package var list: PagedList<BackendPlace>
        package var members: @Sendable (_ channel: EntityID) -> PagedList<BackendMember>
    }
}

/// A list that is asked for page by page.
package struct PagedList<Row: Sendable>: Sendable {
    /// Asks for the first page; another is asked for with its token as `page_token`.
    package var call: RESTCall
    /// The rows of a page, and the token of the next one. Untrusted.
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
    /// Empty where it has none.
    package var name: String
}

/// A user, and what they are where they were looked for.
public struct BackendMember: Hashable, Sendable {
    /// The account, or no more of it than the id.
    public var account: BackendAccount
    /// What they are there, where the server says it.
    public var role: String?
}

/// A user's account, as the server says. Untrusted.
public struct BackendAccount: Hashable, Sendable {
    /// The user's id.
    public var id: EntityID
    /// The display name; the id where there is none.
    public var name: String
    /// The address of the user's picture, perhaps a path at the server.
    public var picture: String?
    /// The name in mentions and logins, without `@`.
    public var username: String?
    /// The address.
    public var email: String?
    /// The chosen language, where the server says it.
    public var language: String?
    /// What the user says about themselves, with an emoji before it where there is one.
    public var status: String?
}

/// What a server hands out at a login.
public struct AccountTokens: Sendable {
    /// Goes with every request.
    public var token: Secret
    /// Gets another one.
    public var refresh: Secret?
    /// When the token is over, unix seconds.
    public var expiration: Int64?
    /// How long it lives, in seconds, where the server says that instead.
    package var lifetime: Int64?
    /// When the server handed it out by the server's clock, unix seconds, where it says so.
    package var issued: Int64?

    package init(
        token: Secret, refresh: Secret? = nil, expiration: Int64? = nil, refreshExpiration: Int64? = nil
    ) {
        (self.token, self.refresh) = (token, refresh)
        (self.expiration, self.refreshExpiration) = (expiration, refreshExpiration)
    }
    /// When it cannot be refreshed any more, unix seconds.
    public var refreshExpiration: Int64?
}
