import Testing
import WeirJSON
import WeirModel

@testable import WeirEvents
@testable import WeirPipeline

@Suite struct ItemDigestTests {
    private let a = EntityID.text("a")
    private let b = EntityID.text("b")
    private let time = Timestamp(milliseconds: 1)

    private func checksum(_ item: Item) throws -> UInt64 {
        var model = SectionedCollection<Item>(keepsChecksum: true)
        try model.upsert(item)
        _ = model.commit()
        return try #require(model.snapshot.checksum)
    }

    private func item(
        _ entity: Item.Entity, kind: Item.Kind = .channel, qualifier: EntityID? = nil,
        in section: Item.Section = Item.Section("s"), at sortKey: Int64 = 0
    ) -> Item {
        Item(
            id: Item.ID(kind, .text("i"), qualifier: qualifier), section: section, sortKey: sortKey, entity: entity)
    }

    private var counters: [Item] {
        let counter = Item.Entity(Twake.BadgeCount(level: .channel, id: a, count: 1))
        return [
            item(counter), item(counter, in: Item.Section("t")), item(counter, in: Item.Section("s", a)),
            item(counter, at: 1), item(counter, kind: .message), item(counter, qualifier: a),
            item(Item.Entity(Twake.BadgeCount(level: .company, id: a, count: 1))),
            item(Item.Entity(Twake.BadgeCount(level: .channel, id: b, count: 1))),
            item(Item.Entity(Twake.BadgeCount(level: .channel, id: a, count: 2))),
        ]
    }

    private var channels: [Item] {
        let changes: [(inout Twake.Channel) -> Void] = [
            { _ in }, { $0.id = b }, { $0.company = b }, { $0.workspace = b }, { $0.visibility = .public },
            { $0.visibility = "x" }, { $0.name = "n" }, { $0.icon = "n" }, { $0.description = "n" },
            { $0.owner = a }, { $0.isArchived = true }, { $0.members = [a] }, { $0.members = [a, b] },
            { $0.lastActivity = time }, { $0.lastAccess = time }, { $0.updatedAt = time },
            { $0.createdAt = time }, { $0.isDefault = true }, { $0.memberType = "n" }, { $0.isFavorite = false },
            { $0.isFavorite = true }, { $0.notificationLevel = "n" }, { $0.isMember = true },
            { $0.role = "n" }, { $0.permissions = ["n"] }, { $0.permissions = ["n", "m"] },
            { $0.statedMembersCount = 1 }, { $0.messagesCount = 1 }, { $0.isReadOnly = true },
            { $0.archivedAt = time }, { $0.group = "n" }, { $0.connectors = json("n") },
        ]
        func summary(
            date: Timestamp? = nil, sender: EntityID? = nil, senderName: String? = nil, title: String? = nil,
            text: String? = nil
        ) -> Twake.MessageSummary {
            Twake.MessageSummary(date: date, sender: sender, senderName: senderName, title: title, text: text)
        }
        let summaries = [
            summary(), summary(date: time), summary(sender: a), summary(senderName: "n"), summary(title: "n"),
            summary(text: "n"),
        ]
        let channel = Twake.Channel(id: a, company: a, workspace: a)
        let plain = changed(channel, changes) { Item.Entity($0) }
        return plain
            + summaries.map { summary in
                var channel = channel
                channel.lastMessage = summary
                return item(Item.Entity(channel))
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
            { $0.replies = 1 }, { $0.threadActivity = time }, { $0.type = .event }, { $0.application = a },
            { $0.senderPicture = "n" }, { $0.blocks = json("n") }, { $0.blocks = json("m") },
            { $0.pin = Twake.Pin(at: time) }, { $0.pin = Twake.Pin(by: a) },
            { $0.override = Twake.Override(title: "n", picture: nil) },
            { $0.override = Twake.Override(title: nil, picture: "n") },
            { $0.ephemeral = Twake.Ephemeral(id: nil, version: nil, recipient: nil, context: nil) },
            { $0.ephemeral = Twake.Ephemeral(id: a, version: nil, recipient: nil, context: nil) },
            { $0.ephemeral = Twake.Ephemeral(id: nil, version: "n", recipient: nil, context: nil) },
            { $0.ephemeral = Twake.Ephemeral(id: nil, version: nil, recipient: a, context: nil) },
            { $0.ephemeral = Twake.Ephemeral(id: nil, version: nil, recipient: nil, context: a) },
            { $0.status = .sent }, { $0.quoted = Twake.Message(id: a, thread: a, text: "") },
            { $0.quoted = Twake.Message(id: a, thread: a, text: "n") }, { $0.links = json("n") },
            { $0.context = json("n") }, { $0.bookmarks = json("n") },
        ]
        return changed(Twake.Message(id: a, thread: a, text: ""), changes) { Item.Entity($0) }
    }

    private func json(_ text: String) -> RawJSON { RawJSON(unchecked: Array("\"\(text)\"".utf8)[...]) }

