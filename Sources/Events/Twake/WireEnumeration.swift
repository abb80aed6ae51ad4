/// A name on the wire out of a set that grows: one this version does not know is kept as it was written.
///
/// A literal stands for the value it names: `message.subtype == "deleted"`.
public protocol WireEnumeration: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The value the wire calls `name`.
    init(wire name: String)
    /// The name on the wire.
    var wireName: String { get }
}

extension WireEnumeration {
    /// The value the wire calls `name`.
    public init(stringLiteral name: String) { self.init(wire: name) }
}

extension Twake {
    /// What a message is (3.3).
    public struct MessageType: WireEnumeration {
        /// `message`: somebody said something.
        public static var message: Self { "message" }
        /// `event`: something happened that is told among the messages.
        public static var event: Self { "event" }

        /// The name as it was written.
        public let wireName: String
        /// The value the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// What a message is besides its type (3.3).
    public struct MessageSubtype: WireEnumeration {
        /// `application`: an application sent it.
        public static var application: Self { "application" }
        /// `deleted`: it was deleted; its place and its ids are left.
        public static var deleted: Self { "deleted" }
        /// `system`: the server sent it.
        public static var system: Self { "system" }

        /// The name as it was written.
        public let wireName: String
        /// The value the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// How far a message came (3.3, 2022).
    public struct DeliveryStatus: WireEnumeration {
        /// `sent`: the server has it.
        public static var sent: Self { "sent" }
        /// `delivered`: somebody's device has it.
        public static var delivered: Self { "delivered" }
        /// `read`: somebody read it.
        public static var read: Self { "read" }

        /// The name as it was written.
        public let wireName: String
        /// The value the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// What a member of a channel is (3.3).
    public struct MemberType: WireEnumeration {
        /// `member`: a user of the company.
        public static var member: Self { "member" }
        /// `guest`: a user from elsewhere.
        public static var guest: Self { "guest" }
        /// `bot`: an application.
        public static var bot: Self { "bot" }

        /// The name as it was written.
        public let wireName: String
        /// The value the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// Which messages of a channel a member is notified of (3.3).
    public struct NotificationLevel: WireEnumeration {
        /// `all` of them.
        public static var all: Self { "all" }
        /// `mentions`: those with the user's name, `@all` or `@here`.
        public static var mentions: Self { "mentions" }
        /// `me`: those with the user's name.
        public static var me: Self { "me" }
        /// `none` of them. Not called so: a level that is not there is Swift's `none`.
        public static var muted: Self { "none" }

        /// The name as it was written.
        public let wireName: String
        /// The value the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }
}

extension Twake.MessageType: FieldScalar {}
extension Twake.DeliveryStatus: FieldScalar {}
extension Twake.MemberType: FieldScalar {}
extension Twake.NotificationLevel: FieldScalar {}
