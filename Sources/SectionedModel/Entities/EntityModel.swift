/// Entities in sections, ordered and filtered, as a value. Every operation is a transaction and
/// returns its exact batch.
///
/// An entity is identified by its unique value and has one row, or none while it does not pass the filter. Writing a
/// known entity merges it (`ModelEntity.update(with:)`) and evaluates its section, its position and the filter again.
/// Section, sort key and order are copied when an entity is written.
///
/// A batch contains the old path of every row that is deleted and the new path of every row that is
/// inserted; `nil` means that nothing differs. Operations that throw change nothing. `perform` combines
/// several operations into one batch.
///
/// A copy is an independent value. To read elsewhere while this one changes, take a `snapshot`,
/// which costs the writer less.
public struct EntityModel<Entity: ModelEntity>: EntityReading, Sendable {
    /// The type of row in this model's batches.
    public typealias Row = EntityRow<Entity>

    /// The rows that pass the filter.
    @usableFromInline
    var shown: SectionedCollection<Row>
    /// The rows that do not pass the filter. They have sections and an order too, which are never reported.
    @usableFromInline
    var hidden = SectionedCollection<Row>()

    @usableFromInline
    var sectionName: (@Sendable (Entity) -> String?)?
    @usableFromInline
    var entityRule: EntityOrder<Entity>
    @usableFromInline
    var sectionRule: SectionOrder<Entity>
    @usableFromInline
    var filter: (@Sendable (Entity) -> Bool)?

    /// Returns the title of a section in an index at the side of a list, given the section's name, which is not empty.
    /// The default is the first character in upper case.
    public var sectionIndexTitle: @Sendable (String) -> String? = { $0.first.map { String($0).uppercased() } }

    /// The number of entities that the source returns at a time. Only `lastFetchIndex` and
    /// `nextFetchIndex` use it; the default is 20.
    public var fetchBatchSize = 20

    /// A label above those of all rows.
    @usableFromInline
    var nextLabel: Int64 = 0
    /// A rank above those of all sections.
    @usableFromInline
    var nextRank: Int64 = 0
    /// The batches of the operations since `perform` began; `nil` outside `perform`.
    @usableFromInline
    var journal: [Batch<Row>]?

    /// Creates an empty model. It asks each entity for the name of its section with `sectionKey`
    /// (`ModelEntity.subscript(key:)`); `nil` makes one section without a name. Sections and entities are
    /// in the order of arrival.
    @inlinable
    public init(sectionKey: String? = nil) {
        self.init(sectionKey: sectionKey, sortedBy: .manual)
    }

    /// Creates an empty model with its own orders and filter.
    @inlinable
    public init(
        sectionKey: String?, sortedBy order: EntityOrder<Entity>,
        sectionsSortedBy sectionOrder: SectionOrder<Entity> = .arrival,
        filter: (@Sendable (Entity) -> Bool)? = nil, keepsChecksum: Bool = false
    ) {
        shown = SectionedCollection(keepsChecksum: keepsChecksum)
        sectionName = Self.naming(by: sectionKey)
        entityRule = order
        sectionRule = sectionOrder
        self.filter = filter
    }

    /// The order of the entities in a section.
    @inlinable
    public var order: EntityOrder<Entity> { entityRule }

    /// The order of the model's sections.
    @inlinable
    public var sectionOrder: SectionOrder<Entity> { sectionRule }

    /// The current state. While it is kept, each write copies what it changes of the parts that both
    /// share: some nodes, never all.
    @inlinable
    public var snapshot: EntitySnapshot<Entity> {
        EntitySnapshot(
            rows: shown.snapshot, hidden: hidden.snapshot, indexTitle: sectionIndexTitle,
            fetchBatchSize: fetchBatchSize)
    }

    /// Returns the row of an entity, whether it is shown or hidden.
    @inlinable
    func row(of id: Entity.UniqueValue) -> Row? { shown[id] ?? hidden[id] }

    /// Returns the row at a path, or throws `noElement`.
    @inlinable
    func row(at path: SectionPath) throws(ModelError) -> Row {
        guard let row = shown.element(at: path) else { throw .noElement(path) }
        return row
    }

    /// Returns a row for an entity that the model does not contain.
    @inlinable
    mutating func newRow(_ entity: Entity) -> Row {
        let row = Row(entity, in: name(of: entity), at: Row.Place(key: order.key(of: entity), label: nextLabel))
        nextLabel = OrderLabels.following(nextLabel)
        return row
    }

    /// Returns the row of a known entity with new contents. A row that was moved into another section by hand stays
    /// there until the entity names another section than before.
    @inlinable
    func row(_ row: Row, with entity: Entity) throws(ModelError) -> Row {
        guard entity.uniqueValue == row.id else { throw .changedID }
        var row = row
        let own = name(of: entity)
        if own != row.ownSectionName { row.sectionName = own }
        row.ownSectionName = own
        row.entity = entity
        row.sortKey.key = order.key(of: entity)
        return row
    }

    @inlinable
    static func naming(by key: String?) -> (@Sendable (Entity) -> String?)? {
        guard let key else { return nil }
        return { $0[key] }
    }

    @inlinable
    func name(of entity: Entity) -> String { sectionName?(entity) ?? "" }
}