    private var files: [Item] {
        let changes: [(inout Twake.File) -> Void] = [
            { _ in }, { $0.id = b }, { $0.company = a }, { $0.message = a }, { $0.source = "n" }, { $0.externalID = a },
            { $0.name = "n" }, { $0.extension = "n" }, { $0.size = 1 }, { $0.mime = "n" }, { $0.preview = "n" },
            { $0.download = "n" }, { $0.thumbnails = [Twake.Thumbnail()] },
            { $0.thumbnails = [Twake.Thumbnail(index: 1)] }, { $0.thumbnails = [Twake.Thumbnail(url: "n")] },
            { $0.thumbnails = [Twake.Thumbnail(type: "n")] }, { $0.thumbnails = [Twake.Thumbnail(size: 1)] },
            { $0.thumbnails = [Twake.Thumbnail(width: 1)] }, { $0.thumbnails = [Twake.Thumbnail(height: 1)] },
        ]
        return changed(Twake.File(id: a), changes) { file in
            var message = Twake.Message(id: a, thread: a, text: "")
            message.files = [file]
            return Item.Entity(message)
        }
    }

    private var members: [Item] {
        let changes: [(inout Twake.ChannelMember) -> Void] = [
            { _ in }, { $0.channel = b }, { $0.company = a }, { $0.workspace = a }, { $0.user = a }, { $0.type = "n" },
            { $0.lastAccess = time }, { $0.isFavorite = false }, { $0.isFavorite = true },
            { $0.notificationLevel = "n" }, { $0.updatedAt = time }, { $0.createdAt = time }, { $0.expiration = time },
            { $0.lastIncrement = 0 }, { $0.email = "n" },
        ]
        return changed(Twake.ChannelMember(channel: a), changes) { Item.Entity($0) }
    }

    private var badges: [Item] {
        let changes: [(inout Twake.Badge) -> Void] = [
            { _ in }, { $0.company = b }, { $0.workspace = b }, { $0.channel = b }, { $0.thread = b }, { $0.user = a },
            { $0.message = a },
        ]
        return changed(Twake.Badge(company: a, workspace: a, channel: a, thread: a), changes) { Item.Entity($0) }
    }

    private var people: [Item] {
        let changes: [(inout Twake.Account) -> Void] = [
            { _ in }, { $0.id = b }, { $0.email = "n" }, { $0.username = "n" }, { $0.firstName = "n" },
            { $0.lastName = "n" }, { $0.fullName = "n" }, { $0.picture = "n" }, { $0.provider = "n" },
            { $0.providerID = a }, { $0.status = "n" }, { $0.statusIcon = "n" }, { $0.language = "n" },
            { $0.lastActivity = time }, { $0.createdAt = time }, { $0.isVerified = false }, { $0.isDeleted = true },
        ]
        return changed(Twake.Account(id: a), changes) { Item.Entity($0) }
    }

    private var presences: [Item] {
        let changes: [(inout Twake.OnlineStatus) -> Void] = [
            { _ in }, { $0.user = b }, { $0.isOnline = true }, { $0.company = a }, { $0.lastSeen = time },
        ]
        return changed(Twake.OnlineStatus(user: a, isOnline: false), changes) { Item.Entity($0) }
    }

    private var places: [Item] {
        let companies: [(inout Twake.Company) -> Void] = [
            { _ in }, { $0.id = b }, { $0.name = "n" }, { $0.logo = "n" }, { $0.membersCount = 1 },
            { $0.guestsCount = 1 }, { $0.createdAt = time }, { $0.role = .admin }, { $0.permissions = ["n"] },
            { $0.status = "n" }, { $0.plan = .init() }, { $0.plan = .init(name: "n") }, { $0.plan = .init(members: 1) },
            { $0.plan = .init(guests: 1) }, { $0.plan = .init(storage: 1) }, { $0.notificationRooms = ["n"] },
        ]
        let workspaces: [(inout Twake.Workspace) -> Void] = [
            { _ in }, { $0.id = b }, { $0.company = a }, { $0.name = "n" }, { $0.logo = "n" }, { $0.color = "n" },
            { $0.membersCount = 1 }, { $0.createdAt = time }, { $0.lastAccess = time }, { $0.role = .admin },
            { $0.permissions = ["n"] }, { $0.isPrivate = false }, { $0.isDefault = false }, { $0.isArchived = true },
        ]
        return changed(Twake.Company(id: a), companies) { Item.Entity($0) }
            + changed(Twake.Workspace(id: a), workspaces) { Item.Entity($0) }
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

    @Test func `every field of every row affects the checksum, and equal rows have equal checksums`() throws {
        func sums() throws -> [UInt64] {
            let rows = counters + channels + messages + files + members + badges + people + places + presences
            return try rows.map { try checksum($0) }
        }
        let first = try sums()
        #expect(Set(first).count == first.count)
        #expect(try sums() == first)
    }
}
