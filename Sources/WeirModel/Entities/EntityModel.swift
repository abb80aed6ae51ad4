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
    /// (`ModelEntity.subscript(key:)`); `nil` makes one section without a name. By default, sections and entities are
    /// in the order of arrival.
    @inlinable
    public init(
        sectionKey: String? = nil, sortedBy order: EntityOrder<Entity> = .manual,
        sectionsSortedBy sectionOrder: SectionOrder<Entity> = .arrival,
        filter: (@Sendable (Entity) -> Bool)? = nil, keepsChecksum: Bool = false
    ) {
        self.init(
            sectionedBy: Self.naming(by: sectionKey), sortedBy: order, sectionsSortedBy: sectionOrder, filter: filter,
            keepsChecksum: keepsChecksum)
    }

    /// Creates an empty model that calls `name` for the name of an entity's section; a `nil` name and an empty one are
    /// the same. A `nil` function makes one section.
    @inlinable
    public init(
        sectionedBy name: (@Sendable (Entity) -> String?)?, sortedBy order: EntityOrder<Entity> = .manual,
        sectionsSortedBy sectionOrder: SectionOrder<Entity> = .arrival,
        filter: (@Sendable (Entity) -> Bool)? = nil, keepsChecksum: Bool = false
    ) {
        shown = SectionedCollection(keepsChecksum: keepsChecksum)
        sectionName = name
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
    /// there until the entity names another section than before. The row differs if the contents do or if `isReported`.
    @inlinable
    func row(_ row: Row, with entity: Entity, isReported: Bool = false) throws(ModelError) -> Row {
        guard entity.uniqueValue == row.id else { throw .changedID }
        let own = name(of: entity)
        var new = row
        if own != row.ownSectionName { new.sectionName = own }
        new.ownSectionName = own
        new.entity = entity
        new.sortKey.key = order.key(of: entity)
        if isReported || !entity.hasSameContents(as: row.entity), new == row { new.revision &+= 1 }
        return new
    }

    @inlinable
    static func naming(by key: String?) -> (@Sendable (Entity) -> String?)? {
        guard let key else { return nil }
        return { $0[key] }
    }

    @inlinable
    func name(of entity: Entity) -> String { sectionName?(entity) ?? "" }
}

extension EntityModel {
    /// The rule for the positions of written rows.
    @usableFromInline
    enum Placement {
        /// The model's order determines the positions.
        case order
        /// The row, which is the only one, is placed before the one with this index among the others of its section.
        case item(Int)
        /// The rows keep the order in which they are passed; their sections contain no others.
        case given
        /// The rows have their positions.
        case labelled
    }

    /// Writes rows and removes others, as one transaction.
    @inlinable
    mutating func commit(
        _ rows: [Row], removing removals: [Entity.UniqueValue] = [], placement: Placement = .order
    ) throws(ModelError) -> Batch<Row>? {
        guard let filter else { return try commit(rows, hiding: [], removing: removals, placement: placement) }
        // The filter is called once per row, so that a filter with changing results cannot make a second row.
        let passes = rows.map { filter($0.entity) }
        return try commit(
            zip(rows, passes).filter(\.1).map(\.0), hiding: zip(rows, passes).filter { !$1 }.map(\.0),
            removing: removals, placement: placement)
    }

    /// Writes rows that pass the filter and rows that do not, each id once, and removes others.
    @inlinable
    mutating func commit(
        _ rows: [Row], hiding failing: [Row], removing removals: [Entity.UniqueValue], placement: Placement
    ) throws(ModelError) -> Batch<Row>? {
        let leaving = removals + failing.map(\.id)
        do throws(ModelError) {
            if !failing.isEmpty || hidden.count > 0 {
                for id in removals { hidden.remove(id) }
                for row in rows { hidden.remove(row.id) }
                for row in failing { try hidden.upsert(row) }
            }
            for id in leaving { shown.remove(id) }
            for row in placed(rows, removing: leaving, by: placement) { try shown.stage(row) }
        } catch {
            shown.rollBack()
            hidden.rollBack()
            throw error
        }
        stageRanks(of: rows)
        _ = hidden.commit()
        let batch = shown.commit()
        if let batch { forgetRanks(batch.sectionDeletions) }
        return record(batch)
    }

    /// Returns the batch. Inside `perform`, keeps it for the end and returns `nil`.
    @inlinable
    mutating func record(_ batch: Batch<Row>?) -> Batch<Row>? {
        guard journal != nil else { return batch }
        if let batch { journal?.append(batch) }
        return nil
    }

    /// Combines any number of operations into one transaction with one exact batch. Inside, an operation sees the
    /// results of those before it, and its own batch is `nil`. If `body` throws, nothing has changed.
    @inlinable
    public mutating func perform<Failure: Error>(
        _ body: (inout EntityModel) throws(Failure) -> Void
    ) throws(Failure) -> Batch<Row>? {
        let before = self
        if journal == nil { journal = [] }
        do {
            try body(&self)
        } catch {
            self = before
            throw error
        }
        if before.journal != nil { return nil }
        let batches = journal ?? []
        journal = nil
        return batches.count > 1 ? net(of: batches, since: before) : batches.first
    }

    /// Returns one batch for several: the final differences are written once more, onto the state before all of them.
    @inlinable
    mutating func net(of batches: [Batch<Row>], since before: EntityModel) -> Batch<Row>? {
        var target = before.shown
        for batch in batches {
            for id in batch.touchedIDs {
                // The row was written before, so it is not refused now.
                if let row = shown[id] { try? target.upsert(row) } else { target.remove(id) }
            }
            for key in batch.rankedSections { target.setRank(shown.rank(of: key), of: key) }
        }
        let batch = target.commit()
        shown.state.batches = target.sequence
        return batch
    }
}

extension Batch {
    /// The ids of all rows in the batch.
    @inlinable
    var touchedIDs: [Element.ID] {
        deletions.map(\.element.id) + insertions.map(\.element.id) + moves.map(\.new.id) + updates.map(\.new.id)
    }

    /// The sections whose ranks the batch contains.
    @inlinable
    var rankedSections: [Element.SectionKey] {
        sectionDeletions.map(\.key) + sectionInsertions.map(\.key) + sectionMoves.map(\.key)
    }
}
