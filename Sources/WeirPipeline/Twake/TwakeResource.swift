import WeirEvents

/// The resources of a Twake server, as keys of refetches. Each contains the ids that its request needs.
enum TwakeResource: BackendResource {
    /// The server information of era B, whose presence identifies the era.
    case server
    /// The account of the user themselves.
    case account(TwakeEra)
    /// The accounts of other users; only one in era A.
    case accounts(TwakeEra, [EntityID])
    /// The companies that the user belongs to.
    case companies(TwakeEra)
    /// The workspaces of a company that the user belongs to.
    case workspaces(TwakeEra, company: EntityID)
    /// The list of rooms, in era A only.
    case rooms(company: EntityID, workspace: EntityID)
    /// The user's channels in a workspace.
    case channels(TwakeEra, company: EntityID, workspace: EntityID)
    /// The user's directs in a company.
    case directs(TwakeEra, company: EntityID)
    /// The name and appearance of a channel (era B). The answer lacks the last message and the read marker
    /// (Twake TW-66).
    case channel(TwakeChannelPath)
    /// All members of a channel.
    case members(TwakeEra, TwakeChannelPath)
    /// The newest page of a channel's messages.
    case feed(TwakeEra, TwakeChannelPath)
    /// The page of a channel that ends with the message `before`, which is on it again (Twake TW-83).
    case history(TwakeEra, TwakeChannelPath, before: EntityID)
    /// The newest messages of a thread. Era A needs the channel's path, which the thread rooms of era B do not contain.
    case thread(TwakeEra, company: EntityID, TwakeChannelPath?, id: EntityID)
    /// The page of a long thread that ends with the message `before`, which is on it again.
    case replies(TwakeEra, company: EntityID, TwakeChannelPath?, thread: EntityID, before: EntityID)
    /// A single message. Era A needs the channel's path, era B the company and the thread.
    case message(TwakeEra, TwakeChannelPath, thread: EntityID, id: EntityID)
    /// The badges (era B) or unread counters (era A) of a company.
    case badges(TwakeEra, company: EntityID)

    var label: String {
        switch self {
        case .server: "server"
        case .account: "account"
        case .accounts: "accounts"
        case .companies: "companies"
        case .workspaces: "workspaces"
        case .rooms: "rooms"
        case .channels: "channels"
        case .directs: "directs"
        case .channel(let path): "channel \(path.channel)"
        case .members(_, let path): "members of \(path.channel)"
        case .feed(_, let path): "messages of \(path.channel)"
        case .history(_, let path, _): "history of \(path.channel)"
        case .thread(_, _, _, let thread): "thread \(thread)"
        case .replies(_, _, _, let thread, _): "history of thread \(thread)"
        case .message(_, _, _, let id): "message \(id)"
        case .badges: "badges"
        }
    }

    /// A resource that a wider, persistent one covers is not retried forever.
    var isPersistent: Bool {
        switch self {
        case .server, .account, .accounts, .companies, .workspaces, .rooms, .channels, .directs, .members, .feed,
            .history, .thread, .replies, .badges:
            true
        case .channel, .message: false
        }
    }

    var isShared: Bool { if case .channels = self { true } else { false } }

    func isMissing(by status: Int) -> Bool {
        status == 404 || status == 410 || (status == 400 && isMissingByBadRequest)
    }

    /// Whether a 400 means that the resource is missing. The proxy answers 400 where the core answers 404
    /// (Twake TW-63), and both do for a page whose boundary message is gone.
    private var isMissingByBadRequest: Bool {
        switch self {
        case .message(.a, _, _, _), .thread(.a, _, _, _), .feed(.a, _), .history, .replies, .members(.a, _),
            .accounts(.a, _):
            true
        case .server, .account, .accounts, .companies, .workspaces, .rooms, .channels, .directs, .channel, .members,
            .feed, .thread, .message, .badges:
            false
        }
    }

    /// The path of the channel that the resource describes; `nil` for other resources.
    var path: TwakeChannelPath? {
        switch self {
        case .channel(let path), .members(_, let path), .feed(_, let path), .history(_, let path, _),
            .message(_, let path, _, _):
            path
        case .thread(_, _, let path, _), .replies(_, _, let path, _, _): path
        case .server, .account, .accounts, .companies, .workspaces, .rooms, .channels, .directs, .badges: nil
        }
    }

