public import WeirEvents
public import WeirJSON
public import WeirModel

/// A row of the model: an entity of some backend, with its identity, its section and its position in the section.
public struct Item: SectionedElement {
    /// The kind of an entity and its identity.
    public struct ID: Hashable, Comparable, Sendable {
        /// The kind of the entity.
        public var kind: Kind
        /// The backend's id of the entity.
        public var id: EntityID
        /// A second id that distinguishes entities with the same `id`: the channel of a membership or a badge, the
        /// company of a counter.
        public var qualifier: EntityID? { qualifierOrNone.ifAny }
        /// The qualifier, or `.none`. Not an optional, because each copy of an optional costs a call of the runtime.
        let qualifierOrNone: EntityID
        /// Creates the identity of an entity.
        public init(_ kind: Kind, _ id: EntityID, qualifier: EntityID? = nil) {
            self.kind = kind
            self.id = id
            qualifierOrNone = qualifier ?? .none
        }
        /// Hashes the id alone. The qualifier rarely distinguishes two identities.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(id)
        }
        /// Orders identities by kind, then id, then qualifier.
        public static func < (a: ID, b: ID) -> Bool {
            if a.kind != b.kind { return a.kind < b.kind }
            if a.id != b.id { return a.id < b.id }
            return a.qualifierOrNone < b.qualifierOrNone
        }
    }
    /// A section of the model: its contents, and the parent to which they belong.
    public struct Section: Hashable, Comparable, Sendable {
        /// The contents: `channels`, `directs`, `messages`, `thread`, `members`, `badges`, `accounts`, `companies`,
        /// `workspaces`, `online` or `holes`.
        public var name: String
        /// The owner of the section: a workspace (`channels`), a company (`directs`, `badges`, `workspaces`, `online`),
        /// a channel (`messages`, `members`) or the head message of a thread (`thread`); `nil` for a section without an
        /// owner.
        public var parent: EntityID? { parentOrNone.ifAny }
        let parentOrNone: EntityID
        /// Creates a section with its parent.
        public init(_ name: String, _ parent: EntityID? = nil) {
            self.name = name
            parentOrNone = parent ?? .none
        }
        /// Orders sections by name, then parent.
        public static func < (a: Section, b: Section) -> Bool {
            if a.name != b.name { return a.name < b.name }
            return a.parentOrNone < b.parentOrNone
        }
    }
    /// The delivery state of a row that shows a wish of the user. A row in the server's state has none.
    public enum Delivery: String, Hashable, Sendable, CaseIterable {
        /// The row, or a change to it, waits for the server's answer.
        case pending
        /// The deletion of the row waits for the server's answer. Views leave the row out.
        case leaving
        /// The server refused the row. It stays until the user sends it again or drops it.
        case failed
    }

    /// The contents of a row, stored behind one reference because rows are passed on and stored many times.
    final class Contents: Sendable {
        let id: ID
        let section: Section
        let sortKey: Int64
        let entity: Entity
        let delivery: Delivery?

        init(id: ID, section: Section, sortKey: Int64, entity: Entity, delivery: Delivery?) {
            self.id = id
            self.section = section
            self.sortKey = sortKey
            self.entity = entity
            self.delivery = delivery
        }
    }
    let contents: Contents

    /// The identity of the row, unique within the model.
    public var id: ID { contents.id }
    /// Hashes the id alone. The qualifier rarely distinguishes two identities.
    public static func hash(of id: ID) -> Int { id.id.lookupHash }
    /// Always `true`: ids, sections and integers all have an order.
    public var isOrdered: Bool { true }
    /// The section that contains the row.
    public var sectionKey: Section { contents.section }
    /// The position in the section, ascending: milliseconds since 1970 if there is a time, negated if the newest row
    /// comes first; otherwise 0. Equal positions are ordered by id.
    public var sortKey: Int64 { contents.sortKey }
    /// The entity that the row describes.
    public var entity: Entity { contents.entity }
    /// The delivery state of the row; `nil` for a row in the server's state.
    public var delivery: Delivery? { contents.delivery }
    /// Creates a row of the model.
    public init(id: ID, section: Section, sortKey: Int64, entity: Entity, delivery: Delivery? = nil) {
        contents = Contents(id: id, section: section, sortKey: sortKey, entity: entity, delivery: delivery)
    }

    /// Compares the sort keys first, which is fast and finds most differences.
    public static func == (a: Item, b: Item) -> Bool {
        if a.contents === b.contents { return true }
        return a.contents.sortKey == b.contents.sortKey && a.contents.id == b.contents.id
            && a.contents.section == b.contents.section && a.contents.delivery == b.contents.delivery
            && a.contents.entity == b.contents.entity
    }
}

