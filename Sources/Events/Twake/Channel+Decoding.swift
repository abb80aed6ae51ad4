import JSONText

extension Twake.ChannelActivity {
    init(reading reader: inout JSONReader) throws(Mismatch) {
        var channel: EntityID?
        var company: EntityID?
        var workspace: EntityID?
        var lastActivity: Timestamp?
        var lastMessage: Twake.MessageSummary?
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                channel = try reader.idIfAny()
            } else if reader.isNamed(key, "company_id") {
                company = try reader.idIfAny()
            } else if reader.isNamed(key, "workspace_id") {
                workspace = try reader.idIfAny()
            } else if reader.isNamed(key, "last_activity") {
                lastActivity = try reader.timeIfAny()
            } else if reader.isNamed(key, "last_message") {
                lastMessage = try Twake.MessageSummary.ifAny(reading: &reader)
            } else {
                try reader.pass()
            }
        }
        self.init(
            channel: try channel.required("id", at: start), company: try company.required("company_id", at: start),
            workspace: try workspace.required("workspace_id", at: start), lastActivity: lastActivity,
            lastMessage: lastMessage)
    }
}

extension Twake.MessageSummary {
    /// A channel's last message; null and the core's `{}` mean that there is none (section 6).
    static func ifAny(reading reader: inout JSONReader) throws(Mismatch) -> Self? {
        var summary = Self(date: nil, sender: nil, senderName: nil, title: nil, text: nil)
        var isEmpty = true
        guard try reader.openIfAny() else { return nil }
        while let key = try reader.field() {
            isEmpty = false
            if reader.isNamed(key, "date") {
                summary.date = try reader.timeIfAny()
            } else if reader.isNamed(key, "sender") {
                summary.sender = try reader.idIfAny()
            } else if reader.isNamed(key, "sender_name") {
                summary.senderName = try reader.textIfAny()
            } else if reader.isNamed(key, "title") {
                summary.title = try reader.textIfAny()
            } else if reader.isNamed(key, "text") {
                summary.text = try reader.textIfAny()
            } else {
                try reader.pass()
            }
        }
        return isEmpty ? nil : summary
    }
}

extension Twake.Channel {
    /// Reads a channel of either era. `user` is who asks: their name is left out where a direct's name is composed.
    init(reading reader: inout JSONReader, for user: EntityID? = nil) throws(Mismatch) {
        var fields = ChannelFields()
        let start = try reader.open()
        while let key = try reader.field() {
            if try fields.takeIdentity(key, from: &reader) { continue }
            if try fields.takeState(key, from: &reader) { continue }
            try reader.pass()
        }
        if fields.workspace == nil, fields.visibility == .direct { fields.workspace = .text("direct") }
        self.init(
            id: try fields.id.required("id", at: start), company: try fields.company.required("company_id", at: start),
            workspace: try fields.workspace.required("workspace_id", at: start), visibility: fields.visibility,
            name: fields.name(for: user), icon: fields.icon, description: fields.description, owner: fields.owner,
            isArchived: fields.isArchived ?? false, members: fields.members, lastActivity: fields.lastActivity,
            lastMessage: fields.lastMessage, lastAccess: fields.lastAccess, updatedAt: fields.updatedAt)
    }
}

/// A channel while it is read.
private struct ChannelFields {
    var id: EntityID?
    var company: EntityID?
    var workspace: EntityID?
    var visibility: Twake.ChannelVisibility?
    var name: String?
    var icon: String?
    var description: String?
    var owner: EntityID?
    var isArchived: Bool?
    var members: [EntityID] = []
    var users: [Person] = []
    var lastActivity: Timestamp?
    var lastMessage: Twake.MessageSummary?
    var lastAccess: Timestamp?
    var updatedAt: Timestamp?

