package import WeirEvents
import WeirJSON
package import WeirModel

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

// Merges new data with known data.
extension Twake.Channel {
    /// Returns this channel updated with `newer`. Fields that were not sent keep their values, and times never go back.
    func merged(with newer: Twake.Channel) -> Twake.Channel {
        var merged = newer
        merged.update { $0.fill(from: self.fields) }
        return merged
    }

    /// Returns this channel updated from a current list. The list is authoritative, except for fields that it lacks and
    /// for fields that are certainly older. A read marker may go back, since a channel can be marked as unread.
    func replaced(by listed: Twake.Channel) -> Twake.Channel {
        var replaced = listed
        if isLater(self.updatedAt, than: listed.updatedAt) {
            replaced = self
            replaced.update { fields in
                fields.lastAccess = listed.lastAccess ?? fields.lastAccess
                fields.profile.takeMembership(of: listed.fields.profile)
                fields.follow(listed.fields)
            }
            return replaced
        }
        replaced.update { fields in
            let lastAccess = fields.lastAccess
            fields.fill(from: self.fields)
            fields.lastAccess = lastAccess ?? fields.lastAccess
        }
        return replaced == self ? self : replaced
    }

    /// Returns this channel with the changes that the user wants.
    func edited(_ change: Action.ChannelChange) -> Twake.Channel {
        var edited = self
        edited.update { fields in
            var profile = fields.profile
            profile.name = change.name ?? profile.name
            profile.icon = change.icon ?? profile.icon
            profile.description = change.description ?? profile.description
            if let kind = change.visibility { profile.visibility = Twake.ChannelVisibility(wire: kind.rawValue) }
            fields.profile = profile
        }
        return edited
    }
}

extension Twake.Channel.Fields {
    fileprivate mutating func fill(from known: Self) {
        // A profile that was sent completely is kept as it is, with the text already made of it.
        if !profile.hasAll(of: known.profile) { profile.fill(from: known.profile) }
        lastAccess = latest(known.lastAccess, lastAccess)
        lastActivity = latest(known.lastActivity, lastActivity)
        if lastMessage == nil || isLater(known.lastMessage?.date, than: lastMessage?.date) {
            lastMessage = known.lastMessage
        }
    }

    /// Takes the last activity and message from a list whose row is otherwise older.
    fileprivate mutating func follow(_ listed: Self) {
        guard !isLater(lastActivity, than: listed.lastActivity) else { return }
        lastActivity = listed.lastActivity ?? lastActivity
        lastMessage = listed.lastMessage ?? lastMessage
    }

    /// Takes the name and appearance, as far as they were sent.
    mutating func describe(as sent: Self) {
        var described = sent.profile
        described.fill(from: profile)
        described.updatedAt = profile.updatedAt
        profile = described
    }
}

extension Twake.Channel.Profile {
    /// Whether every known field was sent, so that nothing has to be filled in.
    fileprivate func hasAll(of known: Self) -> Bool {
        (visibility != nil || known.visibility == nil) && (name != nil || known.name == nil) && !isNameless
            && (icon != nil || known.icon == nil) && (description != nil || known.description == nil)
            && (owner != nil || known.owner == nil) && (!members.isEmpty || known.members.isEmpty)
            && (createdAt != nil || known.createdAt == nil) && !known.hasDetails
            && latest(known.updatedAt, updatedAt) == updatedAt
    }

    /// Whether this is a direct without a name, as in events of era B. The name that a list composed from its users is
    /// kept.
    private var isNameless: Bool { visibility == .direct && (name?.isEmpty ?? true) }

    fileprivate mutating func fill(from known: Self) {
        if visibility == nil { visibility = known.visibility }
        if name == nil || isNameless { name = known.name }
        if icon == nil { icon = known.icon }
        if description == nil { description = known.description }
        if owner == nil { owner = known.owner }
        if members.isEmpty { members = known.members }
        keepDetails(of: known)
        updatedAt = latest(known.updatedAt, updatedAt)
    }
}

