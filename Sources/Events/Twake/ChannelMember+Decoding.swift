import JSONText

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
            updatedAt: fields.updatedAt, createdAt: fields.createdAt, expiration: fields.expiration,
            lastIncrement: fields.lastIncrement, email: fields.email)
    }
}

/// A membership while it is read.
struct MemberFields {
    var id: EntityID?
    var channel: EntityID?
    var company: EntityID?
    var workspace: EntityID?
    var user: EntityID?
    var type: Twake.MemberType?
    var lastAccess: Timestamp?
    var isFavorite: Bool?
    var notificationLevel: Twake.NotificationLevel?
    var updatedAt: Timestamp?
    var createdAt: Timestamp?
    var expiration: Timestamp?
    var lastIncrement: Int?
    var email: String?
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
            type = try Twake.MemberType.ifAny(reading: &reader)
        } else if reader.isNamed(key, "last_access") {
            lastAccess = try reader.timeIfAny()
        } else if reader.isNamed(key, "favorite") {
            isFavorite = try reader.flagIfAny()
        } else if reader.isNamed(key, "notification_level") {
            notificationLevel = try Twake.NotificationLevel.ifAny(reading: &reader)
        } else if reader.isNamed(key, "updated_at") {
            updatedAt = try reader.timeIfAny()
        } else if reader.isNamed(key, "created_at") {
            createdAt = try reader.timeIfAny()
        } else if reader.isNamed(key, "last_increment") {
            lastIncrement = try reader.countIfAny()
        } else if reader.isNamed(key, "expiration") {
            expiration = try reader.timeIfAny()
        } else if reader.isNamed(key, "email") {
            email = try reader.textIfAny()?.unlessEmpty
        } else {
            return false
        }
        return true
    }
}
