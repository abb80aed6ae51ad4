import Events
import SectionedModel
import Testing

@testable import Pipeline

@Suite struct ItemDigestTests {
    private let a = EntityID.text("a")
    private let b = EntityID.text("b")
    private let time = Timestamp(milliseconds: 1)

    private func checksum(_ item: Item) throws -> UInt64 {
        var model = SectionedCollection<Item>(keepsChecksum: true)
        try model.upsert(item)
        _ = model.commit()
        return try #require(model.checksum)
    }

    private func item(
        _ entity: Item.Entity, kind: Item.Kind = .channel, qualifier: EntityID? = nil,
        in section: Item.Section = Item.Section("s"), at sortKey: Int64 = 0
    ) -> Item {
        Item(
            id: Item.ID(kind, .text("i"), qualifier: qualifier), section: section, sortKey: sortKey, entity: entity)
    }

    private var counters: [Item] {
        let counter = Item.Entity.twakeBadgeCount(Twake.BadgeCount(level: .channel, id: a, count: 1))
        return [
            item(counter), item(counter, in: Item.Section("t")), item(counter, in: Item.Section("s", a)),
            item(counter, at: 1), item(counter, kind: .message), item(counter, qualifier: a),
            item(.twakeBadgeCount(Twake.BadgeCount(level: .company, id: a, count: 1))),
            item(.twakeBadgeCount(Twake.BadgeCount(level: .channel, id: b, count: 1))),
            item(.twakeBadgeCount(Twake.BadgeCount(level: .channel, id: a, count: 2))),
        ]
    }

    private var channels: [Item] {
        let changes: [(inout Twake.Channel) -> Void] = [
            { _ in }, { $0.id = b }, { $0.company = b }, { $0.workspace = b }, { $0.visibility = .public },
            { $0.visibility = .unknown("x") }, { $0.name = "n" }, { $0.icon = "n" }, { $0.description = "n" },
            { $0.owner = a }, { $0.isArchived = true }, { $0.members = [a] }, { $0.members = [a, b] },
            { $0.lastActivity = time }, { $0.lastAccess = time }, { $0.updatedAt = time },
        ]
        let summaries: [(inout Twake.MessageSummary) -> Void] = [
            { _ in }, { $0.date = time }, { $0.sender = a }, { $0.senderName = "n" }, { $0.title = "n" },
            { $0.text = "n" },
        ]
        let channel = Twake.Channel(id: a, company: a, workspace: a)
        let plain = changed(channel, changes) { .twakeChannel($0) }
        return plain
            + summaries.map { change in
                var summary = Twake.MessageSummary(date: nil, sender: nil, senderName: nil, title: nil, text: nil)
                change(&summary)
                var channel = channel
                channel.lastMessage = summary
                return item(.twakeChannel(channel))
            }
    }

    private var messages: [Item] {
        let changes: [(inout Twake.Message) -> Void] = [
            { _ in }, { $0.id = b }, { $0.thread = b }, { $0.channel = a }, { $0.user = a }, { $0.senderName = "n" },
            { $0.text = "n" }, { $0.subtype = "n" }, { $0.createdAt = time }, { $0.updatedAt = time },
            { $0.editedAt = time }, { $0.isPinned = true },
            { $0.reactions = [Twake.Reaction(name: "n", count: 1, users: [])] },
            { $0.reactions = [Twake.Reaction(name: "m", count: 1, users: [])] },
            { $0.reactions = [Twake.Reaction(name: "n", count: 2, users: [])] },
            { $0.reactions = [Twake.Reaction(name: "n", count: 1, users: [a])] }, { $0.replies = 0 },
            { $0.replies = 1 },
        ]
        return changed(Twake.Message(id: a, thread: a, text: ""), changes) { .twakeMessage($0) }
    }

    private var members: [Item] {
        let changes: [(inout Twake.ChannelMember) -> Void] = [
            { _ in }, { $0.channel = b }, { $0.company = a }, { $0.workspace = a }, { $0.user = a }, { $0.type = "n" },
            { $0.lastAccess = time }, { $0.isFavorite = false }, { $0.isFavorite = true },
            { $0.notificationLevel = "n" }, { $0.updatedAt = time },
        ]
        return changed(Twake.ChannelMember(channel: a), changes) { .twakeMember($0) }
    }

    private var badges: [Item] {
        let changes: [(inout Twake.Badge) -> Void] = [
            { _ in }, { $0.company = b }, { $0.workspace = b }, { $0.channel = b }, { $0.thread = b }, { $0.user = a },
            { $0.message = a },
        ]
        return changed(Twake.Badge(company: a, workspace: a, channel: a, thread: a), changes) { .twakeBadge($0) }
    }

    private func changed<Value>(
        _ value: Value, _ changes: [(inout Value) -> Void], _ entity: (Value) -> Item.Entity
    ) -> [Item] {
        changes.map { change in
            var changed = value
            change(&changed)
            return item(entity(changed))
        }
    }

    @Test func `every field of every row counts in the checksum, and equal rows count equally`() throws {
        let rows = counters + channels + messages + members + badges
        let sums = try rows.map(checksum)
        #expect(Set(sums).count == rows.count)
        #expect(try rows.map(checksum) == sums)
    }
}
