import Testing
import WeirJSON
import WeirWire

@testable import WeirEvents

@Suite struct `Entities in the diff log` {
    @Test func `an entity reads back as written, whatever its contents`() throws {
        var makers = EntityMaker(seed: 4)
        for _ in 0..<2000 {
            try expectRoundTrip(makers.channel(), Twake.Channel.encode(into:), Twake.Channel.init(decoding:))
            try expectRoundTrip(makers.message(), Twake.Message.encode(into:), Twake.Message.init(decoding:))
            try expectRoundTrip(makers.member(), Twake.ChannelMember.encode(into:), Twake.ChannelMember.init(decoding:))
            try expectRoundTrip(makers.badge(), Twake.Badge.encode(into:), Twake.Badge.init(decoding:))
            try expectRoundTrip(makers.badgeCount(), Twake.BadgeCount.encode(into:), Twake.BadgeCount.init(decoding:))
            try expectRoundTrip(makers.account(), Twake.Account.encode(into:), Twake.Account.init(decoding:))
            try expectRoundTrip(makers.company(), Twake.Company.encode(into:), Twake.Company.init(decoding:))
            try expectRoundTrip(makers.workspace(), Twake.Workspace.encode(into:), Twake.Workspace.init(decoding:))
            try expectRoundTrip(
                makers.presence(), Twake.OnlineStatus.encode(into:), Twake.OnlineStatus.init(decoding:))
        }
    }

    @Test func `only an account's public part is written`() throws {
        var account = Twake.Account(id: EntityID("U"))
        account.companies = [.init(role: .admin, status: "active", company: Twake.Company(id: EntityID("C")))]
        account.preference = .init(locale: "en", timezone: 0, allowTracking: false)
        account.firstName = "Una"
        try expectRoundTrip(account.publicPart, { $0.encode(into:) }, Twake.Account.init(decoding:))
        var writer = JSONWriter()
        account.encode(into: &writer)
        #expect(
            String(decoding: writer.bytes, as: UTF8.self) == #"{"id":"U","name":"Una","first_name":"Una"}"#)
    }

    private func expectRoundTrip<Entity: Equatable>(
        _ entity: Entity, _ encode: (Entity) -> (inout JSONWriter) -> Void,
        _ decode: (inout JSONReader) throws(DecodingFailure) -> Entity
    ) throws {
        var writer = JSONWriter()
        encode(entity)(&writer)
        let bytes = writer.bytes
        var reader = JSONReader(bytes.span)
        let copy = try decode(&reader)
        #expect(copy == entity, "\(String(decoding: bytes, as: UTF8.self))")
        #expect(reader.offset == bytes.count)
    }

