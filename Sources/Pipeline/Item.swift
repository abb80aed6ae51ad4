public import Events
public import SectionedModel

/// One row of the model: an entity of some backend with its identity, its section and its place in it.
public struct Item: SectionedElement {
    /// What kind of entity, and which.
    public struct ID: Hashable, Comparable, Sendable {
        /// The kind of entity.
        public var kind: Kind
        /// The backend's id of it.
        public var id: EntityID
        /// Distinguishes entities that share `id`: the channel of a membership or a badge, the company of a counter.
        public var qualifier: EntityID? { qualifierOrNone.ifAny }
        /// Not an optional, whose copies cost a call of the runtime each.
        let qualifierOrNone: EntityID
        /// An identity.
        public init(_ kind: Kind, _ id: EntityID, qualifier: EntityID? = nil) {
            self.kind = kind
            self.id = id
            qualifierOrNone = qualifier ?? .none
        }
        /// The qualifier seldom tells two apart that the id does not, and is left out.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(id)
        }
        /// By kind, then id, then qualifier.
        public static func < (a: ID, b: ID) -> Bool {
            if a.kind != b.kind { return a.kind < b.kind }
            if a.id != b.id { return a.id < b.id }
            return a.qualifierOrNone < b.qualifierOrNone
        }
    }
    /// A section: what it holds, and of which parent.
    public struct Section: Hashable, Comparable, Sendable {
        /// `channels`, `directs`, `messages`, `thread`, `members`, `badges`, `accounts`, `companies`, `workspaces`,
        /// `online`, `holes`.
        public var name: String
        /// What the section belongs to: a workspace (`channels`), a company (`directs`, `badges`, `workspaces`, `online`), a channel
        /// (`messages`, `members`) or the head message of a thread (`thread`); nil for a section of nothing in
        /// particular.
        public var parent: EntityID? { parentOrNone.ifAny }
        let parentOrNone: EntityID
        /// A section.
        public init(_ name: String, _ parent: EntityID? = nil) {
            self.name = name
            parentOrNone = parent ?? .none
        }
        /// By name, then parent.
        public static func < (a: Section, b: Section) -> Bool {
            if a.name != b.name { return a.name < b.name }
            return a.parentOrNone < b.parentOrNone
        }
    }
    /// What the server knows of a row that shows what the user wants; a row as the server has it has none of this.
    public enum Delivery: String, Hashable, Sendable, CaseIterable {
        /// The row, or a change of it, waits for the server's answer.
        case pending
        /// The row is to go, and waits for the server's answer. Whoever shows rows leaves it out.
        case leaving
        /// The server refused the row; it stays until it is sent again or dropped.
        case failed
    }

    /// What the row is made of. Behind one reference, since a row is handed on and kept many times.
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

    /// Unique over the model.
    public var id: ID { contents.id }
    /// The qualifier seldom tells two apart that the id does not, and is left out.
    public static func hash(of id: ID) -> Int { id.id.lookupHash }
    /// Ids, sections and integers all have a place in their order.
    public var isOrdered: Bool { true }
    /// The section the row stands in.
    public var sectionKey: Section { contents.section }
    /// The place in the section, ascending: milliseconds since 1970 where there is a time, negated where the newest
    /// stand first, else 0. Equal ones stand in the order of their ids.
    public var sortKey: Int64 { contents.sortKey }
    /// The entity itself.
    public var entity: Entity { contents.entity }
    /// What the server knows of it; nil for a row as the server has it.
    public var delivery: Delivery? { contents.delivery }
    /// A row.
    public init(id: ID, section: Section, sortKey: Int64, entity: Entity, delivery: Delivery? = nil) {
        contents = Contents(id: id, section: section, sortKey: sortKey, entity: entity, delivery: delivery)
    }

    /// The sort key first: it is compared soonest and differs most often.
    public static func == (a: Item, b: Item) -> Bool {
        if a.contents === b.contents { return true }
        return a.contents.sortKey == b.contents.sortKey && a.contents.id == b.contents.id
            && a.contents.section == b.contents.section && a.contents.delivery == b.contents.delivery
            && a.contents.entity == b.contents.entity
    }
}

extension SectionedCollection<Item> {
    /// The committed rows of a section as the server has them: what the user wants and is not done is not seen.
    func rows(in section: Item.Section) -> [Item] {
        elements(in: section).compactMap { $0.delivery == nil ? $0 : self[$0.id] }
    }

    /// Stages a row. The keys of a row are text and integers, which always have an order.
    mutating func put(_ row: Item) {
        do { try upsert(row) } catch {
            preconditionFailure("a row of the model without a place in its order: \(error)")
        }
    }
}
