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
