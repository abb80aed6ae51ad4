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
