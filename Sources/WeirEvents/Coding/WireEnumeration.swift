import WeirJSON

/// A name on the wire from an open set. A name that this version does not know is kept as it was written.
///
/// A string literal creates the value of that name: `message.subtype == "deleted"`.
public protocol WireEnumeration: Hashable, Sendable, ExpressibleByStringLiteral {
    /// Creates the value that the wire calls `name`.
    init(wire name: String)
    /// The value's name on the wire.
    var wireName: String { get }
}

extension WireEnumeration {
    /// Creates the value that the wire calls `name`.
    public init(stringLiteral name: String) { self.init(wire: name) }
}

extension Twake {
    /// The type of a message (Twake TW-38).
    public struct MessageType: WireEnumeration {
        /// `message`: a user or an application wrote it.
        public static var message: Self { "message" }
        /// `event`: something that happened and is shown among the messages.
        public static var event: Self { "event" }

        /// The name as written on the wire.
        public let wireName: String
        /// Creates the value that the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// The subtype of a message (Twake TW-38).
    public struct MessageSubtype: WireEnumeration {
        /// `application`: an application sent the message.
        public static var application: Self { "application" }
        /// `deleted`: the message is deleted; its position and ids remain.
        public static var deleted: Self { "deleted" }
        /// `system`: the server sent the message.
        public static var system: Self { "system" }

        /// The name as written on the wire.
        public let wireName: String
        /// Creates the value that the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// The delivery status of a message (Twake TW-38, 2022).
    public struct DeliveryStatus: WireEnumeration {
        /// `sent`: the server received the message.
        public static var sent: Self { "sent" }
        /// `delivered`: a device of a recipient received the message.
        public static var delivered: Self { "delivered" }
        /// `read`: a recipient read the message.
        public static var read: Self { "read" }

        /// The name as written on the wire.
        public let wireName: String
        /// Creates the value that the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// The kind of member of a channel (Twake TW-36).
    public struct MemberType: WireEnumeration {
        /// `member`: a user of the company.
        public static var member: Self { "member" }
        /// `guest`: a user from outside the company.
        public static var guest: Self { "guest" }
        /// `bot`: an application instead of a user.
        public static var bot: Self { "bot" }

        /// The name as written on the wire.
        public let wireName: String
        /// Creates the value that the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// The messages of a channel of which a member is notified (Twake TW-36).
    public struct NotificationLevel: WireEnumeration {
        /// `all`: every message of the channel.
        public static var all: Self { "all" }
        /// `mentions`: messages with the user's name, `@all` or `@here`.
        public static var mentions: Self { "mentions" }
        /// `me`: messages with the user's name.
        public static var me: Self { "me" }
        /// `none`: no message. Named differently, because an absent level is Swift's `none`.
        public static var muted: Self { "none" }

        /// The name as written on the wire.
        public let wireName: String
        /// Creates the value that the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }
}

extension Twake.MessageType: FieldScalar {}
extension Twake.DeliveryStatus: FieldScalar {}
extension Twake.MemberType: FieldScalar {}
extension Twake.NotificationLevel: FieldScalar {}

extension WireEnumeration {
    /// Reads a value; returns `nil` for null and the empty string.
    static func ifAny(reading reader: inout JSONReader) throws(Mismatch) -> Self? {
        try reader.textIfAny()?.unlessEmpty.map { Self(wire: $0) }
    }

    /// Reads a list of values; null counts as an empty list.
    static func list(reading reader: inout JSONReader) throws(Mismatch) -> [Self] {
        var values: [Self] = []
        guard try reader.openListIfAny() else { return values }
        while try reader.another() {
            if let value = try ifAny(reading: &reader) { values.append(value) }
        }
        return values
    }
}