    /// The tags by which requests for the resource can be cancelled.
    var tags: [RequestTag] {
        switch self {
        case .server, .account, .accounts, .companies: []
        case .workspaces(_, let company), .directs(_, let company), .badges(_, let company): [.company(company)]
        case .rooms(let company, let workspace), .channels(_, let company, let workspace):
            [.company(company), .workspace(workspace, company: company)]
        case .thread(_, let company, nil, _), .replies(_, let company, nil, _, _): [.company(company)]
        case .channel(let path), .members(_, let path): path.tags
        case .thread(_, _, let path?, _), .replies(_, _, let path?, _, _), .feed(_, let path), .history(_, let path, _),
            .message(_, let path, _, _):
            path.tags + [.messages(of: path.channel)]
        }
    }

    /// Whether the answer may contain messages of a thread in a channel.
    func concerns(thread: EntityID, in channel: EntityID?) -> Bool {
        switch self {
        case .feed(_, let path), .history(_, let path, _): path.channel == channel
        case .thread(_, _, _, let id), .replies(_, _, _, let id, _): id == thread
        case .message(_, _, let id, _): id == thread
        case .server, .account, .accounts, .companies, .workspaces, .rooms, .channels, .directs, .channel, .members,
            .badges:
            false
        }
    }

    /// Whether the answer is a single reply.
    var isOfOneReply: Bool { if case .message(_, _, let thread, let id) = self { thread != id } else { false } }

    /// Whether the answer describes a channel as a row of its list.
    func lists(_ channel: TwakeChannelPath) -> Bool {
        switch self {
        case .channels(_, let company, let workspace): company == channel.company && workspace == channel.workspace
        case .directs(_, let company): company == channel.company && channel.workspace == .direct
        case .channel(let path): path == channel
        case .server, .account, .accounts, .companies, .workspaces, .rooms, .members, .feed, .history, .thread,
            .replies, .message,
            .badges:
            false
        }
    }
}

extension ResourceKey {
    static func twake(_ resource: TwakeResource) -> ResourceKey { ResourceKey(resource) }
    var twake: TwakeResource? { resource as? TwakeResource }
}

/// The protocol eras of Twake (Twake TW-1). The pipeline treats era C as era B.
package enum TwakeEra: String, Hashable, Sendable {
    /// The mobile proxy: events contain only the ids of messages.
    case a
    /// The core endpoints: events contain whole messages.
    case b
}

/// The path of a channel, which its requests contain.
struct TwakeChannelPath: Hashable, Sendable {
    var company: EntityID
    /// The workspace, or `direct` for directs.
    var workspace: EntityID
    var channel: EntityID

    var tags: [RequestTag] { [.company(company), .workspace(workspace, company: company), .channel(channel)] }
}

extension EntityID {
    /// The workspace id shared by all directs.
    static let direct = EntityID("direct")
}

extension TwakeResource {
    /// Returns the request and the decoder for the resource.
    ///
    /// - Parameter user: The requesting user; a direct is named by its other users.
    func reader(for user: EntityID?) -> AnswerReader {
        switch self {
        case .server: AnswerReader(TwakeEndpoints.server)
        case .account(let era): AnswerReader(TwakeEndpoints.account(era))
        case .accounts(let era, let users): AnswerReader(TwakeEndpoints.accounts(era, users))
        case .companies(let era): AnswerReader(TwakeEndpoints.companies(era))
        case .workspaces(let era, let company): AnswerReader(TwakeEndpoints.workspaces(era, company: company))
        case .rooms(let company, let workspace):
            AnswerReader(TwakeEndpoints.rooms(company: company, workspace: workspace))
        case .channels(let era, let company, let workspace):
            AnswerReader(TwakeEndpoints.channels(era, company: company, workspace: workspace, user: user))
        case .directs(let era, let company): AnswerReader(TwakeEndpoints.directs(era, company: company, user: user))
        case .channel(let path): AnswerReader(TwakeEndpoints.channel(path))
        case .members(let era, let path): AnswerReader(TwakeEndpoints.members(era, path))
        case .feed(let era, let path): AnswerReader(TwakeEndpoints.feed(era, path))
        case .history(let era, let path, let before): AnswerReader(TwakeEndpoints.feed(era, path, before: before))
        case .thread(let era, let company, let path, let id):
            AnswerReader(TwakeEndpoints.thread(era, company: company, path, id: id))
        case .replies(let era, let company, let path, let thread, let before):
            AnswerReader(TwakeEndpoints.thread(era, company: company, path, id: thread, before: before))
        case .message(let era, let path, let thread, let id):
            AnswerReader(TwakeEndpoints.message(era, path, thread: thread, id: id))
        case .badges(.a, let company): AnswerReader(TwakeEndpoints.badgeCounts(company: company))
        case .badges(.b, let company): AnswerReader(TwakeEndpoints.badges(company: company))
        }
    }
}

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

