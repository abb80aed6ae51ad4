/// The kind of change to some sections or entities.
public enum ModelChangeType: Hashable, Sendable {
    /// They are new, or shown again.
    case insert
    /// They are gone, or no longer shown.
    case delete
    /// They have another position; their contents may have changed too.
    case move
    /// Their contents changed in place.
    case update
}

/// An observer of a model, which is notified of every change once it is complete, in terms that views understand.
///
/// The calls for one change are: will; sections deleted; entities deleted; sections moved; sections inserted; entities
/// inserted, moved, updated; did. Deletions, updates and the sources of moves are positions before the whole change,
/// insertions and the targets of moves are positions after it, as the batch updates of table and collection views
/// require. The entities of a deleted or inserted section are deleted or inserted with it and are not reported. Arrays
/// correspond and ascend: by the old positions for deletions and updates, by the new ones otherwise. A change without a
/// visible effect is not reported at all.
///
/// Implement either the array method or the singular one. The default of the array method calls
/// the singular one for each item.
public protocol ModelObserver<Entity>: AnyObject {
    /// The type of the model's entities.
    associatedtype Entity: ModelEntity

    /// Called before a change is reported. The model has changed already.
    func modelWillChangeContent()

    /// Called when sections changed. `indexes` is `nil` for an insertion, `newIndexes` for a
    /// deletion; sections are not updated.
    func model(
        didChange sections: [SectionInfo<Entity>], atSectionIndexes indexes: [Int]?, for type: ModelChangeType,
        newSectionIndexes newIndexes: [Int]?)

    /// Called when a section changed. `index` is `nil` for an insertion, `newIndex` for a
    /// deletion; sections are not updated.
    func model(
        didChange section: SectionInfo<Entity>, atSectionIndex index: Int?, for type: ModelChangeType,
        newSectionIndex newIndex: Int?)

    /// Called when entities changed. `paths` is `nil` for an insertion, `newPaths` for a deletion and an update.
    func model(
        didChange entities: [Entity], at paths: [SectionPath]?, for type: ModelChangeType, newPaths: [SectionPath]?)

    /// Called when an entity changed. `path` is `nil` for an insertion, `newPath` for a deletion and an update.
    func model(didChange entity: Entity, at path: SectionPath?, for type: ModelChangeType, newPath: SectionPath?)

    /// Called after a change was reported.
    func modelDidChangeContent()
}

extension ModelObserver {
    /// Does nothing, unless the observer implements it.
    public func modelWillChangeContent() {}

    /// Calls the singular method for each section.
    public func model(
        didChange sections: [SectionInfo<Entity>], atSectionIndexes indexes: [Int]?, for type: ModelChangeType,
        newSectionIndexes newIndexes: [Int]?
    ) {
        for (position, section) in sections.enumerated() {
            model(
                didChange: section, atSectionIndex: indexes.map { $0[position] }, for: type,
                newSectionIndex: newIndexes.map { $0[position] })
        }
    }

    /// Does nothing, unless the observer implements it.
    public func model(
        didChange section: SectionInfo<Entity>, atSectionIndex index: Int?, for type: ModelChangeType,
        newSectionIndex newIndex: Int?
    ) {}

    /// Calls the singular method for each entity.
    public func model(
        didChange entities: [Entity], at paths: [SectionPath]?, for type: ModelChangeType, newPaths: [SectionPath]?
    ) {
        for (position, entity) in entities.enumerated() {
            model(
                didChange: entity, at: paths.map { $0[position] }, for: type, newPath: newPaths.map { $0[position] })
        }
    }

    /// Does nothing, unless the observer implements it.
    public func model(
        didChange entity: Entity, at path: SectionPath?, for type: ModelChangeType, newPath: SectionPath?
    ) {}

    /// Does nothing, unless the observer implements it.
    public func modelDidChangeContent() {}
}

/// The effect of one transaction on a model, as one value for use on any thread.
public struct ModelChange<Entity: ModelEntity>: Sendable {
    /// The difference between both states.
    public let batch: Batch<EntityRow<Entity>>
    /// The state after the transaction.
    public let snapshot: EntitySnapshot<Entity>

    @inlinable
    init(batch: Batch<EntityRow<Entity>>, snapshot: EntitySnapshot<Entity>) {
        self.batch = batch
        self.snapshot = snapshot
    }

    /// Notifies an observer, in the order that `ModelObserver` defines.
    @inlinable
    public func tell(_ observer: some ModelObserver<Entity>) {
        let view = batch.viewForm { $0.entity == $1.entity && $0.revision == $1.revision }
        if view.isEmpty { return }
        observer.modelWillChangeContent()
        tellDeletions(of: view, observer)
        tellSections(of: view, observer)
        tellRows(of: view, observer)
        observer.modelDidChangeContent()
    }

    @inlinable
    func tellDeletions(of view: ViewForm<EntityRow<Entity>>, _ observer: some ModelObserver<Entity>) {
        if !view.sectionDeletions.isEmpty {
            observer.model(
                didChange: view.sectionDeletions.map(departed), atSectionIndexes: view.sectionDeletions.map(\.index),
                for: .delete, newSectionIndexes: nil)
        }
        if !view.deletions.isEmpty {
            observer.model(
                didChange: view.deletions.map(\.element.entity), at: view.deletions.map(\.path), for: .delete,
                newPaths: nil)
        }
    }

    @inlinable
    func tellSections(of view: ViewForm<EntityRow<Entity>>, _ observer: some ModelObserver<Entity>) {
        if !view.sectionMoves.isEmpty {
            observer.model(
                didChange: view.sectionMoves.map { snapshot.info(of: $0.to, name: $0.key) },
                atSectionIndexes: view.sectionMoves.map(\.from), for: .move,
                newSectionIndexes: view.sectionMoves.map(\.to))
        }
        if !view.sectionInsertions.isEmpty {
            observer.model(
                didChange: view.sectionInsertions.map { snapshot.info(of: $0.index, name: $0.key) },
                atSectionIndexes: nil, for: .insert, newSectionIndexes: view.sectionInsertions.map(\.index))
        }
    }

    @inlinable
    func tellRows(of view: ViewForm<EntityRow<Entity>>, _ observer: some ModelObserver<Entity>) {
        if !view.insertions.isEmpty {
            observer.model(
                didChange: view.insertions.map(\.element.entity), at: nil, for: .insert,
                newPaths: view.insertions.map(\.path))
        }
        if !view.moves.isEmpty {
            observer.model(
                didChange: view.moves.map(\.new.entity), at: view.moves.map(\.from), for: .move,
                newPaths: view.moves.map(\.to))
        }
        let updates = view.updates.sorted { $0.from < $1.from }
        if !updates.isEmpty {
            observer.model(
                didChange: updates.map(\.new.entity), at: updates.map(\.from), for: .update, newPaths: nil)
        }
    }

    /// Returns a deleted section. The batch names all its rows: they were deleted, or moved elsewhere.
    @inlinable
    func departed(_ section: Batch<EntityRow<Entity>>.SectionChange) -> SectionInfo<Entity> {
        let rows =
            batch.deletions.filter { $0.path.section == section.index }.map { (path: $0.path, row: $0.element) }
            + batch.moves.filter { $0.from.section == section.index }.map { (path: $0.from, row: $0.old) }
        return SectionInfo(
            name: section.key, indexTitle: snapshot.title(of: section.key),
            entities: rows.sorted { $0.path < $1.path }.map(\.row.entity))
    }
}

extension ModelChange: CustomStringConvertible {
    /// The numbers of records, and the state after them.
    public var description: String { "\(batch), to \(snapshot)" }
}
