package import Events
public import JSONText
package import SectionedModel

/// The subject of a row of the model: a type that belongs to a backend, or to Weir itself.
package protocol ItemEntity: Hashable, Sendable {
    /// The name of the type in Weir's files, such as `twake.message`.
    static var typeName: String { get }
    /// Writes the entity as a JSON object.
    func encode(into writer: inout JSONWriter)
    /// Creates an entity from the JSON that `encode` wrote.
    init(decoding reader: inout JSONReader) throws(DecodingFailure)
    /// Feeds the complete entity into a checksum, so that different entities never feed the same.
    func feed(_ digest: inout ElementDigest)
    /// The name of the channel, if the entity is one. Untrusted text.
    var channelName: String? { get }
    /// The part of rooms' names that identifies the entity, if it is not the id.
    var roomPart: String? { get }
    /// The user whose account, membership or message the entity is; `nil` if it belongs to no person.
    var person: EntityID? { get }
    /// The time of the message; `nil` if the entity is not a message.
    var saidAt: Timestamp? { get }
    /// The channel of the message; `nil` if the entity is not a message or does not contain it.
    var saidIn: EntityID? { get }
    /// The sender's name in the message; `nil` if it has none. Untrusted text.
    var sayer: String? { get }
    /// Whether the entity is the remainder of a deleted message.
    var isTakenBack: Bool { get }
    /// The time up to which the user has read the channel; `nil` if it is unknown.
    var readUntil: Timestamp? { get }
    /// The users and groups that the message mentions; empty if the entity is not a message.
    var mentions: [Mention] { get }
    /// The name by which texts mention this user, without `@`. Untrusted text.
    var handle: String? { get }
    /// Returns the number of messages in the channel that `user` has not read, as far as the model contains them; `nil`
    /// if it is unknown.
    func unread(by user: String?, in model: SectionedCollection<Item>) -> Int?
}

extension ItemEntity {
    /// Feeds the text of the entity in a diff log. This suits entities that change so rarely that the cost of the text
    /// does not matter.
    package func feed(_ digest: inout ElementDigest) {
        digest.feed(Self.typeName)
        var writer = JSONWriter()
        encode(into: &writer)
        writer.withUnsafeBytes { digest.feed(bytes: $0) }
    }

    package var channelName: String? { nil }
    package var roomPart: String? { nil }
    package var person: EntityID? { nil }
    package var saidAt: Timestamp? { nil }
    package var saidIn: EntityID? { nil }
    package var sayer: String? { nil }
    package var isTakenBack: Bool { false }
    package var readUntil: Timestamp? { nil }
    package var mentions: [Mention] { [] }
    package var handle: String? { nil }
    package func unread(by user: String?, in model: SectionedCollection<Item>) -> Int? { nil }
}

extension Item {
    /// The subject of a row, of any type.
    public struct Entity: Hashable, Sendable {
        /// The entity in its own type.
        package let value: any ItemEntity

        /// Creates the subject of a row.
        package init(_ value: some ItemEntity) { self.value = value }

        /// Returns the entity if it is of the given type, as in `row.entity.as(Twake.Message.self)`.
        public func `as`<Value>(_ type: Value.Type) -> Value? { value as? Value }

        /// The name of the entity's type in a diff log.
        public var typeName: String { type(of: value).typeName }

        /// Writes the entity as a JSON object.
        public func encode(into writer: inout JSONWriter) { value.encode(into: &writer) }

        /// Creates an entity of the type with the name `typeName`, or returns `nil` if there is no such type.
        init?(typeName: String, decoding reader: inout JSONReader) throws(DecodingFailure) {
            guard let type = BackendModule.entityTypes[typeName] else { return nil }
            self.init(try type.init(decoding: &reader))
        }

        /// Returns whether both entities have the same type and are equal.
        public static func == (a: Entity, b: Entity) -> Bool { a.value.equals(b.value) }
        /// Hashes the entity in its own type.
        public func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
    }

    /// The kind of entity that a row describes: one word, shared by all backends.
    public struct Kind: RawRepresentable, Hashable, Comparable, Sendable {
        /// The word that names the kind.
        public let rawValue: String
        /// Creates a kind with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Orders kinds by their names.
        public static func < (a: Kind, b: Kind) -> Bool { a.rawValue < b.rawValue }

        /// A channel, group or direct conversation.
        public static var channel: Kind { Kind(rawValue: "channel") }
        /// A message in a channel or thread.
        public static var message: Kind { Kind(rawValue: "message") }
        /// A user's membership of a channel.
        public static var member: Kind { Kind(rawValue: "member") }
        /// An unread mark, or how far a user has read.
        public static var badge: Kind { Kind(rawValue: "badge") }
        /// The account of a user.
        public static var account: Kind { Kind(rawValue: "account") }
        /// A company, which contains workspaces.
        public static var company: Kind { Kind(rawValue: "company") }
        /// A workspace of a company.
        public static var workspace: Kind { Kind(rawValue: "workspace") }
        /// The online state of a user.
        public static var presence: Kind { Kind(rawValue: "presence") }
        /// A range of missing messages.
        public static var hole: Kind { Kind(rawValue: "hole") }

        /// All kinds, in the order of their numbers in a checksum, which count from 1. The order never changes, because
        /// old logs would no longer verify.
        package static let all: [Kind] = [
            .channel, .message, .member, .badge, .account, .company, .workspace, .presence, .hole,
        ]
    }
}