// The GET calls for messages.
extension TwakeEndpoints {
    /// Returns the call for a page of a channel's messages: the newest one, or the one that ends with `before`, which
    /// is on it again (Twake TW-83). The pages of era A mix heads and replies.
    static func feed(
        _ era: TwakeEra, _ path: TwakeChannelPath, before: EntityID? = nil
    ) -> Endpoint<[Twake.Message]> {
        var query: RESTCall.Query = era == .a ? messageQuery(path) : []
        query.append(("limit", "\(pageLength)"))
        switch era {
        case .a:
            if let before { query.append(("before_message_id", before.description)) }
            return Endpoint("\(proxy)/messages", query: query, rows: Twake.messages)
        case .b:
            if let before { query += [("page_token", before.description), ("direction", "history")] }
            query += [("replies_per_thread", "\(repliesPerThread)"), ("include_users", "1"), ("emojis", "false")]
            return Endpoint(
                "\(core)/messages/v1/companies/\(path.company)/workspaces/\(path.workspace)/channels/\(path.channel)/feed",
                query: query, rows: Twake.messages)
        }
    }

    /// Returns the call for the newest messages of a thread, or for the page that ends with `before`, oldest message
    /// first.
    static func thread(
        _ era: TwakeEra, company: EntityID, _ path: TwakeChannelPath?, id: EntityID, before: EntityID? = nil
    ) -> Endpoint<[Twake.Message]> {
        guard era == .a, let path else {
            var query: RESTCall.Query = [("limit", "\(threadLength)")]
            if let before { query += [("page_token", before.description), ("direction", "history")] }
            return Endpoint(
                thread(company, id), query: query + [("include_users", "1")],
                rows: Twake.messages)
        }
        var older: RESTCall.Query = []
        if let before { older.append(("before_message_id", before.description)) }
        return Endpoint(
            "\(proxy)/messages",
            query: messageQuery(path) + [("thread_id", id.description), ("limit", "\(threadLength)")] + older,
            rows: Twake.messages)
    }

    /// Returns the call for a single message. Era A answers with a list; an empty list gives `nil`.
    static func message(
        _ era: TwakeEra, _ path: TwakeChannelPath, thread id: EntityID, id message: EntityID
    ) -> Endpoint<Twake.Message?> {
        switch era {
        case .a:
            var query = messageQuery(path)
            if id != message { query.append(("thread_id", id.description)) }
            query.append(("message_id", message.description))
            return Endpoint("\(proxy)/messages", query: query) {
                body, sieve throws(DecodingFailure) in
                try Twake.messages(from: body, sieve).first { $0.id == message }
            }
        case .b:
            return Endpoint(
                "\(thread(path.company, id))/\(message)", query: [("include_users", "1")]
            ) { body throws(DecodingFailure) in try Twake.message(from: body) }
        }
    }

    private static func thread(_ company: EntityID, _ thread: EntityID) -> RESTTarget {
        "\(core)/messages/v1/companies/\(company)/threads/\(thread)/messages"
    }

    private static func messageQuery(_ path: TwakeChannelPath) -> RESTCall.Query {
        proxyQuery(path.company, path.workspace) + [("channel_id", path.channel.description)]
    }
}
