import JSONText

extension Twake.OnlineStatus {
    /// Reads `{"online":[{…}]}`, or the bare `[["id",true]]` of the first servers that sent presence (Twake TW-20).
    static func list(reading reader: inout JSONReader, _ kind: JSONKind) throws(Mismatch) -> [Self] {
        if kind == .array { return try pairs(reading: &reader) }
        var statuses: [Self] = []
        let start = try reader.open()
        var hasList = false
        while let key = try reader.field() {
            if reader.isNamed(key, "online") {
                hasList = true
                guard try reader.openListIfAny() else { continue }
                while try reader.another() { statuses.append(try Self(reading: &reader)) }
            } else {
                try reader.pass()
            }
        }
        guard hasList else { throw Mismatch(.missing("online"), at: start) }
        return statuses
    }

    static func pairs(reading reader: inout JSONReader) throws(Mismatch) -> [Self] {
        var statuses: [Self] = []
        guard try reader.openListIfAny() else { return statuses }
        while try reader.another() {
            _ = try reader.kind()
            let start = reader.offset
            var pair: (user: EntityID?, isOnline: Bool?)
            guard try reader.openListIfAny() else { throw Mismatch(.unusable("expected [user, Boolean]"), at: start) }
            if try reader.another() { pair.user = try reader.idIfAny() }
            if try reader.another() { pair.isOnline = try reader.flagIfAny() }
            while try reader.another() { try reader.pass() }
            guard let user = pair.user, let isOnline = pair.isOnline else {
                throw Mismatch(.unusable("expected [user, Boolean]"), at: start)
            }
            statuses.append(Self(user: user, isOnline: isOnline))
        }
        return statuses
    }
}

extension Twake.SocketIORoom {
    /// Reads a room `{"key","type","id"}`, or a value `{"type","id"}` of a map, whose key is the room's.
    init(reading reader: inout JSONReader, key known: String? = nil) throws(Mismatch) {
        var key = known
        var kind: Kind?
        var id: String?
        let start = try reader.open()
        while let field = try reader.field() {
            if reader.isNamed(field, "key") {
                key = try reader.textIfAny()
            } else if reader.isNamed(field, "type") {
                kind = try reader.textIfAny().map { Kind(wire: $0) }
            } else if reader.isNamed(field, "id") {
                id = try reader.idIfAny()?.description
            } else {
                try reader.pass()
            }
        }
        let wireID = try id.required("id", at: start)
        self.init(
            key: try key.required("key", at: start), kind: try kind.required("type", at: start),
            id: ["PUBLIC", "PRIVATE", "DIRECT"].contains(wireID) ? wireID.lowercased() : wireID)
    }
}
