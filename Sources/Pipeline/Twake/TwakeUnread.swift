import Events
package import SectionedModel

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
