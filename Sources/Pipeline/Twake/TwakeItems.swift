package import Events
import SectionedModel

// Maps Twake entities to rows: identity, section and sort key.
extension Item {
    /// Returns the row of a channel, sorted by latest activity first. Directs belong to a company, other channels to a
    /// workspace.
    static func channel(_ channel: Twake.Channel) -> Item {
        Item(
            id: .channel(channel.id), section: channel.section, sortKey: -(channel.lastActivity?.milliseconds ?? 0),
            entity: Entity(channel))
    }

    /// Returns the row of a message, sorted from oldest to newest. Heads are in their channel's section, replies in
    /// their thread's. Returns `nil` for a head whose channel is unknown.
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
            entity: Entity(message))
    }

    /// Returns the row of a membership, or `nil` when the user is unknown.
    static func member(_ member: Twake.ChannelMember) -> Item? {
        guard let user = member.user else { return nil }
        return Item(
            id: .member(user, of: member.channel), section: .members(member.channel), sortKey: 0,
            entity: Entity(member))
    }

    /// Returns the row of a badge, which means one unread thread.
    static func badge(_ badge: Twake.Badge) -> Item {
        Item(id: .badge(badge), section: .badges(badge.company), sortKey: 0, entity: Entity(badge))
    }

    /// Returns the row of an unread counter of era A. All companies share the workspace id `direct`, so the company is
    /// part of the row's id.
    static func badgeCount(_ badge: Twake.BadgeCount, company: EntityID) -> Item {
        Item(
            id: ID(.badge, badge.id, qualifier: company), section: .badges(company), sortKey: 0,
            entity: Entity(badge))
    }

    /// Returns the row of an account. Accounts are sorted by id, since an id is the only field that never changes.
    static func account(_ account: Twake.Account) -> Item {
        Item(
            id: .account(account.id), section: .accounts, sortKey: 0, entity: Entity(account.publicPart))
    }

    /// Returns the row of one of the user's companies.
    static func company(_ company: Twake.Company) -> Item {
        Item(id: .company(company.id), section: .companies, sortKey: 0, entity: Entity(company))
    }

    /// Returns the row of a workspace in a company.
    static func workspace(_ workspace: Twake.Workspace, of company: EntityID) -> Item {
        Item(
            id: .workspace(workspace.id), section: .workspaces(company), sortKey: 0, entity: Entity(workspace))
    }

    /// Returns the row of a user's presence in a company.
    static func presence(_ presence: Twake.OnlineStatus, in company: EntityID) -> Item {
        Item(
            id: .presence(presence.user, in: company), section: .online(company), sortKey: 0,
            entity: Entity(presence))
    }

    var channel: Twake.Channel? { entity.as(Twake.Channel.self) }
    var badge: Twake.Badge? { entity.as(Twake.Badge.self) }
    var message: Twake.Message? { entity.as(Twake.Message.self) }
    var account: Twake.Account? { entity.as(Twake.Account.self) }
    var company: Twake.Company? { entity.as(Twake.Company.self) }
    var workspace: Twake.Workspace? { entity.as(Twake.Workspace.self) }
    var presence: Twake.OnlineStatus? { entity.as(Twake.OnlineStatus.self) }
    var badgeCount: Twake.BadgeCount? { entity.as(Twake.BadgeCount.self) }
    var member: Twake.ChannelMember? { entity.as(Twake.ChannelMember.self) }
}

extension Twake.Channel: ItemEntity {
    package static let typeName = "twake.channel"
    package var channelName: String? { self.name }
    package var readUntil: Timestamp? { self.lastAccess }
}
extension Twake.Message: ItemEntity {
    package static let typeName = "twake.message"
    package var person: EntityID? { self.user }
    package var saidIn: EntityID? { self.channel }
    package var sayer: String? { self.senderName }
    package var isTakenBack: Bool { isDeleted }
}
extension Twake.ChannelMember: ItemEntity {
    package static let typeName = "twake.member"
    package var person: EntityID? { user }
}
extension Twake.Badge: ItemEntity { package static let typeName = "twake.badge" }
extension Twake.BadgeCount: ItemEntity { package static let typeName = "twake.badge_count" }
extension Twake.Account: ItemEntity {
    package static let typeName = "twake.account"
    package var handle: String? { username }
}
extension Twake.Company: ItemEntity { package static let typeName = "twake.company" }
extension Twake.Workspace: ItemEntity { package static let typeName = "twake.workspace" }
extension Twake.OnlineStatus: ItemEntity { package static let typeName = "twake.presence" }

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
    /// A badge is one unread thread (Twake TW-43). The `id` on the wire is random and not stable, so it is ignored.
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
