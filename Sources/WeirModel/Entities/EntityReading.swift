/// The reading interface of a model, of its snapshot, and of a model with observers.
///
/// If something does not exist, the result is `nil`, 0 or empty. Only
/// `section(forSectionIndexTitle:at:)` throws an error.
public protocol EntityReading<Entity> {
    /// The type of the model's entities.
    associatedtype Entity: ModelEntity
    /// The current state, unchanged for as long as it is kept; safe to read on any thread. O(1).
    var snapshot: EntitySnapshot<Entity> { get }
}

/// The state of a model at one point in time.
public struct EntitySnapshot<Entity: ModelEntity>: EntityReading, Sendable {
    /// The rows: the sections in order, and the entities of each in order.
    public let rows: SectionedSnapshot<EntityRow<Entity>>
    /// The entities that do not pass the filter.
    @usableFromInline
    let hidden: SectionedSnapshot<EntityRow<Entity>>
    @usableFromInline
    let indexTitle: @Sendable (String) -> String?
    @usableFromInline
    let fetchBatchSize: Int

    @inlinable
    init(
        rows: SectionedSnapshot<EntityRow<Entity>>, hidden: SectionedSnapshot<EntityRow<Entity>>,
        indexTitle: @escaping @Sendable (String) -> String?, fetchBatchSize: Int
    ) {
        self.rows = rows
        self.hidden = hidden
        self.indexTitle = indexTitle
        self.fetchBatchSize = fetchBatchSize
    }

    /// The snapshot itself, which never changes.
    @inlinable
    public var snapshot: EntitySnapshot { self }

    @inlinable
    func info(of section: Int, name: String) -> SectionInfo<Entity> {
        SectionInfo(name: name, indexTitle: title(of: name), at: section, in: rows)
    }

    @inlinable
    func title(of name: String) -> String? { name.isEmpty ? nil : indexTitle(name) }
}

extension EntitySnapshot: Sequence {
    /// Returns an iterator over the sections, each of which is a sequence of entities.
    @inlinable
    public func makeIterator() -> IndexingIterator<[SectionInfo<Entity>]> { sections.makeIterator() }

    /// The number of sections, which all have an entity.
    @inlinable
    public var underestimatedCount: Int { numberOfSections }
}

extension EntitySnapshot: CustomStringConvertible {
    /// The numbers of entities and sections.
    public var description: String { contentsDescription }
}

extension EntityModel: CustomStringConvertible {
    /// The numbers of entities and sections.
    public var description: String { contentsDescription }
}

extension ObservedModel: CustomStringConvertible {
    /// The numbers of entities and sections.
    public var description: String { contentsDescription }
}

extension EntityReading {
    var contentsDescription: String {
        let hidden = numberOfFetchedEntities - numberOfEntities
        return numberOfEntities.counted("entity", "entities") + " in " + numberOfSections.counted("section", "sections")
            + (hidden == 0 ? "" : ", \(hidden) hidden")
    }
}

extension Int {
    /// The number with a noun.
    func counted(_ one: String, _ several: String) -> String { "\(self) \(self == 1 ? one : several)" }
}

// MARK: - Counts

extension EntityReading {
    /// Whether no entity passes the filter.
    @inlinable
    public var isEmpty: Bool { numberOfEntities == 0 }

    /// The number of sections. A section exists while it has an entity.
    @inlinable
    public var numberOfSections: Int { snapshot.rows.sectionCount }

    /// The number of entities that pass the filter.
    @inlinable
    public var numberOfEntities: Int { snapshot.rows.count }

    /// The number of all known entities, whether they pass the filter or not.
    @inlinable
    public var numberOfFetchedEntities: Int {
        let snapshot = snapshot
        return snapshot.rows.count + snapshot.hidden.count
    }

    /// Returns the number of entities in a section; 0 if there is no such section.
    @inlinable
    public func numberOfEntities(at section: Int) -> Int { snapshot.rows.elementCount(at: section) }

    /// The index, from 0, of the last page that contains a known entity; `nil` before the first fetch. A page has the
    /// model's `fetchBatchSize` entities, including those that do not pass the filter.
    @inlinable
    public var lastFetchIndex: Int? {
        let (known, size) = (numberOfFetchedEntities, snapshot.fetchBatchSize)
        guard known > 0, size > 0 else { return nil }
        return (known - 1) / size
    }

