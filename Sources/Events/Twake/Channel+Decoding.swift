import JSONText

extension Twake.ChannelActivity {
    init(reading reader: inout JSONReader) throws(Mismatch) {
        self.init(channel: .none, company: .none, workspace: .none, lastActivity: nil, lastMessage: nil)
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                channel = try reader.id()
            } else if reader.isNamed(key, "company_id") {
                company = try reader.id()
            } else if reader.isNamed(key, "workspace_id") {
                workspace = try reader.id()
            } else if reader.isNamed(key, "last_activity") {
                lastActivity = try reader.timeIfAny()
            } else if reader.isNamed(key, "last_message") {
                lastMessage = try Twake.MessageSummary.ifAny(reading: &reader)
            } else {
                try reader.pass()
            }
        }
        try channel.require("id", at: start)
        try company.require("company_id", at: start)
        try workspace.require("workspace_id", at: start)
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
        var fields = Fields(id: .none, company: .none, workspace: .none)
        try fields.take(from: &reader, for: user)
        self.init(fields)
    }
}

extension Twake.Channel.Fields {
    fileprivate mutating func take(from reader: inout JSONReader, for user: EntityID?) throws(Mismatch) {
        var users: [Person] = []
        let start = try reader.open()
        while let key = try reader.field() {
            if try takeIdentity(key, from: &reader) { continue }
            if try takeState(key, from: &reader) { continue }
            if reader.isNamed(key, "users") {
                users = try Person.list(reading: &reader)
            } else {
                try reader.pass()
            }
        }
        if workspace.isNone, visibility == .direct { workspace = .text("direct") }
        try id.require("id", at: start)
        try company.require("company_id", at: start)
        try workspace.require("workspace_id", at: start)
        if !users.isEmpty { composeName(of: users, for: user) }
    }

    /// Takes the value if `key` says which channel it is.
    private mutating func takeIdentity(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "id") {
            id = try reader.id()
        } else if reader.isNamed(key, "company_id") {
            company = try reader.id()
        } else if reader.isNamed(key, "workspace_id") {
            workspace = try reader.id()
        } else if reader.isNamed(key, "visibility") {
            visibility = try Twake.ChannelVisibility.ifAny(reading: &reader)
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
    private mutating func takeState(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "archived") {
            isArchived = try reader.flagIfAny() ?? false
        } else if reader.isNamed(key, "members") {
            members = try reader.ids()
        } else if reader.isNamed(key, "last_activity") {
            lastActivity = try reader.timeIfAny()
        } else if reader.isNamed(key, "last_message") {
            lastMessage = try Twake.MessageSummary.ifAny(reading: &reader)
        } else if reader.isNamed(key, "user_last_access") {
            lastAccess = try reader.timeIfAny() ?? lastAccess
        } else if reader.isNamed(key, "user_member") {
            lastAccess = try MemberFields.lastAccess(reading: &reader) ?? lastAccess
        } else if reader.isNamed(key, "updated_at") {
            updatedAt = try reader.timeIfAny()
        } else {
            return false
        }
        return true
    }

    /// Where a direct has no name, it is composed of its users', as the era A proxy did (4.3).
    private mutating func composeName(of users: [Person], for user: EntityID?) {
        guard visibility == .direct, name?.isEmpty ?? true else { return }
        let others = users.count > 1 ? users.filter { $0.id != user } : users
        name = others.compactMap(\.displayName).joined(separator: ", ")
    }
}

extension Twake.ChannelVisibility {
    /// The values known are told without making a string of them.
    static func ifAny(reading reader: inout JSONReader) throws(Mismatch) -> Self? {
        guard let contents = try reader.textRangeIfAny() else { return nil }
        if reader.matches(contents, "public") { return .public }
        if reader.matches(contents, "private") { return .private }
        if reader.matches(contents, "direct") { return .direct }
        return Self(wire: reader.string(at: contents))
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

    /// When the membership's user last read the channel, where that is said; not inlined, since a membership is large.
    @inline(never)
    static func lastAccess(reading reader: inout JSONReader) throws(Mismatch) -> Timestamp? {
        try ifAny(reading: &reader)?.lastAccess
    }

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
