import WeirJSON

extension Twake {
    /// The presence of one user (Twake TW-19).
    public struct OnlineStatus: Hashable, Sendable {
        /// The user, called `user_id` on the wire.
        public var user: EntityID
        /// Whether the server considers the user present.
        public var isOnline: Bool
        /// The company in which the user is present, if sent. A server that sends `toBeFetched` does not
        /// know it; the field is then `nil`.
        public var company: EntityID?
        /// The time the user was last seen, if an account contains it; events do not.
        public var lastSeen: Timestamp?

        /// Creates the presence of a user.
        public init(user: EntityID, isOnline: Bool, company: EntityID? = nil) {
            self.user = user
            self.isOnline = isOnline
            self.company = company
        }
    }

    /// A room that the era A list offers (Twake TW-17).
    package struct SocketIORoom: Hashable, Sendable {
        /// The purpose of a room in the list.
        package enum Kind: WireEnumeration {
            /// `channels_list`: the channels of a workspace.
            case channelsList
            /// `directs_list`: the directs of a company.
            case directsList
            /// `notifications`: badges and desktop notifications of the user.
            case notifications
            /// `channel`: the messages of a channel.
            case channel
            /// `direct`: the messages of a direct.
            case direct
            /// A kind that this version does not know, as written; never one of the above.
            indirect case unknown(String)

            /// Creates the kind that the wire calls `name`, which is in upper case before 2021-05-27.
            package init(wire name: String) {
                self =
                    switch name.lowercased() {
                    case "channels_list": .channelsList
                    case "directs_list": .directsList
                    case "notifications": .notifications
                    case "channel": .channel
                    case "direct": .direct
                    default: .unknown(name)
                    }
            }

            /// The value of `type` on the wire, in lower case.
            package var wireName: String {
                switch self {
                case .channelsList: "channels_list"
                case .directsList: "directs_list"
                case .notifications: "notifications"
                case .channel: "channel"
                case .direct: "direct"
                case .unknown(let name): name
                }
            }
        }
        /// The room's name, called `key` on the wire. Opaque; `RoomName` parses it.
        package var key: String
        /// The purpose of the room.
        package var kind: Kind
        /// The channel's id, or `public`, `private` or `direct` in lower case, whatever case the wire uses.
        package var id: String
    }

    /// A company or a workspace in a list.
    package struct Place: Hashable, Sendable {
        /// The id of the company or workspace.
        package var id: EntityID
        /// The name; empty when not sent.
        package var name: String
    }
}

extension Twake.OnlineStatus: FieldedEntity {
    package static let subject = "presence"
    package static let blank = Self(user: .none, isOnline: false)
    package static let fields: [Field<Self>] = [
        Field("user_id", at: \.user).required,
        Field("company_id", at: \.company),
        Field("online", wire: "is_online", at: \.isOnline).required,
        Field("last_seen", at: \.lastSeen).kept,
    ]

    package mutating func complete() {
        if company == .text("toBeFetched") { company = nil }
    }
}

extension Twake.Place: FieldedEntity {
    package static let subject = "place"
    package static let blank = Self(id: .none, name: "")
    package static let fields: [Field<Self>] = [
        Field("id", at: \.id).required,
        Field("name", at: \.name),
    ]
}

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
