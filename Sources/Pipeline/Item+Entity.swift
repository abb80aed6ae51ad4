package import Events
public import JSONText
package import SectionedModel

/// What a row of the model can be about: a type of a backend's, or one of Weir's own.
package protocol ItemEntity: Hashable, Sendable {
    /// The name of the type in Weir's files, as `twake.message`.
    static var typeName: String { get }
    /// Writes the entity as a JSON object.
    func encode(into writer: inout JSONWriter)
    /// Reads what `encode` wrote.
    init(decoding reader: inout JSONReader) throws(DecodingFailure)
    /// Feeds all of it, so that no two that differ feed the same.
    func feed(_ digest: inout ElementDigest)
    /// What people call it, where it is a channel. Untrusted text.
    var channelName: String? { get }
    /// The part of rooms' names that stands for it, where that is another one than its id.
    var roomPart: String? { get }
    /// The user who it is, whose membership it is, or who said it; nil where it is no person's.
    var person: EntityID? { get }
    /// When it was said; nil for what is no message.
    var saidAt: Timestamp? { get }
    /// The channel it was said in; nil for what is no message, and where it does not say.
    var saidIn: EntityID? { get }
    /// What the message calls its sender. Untrusted text; nil where it has no name.
    var sayer: String? { get }
    /// Whether it is what is left of a message that was deleted.
    var isTakenBack: Bool { get }
    /// Up to when the user has read the channel that it is; nil where nothing says it.
    var readUntil: Timestamp? { get }
    /// What it addresses; empty for what is no message.
    var mentions: [Mention] { get }
    /// The name by which texts address this user, without `@`. Untrusted text.
    var handle: String? { get }
    /// How much of the channel that it is `user` has not read, as far as the model says; nil where nothing says it.
    func unread(by user: String?, in model: SectionedCollection<Item>) -> Int?
}

extension ItemEntity {
    /// Feeds the text that the diff log has: for entities that change so seldom that the text costs nothing.
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
    /// What a row is about.
    public struct Entity: Hashable, Sendable {
        /// The entity in its own type.
        package let value: any ItemEntity

        /// An entity of a row.
        package init(_ value: some ItemEntity) { self.value = value }

        /// The entity, where it is of that type: `row.entity.as(Twake.Message.self)`.
        public func `as`<Value>(_ type: Value.Type) -> Value? { value as? Value }

        /// The name of the entity's type in a diff log.
        public var typeName: String { type(of: value).typeName }

        /// Writes the entity as a JSON object.
        public func encode(into writer: inout JSONWriter) { value.encode(into: &writer) }

        /// Reads an entity of the type called `typeName`; nil when there is no such type.
        init?(typeName: String, decoding reader: inout JSONReader) throws(DecodingFailure) {
            guard let type = BackendModule.entityTypes[typeName] else { return nil }
            self.init(try type.init(decoding: &reader))
        }

        /// Whether both are equal and of one type.
        public static func == (a: Entity, b: Entity) -> Bool { a.value.equals(b.value) }
        /// Hashes the entity.
        public func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
    }

    /// What kind of entity a row is about: a word, the same over all backends.
    public struct Kind: RawRepresentable, Hashable, Comparable, Sendable {
        /// The word.
        public let rawValue: String
        /// A kind.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// By name.
        public static func < (a: Kind, b: Kind) -> Bool { a.rawValue < b.rawValue }

        /// A channel, a group, a direct.
        public static var channel: Kind { Kind(rawValue: "channel") }
        /// A message.
        public static var message: Kind { Kind(rawValue: "message") }
        /// A user in a channel.
        public static var member: Kind { Kind(rawValue: "member") }
        /// What is unread, and how far somebody read.
        public static var badge: Kind { Kind(rawValue: "badge") }
        /// A user.
        public static var account: Kind { Kind(rawValue: "account") }
        /// A company.
        public static var company: Kind { Kind(rawValue: "company") }
        /// A workspace of a company.
        public static var workspace: Kind { Kind(rawValue: "workspace") }
        /// Whether a user is there.
        public static var presence: Kind { Kind(rawValue: "presence") }
        /// Messages that are missing.
        public static var hole: Kind { Kind(rawValue: "hole") }

        /// Every kind there is, in the order of their numbers in a checksum, from 1; that never changes, or old logs would not verify.
        package static let all: [Kind] = [
            .channel, .message, .member, .badge, .account, .company, .workspace, .presence, .hole,
        ]
    }
}
