public import WeirJSON

/// A decoded event in a backend's own type.
package protocol BackendEvent: Hashable, Sendable {
    /// The kind of event in one word, as printed and as matched by filters.
    var kind: String { get }
    /// The room that the event was sent to; `nil` if the event does not name one.
    var room: String? { get }
    /// The user that caused the event, as a display name or an id; `nil` if the event names none. Untrusted text.
    var actor: String? { get }
    /// The user's id if `actor` is a display name. Untrusted text.
    var actorID: String? { get }
    /// A one-line summary for people. Untrusted text: the peer may send line feeds and escapes, so the
    /// printer must escape them.
    var summary: String { get }
    /// Whether the backend's vocabulary contains the event's name, type, action and contents. True for a
    /// backend without a vocabulary.
    var isKnown: Bool { get }
    /// The server's time of the event, if known. A time of the entity that the event describes does not count.
    var serverTime: Timestamp? { get }
    /// The users and groups that the event's message mentions. Empty by default.
    var mentions: [Mention] { get }
    /// The id and the text of the event's message. `nil` by default. Untrusted text.
    var said: (id: String, text: String)? { get }
}

extension BackendEvent {
    package var mentions: [Mention] { [] }
    package var said: (id: String, text: String)? { nil }
}

/// An event of any backend, with its type erased.
public struct Event: Hashable, Sendable {
    /// The event in the backend's own type.
    package let value: any BackendEvent

    /// Creates an event that wraps a backend's own type.
    package init(_ value: some BackendEvent) { self.value = value }

    /// The kind of event in one word, as printed and as matched by filters; `weir explain` lists
    /// the words of each backend.
    public var kind: String { value.kind }
    /// The room that the event was sent to; `nil` if the event does not name one.
    public var room: String? { value.room }
    /// The user that caused the event, as a display name or an id; `nil` if the event names none. Untrusted text.
    public var actor: String? { value.actor }
    /// The user's id if `actor` is a display name. Untrusted text.
    public var actorID: String? { value.actorID }
    /// A one-line summary for people. Untrusted text: the peer may send line feeds and escapes, so the
    /// printer must escape them.
    public var summary: String { value.summary }
    /// Whether the backend's vocabulary contains the event's name, type, action and contents. True for a
    /// backend without a vocabulary.
    public var isKnown: Bool { value.isKnown }
    /// The server's time of the event, if known. A time of the entity that the event describes does not count.
    public var serverTime: Timestamp? { value.serverTime }
    /// The users and groups that the event's message mentions, computed on each access. Empty for an
    /// event without a message.
    public var mentions: [Mention] { value.mentions }
    /// The id and the text of the event's message; `nil` for an event without a message. Untrusted text.
    package var said: (id: String, text: String)? { value.said }

    /// Returns whether both values hold the same event of the same backend.
    public static func == (a: Event, b: Event) -> Bool { a.value.equals(b.value) }
    /// Hashes the backend's event into `hasher`.
    public func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

extension Equatable {
    /// Returns whether `other` has the same type as this value and equals it.
    package func equals(_ other: some Equatable) -> Bool { (other as? Self) == self }
}

extension Event {
    /// Creates an event of a Socket.IO server without a known schema.
    public static func socketIO(_ event: UntypedEvent) -> Event { Event(event) }
    /// The event of a Socket.IO server without a known schema; `nil` for any other event.
    public var socketIO: UntypedEvent? { value as? UntypedEvent }
}

/// An event of a Socket.IO server without a known schema.
public struct UntypedEvent: BackendEvent, Hashable, Sendable {
    /// The event's name on the wire. Untrusted text.
    public var name: String
    /// The arguments, each as JSON text. Binary data is replaced by its size: `{"bytes":3}`.
    public var arguments: [RawJSON]

    /// Creates an event from its wire name and arguments.
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
    /// The maximum number of bytes of a value in a summary.
    static let excerptLength = 120

    /// The start of the text in readable form, cut at a character boundary.
    var excerpt: String {
        let text = Self.readable(bytes.prefix(6 * Self.excerptLength))
        guard text.count > Self.excerptLength else { return String(decoding: text, as: UTF8.self) }
        var end = text.startIndex + Self.excerptLength
        while end > text.startIndex, text[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: text[..<end], as: UTF8.self) + "…"
    }
}