extension Twake.Message {
    /// Whether this version is known to be older than `other`.
    func isOlder(than other: Twake.Message) -> Bool { isLater(other.updatedAt, than: self.updatedAt) }

    /// Returns this message updated with `newer`. Fields that events do not contain (the sender's name, the channel,
    /// the replies) keep their values.
    ///
    /// - Parameter channel: The channel in which `newer` arrived, if it is known.
    func merged(with newer: Twake.Message, in channel: EntityID? = nil) -> Twake.Message {
        var merged = newer
        merged.update { fields in
            fields.channel = newer.channel ?? channel ?? self.channel
            fields.senderName = newer.senderName ?? self.senderName
            fields.replies = newer.replies ?? self.replies
            fields.threadActivity = newer.threadActivity ?? self.threadActivity
            if fields.senderPicture == nil, let picture = self.senderPicture { fields.senderPicture = picture }
            fields.createdAt = newer.createdAt ?? self.createdAt
        }
        return merged
    }

    /// Returns the message with its channel filled in, if the channel is known.
    func placed(in channel: EntityID?) -> Twake.Message {
        guard self.channel == nil, let channel else { return self }
        var placed = self
        placed.channel = channel
        return placed
    }
}

/// Returns the later of two times, either of which may be unknown.
func latest(_ a: Timestamp?, _ b: Timestamp?) -> Timestamp? {
    guard let a, let b else { return a ?? b }
    return max(a, b)
}

/// Whether `a` is known to be later than `b`.
private func isLater(_ a: Timestamp?, than b: Timestamp?) -> Bool {
    guard let a, let b else { return false }
    return a > b
}

/// Counts the unread messages of a channel, a workspace or a company, as far as the model contains them.
///
/// The server counts threads: era A has counters, era B one badge for each unread thread. The server also stores when
/// the user last saw a channel. Messages of others after that time are counted in addition, so that three messages in
/// one thread count as three. The larger number wins: a channel whose messages are not followed has only badges, and a
/// muted one has none.
struct TwakeUnread {
    private let model: SectionedCollection<Item>
    private let user: EntityID?
    private let company: EntityID
    private let counters: [Twake.BadgeCount]
    private let badges: [Twake.Badge]
    /// The number of badges of each channel.
    private let threads: [EntityID: Int]

    init(of company: EntityID, by user: EntityID?, in model: SectionedCollection<Item>) {
        self.model = model
        self.user = user
        self.company = company
        let rows = model.elements(in: .badges(company)).filter { $0.delivery != .leaving }
        counters = rows.compactMap(\.badgeCount)
        badges = rows.compactMap(\.badge)
        threads = badges.reduce(into: [:]) { $0[$1.channel, default: 0] += 1 }
    }

    func of(_ channel: Twake.Channel) -> Int {
        max(
            counter(.channel, channel.id), threads[channel.id] ?? 0, messages(of: channel),
            channel.hasUnread(for: user) ? 1 : 0)
    }

    /// Returns the count for a workspace; `direct` means all directs of the company.
    func of(workspace: EntityID) -> Int {
        let section = workspace == .direct ? Item.Section.directs(company) : .channels(workspace)
        return max(counter(.workspace, workspace), sum([section]) { $0.workspace == workspace })
    }

    /// The count for the whole company.
    var all: Int {
        let sections = model.sectionKeys.filter { $0.name == Item.Section.channelsName } + [.directs(company)]
        return max(counter(.company, company), sum(sections) { _ in true })
    }

    private func counter(_ level: Twake.BadgeCount.Level, _ id: EntityID) -> Int {
        counters.first { $0.matches(level, id) }?.count ?? 0
    }

