public import Events
public import SectionedModel

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
