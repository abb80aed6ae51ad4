import Events

/// What of a Twake backend can be fetched, each with the ids its request needs.
enum TwakeResource: BackendResource {
    /// Era B's server information: whether era B is there at all.
    case server
    /// The user.
    case account(TwakeEra)
    /// Accounts of users (era A: of one).
    case accounts(TwakeEra, [EntityID])
    /// The user's companies, to choose one.
    case companies(TwakeEra)
    /// A company's workspaces, to choose one.
    case workspaces(TwakeEra, company: EntityID)
    /// Era A's list of rooms.
    case rooms(company: EntityID, workspace: EntityID)
    /// The channels of a workspace that are the user's.
    case channels(TwakeEra, company: EntityID, workspace: EntityID)
    /// The user's directs.
    case directs(TwakeEra, company: EntityID)
    /// What a channel is called and looks like (era B). Its answer lacks the last message and the read marker (4.1).
    case channel(TwakeChannelPath)
    /// The members of a channel.
    case members(TwakeEra, TwakeChannelPath)
    /// The newest page of a channel's messages.
    case feed(TwakeEra, TwakeChannelPath)
    /// The page that ends with a message, which comes again (4.4).
    case history(TwakeEra, TwakeChannelPath, before: EntityID)
    /// All messages of a thread. Era A needs the channel's path; era B's room of a thread does not know it.
    case thread(TwakeEra, company: EntityID, TwakeChannelPath?, id: EntityID)
    /// The page of a long thread that ends with a message, which comes again.
    case replies(TwakeEra, company: EntityID, TwakeChannelPath?, thread: EntityID, before: EntityID)
    /// One message. Era A needs the channel's path, era B the company and the thread.
    case message(TwakeEra, TwakeChannelPath, thread: EntityID, id: EntityID)
    /// What is unread.
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

    /// What can be replaced by a wider resource that is asked for again need not be asked for without end.
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

    /// The proxy answers 400 where the core answers 404 (4.1); and both do to a page that ends with a message which is gone.
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

    /// The channel it is about.
    var path: TwakeChannelPath? {
        switch self {
        case .channel(let path), .members(_, let path), .feed(_, let path), .history(_, let path, _),
            .message(_, let path, _, _):
            path
        case .thread(_, _, let path, _), .replies(_, _, let path, _, _): path
        case .server, .account, .accounts, .companies, .workspaces, .rooms, .channels, .directs, .badges: nil
        }
    }

    /// What it belongs to.
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

    /// Whether its answer says something about the messages of a thread in a channel.
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

    /// Whether its answer is one reply.
    var isOfOneReply: Bool { if case .message(_, _, let thread, let id) = self { thread != id } else { false } }

    /// Whether its answer says something about a channel as a row of its list.
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

/// The protocol eras of Twake (`reference/twake.md` section 0). Era C is era B to the pipeline.
public enum TwakeEra: String, Hashable, Sendable {
    /// Through the mobile proxy: messages are announced by ids only.
    case a
    /// The core endpoints: messages come whole.
    case b
}

/// Where a channel is.
struct TwakeChannelPath: Hashable, Sendable {
    var company: EntityID
    /// `direct` for directs.
    var workspace: EntityID
    var channel: EntityID

    var tags: [RequestTag] { [.company(company), .workspace(workspace, company: company), .channel(channel)] }
}

extension EntityID {
    /// The workspace id of directs.
    static let direct = EntityID("direct")
}