    /// Takes the value if `key` says which channel it is.
    mutating func takeIdentity(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "id") {
            id = try reader.idIfAny()
        } else if reader.isNamed(key, "company_id") {
            company = try reader.idIfAny()
        } else if reader.isNamed(key, "workspace_id") {
            workspace = try reader.idIfAny()
        } else if reader.isNamed(key, "visibility") {
            visibility = try reader.textIfAny().map { Twake.ChannelVisibility(wire: $0) }
        } else if reader.isNamed(key, "name") {
            name = try reader.textIfAny()
        } else if reader.isNamed(key, "icon") {
            icon = try reader.textIfAny()
        } else if reader.isNamed(key, "description") {
            description = try reader.textIfAny()
        } else if reader.isNamed(key, "owner") {
            owner = try reader.idIfAny()
        } else {
            return false
        }
        return true
    }

    /// Takes the value if `key` says what is going on in the channel.
    mutating func takeState(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "archived") {
            isArchived = try reader.flagIfAny()
        } else if reader.isNamed(key, "members") {
            members = try reader.ids()
        } else if reader.isNamed(key, "last_activity") {
            lastActivity = try reader.timeIfAny()
        } else if reader.isNamed(key, "last_message") {
            lastMessage = try Twake.MessageSummary.ifAny(reading: &reader)
        } else if reader.isNamed(key, "user_last_access") {
            lastAccess = try reader.timeIfAny() ?? lastAccess
        } else if reader.isNamed(key, "user_member") {
            lastAccess = try MemberFields.ifAny(reading: &reader)?.lastAccess ?? lastAccess
        } else if reader.isNamed(key, "updated_at") {
            updatedAt = try reader.timeIfAny()
        } else if reader.isNamed(key, "users") {
            users = try Person.list(reading: &reader)
        } else {
            return false
        }
        return true
    }

    /// The name as sent; where a direct has none, it is composed of its users, as the era A proxy did (4.3).
    func name(for user: EntityID?) -> String? {
        guard visibility == .direct, name?.isEmpty ?? true, !users.isEmpty else { return name }
        let others = users.count > 1 ? users.filter { $0.id != user } : users
        return others.compactMap(\.displayName).joined(separator: ", ")
    }
}

extension Twake.ChannelMember {
    /// Reads a membership in either of its forms (3.3): the bare one, which names its channel in `channel_id`, or not at all in a list
    /// that was asked for by `channel`; or a list room's, whose `id` is the channel's and which nests the membership.
    init(reading reader: inout JSONReader, of channel: EntityID? = nil) throws(Mismatch) {
        _ = try reader.kind()
        let start = reader.offset
        let outer = try MemberFields(reading: &reader)
        let inner = outer.nested.first
        let isBare = outer.hasNested == false && (outer.channel ?? channel) != nil
        let fields = inner ?? outer
        let ownID = isBare ? nil : outer.id
        self.init(
            channel: try (outer.channel ?? ownID ?? inner?.channel ?? channel).required("id", at: start),
            company: outer.company ?? fields.company, workspace: outer.workspace ?? fields.workspace,
            user: outer.user ?? fields.user ?? (isBare ? outer.id : inner?.id), type: fields.type,
            lastAccess: fields.lastAccess, isFavorite: fields.isFavorite, notificationLevel: fields.notificationLevel,
            updatedAt: fields.updatedAt)
    }
}

/// A membership while it is read.
struct MemberFields {
    var id: EntityID?
    var channel: EntityID?
    var company: EntityID?
    var workspace: EntityID?
    var user: EntityID?
    var type: String?
    var lastAccess: Timestamp?
    var isFavorite: Bool?
    var notificationLevel: String?
    var updatedAt: Timestamp?
    /// Whether there is a `user_member`, null or not.
    var hasNested = false
    /// What is in `user_member`: nothing or one.
    var nested: [MemberFields] = []

    /// Null and an empty list give nil.
    static func ifAny(reading reader: inout JSONReader) throws(Mismatch) -> Self? {
        switch try reader.kind() {
        case .null, .array:
            try reader.pass()
            return nil
        case .object, .string, .number, .bool: return try Self(reading: &reader, isNested: true)
        }
    }

    init(reading reader: inout JSONReader, isNested: Bool = false) throws(Mismatch) {
        _ = try reader.open()
        while let key = try reader.field() {
            if try takeIdentity(key, from: &reader) { continue }
            if try takeState(key, from: &reader) { continue }
            if !isNested, reader.isNamed(key, "user_member") {
                hasNested = true
                nested = try Self.ifAny(reading: &reader).map { [$0] } ?? []
            } else {
                try reader.pass()
            }
        }
    }

    private mutating func takeIdentity(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "id") {
            id = try reader.idIfAny()
        } else if reader.isNamed(key, "channel_id") {
            channel = try reader.idIfAny()
        } else if reader.isNamed(key, "company_id") {
            company = try reader.idIfAny()
        } else if reader.isNamed(key, "workspace_id") {
            workspace = try reader.idIfAny()
        } else if reader.isNamed(key, "user_id") {
            user = try reader.idIfAny()
        } else {
            return false
        }
        return true
    }

    private mutating func takeState(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "type") {
            type = try reader.textIfAny()
        } else if reader.isNamed(key, "last_access") {
            lastAccess = try reader.timeIfAny()
        } else if reader.isNamed(key, "favorite") {
            isFavorite = try reader.flagIfAny()
        } else if reader.isNamed(key, "notification_level") {
            notificationLevel = try reader.textIfAny()
        } else if reader.isNamed(key, "updated_at") {
            updatedAt = try reader.timeIfAny()
        } else {
            return false
        }
        return true
    }
}