extension SectionedCollection<Item> {
    /// Returns the committed rows of a section in the server's state, without the user's pending wishes.
    func rows(in section: Item.Section) -> [Item] {
        elements(in: section).compactMap { $0.delivery == nil ? $0 : self[$0.id] }
    }

    /// Stages a row. This cannot fail, because the keys of a row are text and integers, which always have an order.
    mutating func put(_ row: Item) {
        do { try upsert(row) } catch {
            preconditionFailure("a row of the model without a place in its order: \(error)")
        }
    }
}

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

// Channels have names. A backend may call them groups, directs or conversations.
extension Item {
    /// The name of the channel that the row describes, or of the other user of a direct conversation. Untrusted text;
    /// `nil` if the row is not a channel or has no name.
    public var channelName: String? {
        let name = entity.value.channelName
        return name?.isEmpty == false ? name : nil
    }

    /// The part of a room's name that identifies the channel which the row describes.
    public var roomPart: String {
        entity.value.roomPart ?? id.id.description
    }

    /// The time of the message that the row describes; `nil` if the row is not a message, or if neither its entity nor
    /// its position contains a time.
    package var saidAt: Timestamp? {
        guard id.kind == .message else { return nil }
        if let time = entity.value.saidAt { return time }
        // A declared backend may order its rows by something other than time.
        return sortKey > 100_000_000_000 ? Timestamp(milliseconds: sortKey) : nil
    }

    /// Whether the user has left the channel. It is then not a room, and no message can be sent to it.
    public var isFormerChannel: Bool { sectionKey == .formerGroups }
}

// Rows as JSON, for the diff log. `init(decoding:)` reads what `encode` writes back to an equal row.
extension Item.ID {
    /// Writes `["message","id"]` or, with a qualifier, `["member","id","channel"]`.
    public func encode(into writer: inout JSONWriter) {
        writer.beginArray()
        writer.string(kind.rawValue)
        id.write(into: &writer)
        if !qualifierOrNone.isNone { qualifierOrNone.write(into: &writer) }
        writer.endArray()
    }

    /// Creates an id from the JSON that `encode` wrote.
    init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        let offset = reader.offset
        guard let texts = try reader.texts(), let id = texts.second else {
            throw DecodingFailure(subject: "diff line", message: "id: not a kind and an id", offset: offset)
        }
        self.init(Item.Kind(rawValue: texts.first), EntityID(id), qualifier: texts.third.map { EntityID($0) })
    }
}

extension Item.Section {
    /// Writes `["badges"]` or `["messages","channel id"]`.
    func encode(into writer: inout JSONWriter) {
        writer.beginArray()
        writer.string(name)
        if !parentOrNone.isNone { parentOrNone.write(into: &writer) }
        writer.endArray()
    }

    /// Creates a section from the JSON that `encode` wrote.
    init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        let offset = reader.offset
        guard let texts = try reader.texts(), texts.third == nil else {
            throw DecodingFailure(
                subject: "diff line", message: "section: not a name and perhaps a parent", offset: offset)
        }
        self.init(texts.first, texts.second.map { EntityID($0) })
    }
}

extension Item {
    /// Writes the row as an object with the members `id`, `section`, `sort`, `type`, `entity` and, if it is set,
    /// `delivery`.
    public func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        encodeMembers(into: &writer)
        writer.endObject()
    }

    /// Writes the row as `encode(into:)` does. For the row of a person, the member `is_user` tells whether that person
    /// is `user`.
    package func encode(into writer: inout JSONWriter, askedBy user: String?) {
        writer.beginObject()
        encodeMembers(into: &writer)
        if let user, let person = entity.value.person { writer.member("is_user", person.description == user) }
        writer.endObject()
    }

    // These functions read everything in place, because copying an id or an entity costs reference counting.

    /// Writes the members `id`, `section`, `sort`, `type`, `entity` and, if it is set, `delivery` into an open object.
    func encodeMembers(into writer: inout JSONWriter) {
        writer.key("id")
        contents.id.encode(into: &writer)
        encodeContents(into: &writer)
    }

    /// Writes all members of a row apart from its id.
    func encodeContents(into writer: inout JSONWriter) {
        writer.key("section")
        contents.section.encode(into: &writer)
        writer.member("sort", integer: contents.sortKey)
        writer.member("type", string: contents.entity.typeName)
        writer.key("entity")
        contents.entity.encode(into: &writer)
        if let delivery = contents.delivery {
            writer.member("delivery", string: delivery.rawValue)
        }
    }
}