    /// Returns the sum for the channels of the sections, and for matching badges whose channel is not in the model.
    private func sum(_ sections: [Item.Section], _ isMeant: (Twake.Badge) -> Bool) -> Int {
        let channels = sections.flatMap { model.elements(in: $0) }.compactMap(\.channel).filter {
            $0.company == company
        }
        let others = badges.count { isMeant($0) && model[.channel($0.channel)] == nil }
        return channels.reduce(others) { $0 + of($1) }
    }

    /// Counts the messages and replies of others since the user last saw the channel or wrote in the same place.
    private func messages(of channel: Twake.Channel) -> Int {
        guard let seen = channel.lastAccess, let heads = model.sectionIndex(of: .messages(channel.id)) else { return 0 }
        var count = newer(than: seen, at: heads)
        for head in model.elements(at: heads) {
            if let replies = model.sectionIndex(of: .thread(head.id.id)) { count += newer(than: seen, at: replies) }
        }
        return count
    }

    private func newer(than seen: Timestamp, at section: Int) -> Int {
        var count = 0
        var place = model.elementCount(at: section) - 1
        while let message = model.element(at: SectionPath(section: section, item: place))?.message,
            !message.isRead(by: user, lastAccess: seen)
        {
            if !message.isDeleted { count += 1 }
            place -= 1
        }
        return count
    }
}

extension Twake.Channel {
    package func unread(by user: String?, in model: SectionedCollection<Item>) -> Int? {
        TwakeUnread(of: self.company, by: user.map { EntityID($0) }, in: model).of(self)
    }
}

// Feeds the fields of Twake's rows into a checksum. The order of the fields must never change, or old logs would not
// verify.

// The fields of channels and messages have functions of their own, so that they are read in place and not copied.

extension Twake.Channel {
    package func feed(_ digest: inout ElementDigest) { fields.feed(&digest) }
}

extension Twake.Channel.Fields {
    fileprivate func feed(_ digest: inout ElementDigest) {
        profile.feedLook(&digest)
        digest.feed(lastActivity)
        digest.feed(lastMessage == nil ? 0 : 1)
        lastMessage?.feed(&digest)
        digest.feed(lastAccess)
        profile.feedState(&digest)
    }
}

extension Twake.Channel.Profile {
    fileprivate func feedLook(_ digest: inout ElementDigest) {
        digest.feed(1)
        digest.feed(id)
        digest.feed(company)
        digest.feed(workspace)
        digest.feed(visibility?.wireName)
        digest.feed(name)
        digest.feed(icon)
        digest.feed(description)
        digest.feed(owner)
        digest.feed(isArchived ? 1 : 0)
        digest.feed(members)
    }

    fileprivate func feedState(_ digest: inout ElementDigest) {
        digest.feed(updatedAt)
        feedDetails(&digest)
    }
}

extension Twake.MessageSummary {
    fileprivate func feed(_ digest: inout ElementDigest) {
        digest.feed(self.date)
        digest.feed(self.sender)
        digest.feed(self.senderName)
        digest.feed(self.title)
        digest.feed(self.text)
    }
}

extension Twake.Message {
    package func feed(_ digest: inout ElementDigest) { fields.feed(&digest) }
}

extension Twake.Message.Fields {
    fileprivate func feed(_ digest: inout ElementDigest) {
        digest.feed(2)
        digest.feed(id)
        digest.feed(thread)
        digest.feed(channel)
        digest.feed(user)
        digest.feed(senderName)
        digest.feed(text)
        digest.feed(subtype?.wireName)
        digest.feed(createdAt)
        digest.feed(updatedAt)
        digest.feed(editedAt)
        digest.feed(isPinned ? 1 : 0)
        digest.feed(reactions.count)
        for reaction in reactions {
            digest.feed(reaction.name)
            digest.feed(reaction.count)
            digest.feed(reaction.users)
        }
        digest.feed(replies)
        feedDetails(&digest)
    }
}

