import JSONText

/// Decoders of REST answers, eras A (bare arrays and objects) and B (`resource`, `resources` envelopes), told apart by shape.
extension Twake {
    /// A list of channels (A `/channels`, `/direct`; B `…/channels?mine=1`). `user` is who asked: era B's directs, which have no name,
    /// get one composed of the other users' names where those were asked for (`include_users`).
    public static func channels(
        from body: ArraySlice<UInt8>, user: EntityID? = nil
    ) throws(DecodingFailure) -> [Channel] {
        try list(body, "channels") { (reader) throws(Mismatch) in try Channel(reading: &reader, for: user) }
    }

    /// One channel. `user` is who asked, as in `channels(from:user:)`.
    public static func channel(from body: ArraySlice<UInt8>, user: EntityID? = nil) throws(DecodingFailure) -> Channel {
        try single(body, "channel") { (reader) throws(Mismatch) in try Channel(reading: &reader, for: user) }
    }

    /// A list of messages (A `/messages`; B feed, thread). Era B's `last_replies` are included after their head, each once; ephemeral
    /// messages, which have no id, are left out.
    public static func messages(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> [Message] {
        var seen: Set<EntityID> = []
        var messages: [Message] = []
        _ = try list(body, "messages") { (reader) throws(Mismatch) in
            var replies: [Message]? = []
            let head = try Message.read(&reader, repliesInto: &replies)
            for message in [head].compactMap({ $0 }) + (replies ?? []) where seen.insert(message.id).inserted {
                messages.append(message)
            }
        }
        return messages
    }

    /// One message (B `resource`; A: an array of one, or an object). Its `last_replies` are not read.
    public static func message(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> Message {
        try single(body, "message") { (reader) throws(Mismatch) in
            _ = try reader.kind()
            let start = reader.offset
            return try Message.read(&reader).required("id", at: start)
        }
    }

    /// The members of a channel, which is the one that was asked for.
    public static func members(
        from body: ArraySlice<UInt8>, channel: EntityID
    ) throws(DecodingFailure) -> [ChannelMember] {
        try list(body, "members") { (reader) throws(Mismatch) in try ChannelMember(reading: &reader, of: channel) }
    }

    /// Raw badges (B).
    public static func badges(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> [Badge] {
        try list(body, "badges") { (reader) throws(Mismatch) in try Badge(reading: &reader) }
    }

    /// Counters (A).
    public static func badgeCounts(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> [BadgeCount] {
        try list(body, "badges") { (reader) throws(Mismatch) in try BadgeCount(reading: &reader) }
    }

    /// The rooms of era A: the list of 2021-05-28 or the map before it (2.2).
    public static func rooms(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> [SocketIORoom] {
        try decoded(body, as: "rooms") { (reader) throws(Mismatch) in
            var rooms: [SocketIORoom] = []
            guard try reader.kind() == .object else {
                try reader.each { (reader) throws(Mismatch) in rooms.append(try SocketIORoom(reading: &reader)) }
                return rooms
            }
            _ = try reader.open()
            while let key = try reader.field() {
                rooms.append(try SocketIORoom(reading: &reader, key: reader.string(key)))
            }
            return rooms
        }
    }

    /// The user.
    public static func account(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> Account {
        try single(body, "account") { (reader) throws(Mismatch) in try Account(reading: &reader) }
    }

    /// Companies, or workspaces.
    public static func places(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> [Place] {
        try list(body, "companies or workspaces") { (reader) throws(Mismatch) in try Place(reading: &reader) }
    }
}

/// The envelopes (4.1).
extension Twake {
    /// The elements of `[…]` or `{"resources":[…]}`.
    private static func list<Value>(
        _ body: ArraySlice<UInt8>, _ subject: String, _ read: (inout JSONReader) throws(Mismatch) -> Value
    ) throws(DecodingFailure) -> [Value] {
        try decoded(body, as: subject) { (reader) throws(Mismatch) in
            var values: [Value] = []
            guard try reader.kind() == .object else {
                try reader.each { (reader) throws(Mismatch) in values.append(try read(&reader)) }
                return values
            }
            let start = try reader.open()
            var hasList = false
            while let key = try reader.field() {
                if reader.isNamed(key, "resources") {
                    hasList = true
                    try reader.each { (reader) throws(Mismatch) in values.append(try read(&reader)) }
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
    fileprivate mutating func each(_ read: (inout JSONReader) throws(Mismatch) -> Void) throws(Mismatch) {
        do { try beginArray() } catch { throw Mismatch(error) }
        while try another() { try read(&self) }
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
