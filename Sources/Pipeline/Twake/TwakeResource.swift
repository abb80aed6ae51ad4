import Events

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
public enum TwakeEra: String, Hashable, Sendable {
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
