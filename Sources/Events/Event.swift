public import JSONText

/// What a backend said, one case per backend; one reference, whatever it is.
public enum Event: Hashable, Sendable {
    /// A Twake backend's event.
    case twake(Twake.Event)
    /// A GroupMe backend's event.
    case groupMe(GroupMe.Event)
    /// An event of a Socket.IO server of which no schema is known.
    indirect case socketIO(UntypedEvent)

    /// What it is, in one word, as printed and filtered on.
    ///
    /// Twake:
    /// * of the connection and its rooms: `authenticated`, `unauthorized`, `join`, `join_error`, `leave`, `leave_error`,
    ///   `event_error`;
    /// * of `realtime:event`: `message` (era A), `typing`;
    /// * of `realtime:resource`: `channel` (also the wire's `channels`), `channel_activity`, `channel_member`, `channel_tabs`,
    ///   `message`, `badge`, `notification`, `bookmark`, `workspace`, `user`, `company`, `company_user`,
    ///   `company_application`, `online`, `documents`;
    /// * of anything else: `unknown`.
    ///
    /// GroupMe:
    /// * of the connection and its channels: `join`, `join_error`, `leave`, `subscribe`, `ping`;
    /// * of messages: `message`, `edit`, `deletion`, `pin`, `reaction`, `receipt`, `typing`;
    /// * of groups and what the server tells in them: `membership`, `group`, `topic`, `call`, `poll`, `calendar`, `bot`,
    ///   `system`;
    /// * of anything else: `unknown`.
    ///
    /// Any other Socket.IO server: `event`.
    public var kind: String {
        switch self {
        case .twake(let event): event.kind
        case .groupMe(let event): event.kind
        case .socketIO: "event"
        }
    }

    /// Every kind there is.
    public static let kinds = [
        "authenticated", "unauthorized", "join", "join_error", "leave", "leave_error", "event_error", "message",
        "typing",
        "channel", "channel_activity", "channel_member", "channel_tabs", "badge", "notification", "bookmark",
        "workspace",
        "user", "company", "company_user", "company_application", "online", "documents", "unknown", "event",
        "subscribe", "ping", "edit", "deletion", "pin", "reaction", "receipt", "membership", "group", "topic", "call",
        "poll", "calendar", "bot", "system",
    ]

    /// The room it was sent to, when it says.
    public var room: String? {
        switch self {
        case .twake(let event): event.room
        case .groupMe(let event): event.room
        case .socketIO: nil
        }
    }

    /// Who did it, when it says: a display name or an id. Untrusted text.
    public var actor: String? {
        switch self {
        case .twake(let event): event.actor
        case .groupMe(let event): event.actor
        case .socketIO: nil
        }
    }

    /// The id of who did it, where `actor` is a name. Untrusted text.
    public var actorID: String? {
        switch self {
        case .twake(let event): event.actorID
        case .groupMe(let event): event.actorID
        case .socketIO: nil
        }
    }

    /// One line for people. Untrusted text: a line feed or an escape in it is the peer's, for the printer to show escaped.
    public var summary: String {
        switch self {
        case .twake(let event): event.summary
        case .groupMe(let event): event.summary
        case .socketIO(let event): event.summary
        }
    }

    /// False for events whose name, type, action or contents the backend's vocabulary lacks. Where there is no vocabulary, true.
    public var isKnown: Bool {
        switch self {
        case .twake(let event): event.isKnown
        case .groupMe(let event): event.isKnown
        case .socketIO: true
        }
    }

    /// The server's time of it, when it says; the time of what it is about is none.
    public var serverTime: Timestamp? {
        switch self {
        case .twake(let event): event.serverTime
        case .groupMe(let event): event.serverTime
        case .socketIO: nil
        }
    }
}

/// An event with no known schema.
public struct UntypedEvent: Hashable, Sendable {
    /// The wire name. Untrusted text.
    public var name: String
    /// The arguments, each JSON text. Binary data is there by its size: `{"bytes":3}`.
    public var arguments: [RawJSON]

    /// An event.
    public init(name: String, arguments: [RawJSON]) {
        self.name = name
        self.arguments = arguments
    }

    /// The name and the start of the arguments.
    var summary: String {
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
