public import JSONText

extension Twake.Event {
    /// Decodes one Socket.IO event by its name and arguments. Unknown names, types and actions decode to `unknown`; a known one of
    /// the wrong shape throws.
    public init(name: String, arguments: [RawJSON]) throws(DecodingFailure) { fatalError("stub") }
}

/// Decoders of REST answers, eras A (bare arrays and objects) and B (`resource`, `resources` envelopes), told apart by shape.
extension Twake {
    /// A list of channels (A `/channels`, `/direct`; B `…/channels?mine=1`).
    public static func channels(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> [Channel] { fatalError("stub") }
    /// One channel.
    public static func channel(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> Channel { fatalError("stub") }
    /// A list of messages (A `/messages`; B feed, thread). Era B's `last_replies` are included after their head, each once.
    public static func messages(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> [Message] { fatalError("stub") }
    /// One message (B `resource`; A: an array of one, or an object).
    public static func message(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> Message { fatalError("stub") }
    /// The members of a channel.
    public static func members(from body: ArraySlice<UInt8>, channel: EntityID) throws(DecodingFailure) -> [ChannelMember] { fatalError("stub") }
    /// Raw badges (B).
    public static func badges(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> [Badge] { fatalError("stub") }
    /// Counters (A).
    public static func badgeCounts(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> [BadgeCount] { fatalError("stub") }
    /// The rooms of era A: the list of 2021-05-28 or the map before it (2.2).
    public static func rooms(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> [SocketIORoom] { fatalError("stub") }
    /// The user.
    public static func account(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> Account { fatalError("stub") }
    /// Companies, or workspaces.
    public static func places(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> [Place] { fatalError("stub") }
}

/// Entities as JSON, for the diff log: what `encode` writes `init(decoding:)` reads back to an equal value.
extension Twake.Channel {
    /// Writes the channel as a JSON object; nil fields are left out.
    public func encode(into writer: inout JSONWriter) { fatalError("stub") }
    /// Reads what `encode` wrote.
    public init(decoding reader: inout JSONReader) throws(DecodingFailure) { fatalError("stub") }
}
extension Twake.Message {
    /// Writes the message as a JSON object; nil fields are left out.
    public func encode(into writer: inout JSONWriter) { fatalError("stub") }
    /// Reads what `encode` wrote.
    public init(decoding reader: inout JSONReader) throws(DecodingFailure) { fatalError("stub") }
}
extension Twake.ChannelMember {
    /// Writes the membership as a JSON object; nil fields are left out.
    public func encode(into writer: inout JSONWriter) { fatalError("stub") }
    /// Reads what `encode` wrote.
    public init(decoding reader: inout JSONReader) throws(DecodingFailure) { fatalError("stub") }
}
extension Twake.Badge {
    /// Writes the badge as a JSON object; nil fields are left out.
    public func encode(into writer: inout JSONWriter) { fatalError("stub") }
    /// Reads what `encode` wrote.
    public init(decoding reader: inout JSONReader) throws(DecodingFailure) { fatalError("stub") }
}
extension Twake.BadgeCount {
    /// Writes the counter as a JSON object.
    public func encode(into writer: inout JSONWriter) { fatalError("stub") }
    /// Reads what `encode` wrote.
    public init(decoding reader: inout JSONReader) throws(DecodingFailure) { fatalError("stub") }
}
