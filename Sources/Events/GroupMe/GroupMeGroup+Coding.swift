import JSONText

extension GroupMe.Group: FieldedEntity {
    package static let subject = "group"
    package static let blank = Self(id: "")
    /// The fields of a group in an answer, of the reduced group in `membership.create`, and of a group in Weir's files.
    package static let fields: [Field<Self>] = [
        Field("id", at: \.id).required,
        Field("name", at: \.name) { (reader) throws(Mismatch) in try reader.textIfAny() },
        Field("type", at: \.type) { (reader) throws(Mismatch) in
            try reader.textIfAny().map { GroupMe.GroupType(wire: $0) }
        },
        Field("description", at: \.description),
        Field("image_url", wire: "image_url", "avatar_url", at: \.imageURL),
        Field("creator_user_id", wire: "creator_user_id", "creator_id", at: \.creator),
        .instant("created_at", at: \.createdAt),
        .instant("updated_at", at: \.updatedAt),
        .object(
            "messages",
            [
                Field("count", at: \.messagesCount),
                Field("last_message_id", at: \.lastMessage),
                .instant("last_message_created_at", at: \.lastMessageAt),
                .instant("last_message_updated_at", at: \.lastMessageUpdatedAt),
                Field("preview", at: \.preview),
            ]),
        Field("members_count", at: \.membersCount),
        Field("max_members", wire: "max_members", "max_memberships", at: \.mostMembers),
        Field("share_url", at: \.shareURL),
        Field("like_icon", at: \.likeIcon),
        Field("theme_name", at: \.theme),
        .instant("muted_until", at: \.mutedUntil),
        Field("requires_approval", at: \.requiresApproval),
        Field("unread_count", at: \.unreadCount),
        Field("last_read_message_id", at: \.lastRead),
        .instant("last_read_at", at: \.lastReadAt),
        Field("parent_id", at: \.parent),
        Field("children_count", at: \.topicsCount),
        Field("message_edit_period", at: \.editPeriod),
        Field("message_deletion_mode", at: \.deletionModes),
        .fallback("group_id", at: \.id),
    ]
}

extension GroupMe.Group.Preview: FieldedEntity, FieldScalar {
    package static let subject = "preview"
    package static let blank = Self()
    package static let fields: [Field<Self>] = [
        Field("nickname", at: \.nickname) { (reader) throws(Mismatch) in try reader.textIfAny() },
        Field("text", at: \.text) { (reader) throws(Mismatch) in try reader.textIfAny() },
        Field("image_url", at: \.imageURL),
    ]
}

extension GroupMe.GroupRecord {
    /// Reads a group of an answer, with its members.
    init(reading reader: inout JSONReader, _ sieve: RowSieve? = nil) throws(Mismatch) {
        var group = GroupMe.Group.blank
        var members: [GroupMe.Member]?
        var read: UInt64 = 0
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "members") {
                members = try reader.isNull() ? nil : GroupMe.Member.list(reading: &reader, of: "", sieve)
            } else if try !GroupMe.Group.fields.take(key, into: &group, from: &reader, .wire, &read) {
                try reader.pass()
            }
        }
        try GroupMe.Group.fields.check(group, read, at: start, .wire)
        // A group without its members contains a count of 0 (GroupMe GM-29).
        group.membersCount = members?.count ?? group.membersCount.flatMap { $0 == 0 ? nil : $0 }
        if group.lastMessage == nil { group.preview = nil }
        self.init(group, members: members?.map { $0.moved(to: group.id) })
    }
}

extension GroupMe.ReactionSymbol: FieldScalar {
    static func read(from reader: inout JSONReader, _ form: FieldForm) throws(Mismatch) -> Self? {
        try ifAny(reading: &reader)
    }
    func write(into writer: inout JSONWriter) { encode(into: &writer) }
}

extension Field {
    /// Returns a field for a time in any of the forms that GroupMe writes (GroupMe GM-15).
    static func instant(
        _ name: StaticString, at path: any WritableKeyPath<Entity, Timestamp?> & Sendable
    ) -> Field {
        Field(name, at: path) { (reader) throws(Mismatch) in try reader.instantIfAny(.wire) }
    }
}
