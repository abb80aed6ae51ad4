import Events

/// The GET calls of the Twake services, each with its path, parameters and parser (Twake TW-71 for era A, TW-79 for era
/// B).
enum TwakeEndpoints {
    /// The number of heads in one page of a channel.
    static let pageLength = 20
    /// The number of replies that come with each head in era B. Era A sends whole threads.
    static let repliesPerThread = 20
    /// The number of messages in one page of a thread.
    static let threadLength = 1_000

    static let proxy: RESTTarget = "/internal/mobile"
    static let core: RESTTarget = "/internal/services"

    /// The call that identifies the server. It is public, so it carries no token.
    static var server: Endpoint<Void> { Endpoint("\(core)/general/v1/server", method: .get, carriesToken: false) }

    static func account(_ era: TwakeEra) -> Endpoint<Twake.Account> {
        Endpoint(era == .a ? "\(proxy)/user" : "\(core)/users/v1/users/me", parse: Twake.account)
    }

    static func account(_ era: TwakeEra, of user: EntityID) -> Endpoint<Twake.Account> {
        Endpoint(era == .a ? "\(proxy)/user?id=\(user)" : "\(core)/users/v1/users/\(user)", parse: Twake.account)
    }

    /// Returns the search for accounts by name. Accounts in era A contain only the names.
    static func accounts(_ era: TwakeEra, called words: String, company: EntityID) -> Endpoint<[Twake.Account]> {
        era == .a
            ? Endpoint(
                "\(proxy)/users/search", query: [("company_id", company.description), ("name", words)],
                rows: Twake.accounts)
            : Endpoint(
                "\(core)/users/v1/users", query: [("search", words), ("search_company_id", company.description)],
                rows: Twake.accounts)
    }

    /// Returns the list of a workspace's members in era A, which contains no roles.
    static func proxyMembers(of place: TwakePlace) -> Endpoint<[Twake.Account]> {
        Endpoint(
            "\(proxy)/workspaces/members", query: proxyQuery(place.company, place.workspace), rows: Twake.accounts)
    }

    /// Returns the list of a workspace's members in era B.
    static func coreMembers(of place: TwakePlace) -> Endpoint<[Twake.WorkspaceUser]> {
        Endpoint(
            "\(core)/workspaces/v1/companies/\(place.company)/workspaces/\(place.workspace)/users",
            query: [("limit", "1000")], rows: Twake.workspaceUsers)
    }

    /// Returns the call for accounts by user id. Era A has no such list, so only the first user is requested.
    static func accounts(_ era: TwakeEra, _ users: [EntityID]) -> Endpoint<[Twake.Account]> {
        switch era {
        case .a:
            Endpoint("\(proxy)/user", query: users.prefix(1).map { ("id", $0.description) }) {
                body throws(DecodingFailure) in [try Twake.account(from: body)]
            }
        case .b:
            Endpoint(
                "\(core)/users/v1/users",
                query: [("user_ids", users.map(\.description).joined(separator: ","))], rows: Twake.accounts
            )
        }
    }

    static func companies(_ era: TwakeEra) -> Endpoint<[Twake.Company]> {
        Endpoint(
            era == .a ? "\(proxy)/companies" : "\(core)/users/v1/users/me/companies",
            rows: Twake.companies)
    }

    static func workspaces(_ era: TwakeEra, company: EntityID) -> Endpoint<[Twake.Workspace]> {
        switch era {
        case .a:
            Endpoint(
                "\(proxy)/workspaces", query: [("company_id", company.description)], rows: Twake.workspaces)
        case .b:
            Endpoint("\(core)/workspaces/v1/companies/\(company)/workspaces", rows: Twake.workspaces)
        }
    }

    static func rooms(company: EntityID, workspace: EntityID) -> Endpoint<[Twake.SocketIORoom]> {
        Endpoint(
            "\(proxy)/workspace/notifications", query: proxyQuery(company, workspace), rows: Twake.rooms)
    }

    /// Returns the list of a workspace's channels.
    ///
    /// - Parameter user: The requesting user. A direct is named by its other users.
    static func channels(
        _ era: TwakeEra, company: EntityID, workspace: EntityID, user: EntityID?
    ) -> Endpoint<[Twake.Channel]> {
        let parse: Endpoint<[Twake.Channel]>.RowParser = { body, sieve throws(DecodingFailure) in
            try Twake.channels(from: body, user: user, sieve)
        }
        return switch era {
        case .a:
            Endpoint("\(proxy)/channels", query: proxyQuery(company, workspace), rows: parse)
        case .b:
            Endpoint(
                list(company, workspace), query: [("mine", "1"), ("limit", "1000")], rows: parse
            )
        }
    }

    static func directs(_ era: TwakeEra, company: EntityID, user: EntityID?) -> Endpoint<
        [Twake.Channel]
    > {
        let parse: Endpoint<[Twake.Channel]>.RowParser = { body, sieve throws(DecodingFailure) in
            try Twake.channels(from: body, user: user, sieve)
        }
        return switch era {
        case .a:
            Endpoint(
                "\(proxy)/direct", query: [("company_id", company.description)],
                rows: parse)
        case .b:
            Endpoint(
                list(company, .direct), query: [("mine", "1"), ("include_users", "1"), ("limit", "1000")], rows: parse)
        }
    }

    static func channel(_ path: TwakeChannelPath) -> Endpoint<Twake.Channel> {
        Endpoint("\(list(path.company, path.workspace))/\(path.channel)") {
            body throws(DecodingFailure) in try Twake.channel(from: body)
        }
    }

    static func members(_ era: TwakeEra, _ path: TwakeChannelPath) -> Endpoint<[Twake.ChannelMember]> {
        let parse: Endpoint<[Twake.ChannelMember]>.RowParser = { body, sieve throws(DecodingFailure) in
            try Twake.members(from: body, channel: path.channel, sieve)
        }
        return switch era {
        case .a:
            Endpoint(
                "\(proxy)/channels/members",
                query: proxyQuery(path.company, path.workspace) + [("id", path.channel.description)], rows: parse)
        case .b:
            Endpoint(
                "\(list(path.company, path.workspace))/\(path.channel)/members", query: [("limit", "1000")], rows: parse
            )
        }
    }

    static func badges(company: EntityID) -> Endpoint<[Twake.Badge]> {
        // Do not send `all_companies`: the first badge would be returned twice (Twake TW-85).
        Endpoint(
            "\(core)/notifications/v1/badges",
            query: [("company_id", company.description), ("limit", "1000")], rows: Twake.badges)
    }

    static func badgeCounts(company: EntityID) -> Endpoint<[Twake.BadgeCount]> {
        Endpoint(
            "\(proxy)/badges", query: [("company_id", company.description)],
            rows: Twake.badgeCounts)
    }

    /// Returns the path of a workspace's channels in era B.
    static func list(_ company: EntityID, _ workspace: EntityID) -> RESTTarget {
        "\(core)/channels/v1/companies/\(company)/workspaces/\(workspace)/channels"
    }

    static func proxyQuery(
        _ company: EntityID, _ workspace: EntityID
    ) -> RESTCall.Query {
        [("company_id", company.description), ("workspace_id", workspace.description)]
    }
}