extension Twake.ChannelMember {
    package func feed(_ digest: inout ElementDigest) {
        digest.feed(3)
        digest.feed(channel)
        digest.feed(company)
        digest.feed(workspace)
        digest.feed(user)
        digest.feed(type?.wireName)
        digest.feed(lastAccess)
        digest.feed(isFavorite)
        digest.feed(notificationLevel?.wireName)
        digest.feed(updatedAt)
        digest.feed(1, ifAny: createdAt)
        digest.feed(2, ifAny: expiration)
        digest.feed(3, ifAny: lastIncrement)
        digest.feed(4, ifAny: email)
    }
}

extension Twake.Badge {
    package func feed(_ digest: inout ElementDigest) {
        digest.feed(4)
        digest.feed(company)
        digest.feed(workspace)
        digest.feed(channel)
        digest.feed(thread)
        digest.feed(user)
        digest.feed(message)
    }
}

extension Twake.BadgeCount {
    package func feed(_ digest: inout ElementDigest) {
        digest.feed(5)
        digest.feed(level.wireName)
        digest.feed(id)
        digest.feed(count)
    }
}

extension Twake.Channel.Profile {
    fileprivate func feedDetails(_ digest: inout ElementDigest) {
        digest.feed(1, ifAny: createdAt)
        if isDefault { digest.feed(2) }
        guard hasDetails else { return }
        digest.feed(3, ifAny: memberType?.wireName)
        digest.feed(4, ifAny: isFavorite)
        digest.feed(5, ifAny: notificationLevel?.wireName)
        digest.feed(6, ifAny: isMember)
        digest.feed(8, ifAny: role?.wireName)
        for permission in permissions { digest.feed(9, ifAny: permission.wireName) }
        digest.feed(10, ifAny: statedMembersCount)
        digest.feed(11, ifAny: messagesCount)
        digest.feed(12, ifAny: isReadOnly)
        digest.feed(13, ifAny: archivedAt)
        digest.feed(14, ifAny: group)
        digest.feed(15, ifAny: connectors)
    }
}

extension Twake.Message.Fields {
    fileprivate func feedDetails(_ digest: inout ElementDigest) {
        digest.feed(1, ifAny: threadActivity)
        guard hasDetails else { return }
        digest.feed(2, ifAny: type == .message ? nil : type.wireName)
        digest.feed(3, ifAny: application)
        digest.feed(4, ifAny: senderPicture)
        digest.feed(5, ifAny: blocks)
        for file in files { file.feed(&digest) }
        digest.feed(7, ifAny: pin?.at)
        digest.feed(8, ifAny: pin?.by)
        digest.feed(9, ifAny: override?.title)
        digest.feed(10, ifAny: override?.picture)
        if let ephemeral {
            digest.feed(11)
            digest.feed(ephemeral.id)
            digest.feed(ephemeral.version)
            digest.feed(ephemeral.recipient)
            digest.feed(ephemeral.context)
        }
        digest.feed(12, ifAny: status?.wireName)
        if let quoted {
            digest.feed(13)
            quoted.feed(&digest)
        }
        digest.feed(14, ifAny: links)
        digest.feed(15, ifAny: context)
        digest.feed(16, ifAny: bookmarks)
    }
}

extension Twake.File {
    fileprivate func feed(_ digest: inout ElementDigest) {
        digest.feed(6)
        digest.feed(id)
        digest.feed(company)
        digest.feed(message)
        digest.feed(source)
        digest.feed(externalID)
        digest.feed(name)
        digest.feed(self.extension)
        digest.feed(size)
        digest.feed(mime)
        digest.feed(preview)
        digest.feed(download)
        digest.feed(thumbnails.count)
        for thumbnail in thumbnails {
            digest.feed(thumbnail.index)
            digest.feed(thumbnail.url)
            digest.feed(thumbnail.type)
            digest.feed(thumbnail.size)
            digest.feed(thumbnail.width)
            digest.feed(thumbnail.height)
        }
    }
}
