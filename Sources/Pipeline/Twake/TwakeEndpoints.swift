import Events

/// Every GET of the Twake services: path, parameters and parser of each side by side (4.3 for era A, 4.4 for era B).
enum TwakeEndpoints {
    /// How many heads of a channel are asked for at once.
    static let pageLength = 20
    /// How many replies of a thread come with its head (era B); era A sends whole threads.
    static let repliesPerThread = 20
    /// How many messages of a thread are asked for at once.
    static let threadLength = 1_000

    static let proxy: RESTTarget = "/internal/mobile"
    static let core: RESTTarget = "/internal/services"

    /// The one call that shows no token: it is public.
    static var server: Endpoint<Void> { Endpoint("\(core)/general/v1/server", method: .get, carriesToken: false) }

    static func account(_ era: TwakeEra) -> Endpoint<Twake.Account> {
        Endpoint(era == .a ? "\(proxy)/user" : "\(core)/users/v1/users/me", parse: Twake.account)
    }

    static func account(_ era: TwakeEra, of user: EntityID) -> Endpoint<Twake.Account> {
        Endpoint(era == .a ? "\(proxy)/user?id=\(user)" : "\(core)/users/v1/users/\(user)", parse: Twake.account)
    }

    /// Accounts by words of their names; era A's have no more than the names.
    static func accounts(_ era: TwakeEra, called words: String, company: EntityID) -> Endpoint<[Twake.Account]> {
        era == .a
            ? Endpoint(
                "\(proxy)/users/search", query: [("company_id", company.description), ("name", words)],
                rows: Twake.accounts)
            : Endpoint(
                "\(core)/users/v1/users", query: [("search", words), ("search_company_id", company.description)],
                rows: Twake.accounts)
    }

    /// The members of a workspace, of era A, which does not say their roles.
    static func proxyMembers(of place: TwakePlace) -> Endpoint<[Twake.Account]> {
        Endpoint(
            "\(proxy)/workspaces/members", query: proxyQuery(place.company, place.workspace), rows: Twake.accounts)
    }

    /// The same of era B.
    static func coreMembers(of place: TwakePlace) -> Endpoint<[Twake.WorkspaceUser]> {
        Endpoint(
            "\(core)/workspaces/v1/companies/\(place.company)/workspaces/\(place.workspace)/users",
            query: [("limit", "1000")], rows: Twake.workspaceUsers)
    }

    /// Accounts by their users' ids; era A, which knows no such list, is asked for the first.
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

    /// `user` is who asks: a direct is called by its other users.
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
        // Never with `all_companies`: the first badge would come twice (4.4).
        Endpoint(
            "\(core)/notifications/v1/badges",
            query: [("company_id", company.description), ("limit", "1000")], rows: Twake.badges)
    }

    static func badgeCounts(company: EntityID) -> Endpoint<[Twake.BadgeCount]> {
        Endpoint(
            "\(proxy)/badges", query: [("company_id", company.description)],
            rows: Twake.badgeCounts)
    }

    /// Era B's path of the channels of a workspace.
    static func list(_ company: EntityID, _ workspace: EntityID) -> RESTTarget {
        "\(core)/channels/v1/companies/\(company)/workspaces/\(workspace)/channels"
    }

    static func proxyQuery(
        _ company: EntityID, _ workspace: EntityID
    ) -> RESTCall.Query {
        [("company_id", company.description), ("workspace_id", workspace.description)]
    }
}
