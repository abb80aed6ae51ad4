/// Entities in sections, ordered and filtered, as a value: every operation is a transaction and gives its exact batch.
///
/// An entity is known by its unique value and has one row, or none while it does not pass the filter. Writing an entity that is
/// known merges it (`ModelEntity.update(with:)`) and looks again at its section, its place and the filter. Section, sort key and
/// order are copied when an entity is written.
///
/// A batch tells where every row that left stood before, and where every row that came stands now; nil means that nothing
/// differs. Operations that throw change nothing. Several operations become one batch in `perform`.
///
/// A copy is a value of its own; to read elsewhere while this one goes on, take a `snapshot`, which costs the writer less.
public struct EntityModel<Entity: ModelEntity>: EntityReading, Sendable {
    /// What the batches of this model consist of.
    public typealias Row = EntityRow<Entity>

    /// The rows.
    @usableFromInline
    var shown: SectionedCollection<Row>
    /// What does not pass the filter; its sections and order are as they would be, and nobody's business.
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

    /// What stands for a section in an index at the side of a list, by its name, which is not empty. The first character,
    /// upper-case, unless it is set.
    public var sectionIndexTitle: @Sendable (String) -> String? = { $0.first.map { String($0).uppercased() } }

    /// How many entities the source gives at a time. Of use for `nextFetchIndex` only; 20 unless it is set.
    public var fetchBatchSize = 20

    /// Above the labels of all rows.
    @usableFromInline
    var nextLabel: Int64 = 0
    /// Above the ranks of all sections.
    @usableFromInline
    var nextRank: Int64 = 0
    /// What the operations since `perform` began have done; nil outside of it.
    @usableFromInline
    var journal: [Batch<Row>]?

    /// An empty model. `sectionKey` is what every entity is asked for the name of its section (`ModelEntity.subscript(key:)`);
    /// nil makes one section without a name. The sections stand as they came, the entities too.
    @inlinable
    public init(sectionKey: String? = nil) {
        self.init(sectionKey: sectionKey, sortedBy: .manual)
    }

    /// An empty model with orders and a filter of its own.
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

    /// How the entities of a section are ordered.
    @inlinable
    public var order: EntityOrder<Entity> { entityRule }

    /// How the sections are ordered.
    @inlinable
    public var sectionOrder: SectionOrder<Entity> { sectionRule }

    /// The present state. While it is kept, writing copies what it changes of what both share: some nodes, never all.
    @inlinable
    public var snapshot: EntitySnapshot<Entity> {
        EntitySnapshot(
            rows: shown.snapshot, hidden: hidden.snapshot, indexTitle: sectionIndexTitle,
            fetchBatchSize: fetchBatchSize)
    }

    /// The row of an entity, shown or not.
    @inlinable
    func row(of id: Entity.UniqueValue) -> Row? { shown[id] ?? hidden[id] }

    /// The row at a path.
    @inlinable
    func row(at path: SectionPath) throws(ModelError) -> Row {
        guard let row = shown.element(at: path) else { throw .noElement(path) }
        return row
    }

    /// The row that an entity nobody knows gets.
    @inlinable
    mutating func newRow(_ entity: Entity) -> Row {
        let row = Row(entity, in: name(of: entity), at: Row.Place(key: order.key(of: entity), label: nextLabel))
        nextLabel = OrderLabels.following(nextLabel)
        return row
    }

    /// The row of a known entity with new contents. A row that somebody moved into another section stays there until the entity
    /// names another section than before.
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
