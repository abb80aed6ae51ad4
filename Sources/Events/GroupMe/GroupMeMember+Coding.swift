public import JSONText

extension GroupMe.Member {
    /// Writes the membership as a JSON object; nil fields are left out.
    public func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("group_id", group)
        writer.member("user_id", user)
        writer.member("nickname", nickname)
        writer.member("name", name)
        writer.member("image_url", imageURL)
        writer.member("muted", isMuted)
        writer.member("autokicked", isAutokicked)
        writer.member("roles", names: roles?.map(\.wireName))
        writer.member("guid", guid)
        writer.endObject()
    }

    /// Reads what `encode` wrote.
    public init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self = try reader.logged("member") { (reader) throws(Mismatch) in
            let start = reader.offset
            let member = try Self(reading: &reader, of: "")
            try member.group.entity.require("group_id", at: start)
            return member
        }
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

    /// Reads a member; the wire names the group in its lists only.
    init(reading reader: inout JSONReader, of group: GroupMe.GroupID) throws(Mismatch) {
        self.init(group: group, user: "")
        let start = try reader.open()
        while let key = try reader.field() {
            if try reader.isNull() { continue }
            if reader.isNamed(key, "id") {
                id = try reader.groupMeID()
            } else if reader.isNamed(key, "user_id") {
                user = try reader.groupMeID() ?? user
            } else if reader.isNamed(key, "group_id") {
                self.group = try reader.groupMeID() ?? group
            } else if reader.isNamed(key, "nickname") {
                nickname = try reader.text().unlessEmpty
            } else if reader.isNamed(key, "name") {
                name = try reader.text().unlessEmpty
            } else if try !takeRest(key, from: &reader) {
                try reader.pass()
            }
        }
        try user.entity.require("user_id", at: start)
    }

    private mutating func takeRest(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "image_url") || reader.isNamed(key, "avatar_url") {
            imageURL = try reader.text().unlessEmpty
        } else if reader.isNamed(key, "muted") {
            isMuted = try reader.flagIfAny()
        } else if reader.isNamed(key, "autokicked") {
            isAutokicked = try reader.flagIfAny()
        } else if reader.isNamed(key, "roles") {
            roles = try GroupMe.Role.list(reading: &reader)
        } else if reader.isNamed(key, "guid") {
            guid = try reader.text().unlessEmpty
        } else {
            return false
        }
        return true
    }
}

extension GroupMe.Standing {
    init(reading reader: inout JSONReader) throws(Mismatch) {
        var group: GroupMe.GroupID?
        var state: GroupMe.MembershipState?
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "group_id") {
                group = try reader.groupMeID()
            } else if reader.isNamed(key, "state") {
                state = try GroupMe.MembershipState.ifAny(reading: &reader)
            } else {
                try reader.pass()
            }
        }
        self.init(
            group: try group.required("group_id", at: start), state: try state.required("state", at: start))
    }
}