    @Test func `a written entity has fixed names and times in milliseconds, without nil fields`() throws {
        var writer = JSONWriter()
        Twake.Message(
            id: EntityID("M"), thread: EntityID("T"), text: "hi", createdAt: Timestamp(milliseconds: 5),
            reactions: [.init(name: "👍", count: 1, users: [EntityID("U")])]
        ).encode(into: &writer)
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"id":"M","thread_id":"T","text":"hi","created_at":5,"pinned":false,"reactions":[{"name":"👍","count":1,"users":["U"]}]}"#
        )
    }

    @Test func `an entity may have members of later versions, but no required member may be missing`() throws {
        let text = Array(#"[{"type":"channel","later":{"a":[]},"id":"","count":-3},{"type":"channel","id":"X"}]"#.utf8)
        var reader = JSONReader(text.span)
        try reader.beginArray()
        #expect(try reader.nextElement())
        #expect(try Twake.BadgeCount(decoding: &reader) == .init(level: .channel, id: EntityID(""), count: -3))
        #expect(try reader.nextElement())
        do {
            _ = try Twake.BadgeCount(decoding: &reader)
            Issue.record("it was read")
        } catch {
            #expect(error == DecodingFailure(subject: "badge count", message: "count: missing", offset: 56))
        }
    }

    @Test func `an entity is refused with the field names of Weir's files, not with the server's`() throws {
        let text = Array(#"{"user_id":"U"}"#.utf8)
        var reader = JSONReader(text.span)
        do {
            _ = try Twake.OnlineStatus(decoding: &reader)
            Issue.record("it was read")
        } catch {
            #expect(error == DecodingFailure(subject: "presence", message: "online: missing", offset: 0))
        }
    }
}

/// Generates entities with each optional field present or absent, and texts that need escapes.
struct EntityMaker {
    private var generator: RandomSource

    init(seed: UInt64) { generator = RandomSource(seed: seed) }

    private mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? {
        Bool.random(using: &generator) ? make(&self) : nil
    }

    private mutating func id() -> EntityID {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: .uuid(generator.next(), generator.next())
        case 1: EntityID(text())
        default: EntityID("direct")
        }
    }

    private mutating func text() -> String {
        let pieces = [
            "", "a", "\"", "\\", "\n", "\0", "é", "e\u{301}", "😀", "\u{202E}", "\u{2028}", "</script>", "public",
            "\u{7F}",
        ]
        return (0..<Int.random(in: 0...4, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }
            .joined()
    }

    private mutating func time() -> Timestamp {
        Timestamp(milliseconds: Int64(bitPattern: generator.next()) >> Int64.random(in: 0...63, using: &generator))
    }

    private mutating func ids() -> [EntityID] {
        (0..<Int.random(in: 0...3, using: &generator)).map { _ in id() }
    }

    mutating func channel() -> Twake.Channel {
        var channel = Twake.Channel(
            id: id(), company: id(), workspace: id(), visibility: maybe { Twake.ChannelVisibility(wire: $0.text()) },
            name: maybe { $0.text() }, icon: maybe { $0.text() }, description: maybe { $0.text() },
            owner: maybe { $0.id() },
            isArchived: flag(), members: ids(), lastActivity: maybe { $0.time() },
            lastMessage: maybe { $0.summary() }, lastAccess: maybe { $0.time() }, updatedAt: maybe { $0.time() },
            createdAt: maybe { $0.time() })
        channel.isDefault = flag()
        guard flag() else { return channel }
        channel.memberType = maybe { Twake.MemberType(wire: $0.text()) }
        channel.isFavorite = maybe { $0.flag() }
        channel.notificationLevel = maybe { Twake.NotificationLevel(wire: $0.text()) }
        channel.isMember = maybe { $0.flag() }
        channel.role = maybe { Twake.Role(wire: $0.text()) }
        channel.permissions = flag() ? [.addMember, Twake.Permission(wire: text())] : []
        channel.statedMembersCount = maybe { $0.count() }
        channel.messagesCount = maybe { $0.count() }
        channel.isReadOnly = maybe { $0.flag() }
        channel.archivedAt = maybe { $0.time() }
        channel.group = maybe { $0.text() }
        channel.connectors = maybe { $0.json() }
        return channel
    }

    mutating func account() -> Twake.Account {
        var account = Twake.Account(id: id())
        account.email = maybe { $0.text() }
        account.username = maybe { $0.text() }
        account.firstName = maybe { $0.text() }
        account.lastName = maybe { $0.text() }
        account.fullName = maybe { $0.text() }
        account.picture = maybe { $0.text() }
        account.provider = maybe { $0.text() }
        account.providerID = maybe { $0.id() }
        account.status = maybe { $0.text() }
        account.statusIcon = maybe { $0.text() }
        account.language = maybe { $0.text() }
        account.lastActivity = maybe { $0.time() }
        account.createdAt = maybe { $0.time() }
        account.isVerified = maybe { $0.flag() }
        account.isDeleted = flag()
        return account
    }

    mutating func presence() -> Twake.OnlineStatus {
        var presence = Twake.OnlineStatus(user: id(), isOnline: flag(), company: maybe { $0.id() })
        presence.lastSeen = maybe { $0.time() }
        return presence
    }

    mutating func company() -> Twake.Company {
        var company = Twake.Company(id: id(), name: text())
        company.logo = maybe { $0.text() }
        company.membersCount = maybe { $0.count() }
        company.guestsCount = maybe { $0.count() }
        company.createdAt = maybe { $0.time() }
        company.role = maybe { Twake.Role(wire: $0.text()) }
        company.permissions = flag() ? [Twake.Permission(wire: text())] : []
        company.status = maybe { $0.text() }
        company.plan = maybe { maker in
            Twake.Company.Plan(
                name: maker.maybe { $0.text() }, members: maker.maybe { $0.count() },
                guests: maker.maybe { $0.count() }, storage: maker.maybe { $0.count() })
        }
        company.notificationRooms = flag() ? [text()] : []
        return company
    }

    mutating func workspace() -> Twake.Workspace {
        var workspace = Twake.Workspace(id: id(), company: maybe { $0.id() }, name: text())
        workspace.logo = maybe { $0.text() }
        workspace.color = maybe { $0.text() }
        workspace.membersCount = maybe { $0.count() }
        workspace.createdAt = maybe { $0.time() }
        workspace.lastAccess = maybe { $0.time() }
        workspace.role = maybe { Twake.Role(wire: $0.text()) }
        workspace.permissions = flag() ? [Twake.Permission(wire: text())] : []
        workspace.isPrivate = maybe { $0.flag() }
        workspace.isDefault = maybe { $0.flag() }
        workspace.isArchived = flag()
        return workspace
    }

    private mutating func flag() -> Bool { Bool.random(using: &generator) }

    private mutating func count() -> Int { Int.random(in: .min ... .max, using: &generator) }

    /// A random value in the form that the decoders keep: without white space and inert.
    private mutating func json() -> RawJSON {
        var writer = JSONWriter()
        writer.value(.array([.string(text()), .object([.init(text(), .integer(Int64(count())))]), .null]))
        return RawJSON(unchecked: writer.bytes[...])
    }

    private mutating func summary() -> Twake.MessageSummary {
        Twake.MessageSummary(
            date: maybe { $0.time() }, sender: maybe { $0.id() }, senderName: maybe { $0.text() },
            title: maybe { $0.text() },
            text: maybe { $0.text() })
    }

    mutating func message() -> Twake.Message { message(mayQuote: true) }

    private mutating func message(mayQuote: Bool) -> Twake.Message {
        let reactions = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
            Twake.Reaction(name: text(), count: count(), users: ids())
        }
        var message = Twake.Message(
            id: id(), thread: id(), channel: maybe { $0.id() }, user: maybe { $0.id() },
            senderName: maybe { $0.text() },
            text: text(), subtype: maybe { Twake.MessageSubtype(wire: $0.text()) }, createdAt: maybe { $0.time() },
            updatedAt: maybe { $0.time() }, editedAt: maybe { $0.time() }, isPinned: flag(), reactions: reactions,
            replies: maybe { Int.random(in: 0...9, using: &$0.generator) })
        message.threadActivity = maybe { $0.time() }
        guard flag() else { return message }
        message.type = flag() ? .message : Twake.MessageType(wire: text())
        message.application = maybe { $0.id() }
        message.senderPicture = maybe { $0.text() }
        message.blocks = maybe { $0.json() }
        message.files = (0..<Int.random(in: 0...2, using: &generator)).map { _ in file() }
        message.pin = maybe { Twake.Pin(at: $0.maybe { $0.time() }, by: $0.maybe { $0.id() }) }
        message.override = maybe { Twake.Override(title: $0.maybe { $0.text() }, picture: $0.maybe { $0.text() }) }
        message.ephemeral = maybe {
            Twake.Ephemeral(
                id: $0.maybe { $0.id() }, version: $0.maybe { $0.text() }, recipient: $0.maybe { $0.id() },
                context: $0.maybe { $0.id() })
        }
        message.status = maybe { Twake.DeliveryStatus(wire: $0.text()) }
        if mayQuote { message.quoted = maybe { $0.message(mayQuote: false) } }
        message.links = maybe { $0.json() }
        message.context = maybe { $0.json() }
        message.bookmarks = maybe { $0.json() }
        return message
    }

    private mutating func file() -> Twake.File {
        let thumbnails = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
            Twake.Thumbnail(
                index: maybe { $0.count() }, url: maybe { $0.text() }, type: maybe { $0.text() },
                size: maybe { $0.count() }, width: maybe { $0.count() }, height: maybe { $0.count() })
        }
        return Twake.File(
            id: id(), company: maybe { $0.id() }, message: maybe { $0.id() }, source: maybe { $0.text() },
            externalID: maybe { $0.id() }, name: maybe { $0.text() }, extension: maybe { $0.text() },
            size: maybe { $0.count() }, mime: maybe { $0.text() }, preview: maybe { $0.text() },
            download: maybe { $0.text() }, thumbnails: thumbnails)
    }

    mutating func member() -> Twake.ChannelMember {
        Twake.ChannelMember(
            channel: id(), company: maybe { $0.id() }, workspace: maybe { $0.id() }, user: maybe { $0.id() },
            type: maybe { Twake.MemberType(wire: $0.text()) }, lastAccess: maybe { $0.time() },
            isFavorite: maybe { $0.flag() },
            notificationLevel: maybe { Twake.NotificationLevel(wire: $0.text()) },
            updatedAt: maybe { $0.time() }, createdAt: maybe { $0.time() }, expiration: maybe { $0.time() },
            lastIncrement: maybe { $0.count() }, email: maybe { $0.text() })
    }

    mutating func badge() -> Twake.Badge {
        Twake.Badge(
            company: id(), workspace: id(), channel: id(), thread: id(), user: maybe { $0.id() },
            message: maybe { $0.id() })
    }

    mutating func badgeCount() -> Twake.BadgeCount {
        Twake.BadgeCount(
            level: .init(wire: text()), id: id(), count: Int.random(in: .min ... .max, using: &generator))
    }
}
