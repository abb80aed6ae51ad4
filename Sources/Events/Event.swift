public import JSONText

/// What a backend said, decoded.
package protocol BackendEvent: Hashable, Sendable {
    /// What it is, in one word, as printed and filtered on.
    var kind: String { get }
    /// The room it was sent to, when it says.
    var room: String? { get }
    /// The user it comes from, when it says: a display name or an id. Untrusted text.
    var actor: String? { get }
    /// The id of that user, where `actor` is a name. Untrusted text.
    var actorID: String? { get }
    /// One line for people. Untrusted text: a line feed or an escape in it is the peer's, for the printer to show escaped.
    var summary: String { get }
    /// False for events whose name, type, action or contents the backend's vocabulary lacks. Where there is no vocabulary, true.
    var isKnown: Bool { get }
    /// The server's time of it, when it says; the time of what it is about is none.
    var serverTime: Timestamp? { get }
    /// What the message in it addresses; empty unless said otherwise.
    var mentions: [Mention] { get }
    /// The id and the text of the message in it; nil unless said otherwise. Untrusted text.
    var said: (id: String, text: String)? { get }
}

extension BackendEvent {
    package var mentions: [Mention] { [] }
    package var said: (id: String, text: String)? { nil }
}

/// An event of some backend.
public struct Event: Hashable, Sendable {
    /// The event in the backend's own type.
    package let value: any BackendEvent

    /// An event.
    package init(_ value: some BackendEvent) { self.value = value }

    /// What it is, in one word, as printed and filtered on; `weir explain` lists the words of each backend.
    public var kind: String { value.kind }
    /// The room it was sent to, when it says.
    public var room: String? { value.room }
    /// The user it comes from, when it says: a display name or an id. Untrusted text.
    public var actor: String? { value.actor }
    /// The id of that user, where `actor` is a name. Untrusted text.
    public var actorID: String? { value.actorID }
    /// One line for people. Untrusted text: a line feed or an escape in it is the peer's, for the printer to show escaped.
    public var summary: String { value.summary }
    /// False for events whose name, type, action or contents the backend's vocabulary lacks. Where there is no vocabulary, true.
    public var isKnown: Bool { value.isKnown }
    /// The server's time of it, when it says; the time of what it is about is none.
    public var serverTime: Timestamp? { value.serverTime }
    /// What the message in it addresses, users and groups, found when asked for; empty for what has no message.
    public var mentions: [Mention] { value.mentions }
    /// The id and the text of the message in it; nil for what has no message. Untrusted text.
    package var said: (id: String, text: String)? { value.said }

    /// Whether both are the same event of the same backend.
    public static func == (a: Event, b: Event) -> Bool { a.value.equals(b.value) }
    /// Hashes the event.
    public func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

extension Equatable {
    /// Whether another value, of whatever type, is of the same type and equal.
    package func equals(_ other: some Equatable) -> Bool { (other as? Self) == self }
}

extension Event {
    /// An event of a Socket.IO server of which no schema is known.
    public static func socketIO(_ event: UntypedEvent) -> Event { Event(event) }
    /// The event of a Socket.IO server of which no schema is known.
    public var socketIO: UntypedEvent? { value as? UntypedEvent }
}

/// An event with no known schema.
public struct UntypedEvent: BackendEvent, Hashable, Sendable {
    /// The wire name. Untrusted text.
    public var name: String
    /// The arguments, each JSON text. Binary data is there by its size: `{"bytes":3}`.
    public var arguments: [RawJSON]

    /// An event.
    public init(name: String, arguments: [RawJSON]) {
        self.name = name
        self.arguments = arguments
    }

    package var kind: String { "event" }
    package var room: String? { nil }
    package var actor: String? { nil }
    package var actorID: String? { nil }
    package var isKnown: Bool { true }
    package var serverTime: Timestamp? { nil }

    /// The name and the start of the arguments.
    package var summary: String {
        var line = name
        for argument in arguments {
            line += " " + argument.excerpt
            if line.utf8.count > RawJSON.excerptLength { break }
        }
        return line
    }
}

extension RawJSON {
    /// Bytes of a value that are shown in a summary.
    static let excerptLength = 120

    /// The start of the text as people read it, cut between characters.
    var excerpt: String {
        let text = Self.readable(bytes.prefix(6 * Self.excerptLength))
        guard text.count > Self.excerptLength else { return String(decoding: text, as: UTF8.self) }
        var end = text.startIndex + Self.excerptLength
        while end > text.startIndex, text[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: text[..<end], as: UTF8.self) + "…"
    }
}
