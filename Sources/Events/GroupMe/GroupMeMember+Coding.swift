package import JSONText

extension GroupMe.Member: FieldedEntity {
    package static let subject = "member"
    package static let blank = Self(group: "", user: "")
    package static let fields: [Field<Self>] = [
        Field("id", at: \.id),
        Field("group_id", at: \.group),
        Field("user_id", at: \.user).required,
        Field("nickname", at: \.nickname),
        Field("name", at: \.name),
        Field("image_url", wire: "image_url", "avatar_url", at: \.imageURL),
        Field("muted", at: \.isMuted),
        Field("autokicked", at: \.isAutokicked),
        Field("roles", at: \.roles),
        Field("guid", at: \.guid),
    ]

    /// Reads what `encode` wrote.
    package init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self = try reader.logged(Self.subject) { (reader) throws(Mismatch) in
            let start = reader.offset
            let member = try Self(reading: &reader, .log)
            try member.group.entity.require("group_id", at: start)
            return member
        }
    }

    /// Reads a member; the wire names the group in its lists only.
    init(reading reader: inout JSONReader, of group: GroupMe.GroupID) throws(Mismatch) {
        try self.init(reading: &reader)
        if self.group.isBlank { self.group = group }
    }

    /// Reads the members of a group; null counts as none.
    static func list(
        reading reader: inout JSONReader, of group: GroupMe.GroupID, _ sieve: RowSieve?
    ) throws(Mismatch) -> [Self] {
        var members: [Self] = []
        guard try reader.openListIfAny() else { return members }
        try reader.rows(through: sieve) { (reader) throws(Mismatch) in
            members.append(try Self(reading: &reader, of: group))
        }
        return members
    }

    /// The same membership of another group: the one whose list it stands in, when the list comes before the group's id.
    func moved(to group: GroupMe.GroupID) -> Self {
        var member = self
        member.group = group
        return member
    }
}

extension GroupMe.Standing: FieldedEntity {
    package static let subject = "membership state"
    package static let blank = Self(group: "", state: "")
    package static let fields: [Field<Self>] = [
        Field("group_id", at: \.group).required,
        Field("state", at: \.state).required,
    ]
}
