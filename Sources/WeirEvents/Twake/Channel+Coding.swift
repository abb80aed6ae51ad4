public import WeirJSON

extension Twake.ChannelActivity {
    init(reading reader: inout JSONReader) throws(Mismatch) {
        var fields = Fields(channel: .none, company: .none, workspace: .none)
        try fields.take(from: &reader)
        self.init(fields)
    }
}

extension Twake.ChannelActivity.Fields {
    fileprivate mutating func take(from reader: inout JSONReader) throws(Mismatch) {
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
    /// Reads the last message of a channel. Null and the core's `{}` mean an empty channel (Twake TW-46).
    static func ifAny(reading reader: inout JSONReader) throws(Mismatch) -> Self? {
        var fields = Fields()
        var isEmpty = true
        guard try reader.openIfAny() else { return nil }
        while let key = try reader.field() {
            isEmpty = false
            if reader.isNamed(key, "date") {
                fields.date = try reader.timeIfAny()
            } else if reader.isNamed(key, "sender") {
                fields.sender = try reader.idIfAny()
            } else if reader.isNamed(key, "sender_name") {
                fields.senderName = try reader.textIfAny()
            } else if reader.isNamed(key, "title") {
                fields.title = try reader.textIfAny()
            } else if reader.isNamed(key, "text") {
                fields.text = try reader.textIfAny()
            } else {
                try reader.pass()
            }
        }
        return isEmpty ? nil : Self(fields)
    }
}

extension Twake.Channel {
    /// Reads a channel of either era. `user` is the requesting user, whose name is left out when the
    /// name of a direct is composed.
    init(reading reader: inout JSONReader, for user: EntityID? = nil) throws(Mismatch) {
        var profile = Profile.unread
        var activity = Activity()
        try profile.take(from: &reader, into: &activity, for: user)
        // The profile is moved: a copy would count each of its references.
        self.init(Fields(consume profile, activity))
    }

    /// The activity of a channel, as far as it was read.
    struct Activity {
        var lastActivity: Timestamp?
        var lastMessage: Twake.MessageSummary?
        var lastAccess: Timestamp?
    }
}

extension Twake.Channel.Fields {
    init(_ profile: consuming Twake.Channel.Profile, _ activity: Twake.Channel.Activity) {
        self.init(
            profile, lastActivity: activity.lastActivity, lastMessage: activity.lastMessage,
            lastAccess: activity.lastAccess)
    }
}

extension Twake.Channel.Activity {
    /// Reads the value if `key` describes the activity of the channel, and returns whether it does. A nested membership
    /// is also applied to `profile`.
    fileprivate mutating func take(
        _ key: JSONKey, from reader: inout JSONReader, into profile: inout Twake.Channel.Profile
    ) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "last_activity") {
            lastActivity = try reader.timeIfAny()
        } else if reader.isNamed(key, "last_message") {
            lastMessage = try Twake.MessageSummary.ifAny(reading: &reader)
        } else if reader.isNamed(key, "user_last_access") {
            lastAccess = try reader.timeIfAny() ?? lastAccess
        } else if reader.isNamed(key, "user_member") {
            try takeMembership(from: &reader, into: &profile)
        } else {
            return false
        }
        return true
    }

    /// Reads the user's membership of the channel. Not inlined, because a membership is large.
    @inline(never)
    private mutating func takeMembership(
        from reader: inout JSONReader, into profile: inout Twake.Channel.Profile
    ) throws(Mismatch) {
        guard let member = try WireMember.ifAny(reading: &reader)?.member else { return }
        lastAccess = member.lastAccess ?? lastAccess
        profile.takeMembership(member.type, member.isFavorite, member.notificationLevel)
    }
}

extension Twake.Channel.Profile {
    /// An empty profile, to be filled while reading.
    static var unread: Self { Self(id: .none, company: .none, workspace: .none) }

    /// Reads a channel; its activity is stored in `activity`.
    fileprivate mutating func take(
        from reader: inout JSONReader, into activity: inout Twake.Channel.Activity, for user: EntityID?
    ) throws(Mismatch) {
        var users: [Person] = []
        let start = try reader.open()
        while let key = try reader.field() {
            if try reader.isNull() { continue }
            if try takeIdentity(key, from: &reader) { continue }
            if try activity.take(key, from: &reader, into: &self) { continue }
            if try takeState(key, from: &reader) { continue }
            if reader.isNamed(key, "users") {
                users = try Person.list(reading: &reader)
            } else if try !takeDetail(key, from: &reader), try !takeListDetail(key, from: &reader) {
                try reader.pass()
            }
        }
        try complete(readFrom: start)
        if !users.isEmpty { composeName(of: users, for: user) }
    }

