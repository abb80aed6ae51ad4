import Events
package import SectionedModel

/// How much is not read, as far as the model says: of a channel, a workspace and a company.
///
/// The server counts threads: era A has counters, era B a badge for each unread thread. It also says when the user saw a channel last, and
/// what the model has of others' messages after that is counted, so that three in one thread are three. The greater number holds: a channel
/// that is not looked at has its badges alone, and one that is muted has none.
struct TwakeUnread {
    private let model: SectionedCollection<Item>
    private let user: EntityID?
    private let company: EntityID
    private let counters: [Twake.BadgeCount]
    private let badges: [Twake.Badge]
    /// How many badges each channel has.
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

    /// Of a workspace; `direct` is all directs of the company.
    func of(workspace: EntityID) -> Int {
        let section = workspace == .direct ? Item.Section.directs(company) : .channels(workspace)
        return max(counter(.workspace, workspace), sum([section]) { $0.workspace == workspace })
    }

    /// Of the whole company.
    var all: Int {
        let sections = model.sectionKeys.filter { $0.name == Item.Section.channelsName } + [.directs(company)]
        return max(counter(.company, company), sum(sections) { _ in true })
    }

    private func counter(_ level: Twake.BadgeCount.Level, _ id: EntityID) -> Int {
        counters.first { $0.matches(level, id) }?.count ?? 0
    }

    /// What is unread in the channels of these sections, and in those that the model does not have.
    private func sum(_ sections: [Item.Section], _ isMeant: (Twake.Badge) -> Bool) -> Int {
        let channels = sections.flatMap { model.elements(in: $0) }.compactMap(\.channel).filter {
            $0.company == company
        }
        let others = badges.count { isMeant($0) && model[.channel($0.channel)] == nil }
        return channels.reduce(others) { $0 + of($1) }
    }

    /// Messages and replies that others sent since the user saw the channel, or said something in the same place.
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
