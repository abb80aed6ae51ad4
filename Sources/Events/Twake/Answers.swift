import JSONText

/// Decoders of REST answers, eras A (bare arrays and objects) and B (`resource`, `resources` envelopes), told apart by shape.
extension Twake {
    /// A list of channels (A `/channels`, `/direct`; B `…/channels?mine=1`). `user` is who asked: era B's directs, which have no name,
    /// get one composed of the other users' names where those were asked for (`include_users`).
    package static func channels(
        from body: ArraySlice<UInt8>, user: EntityID? = nil, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [Channel] {
        try list(body, "channels", sieve) { (reader) throws(Mismatch) in
            try Channel(reading: &reader, for: user)
        }
    }

    /// One channel. `user` is who asked, as in `channels(from:user:)`.
    package static func channel(from body: ArraySlice<UInt8>, user: EntityID? = nil) throws(DecodingFailure) -> Channel
    {
        try single(body, "channel") { (reader) throws(Mismatch) in try Channel(reading: &reader, for: user) }
    }

    /// A list of messages (A `/messages`; B feed, thread). Era B's `last_replies` are included after their head, each once; ephemeral
    /// messages, which have no id, are left out.
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

    /// One message (B `resource`; A: an array of one, or an object). Its `last_replies` are not read.
    package static func message(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> Message {
        try single(body, "message") { (reader) throws(Mismatch) in
            _ = try reader.kind()
            let start = reader.offset
            return try Message.read(&reader).required("id", at: start)
        }
    }

    /// The members of a channel, which is the one that was asked for.
    package static func members(
        from body: ArraySlice<UInt8>, channel: EntityID, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [ChannelMember] {
        try list(body, "members", sieve) { (reader) throws(Mismatch) in
            try ChannelMember(reading: &reader, of: channel)
        }
    }

    /// Raw badges (B).
    package static func badges(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [Badge] {
        try list(body, "badges", sieve) { (reader) throws(Mismatch) in try Badge(reading: &reader) }
    }

    /// Counters (A).
    package static func badgeCounts(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [BadgeCount] {
        try list(body, "badges", sieve) { (reader) throws(Mismatch) in try BadgeCount(reading: &reader)
        }
    }

    /// The rooms of era A: the list of 2021-05-28 or the map before it (2.2).
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
                // Each member is a room: an object with another member is no list of rooms, but something else's answer.
                rooms.append(try SocketIORoom(reading: &reader, key: reader.string(key)))
            }
            return rooms
        }
    }

    /// The user.
    package static func account(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> Account {
        try single(body, "account") { (reader) throws(Mismatch) in try Account(reading: &reader) }
    }

    /// Users (B `users`; A `workspaces/members`).
    package static func accounts(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [Account] {
        try list(body, "accounts", sieve) { (reader) throws(Mismatch) in try Account(reading: &reader) }
    }

    /// The users of a workspace (B).
    package static func workspaceUsers(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [WorkspaceUser] {
        try list(body, "workspace users", sieve) { (reader) throws(Mismatch) in
            try WorkspaceUser(reading: &reader)
        }
    }

    /// Companies.
    package static func companies(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [Company] {
        try list(body, "companies", sieve) { (reader) throws(Mismatch) in try Company(reading: &reader)
        }
    }

    /// One company.
    package static func company(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> Company {
        try single(body, "company") { (reader) throws(Mismatch) in try Company(reading: &reader) }
    }

    /// Workspaces.
    package static func workspaces(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [Workspace] {
        try list(body, "workspaces", sieve) { (reader) throws(Mismatch) in
            try Workspace(reading: &reader)
        }
    }

    /// One workspace.
    package static func workspace(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> Workspace {
        try single(body, "workspace") { (reader) throws(Mismatch) in try Workspace(reading: &reader) }
    }

    /// The answer to a login or a renewal of either era (4.2).
    package static func authentication(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> Authentication {
        try single(body, "authentication") { (reader) throws(Mismatch) in try Authentication(reading: &reader) }
    }

    /// A thread as its maker is answered (B), with its head message.
    package static func thread(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> Thread {
        try single(body, "thread") { (reader) throws(Mismatch) in try Thread(reading: &reader) }
    }

    /// A file: an upload's answer (A), or the file service's (B).
    package static func file(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> File {
        try single(body, "file") { (reader) throws(Mismatch) in try File(reading: &reader) }
    }

    /// A message's reactions as a change of them is answered: `{"id","reactions"}` (A), or the message (B).
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

    /// Who is present, as `online:get` is acknowledged (1.6): `{"data":[["user",true]]}`.
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

    /// Companies, or workspaces, by id and name only.
    package static func places(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [Place] {
        try list(body, "companies or workspaces", sieve) { (reader) throws(Mismatch) in
            try Place(reading: &reader)
        }
    }
}

/// The envelopes (4.1).
extension Twake {
    /// The elements of `[…]` or `{"resources":[…]}`.
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

    /// The entity of `{"resource":{…}}`, `{…}`, or the first of `[…]`.
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

    /// Where the value of the member `name` of an object starts, when there is one.
    fileprivate mutating func memberOffset(_ name: StaticString) throws(Mismatch) -> Int? {
        _ = try open()
        while let key = try field() {
            if isNamed(key, name) { return offset }
            try pass()
        }
        return nil
    }
}
