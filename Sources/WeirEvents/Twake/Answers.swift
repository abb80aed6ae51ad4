import WeirJSON

/// Decoders of REST answers of era A (bare arrays and objects) and era B (`resource`, `resources` envelopes).
/// The shape tells the eras apart.
extension Twake {
    /// Decodes a list of channels (A `/channels`, `/direct`; B `…/channels?mine=1`). `user` is the requesting
    /// user. Era B's directs have no name; they get one composed of the other users' names if the request
    /// included those (`include_users`).
    package static func channels(
        from body: ArraySlice<UInt8>, user: EntityID? = nil, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [Channel] {
        try list(body, "channels", sieve) { (reader) throws(Mismatch) in
            try Channel(reading: &reader, for: user)
        }
    }

    /// Decodes one channel. `user` is the requesting user, as in `channels(from:user:)`.
    package static func channel(from body: ArraySlice<UInt8>, user: EntityID? = nil) throws(DecodingFailure) -> Channel
    {
        try single(body, "channel") { (reader) throws(Mismatch) in try Channel(reading: &reader, for: user) }
    }

    /// Decodes a list of messages (A `/messages`; B feed, thread). Era B's `last_replies` are included after their
    /// head, each message once. Ephemeral messages, which have no id, are left out.
    package static func messages(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [Message] {
        var seen: Set<EntityID> = []
        var messages: [Message] = []
        _ = try list(body, "messages", sieve) { (reader) throws(Mismatch) in
            var replies: [Message]? = []
            let head = try Message.read(&reader, repliesInto: &replies, through: sieve)
            for message in [head].compactMap({ $0 }) + (replies ?? [])
            where seen.insert(message.id).inserted {
                messages.append(message)
            }
        }
        return messages
    }

    /// Decodes one message (B `resource`; A an array of one, or an object). Its `last_replies` are not read.
    package static func message(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> Message {
        try single(body, "message") { (reader) throws(Mismatch) in
            _ = try reader.kind()
            let start = reader.offset
            return try Message.read(&reader).required("id", at: start)
        }
    }

    /// Decodes the members of the channel for which they were requested.
    package static func members(
        from body: ArraySlice<UInt8>, channel: EntityID, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [ChannelMember] {
        try list(body, "members", sieve) { (reader) throws(Mismatch) in
            try ChannelMember(reading: &reader, of: channel)
        }
    }

    /// Decodes a list of badges (B).
    package static func badges(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [Badge] {
        try list(body, "badges", sieve) { (reader) throws(Mismatch) in try Badge(reading: &reader) }
    }

    /// Decodes a list of unread counters (A).
    package static func badgeCounts(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [BadgeCount] {
        try list(body, "badges", sieve) { (reader) throws(Mismatch) in try BadgeCount(reading: &reader)
        }
    }

    /// Decodes the rooms of era A: the list since 2021-05-28, or the map before it (Twake TW-17).
    package static func rooms(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [SocketIORoom] {
        try decoded(body, as: "rooms") { (reader) throws(Mismatch) in
            var rooms: [SocketIORoom] = []
            guard try reader.kind() == .object else {
                try reader.each(sieve) { (reader) throws(Mismatch) in
                    rooms.append(try SocketIORoom(reading: &reader))
                }
                return rooms
            }
            _ = try reader.open()
            while let key = try reader.field() {
                // Each member is a room: an object with any other member is not a list of rooms but another answer.
                rooms.append(try SocketIORoom(reading: &reader, key: reader.string(key)))
            }
            return rooms
        }
    }

    /// Decodes the account of one user.
    package static func account(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> Account {
        try single(body, "account") { (reader) throws(Mismatch) in try Account(reading: &reader) }
    }

    /// Decodes a list of users (B `users`; A `workspaces/members`).
    package static func accounts(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [Account] {
        try list(body, "accounts", sieve) { (reader) throws(Mismatch) in try Account(reading: &reader) }
    }

    /// Decodes the users of a workspace (B).
    package static func workspaceUsers(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [WorkspaceUser] {
        try list(body, "workspace users", sieve) { (reader) throws(Mismatch) in
            try WorkspaceUser(reading: &reader)
        }
    }

    package static func companies(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [Company] {
        try list(body, "companies", sieve) { (reader) throws(Mismatch) in try Company(reading: &reader)
        }
    }

    package static func company(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> Company {
        try single(body, "company") { (reader) throws(Mismatch) in try Company(reading: &reader) }
    }

    package static func workspaces(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [Workspace] {
        try list(body, "workspaces", sieve) { (reader) throws(Mismatch) in
            try Workspace(reading: &reader)
        }
    }

    package static func workspace(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> Workspace {
        try single(body, "workspace") { (reader) throws(Mismatch) in try Workspace(reading: &reader) }
    }

    /// Decodes the answer to a login or a token renewal of either era (Twake TW-67).
    package static func authentication(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> Authentication {
        try single(body, "authentication") { (reader) throws(Mismatch) in try Authentication(reading: &reader) }
    }

    /// Decodes a file: the answer to an upload (A), or that of the file service (B).
    package static func file(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> File {
        try single(body, "file") { (reader) throws(Mismatch) in try File(reading: &reader) }
    }

    /// Decodes the reactions to a message after they were changed: `{"id","reactions"}` (A), or the message (B).
    package static func reactions(
        from body: ArraySlice<UInt8>
    ) throws(DecodingFailure) -> (message: EntityID, reactions: [Reaction]) {
        try single(body, "reactions") { (reader) throws(Mismatch) in
            var id = EntityID.none
            var reactions: [Reaction] = []
            let start = try reader.open()
            while let key = try reader.field() {
                if reader.isNamed(key, "id") {
                    id = try reader.id()
                } else if reader.isNamed(key, "reactions") {
                    reactions = try Reaction.list(reading: &reader)
                } else {
                    try reader.pass()
                }
            }
            try id.require("id", at: start)
            return (id, reactions)
        }
    }

    /// Decodes the users' presence from the acknowledgement of `online:get` (Twake TW-19): `{"data":[["user",true]]}`.
    package static func onlineStatuses(from acknowledgement: ArraySlice<UInt8>) throws(DecodingFailure)
        -> [OnlineStatus]
    {
        try decoded(acknowledgement, as: "online:get") { (reader) throws(Mismatch) in
            if try reader.kind() == .array { return try OnlineStatus.pairs(reading: &reader) }
            let start = reader.offset
            _ = try reader.open()
            var statuses: [OnlineStatus]?
            while let key = try reader.field() {
                if reader.isNamed(key, "data") {
                    statuses = try OnlineStatus.pairs(reading: &reader)
                } else {
                    try reader.pass()
                }
            }
            return try statuses.required("data", at: start)
        }
    }

    /// Decodes companies or workspaces, by id and name only.
    package static func places(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [Place] {
        try list(body, "companies or workspaces", sieve) { (reader) throws(Mismatch) in
            try Place(reading: &reader)
        }
    }
}

/// Decoders of the envelopes (Twake TW-61).
extension Twake {
    /// Decodes the elements of `[…]` or `{"resources":[…]}`.
    private static func list<Value>(
        _ body: ArraySlice<UInt8>, _ subject: String, _ sieve: RowSieve?,
        _ read: (inout JSONReader) throws(Mismatch) -> Value
    ) throws(DecodingFailure) -> [Value] {
        try decoded(body, as: subject) { (reader) throws(Mismatch) in
            var values: [Value] = []
            guard try reader.kind() == .object else {
                try reader.each(sieve) { (reader) throws(Mismatch) in values.append(try read(&reader)) }
                return values
            }
            let start = try reader.open()
            var hasList = false
            while let key = try reader.field() {
                if reader.isNamed(key, "resources") {
                    hasList = true
                    try reader.each(sieve) { (reader) throws(Mismatch) in values.append(try read(&reader)) }
                } else if reader.isNamed(key, "next_page_token"), try reader.kind() == .string {
                    let token = try reader.text()
                    sieve?.note(nextPage: token)
                } else {
                    try reader.pass()
                }
            }
            guard hasList else { throw Mismatch(.missing("resources"), at: start) }
            return values
        }
    }

    /// Decodes the entity of `{"resource":{…}}`, `{…}`, or the first element of `[…]`.
    private static func single<Value>(
        _ body: ArraySlice<UInt8>, _ subject: String, _ read: (inout JSONReader) throws(Mismatch) -> Value
    ) throws(DecodingFailure) -> Value {
        try decoded(body, as: subject) { (reader) throws(Mismatch) in
            let kind = try reader.kind()
            let start = reader.offset
            try reader.pass()
            let end = reader.offset
            reader.seek(to: start)
            if kind == .array {
                guard try reader.openListIfAny(), try reader.another() else {
                    throw Mismatch(.unusable("the list is empty"), at: start)
                }
            } else if kind == .object {
                reader.seek(to: try reader.memberOffset("resource") ?? start)
            }
            let value = try read(&reader)
            reader.seek(to: end)
            return value
        }
    }
}

extension JSONReader {
    /// Reads every element of an array.
    fileprivate mutating func each(
        _ sieve: RowSieve?, _ read: (inout JSONReader) throws(Mismatch) -> Void
    ) throws(Mismatch) {
        do { try beginArray() } catch { throw Mismatch(error) }
        try rows(through: sieve, read)
    }

    /// Returns the offset of the value of the member `name` of an object; `nil` if there is none.
    fileprivate mutating func memberOffset(_ name: StaticString) throws(Mismatch) -> Int? {
        _ = try open()
        while let key = try field() {
            if isNamed(key, name) { return offset }
            try pass()
        }
        return nil
    }
}

extension Twake {
    /// The answer to a login or a token renewal (Twake TW-67). All times are seconds on the wire.
    ///
    /// Both tokens are secrets: they do not appear when the value is printed or reflected.
    package struct Authentication: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
        /// The access token, which requests carry and with which the socket is authenticated.
        package var token: String
        /// The time the access token expires. A socket that is already authenticated outlives it.
        package var expiration: Timestamp
        /// The token with which to request the next access token. It may be used more than once.
        package var refreshToken: String?
        /// The time the refresh token expires.
        package var refreshExpiration: Timestamp?
        /// The time the server issued the tokens (B).
        package var issuedAt: Timestamp?

        /// Returns whether the access token must be renewed: it expires within `margin` milliseconds from `now`. The
        /// app renewed ten minutes ahead.
        package func isDue(at now: Timestamp, margin: Int64 = 600_000) -> Bool {
            let (limit, overflows) = now.milliseconds.addingReportingOverflow(margin)
            return overflows || expiration.milliseconds < limit
        }

        /// The time the access token expires, without the tokens.
        package var description: String { "tokens until \(expiration.milliseconds)" }

        /// The times of expiry, without the tokens.
        package var customMirror: Mirror {
            Mirror(self, children: ["expiration": expiration, "refreshExpiration": refreshExpiration as Any])
        }
    }
}

extension Twake.Authentication {
    /// Reads `{"token",…}` (A) or `{"access_token":{"value",…}}` (B).
    init(reading reader: inout JSONReader) throws(Mismatch) {
        var fields = AuthenticationFields()
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "access_token") {
                guard try reader.openIfAny() else { continue }
                while let key = try reader.field() { try fields.take(key, from: &reader) }
            } else {
                try fields.take(key, from: &reader)
            }
        }
        self.init(
            token: try fields.token.required("token", at: start),
            expiration: try fields.expiration.required("expiration", at: start), refreshToken: fields.refreshToken,
            refreshExpiration: fields.refreshExpiration, issuedAt: fields.issuedAt)
    }
}

/// The fields of an authentication while it is being read.
private struct AuthenticationFields {
    var token: String?
    var expiration: Timestamp?
    var refreshToken: String?
    var refreshExpiration: Timestamp?
    var issuedAt: Timestamp?

    mutating func take(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) {
        if reader.isNamed(key, "token") || reader.isNamed(key, "value") {
            token = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "expiration") {
            expiration = try reader.timeIfAny()
        } else if reader.isNamed(key, "refresh_token") || reader.isNamed(key, "refresh") {
            refreshToken = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "refresh_expiration") {
            refreshExpiration = try reader.timeIfAny()
        } else if reader.isNamed(key, "time") {
            issuedAt = try reader.timeIfAny()
        } else {
            try reader.pass()
        }
    }
}