    /// Sets the workspace of a direct, which is in none, and checks the required ids.
    private mutating func complete(readFrom start: Int) throws(Mismatch) {
        if workspace.isNone, visibility == .direct { workspace = .text("direct") }
        try id.require("id", at: start)
        try company.require("company_id", at: start)
        try workspace.require("workspace_id", at: start)
    }

    /// Reads the value if `key` identifies or describes the channel. Returns whether it does.
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

    /// Reads the value if `key` describes the state of the channel. Returns whether it does.
    private mutating func takeState(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "archived") {
            isArchived = try reader.flagIfAny() ?? false
        } else if reader.isNamed(key, "members") {
            members = try reader.ids()
        } else if reader.isNamed(key, "updated_at") {
            updatedAt = try reader.timeIfAny()
        } else if reader.isNamed(key, "created_at") {
            createdAt = try reader.timeIfAny()
        } else if reader.isNamed(key, "is_default") {
            isDefault = try reader.flagIfAny() ?? false
        } else {
            return false
        }
        return true
    }

    /// Reads the value if `key` is a detail that frames contain too, and returns whether it is. Frames mostly send it
    /// empty; only a detail with contents costs anything.
    private mutating func takeDetail(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "connectors") {
            if !reader.isEmptyList(), let list = try reader.contentsIfAny() { connectors = list }
        } else if reader.isNamed(key, "archivation_date") {
            if let time = try reader.timeUnlessZero() { archivedAt = time }
        } else if reader.isNamed(key, "channel_group") {
            let contents = try reader.textRange()
            if !contents.range.isEmpty { group = reader.string(at: contents) }
        } else if reader.isNamed(key, "stats") {
            try takeStatistics(from: &reader)
        } else if reader.isNamed(key, "is_readonly") {
            if let flag = try reader.flagIfAny() { isReadOnly = flag }
        } else {
            return false
        }
        return true
    }

    /// Reads the value if `key` is a detail of era A's lists, or of the apps' own later ones. Returns whether it is.
    /// `has_unread` is not kept: it would be wrong after the next activity, and it follows from the times.
    private mutating func takeListDetail(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "role") {
            if let name = try Twake.Role.ifAny(reading: &reader) { role = name }
        } else if reader.isNamed(key, "permissions") {
            let list = try Twake.Permission.list(reading: &reader)
            if !list.isEmpty { permissions = list }
        } else if reader.isNamed(key, "is_member") {
            if let flag = try reader.flagIfAny() { isMember = flag }
        } else if reader.isNamed(key, "members_count") {
            if let count = try reader.countIfAny() { statedMembersCount = count }
        } else {
            return false
        }
        return true
    }

    private mutating func takeStatistics(from reader: inout JSONReader) throws(Mismatch) {
        guard try reader.openIfAny() else { return }
        while let key = try reader.field() {
            if reader.isNamed(key, "members") {
                if let count = try reader.countIfAny() { statedMembersCount = count }
            } else if reader.isNamed(key, "messages") {
                if let count = try reader.countIfAny() { messagesCount = count }
            } else {
                try reader.pass()
            }
        }
    }

    /// Composes the name of a direct without a name from its users' names, as the era A proxy did (Twake TW-74).
    private mutating func composeName(of users: [Person], for user: EntityID?) {
        guard visibility == .direct, name?.isEmpty ?? true else { return }
        let others = users.count > 1 ? users.filter { $0.id != user } : users
        name = others.compactMap(\.displayName).joined(separator: ", ")
    }
}

extension Twake.ChannelVisibility {
    /// Reads a visibility. The known values are recognised without creating a string.
    static func ifAny(reading reader: inout JSONReader) throws(Mismatch) -> Self? {
        guard let contents = try reader.textRangeIfAny() else { return nil }
        if reader.matches(contents, "public") { return .public }
        if reader.matches(contents, "private") { return .private }
        if reader.matches(contents, "direct") { return .direct }
        return Self(wire: reader.string(at: contents))
    }
}

extension Twake.Channel {
    /// Writes the channel as a JSON object without the `nil` fields.
    public func encode(into writer: inout JSONWriter) { fields.encode(into: &writer) }

    /// Reads a channel that `encode` wrote.
    public init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self.init(try reader.logged("channel", Fields.init(logged:)))
    }
}

