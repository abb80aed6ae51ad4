import Events
import SectionedModel

// Where a Twake entity stands in the model: its identity, its section, its place.
extension Item {
    /// A channel: newest activity first. Directs are a company's, the others a workspace's.
    static func channel(_ channel: Twake.Channel) -> Item {
        Item(
            id: .channel(channel.id), section: channel.section, sortKey: -(channel.lastActivity?.milliseconds ?? 0),
            entity: .twakeChannel(channel))
    }

    /// A message: oldest first, heads in their channel, replies in their thread. Nil for a head whose channel is not known.
    static func message(_ message: Twake.Message) -> Item? {
        let section: Item.Section
        if !message.isHead {
            section = .thread(message.thread)
        } else if let channel = message.channel {
            section = .messages(channel)
        } else {
            return nil
        }
        return Item(
            id: .message(message.id), section: section, sortKey: message.createdAt?.milliseconds ?? 0,
            entity: .twakeMessage(message))
    }

    /// A membership; nil when the user is not known.
    static func member(_ member: Twake.ChannelMember) -> Item? {
        guard let user = member.user else { return nil }
        return Item(
            id: .member(user, of: member.channel), section: .members(member.channel), sortKey: 0,
            entity: .twakeMember(member))
    }

    /// An unread thread.
    static func badge(_ badge: Twake.Badge) -> Item {
        Item(id: .badge(badge), section: .badges(badge.company), sortKey: 0, entity: .twakeBadge(badge))
    }

    /// An unread counter of era A. `direct` is a workspace id of every company, so the company tells them apart.
    static func badgeCount(_ badge: Twake.BadgeCount, company: EntityID) -> Item {
        Item(
            id: ID(.badge, badge.id, qualifier: company), section: .badges(company), sortKey: 0,
            entity: .twakeBadgeCount(badge))
    }

    /// What is known of a user: in the order of the ids, which alone never change.
    static func account(_ account: Twake.Account) -> Item {
        Item(
            id: .account(account.id), section: .accounts, sortKey: 0, entity: .twakeAccount(account.publicPart))
    }

    /// A company of the user's.
    static func company(_ company: Twake.Company) -> Item {
        Item(id: .company(company.id), section: .companies, sortKey: 0, entity: .twakeCompany(company))
    }

    /// A workspace of a company.
    static func workspace(_ workspace: Twake.Workspace, of company: EntityID) -> Item {
        Item(
            id: .workspace(workspace.id), section: .workspaces(company), sortKey: 0, entity: .twakeWorkspace(workspace))
    }

    /// Whether a user is there.
    static func presence(_ presence: Twake.OnlineStatus, in company: EntityID) -> Item {
        Item(
            id: .presence(presence.user, in: company), section: .online(company), sortKey: 0,
            entity: .twakePresence(presence))
    }

    var channel: Twake.Channel? { if case .twakeChannel(let channel) = entity { channel } else { nil } }
    var badge: Twake.Badge? { if case .twakeBadge(let badge) = entity { badge } else { nil } }
    var message: Twake.Message? { if case .twakeMessage(let message) = entity { message } else { nil } }
    var account: Twake.Account? { if case .twakeAccount(let account) = entity { account } else { nil } }
    var company: Twake.Company? { if case .twakeCompany(let company) = entity { company } else { nil } }
    var workspace: Twake.Workspace? { if case .twakeWorkspace(let workspace) = entity { workspace } else { nil } }
    var presence: Twake.OnlineStatus? { if case .twakePresence(let presence) = entity { presence } else { nil } }
    var member: Twake.ChannelMember? { if case .twakeMember(let member) = entity { member } else { nil } }
}

extension Item.ID {
    static func channel(_ id: EntityID) -> Item.ID { Item.ID(.channel, id) }
    static func message(_ id: EntityID) -> Item.ID { Item.ID(.message, id) }
    static func member(_ user: EntityID, of channel: EntityID) -> Item.ID { Item.ID(.member, user, qualifier: channel) }
    static func account(_ id: EntityID) -> Item.ID { Item.ID(.account, id) }
    static func company(_ id: EntityID) -> Item.ID { Item.ID(.company, id) }
    static func presence(_ user: EntityID, in company: EntityID) -> Item.ID {
        Item.ID(.presence, user, qualifier: company)
    }
    static func workspace(_ id: EntityID) -> Item.ID { Item.ID(.workspace, id) }
    /// A badge is one unread thread (3.3); its wire `id` is thrown away by the server too.
    static func badge(_ badge: Twake.Badge) -> Item.ID { Item.ID(.badge, badge.thread, qualifier: badge.channel) }
}

extension Item.Section {
    static func channels(_ workspace: EntityID) -> Item.Section { Item.Section(channelsName, workspace) }
    static func directs(_ company: EntityID) -> Item.Section { Item.Section("directs", company) }
    static func messages(_ channel: EntityID) -> Item.Section { Item.Section(messagesName, channel) }
    static func thread(_ thread: EntityID) -> Item.Section { Item.Section(threadName, thread) }
    static func members(_ channel: EntityID) -> Item.Section { Item.Section("members", channel) }
    static func badges(_ company: EntityID) -> Item.Section { Item.Section(badgesName, company) }
    static func workspaces(_ company: EntityID) -> Item.Section { Item.Section(workspacesName, company) }
    static func online(_ company: EntityID) -> Item.Section { Item.Section(onlineName, company) }
    static let accounts = Item.Section("accounts")
    static let companies = Item.Section("companies")
    static let channelsName = "channels"
    static let messagesName = "messages"
    static let onlineName = "online"
    static let badgesName = "badges"
    static let workspacesName = "workspaces"
    static let threadName = "thread"
}

extension Twake.Channel {
    var isDirect: Bool { self.visibility == .direct || self.workspace == .direct }
    var section: Item.Section { isDirect ? .directs(self.company) : .channels(self.workspace) }
    var path: TwakeChannelPath {
        TwakeChannelPath(company: self.company, workspace: self.workspace, channel: self.id)
    }
}

extension Twake.ChannelActivity {
    var path: TwakeChannelPath {
        TwakeChannelPath(company: self.company, workspace: self.workspace, channel: self.channel)
    }
}
