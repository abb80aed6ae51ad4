import Events

/// What of a Twake backend can be fetched, each with the ids its request needs.
enum TwakeResource: Hashable, Sendable {
    /// Era B's server information: whether era B is there at all.
    case server
    /// The user.
    case account(TwakeEra)
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
    /// The members of a channel.
    case members(TwakeEra, TwakeChannelPath)
    /// The newest messages of a channel.
    case feed(TwakeEra, TwakeChannelPath)
    /// All messages of a thread.
    case thread(company: EntityID, thread: EntityID)
    /// One message. Era A needs the channel's path, era B the company and the thread.
    case message(TwakeEra, TwakeChannelPath, thread: EntityID, id: EntityID)
    /// What is unread.
    case badges(TwakeEra, company: EntityID)

    /// A short name for people.
    var label: String {
        switch self {
        case .server: "server"
        case .account: "account"
        case .companies: "companies"
        case .workspaces: "workspaces"
        case .rooms: "rooms"
        case .channels: "channels"
        case .directs: "directs"
        case .members(_, let path): "members of \(path.channel)"
        case .feed(_, let path): "messages of \(path.channel)"
        case .thread(_, let thread): "thread \(thread)"
        case .message(_, _, _, let id): "message \(id)"
        case .badges: "badges"
        }
    }
}

/// The protocol eras of Twake (`reference/twake.md` section 0). Era C is era B to the pipeline.
enum TwakeEra: Hashable, Sendable {
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
}