    /// The index, from 0, of the page to fetch next: the last one again while it is not full. 0 if
    /// the model does not use pages.
    @inlinable
    public var nextFetchIndex: Int {
        let size = snapshot.fetchBatchSize
        return size > 0 ? numberOfFetchedEntities / size : 0
    }
}

// MARK: - Sections

extension EntityReading {
    /// Returns the section with this index; `nil` if there is none.
    @inlinable
    public func section(at index: Int) -> SectionInfo<Entity>? {
        let snapshot = snapshot
        return snapshot.rows.sectionKey(at: index).map { snapshot.info(of: index, name: $0) }
    }

    /// The section with this index; `nil` if there is none.
    @inlinable
    public subscript(section: Int) -> SectionInfo<Entity>? { self.section(at: section) }

    /// All sections of the model, in order.
    @inlinable
    public var sections: [SectionInfo<Entity>] {
        let snapshot = snapshot
        return snapshot.rows.sectionKeys.enumerated().map { snapshot.info(of: $0.offset, name: $0.element) }
    }

    /// Returns the current index of a section, which is identified by its name.
    @inlinable
    public func index(of section: SectionInfo<Entity>) -> Int? { indexOfSection(withSectionName: section.name) }

    /// Returns the index of the section with this name; `nil` if there is none.
    @inlinable
    public func indexOfSection(withSectionName name: String) -> Int? { snapshot.rows.sectionIndex(of: name) }

    /// The titles of the sections in an index at the side of a list: each title once, in the order of the sections.
    @inlinable
    public var sectionIndexTitles: [String] {
        let snapshot = snapshot
        var seen: Set<String> = []
        return snapshot.rows.sectionKeys.compactMap { snapshot.title(of: $0) }.filter { seen.insert($0).inserted }
    }

    /// Returns the title of a section with this name; `nil` for an empty name.
    @inlinable
    public func sectionIndexTitle(forSectionName name: String) -> String? { snapshot.title(of: name) }

    /// Returns the index of the first section with this title. `index` is the title's index in `sectionIndexTitles`.
    ///
    /// - Throws: `noSection` if the title is not at that index.
    @inlinable
    public func section(forSectionIndexTitle title: String, at index: Int) throws(ModelError) -> Int {
        let snapshot = snapshot
        let names = snapshot.rows.sectionKeys
        let titles = sectionIndexTitles
        guard titles.indices.contains(index), titles[index] == title,
            let section = names.firstIndex(where: { snapshot.title(of: $0) == title })
        else { throw .noSection(index) }
        return section
    }
}

// MARK: - Entities

extension EntityReading {
    /// Returns the entity at a path; `nil` if there is none.
    @inlinable
    public func entity(at path: SectionPath) -> Entity? { snapshot.rows.element(at: path)?.entity }

    /// The entity at a path; `nil` if there is none.
    @inlinable
    public subscript(path: SectionPath) -> Entity? { entity(at: path) }

    /// Returns the entity with this unique value, whether it passes the filter or not.
    @inlinable
    public func entity(withUniqueValue value: Entity.UniqueValue) -> Entity? {
        let snapshot = snapshot
        return (snapshot.rows.element(of: value) ?? snapshot.hidden.element(of: value))?.entity
    }

    /// Returns the path of an entity, which is identified by its unique value; `nil` if it is
    /// unknown or does not pass the filter.
    @inlinable
    public func path(for entity: Entity) -> SectionPath? { pathForEntity(withUniqueValue: entity.uniqueValue) }

    /// Returns the path of the entity with this unique value; `nil` if it is unknown or does not pass the filter.
    @inlinable
    public func pathForEntity(withUniqueValue value: Entity.UniqueValue) -> SectionPath? {
        snapshot.rows.path(of: value)
    }

    /// All entities that pass the filter, in the order of their rows.
    @inlinable
    public var entities: [Entity] {
        let rows = snapshot.rows
        var entities: [Entity] = []
        entities.reserveCapacity(rows.count)
        rows.forEachElement { _, row in entities.append(row.entity) }
        return entities
    }

