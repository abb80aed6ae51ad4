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
        public var qualifier: EntityID?
        /// An identity.
        public init(_ kind: Kind, _ id: EntityID, qualifier: EntityID? = nil) {
            self.kind = kind
            self.id = id
            self.qualifier = qualifier
        }
        /// The qualifier seldom tells two apart that the id does not, and is left out.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(id)
        }
        /// By kind, then id, then qualifier.
        public static func < (a: ID, b: ID) -> Bool {
            if a.kind != b.kind { return a.kind < b.kind }
            if a.id != b.id { return a.id < b.id }
            return switch (a.qualifier, b.qualifier) {
            case (let x?, let y?): x < y
            case (nil, _?): true
            case (_, nil): false
            }
        }
    }
    /// The kinds of rows, over all backends.
    public enum Kind: String, Hashable, Comparable, Sendable, CaseIterable {
        case channel, message, member, badge
        /// By name.
        public static func < (a: Kind, b: Kind) -> Bool { a.rawValue < b.rawValue }
    }
    /// A section: what it holds, and of which parent.
    public struct Section: Hashable, Comparable, Sendable {
        /// `channels`, `directs`, `messages`, `thread`, `members`, `badges`.
        public var name: String
        /// What the section belongs to: a workspace (`channels`), a company (`directs`, `badges`), a channel
        /// (`messages`, `members`) or the head message of a thread (`thread`); nil for a section of nothing in
        /// particular.
        public var parent: EntityID?
        /// A section.
        public init(_ name: String, _ parent: EntityID? = nil) {
            self.name = name
            self.parent = parent
        }
        /// By name, then parent.
        public static func < (a: Section, b: Section) -> Bool {
            if a.name != b.name { return a.name < b.name }
            return switch (a.parent, b.parent) {
            case (let x?, let y?): x < y
            case (nil, _?): true
            case (_, nil): false
            }
        }
    }
    /// The entity itself; one reference, whatever it is.
    public enum Entity: Hashable, Sendable {
        case twakeChannel(Twake.Channel)
        case twakeMessage(Twake.Message)
        indirect case twakeMember(Twake.ChannelMember)
        indirect case twakeBadge(Twake.Badge)
        indirect case twakeBadgeCount(Twake.BadgeCount)
    }

    /// Unique over the model.
    public var id: ID
    /// The section the row stands in.
    public var sectionKey: Section
    /// The place in the section, ascending: milliseconds since 1970 where there is a time, negated where the newest
    /// stand first, else 0. Equal ones stand in the order of their ids.
    public var sortKey: Int64
    /// The entity itself.
    public var entity: Entity
    /// A row.
    public init(id: ID, section: Section, sortKey: Int64, entity: Entity) {
        self.id = id
        self.sectionKey = section
        self.sortKey = sortKey
        self.entity = entity
    }
}

extension SectionedCollection<Item> {
    /// Stages a row. The keys of a row are text and integers, which always have an order.
    mutating func put(_ row: Item) {
        do { try upsert(row) } catch {
            preconditionFailure("a row of the model without a place in its order: \(error)")
        }
    }
}
