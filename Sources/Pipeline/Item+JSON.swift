import Events
public import JSONText

// Rows as JSON, for the diff log. What `encode` writes, `init(decoding:)` reads back to an equal row.
extension Item.ID {
    /// Writes `["message","id"]` or, with a qualifier, `["member","id","channel"]`.
    public func encode(into writer: inout JSONWriter) {
        writer.beginArray()
        writer.string(kind.rawValue)
        id.write(into: &writer)
        if !qualifierOrNone.isNone { qualifierOrNone.write(into: &writer) }
        writer.endArray()
    }

    /// Reads what `encode` wrote.
    init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        let offset = reader.offset
        guard let texts = try reader.texts(), let kind = Item.Kind(rawValue: texts.first), let id = texts.second else {
            throw DecodingFailure(subject: "diff line", message: "id: not a kind and an id", offset: offset)
        }
        self.init(kind, EntityID(id), qualifier: texts.third.map { EntityID($0) })
    }
}

extension Item.Section {
    /// Writes `["badges"]` or `["messages","channel id"]`.
    func encode(into writer: inout JSONWriter) {
        writer.beginArray()
        writer.string(name)
        if !parentOrNone.isNone { parentOrNone.write(into: &writer) }
        writer.endArray()
    }

    /// Reads what `encode` wrote.
    init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        let offset = reader.offset
        guard let texts = try reader.texts(), texts.third == nil else {
            throw DecodingFailure(
                subject: "diff line", message: "section: not a name and perhaps a parent", offset: offset)
        }
        self.init(texts.first, texts.second.map { EntityID($0) })
    }
}

extension Item {
    /// Writes the row as an object of `id`, `section`, `sort`, `type`, `entity` and, where there is one, `delivery`.
    public func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        encodeMembers(into: &writer)
        writer.endObject()
    }

    // All is read where it lies: a copy of an id or an entity costs a count of references.

    /// Writes the members `id`, `section`, `sort`, `type`, `entity` and, where there is one, `delivery` into an open object.
    func encodeMembers(into writer: inout JSONWriter) {
        writer.key("id")
        contents.id.encode(into: &writer)
        encodeContents(into: &writer)
    }

    /// Writes the members that say what a row is besides its id.
    func encodeContents(into writer: inout JSONWriter) {
        writer.key("section")
        contents.section.encode(into: &writer)
        writer.member("sort", integer: contents.sortKey)
        writer.member("type", string: contents.entity.typeName)
        writer.key("entity")
        contents.entity.encode(into: &writer)
        if let delivery = contents.delivery {
            writer.member("delivery", string: delivery.rawValue)
        }
    }
}

extension Item.Entity {
    /// The name of the entity's type in a diff log.
    public var typeName: String {
        switch self {
        case .twakeChannel: "twake.channel"
        case .twakeMessage: "twake.message"
        case .twakeMember: "twake.member"
        case .twakeBadge: "twake.badge"
        case .twakeBadgeCount: "twake.badge_count"
        case .twakeAccount: "twake.account"
        case .twakeCompany: "twake.company"
        case .twakeWorkspace: "twake.workspace"
        case .twakePresence: "twake.presence"
        case .hole: "hole"
        case .groupMe(let entity): entity.typeName
        }
    }

    /// Writes the entity as a JSON object.
    public func encode(into writer: inout JSONWriter) {
        switch self {
        case .twakeChannel(let channel): channel.encode(into: &writer)
        case .twakeMessage(let message): message.encode(into: &writer)
        case .twakeMember(let member): member.encode(into: &writer)
        case .twakeBadge(let badge): badge.encode(into: &writer)
        case .twakeBadgeCount(let count): count.encode(into: &writer)
        case .twakeAccount(let account): account.encode(into: &writer)
        case .twakeCompany(let company): company.encode(into: &writer)
        case .twakeWorkspace(let workspace): workspace.encode(into: &writer)
        case .twakePresence(let presence): presence.encode(into: &writer)
        case .hole(let hole): hole.encode(into: &writer)
        case .groupMe(let entity): entity.encode(into: &writer)
        }
    }

    /// Reads an entity of the type called `typeName`; nil when there is no such type.
    init?(typeName: String, decoding reader: inout JSONReader) throws(DecodingFailure) {
        switch typeName {
        case "twake.channel": self = .twakeChannel(try Twake.Channel(decoding: &reader))
        case "twake.message": self = .twakeMessage(try Twake.Message(decoding: &reader))
        case "twake.member": self = .twakeMember(try Twake.ChannelMember(decoding: &reader))
        case "twake.badge": self = .twakeBadge(try Twake.Badge(decoding: &reader))
        case "twake.badge_count": self = .twakeBadgeCount(try Twake.BadgeCount(decoding: &reader))
        case "twake.account": self = .twakeAccount(try Twake.Account(decoding: &reader))
        case "twake.company": self = .twakeCompany(try Twake.Company(decoding: &reader))
        case "twake.workspace": self = .twakeWorkspace(try Twake.Workspace(decoding: &reader))
        case "twake.presence": self = .twakePresence(try Twake.OnlineStatus(decoding: &reader))
        case "hole": self = .hole(try Hole(decoding: &reader))
        default:
            guard let entity = try GroupMe.Entity(typeName: typeName, decoding: &reader) else { return nil }
            self = .groupMe(entity)
        }
    }
}

extension JSONReader {
    /// Consumes an array of one to three strings; nil when it has none or more.
    fileprivate mutating func texts() throws(DecodingFailure) -> (first: String, second: String?, third: String?)? {
        do {
            try beginArray()
            guard try nextElement() else { return nil }
            let first = try string()
            let second = try nextElement() ? try string() : nil
            let third = second != nil ? try nextElement() ? try string() : nil : nil
            if third != nil, try nextElement() { return nil }
            return (first, second, third)
        } catch {
            throw DecodingFailure(subject: "diff line", message: error.description, offset: error.offset)
        }
    }
}
