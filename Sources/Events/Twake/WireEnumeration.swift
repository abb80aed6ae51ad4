/// A name on the wire out of a set that grows: one this version does not know is kept as it was written.
///
/// A literal stands for the value it names: `message.subtype == "deleted"`. The name of an unknown one is behind a reference: a value is one
/// word, and to copy a known one counts nothing.
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
    public enum MessageType: WireEnumeration {
        /// `message`: somebody said something.
        case message
        /// `event`: something happened that is told among the messages.
        case event
        /// A value this version does not know, as written; never one of the above.
        indirect case unknown(String)

        /// The type the wire calls `name`.
        public init(wire name: String) {
            self =
                switch name {
                case "message": .message
                case "event": .event
                default: .unknown(name)
                }
        }

        /// The wire's `type`.
        public var wireName: String {
            switch self {
            case .message: "message"
            case .event: "event"
            case .unknown(let name): name
            }
        }
    }

    /// What a message is besides its type (3.3).
    public enum MessageSubtype: WireEnumeration {
        /// `application`: an application sent it.
        case application
        /// `deleted`: it was deleted; its place and its ids are left.
        case deleted
        /// `system`: the server sent it.
        case system
        /// A value this version does not know, as written; never one of the above.
        indirect case unknown(String)

        /// The subtype the wire calls `name`.
        public init(wire name: String) {
            self =
                switch name {
                case "application": .application
                case "deleted": .deleted
                case "system": .system
                default: .unknown(name)
                }
        }

        /// The wire's `subtype`.
        public var wireName: String {
            switch self {
            case .application: "application"
            case .deleted: "deleted"
            case .system: "system"
            case .unknown(let name): name
            }
        }
    }

    /// How far a message came (3.3, 2022).
    public enum DeliveryStatus: WireEnumeration {
        /// `sent`: the server has it.
        case sent
        /// `delivered`: somebody's device has it.
        case delivered
        /// `read`: somebody read it.
        case read
        /// A value this version does not know, as written; never one of the above.
        indirect case unknown(String)

        /// The status the wire calls `name`.
        public init(wire name: String) {
            self =
                switch name {
                case "sent": .sent
                case "delivered": .delivered
                case "read": .read
                default: .unknown(name)
                }
        }

        /// The wire's `status`.
        public var wireName: String {
            switch self {
            case .sent: "sent"
            case .delivered: "delivered"
            case .read: "read"
            case .unknown(let name): name
            }
        }
    }

    /// What a member of a channel is (3.3).
    public enum MemberType: WireEnumeration {
        /// `member`: a user of the company.
        case member
        /// `guest`: a user from elsewhere.
        case guest
        /// `bot`: an application.
        case bot
        /// A value this version does not know, as written; never one of the above.
        indirect case unknown(String)

        /// The type the wire calls `name`.
        public init(wire name: String) {
            self =
                switch name {
                case "member": .member
                case "guest": .guest
                case "bot": .bot
                default: .unknown(name)
                }
        }

        /// The wire's `type`.
        public var wireName: String {
            switch self {
            case .member: "member"
            case .guest: "guest"
            case .bot: "bot"
            case .unknown(let name): name
            }
        }
    }

    /// Which messages of a channel a member is notified of (3.3).
    public enum NotificationLevel: WireEnumeration {
        /// `all` of them.
        case all
        /// `mentions`: those with the user's name, `@all` or `@here`.
        case mentions
        /// `me`: those with the user's name.
        case me
        /// `none` of them. Not called so: a level that is not there is Swift's `none`.
        case muted
        /// A value this version does not know, as written; never one of the above.
        indirect case unknown(String)

        /// The level the wire calls `name`.
        public init(wire name: String) {
            self =
                switch name {
                case "all": .all
                case "mentions": .mentions
                case "me": .me
                case "none": .muted
                default: .unknown(name)
                }
        }

        /// The wire's `notification_level`.
        public var wireName: String {
            switch self {
            case .all: "all"
            case .mentions: "mentions"
            case .me: "me"
            case .muted: "none"
            case .unknown(let name): name
            }
        }
    }
}