    /// Returns all entities that pass the filter, in the given order.
    @inlinable
    public func entities(sortedBy order: EntityOrder<Entity>) -> [Entity] {
        entities.sorted { order.precedes($0, $1) }
    }

    /// Returns the model's entities for which `isIncluded` is true, in the order of their rows.
    @inlinable
    public func filteredEntities<Failure: Error>(
        with isIncluded: (Entity) throws(Failure) -> Bool
    ) throws(Failure) -> [Entity] {
        var entities: [Entity] = []
        try snapshot.rows.forEachElement { (_, row) throws(Failure) in
            if try isIncluded(row.entity) { entities.append(row.entity) }
        }
        return entities
    }

    /// Returns a section's entities for which `isIncluded` is true, in order; empty if there is no such section.
    @inlinable
    public func filteredEntities<Failure: Error>(
        atSection section: Int, with isIncluded: (Entity) throws(Failure) -> Bool
    ) throws(Failure) -> [Entity] {
        var entities: [Entity] = []
        for row in snapshot.rows.elements(at: section) where try isIncluded(row.entity) { entities.append(row.entity) }
        return entities
    }
}

/// A section of a model, as it was when it was read. Sections are equal and ordered by name.
public struct SectionInfo<Entity: ModelEntity>: Sendable {
    @usableFromInline
    enum Contents: Sendable {
        /// The section with this index of a state.
        case section(Int, SectionedSnapshot<EntityRow<Entity>>)
        /// The entities of a deleted section.
        case entities([Entity])
    }

    /// The section's name; empty for the single section of a model without sections.
    public let name: String
    /// The title of the section in an index at the side of a list; `nil` if it has none.
    public let indexTitle: String?
    @usableFromInline
    let contents: Contents

    @inlinable
    init(name: String, indexTitle: String?, at index: Int, in rows: SectionedSnapshot<EntityRow<Entity>>) {
        self.name = name
        self.indexTitle = indexTitle
        contents = .section(index, rows)
    }

    @inlinable
    init(name: String, indexTitle: String?, entities: [Entity]) {
        self.name = name
        self.indexTitle = indexTitle
        contents = .entities(entities)
    }

    /// The number of entities in the section.
    @inlinable
    public var numberOfEntities: Int {
        switch contents {
        case .section(let index, let rows): rows.elementCount(at: index)
        case .entities(let entities): entities.count
        }
    }

    /// The entities in order. Copies all of them; for one of them use the subscript.
    @inlinable
    public var entities: [Entity] {
        switch contents {
        case .section(let index, let rows): rows.elements(at: index).map(\.entity)
        case .entities(let entities): entities
        }
    }

    /// The entity with this index in the section; `nil` if there is none.
    @inlinable
    public subscript(item: Int) -> Entity? {
        switch contents {
        case .section(let index, let rows): rows.element(at: SectionPath(section: index, item: item))?.entity
        case .entities(let entities): entities.indices.contains(item) ? entities[item] : nil
        }
    }

    /// The first entity of the section.
    @inlinable
    public var first: Entity? { self[0] }

    /// The last entity of the section.
    @inlinable
    public var last: Entity? { self[numberOfEntities - 1] }
}

extension SectionInfo: Hashable, Comparable {
    /// Returns whether both sections have the same name.
    @inlinable
    public static func == (a: SectionInfo, b: SectionInfo) -> Bool { a.name == b.name }

    /// Orders the sections by name.
    @inlinable
    public static func < (a: SectionInfo, b: SectionInfo) -> Bool { a.name < b.name }

    /// Hashes the name of the section.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

// A sequence and no collection: a wrong index gives `nil` here.
extension SectionInfo: Sequence {
    /// Returns an iterator over the entities.
    @inlinable
    public func makeIterator() -> IndexingIterator<[Entity]> { entities.makeIterator() }

    /// The number of entities that pass the filter.
    @inlinable
    public var underestimatedCount: Int { numberOfEntities }
}

extension SectionInfo: CustomStringConvertible {
    /// The name and the number of entities.
    public var description: String {
        "\(name.isEmpty ? "" : name + ": ")\(numberOfEntities.counted("entity", "entities"))"
    }
}