// The fields that every channel has are read and written by hand: a table takes 3.6 times as long to write them.
extension Twake.Channel.Fields {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        profile.encodeLook(into: &writer)
        writer.member("last_activity", lastActivity)
        lastMessage?.encodeMember(into: &writer)
        writer.member("last_access", lastAccess)
        profile.encodeState(into: &writer)
        writer.endObject()
    }

    fileprivate init(logged reader: inout JSONReader) throws(Mismatch) {
        var profile = Twake.Channel.Profile.unread
        var activity = Twake.Channel.Activity()
        var details = Twake.Channel.Profile.Details()
        var required: UInt64 = 0
        var ids: (EntityID?, company: EntityID?, workspace: EntityID?)
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                ids.0 = try reader.loggedID()
            } else if reader.isNamed(key, "company_id") {
                ids.company = try reader.loggedID()
            } else if reader.isNamed(key, "workspace_id") {
                ids.workspace = try reader.loggedID()
            } else if reader.isNamed(key, "last_activity") {
                activity.lastActivity = try reader.loggedTime()
            } else if reader.isNamed(key, "last_message") {
                activity.lastMessage = try Twake.MessageSummary(logged: &reader)
            } else if reader.isNamed(key, "last_access") {
                activity.lastAccess = try reader.loggedTime()
            } else if try !profile.takeLogged(key, from: &reader),
                try !Twake.Channel.Profile.Details.fields.take(key, into: &details, from: &reader, .log, &required)
            {
                try reader.pass()
            }
        }
        profile.id = try ids.0.required("id", at: start)
        profile.company = try ids.company.required("company_id", at: start)
        profile.workspace = try ids.workspace.required("workspace_id", at: start)
        if details != .absent { profile.details = Shared(details) }
        self.init(profile, activity)
    }
}

extension Twake.Channel.Profile {
    /// Writes the identity and appearance of the channel into an open object.
    fileprivate func encodeLook(into writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("company_id", company)
        writer.member("workspace_id", workspace)
        writer.member("visibility", visibility?.wireName)
        writer.member("name", name)
        writer.member("icon", icon)
        writer.member("description", description)
        writer.member("owner", owner)
        writer.member("archived", isArchived)
        writer.member("members", members)
    }

    /// Writes the remaining fields of the profile into an open object.
    fileprivate func encodeState(into writer: inout JSONWriter) {
        writer.member("updated_at", updatedAt)
        writer.member("created_at", createdAt)
        if isDefault { writer.member("is_default", true) }
        if let details { Details.fields.writeMembers(of: details.value, into: &writer) }
    }

    fileprivate mutating func takeLogged(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "visibility") {
            visibility = Twake.ChannelVisibility(wire: try reader.text())
        } else if reader.isNamed(key, "name") {
            name = try reader.text()
        } else if reader.isNamed(key, "icon") {
            icon = try reader.text()
        } else if reader.isNamed(key, "description") {
            description = try reader.text()
        } else if reader.isNamed(key, "owner") {
            owner = try reader.loggedID()
        } else if reader.isNamed(key, "archived") {
            isArchived = try reader.loggedFlag()
        } else if reader.isNamed(key, "members") {
            members = try reader.loggedIDs()
        } else if reader.isNamed(key, "updated_at") {
            updatedAt = try reader.loggedTime()
        } else if reader.isNamed(key, "created_at") {
            createdAt = try reader.loggedTime()
        } else if reader.isNamed(key, "is_default") {
            isDefault = try reader.loggedFlag()
        } else {
            return false
        }
        return true
    }
}

extension Twake.Channel.Profile.Details {
    static let fields: [Field<Self>] = [
        Field("member_type", at: \.memberType),
        Field("favorite", at: \.isFavorite),
        Field("notification_level", at: \.notificationLevel),
        Field("is_member", at: \.isMember),
        Field("role", at: \.role),
        Field("permissions", at: \.permissions),
        Field("members_count", at: \.statedMembersCount),
        Field("messages_count", at: \.messagesCount),
        Field("is_readonly", at: \.isReadOnly),
        Field("archived_at", at: \.archivedAt),
        Field("channel_group", at: \.group),
        Field("connectors", at: \.connectors),
    ]
}

extension Twake.MessageSummary {
    /// Writes the summary as the member `last_message` of its channel.
    fileprivate func encodeMember(into writer: inout JSONWriter) {
        writer.key("last_message")
        writer.beginObject()
        writer.member("date", self.date)
        writer.member("sender", self.sender)
        writer.member("sender_name", self.senderName)
        writer.member("title", self.title)
        writer.member("text", self.text)
        writer.endObject()
    }

    fileprivate init(logged reader: inout JSONReader) throws(Mismatch) {
        var fields = Fields()
        _ = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "date") {
                fields.date = try reader.loggedTime()
            } else if reader.isNamed(key, "sender") {
                fields.sender = try reader.loggedID()
            } else if reader.isNamed(key, "sender_name") {
                fields.senderName = try reader.text()
            } else if reader.isNamed(key, "title") {
                fields.title = try reader.text()
            } else if reader.isNamed(key, "text") {
                fields.text = try reader.text()
            } else {
                try reader.pass()
            }
        }
        self.init(fields)
    }
}
