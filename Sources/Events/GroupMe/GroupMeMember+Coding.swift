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

    /// Reads a member that `encode` wrote.
    package init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self = try reader.logged(Self.subject) { (reader) throws(Mismatch) in
            let start = reader.offset
            let member = try Self(reading: &reader, .log)
            try member.group.entity.require("group_id", at: start)
            return member
        }
    }

    /// Reads a member of `group`. The wire does not repeat the group inside its list of members.
    init(reading reader: inout JSONReader, of group: GroupMe.GroupID) throws(Mismatch) {
        try self.init(reading: &reader)
        if self.group.isBlank { self.group = group }
    }

    /// Reads the members of a group; null counts as an empty list.
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

    /// Returns the same membership in another group: the group that contains the list, if the
    /// list precedes the group's id.
    func moved(to group: GroupMe.GroupID) -> Self {
        var member = self
        member.group = group
        return member
    }
}

extension GroupMe.MembershipReport: FieldedEntity {
    package static let subject = "membership state"
    package static let blank = Self(group: "", state: "")
    package static let fields: [Field<Self>] = [
        Field("group_id", at: \.group).required,
        Field("state", at: \.state).required,
    ]
}