extension JSONReader {
    /// Reads an array of one to three strings; returns `nil` if the array has another number of elements.
    fileprivate mutating func texts() throws(DecodingFailure) -> (first: String, second: String?, third: String?)? {
        do {
            try beginArray()
            guard try nextElement() else { return nil }
            let first = try string()
            let second = try nextElement() ? try string() : nil
            let third = second != nil ? try nextElement() ? try string() : nil : nil
            if third != nil, try nextElement() { return nil }
            return (first, second, third)
        } catch {
            throw DecodingFailure(subject: "diff line", message: error.description, offset: error.offset)
        }
    }
}

// Feeds a row into a checksum: every field, with a word before each optional field for its presence, so that different rows never feed the
// same. This builds no text, because it runs for every change of a model with a checksum.
extension Item {
    /// The version of what rows feed. It is stored next to every checksum, because checksums of different versions are
    /// not comparable.
    public static let checksumVersion = 1

    /// Feeds the identity of the row and its section.
    public func feedIdentity(_ digest: inout ElementDigest) {
        digest.feed(contents.id.kind)
        digest.feed(contents.id.id)
        digest.feed(contents.id.qualifier)
        digest.feed(contents.section.name)
        digest.feed(contents.section.parent)
    }

    /// Feeds the remaining contents of the row.
    public func feed(_ digest: inout ElementDigest) {
        digest.feed(contents.sortKey)
        // A row in the server's state feeds nothing here, which keeps checksums from before `delivery` existed.
        if let delivery { digest.feed(delivery.rawValue) }
        contents.entity.value.feed(&digest)
    }
}

extension ElementDigest {
    /// Feeds the number of the kind, or its name if it has no number.
    fileprivate mutating func feed(_ kind: Item.Kind) {
        guard let index = Item.Kind.all.firstIndex(of: kind) else { return feed(kind.rawValue) }
        feed(index + 1)
    }

    @inline(__always)
    mutating func feed(_ id: EntityID) {
        switch id {
        case .uuid(let high, let low):
            feed(1)
            feed(high)
            feed(low)
        case .text(let text):
            feed(2)
            feed(text)
        }
    }

    mutating func feed(_ ids: [EntityID]) {
        feed(ids.count)
        for id in ids { feed(id) }
    }

    /// Feeds whether a value exists, and then the value.
    @inline(__always)
    private mutating func feed<Value>(_ value: Value?, _ body: (inout Self, Value) -> Void) {
        guard let value else { return feed(0) }
        feed(1)
        body(&self, value)
    }

    @inline(__always)
    mutating func feed(_ id: EntityID?) { feed(id) { $0.feed($1) } }
    @inline(__always)
    mutating func feed(_ text: String?) { feed(text) { $0.feed($1) } }
    @inline(__always)
    mutating func feed(_ time: Timestamp?) { feed(time) { $0.feed($1.milliseconds) } }
    @inline(__always)
    mutating func feed(_ number: Int?) { feed(number) { $0.feed($1) } }
    @inline(__always)
    mutating func feed(_ flag: Bool?) { feed(flag) { $0.feed($1 ? 1 : 0) } }
}

// Rare fields in a checksum. An absent field feeds nothing, so that rows without any of these fields keep the checksum
// from before the fields existed. A present field feeds its number and its value, so that different rows never feed the
// same.
extension ElementDigest {
    /// Feeds the number and the value, if there is a value.
    @inline(__always)
    private mutating func feed<Value>(_ number: Int, ifAny value: Value?, _ body: (inout Self, Value) -> Void) {
        guard let value else { return }
        feed(number)
        body(&self, value)
    }

    mutating func feed(_ number: Int, ifAny id: EntityID?) { feed(number, ifAny: id) { $0.feed($1) } }
    mutating func feed(_ number: Int, ifAny text: String?) { feed(number, ifAny: text) { $0.feed($1) } }
    mutating func feed(_ number: Int, ifAny time: Timestamp?) { feed(number, ifAny: time) { $0.feed($1.milliseconds) } }
    mutating func feed(_ number: Int, ifAny value: Int?) { feed(number, ifAny: value) { $0.feed($1) } }
    mutating func feed(_ number: Int, ifAny flag: Bool?) { feed(number, ifAny: flag) { $0.feed($1 ? 1 : 0) } }
    mutating func feed(_ number: Int, ifAny text: RawJSON?) {
        feed(number, ifAny: text) { digest, text in text.bytes.withUnsafeBytes { digest.feed(bytes: $0) } }
    }
}
