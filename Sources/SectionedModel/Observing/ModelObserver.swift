/// What has happened to some sections or entities.
public enum ModelChangeType: Hashable, Sendable {
    /// They are new, or show again.
    case insert
    /// They are gone, or do not show any longer.
    case delete
    /// They stand elsewhere; their contents may have changed too.
    case move
    /// Their contents changed.
    case update
}

/// Is told of every change of an observed model, once it is complete, in terms that views understand.
///
/// One change is: will; sections deleted; entities deleted; sections moved; sections inserted; entities inserted, moved,
/// updated; did. What is deleted, moved from or updated is told by its place before the whole change, what is inserted or moved
/// to by its place after it, as the batch updates of table and collection views want it. Entities of a section that is deleted
/// or inserted go and come with it and are not told. Arrays correspond and ascend: by the old places where things are deleted
/// or updated, by the new ones otherwise. A change in which there is nothing to see is not told at all.
///
/// Implement the array form or the singular one; an array that is not implemented is told one by one.
public protocol ModelObserver<Entity>: AnyObject {
    /// What the model holds.
    associatedtype Entity: ModelEntity

    /// A change is about to be told. The model has changed already.
    func modelWillChangeContent()

    /// Sections have changed. `indexes` is nil for an insert, `newIndexes` for a delete; sections are not updated.
    func model(
        didChange sections: [SectionInfo<Entity>], atSectionIndexes indexes: [Int]?, for type: ModelChangeType,
        newSectionIndexes newIndexes: [Int]?)

    /// A section has changed. `index` is nil for an insert, `newIndex` for a delete; sections are not updated.
    func model(
        didChange section: SectionInfo<Entity>, atSectionIndex index: Int?, for type: ModelChangeType,
        newSectionIndex newIndex: Int?)

    /// Entities have changed. `paths` is nil for an insert, `newPaths` for a delete and an update.
    func model(
        didChange entities: [Entity], at paths: [SectionPath]?, for type: ModelChangeType, newPaths: [SectionPath]?)

    /// An entity has changed. `path` is nil for an insert, `newPath` for a delete and an update.
    func model(didChange entity: Entity, at path: SectionPath?, for type: ModelChangeType, newPath: SectionPath?)

    /// The change has been told.
    func modelDidChangeContent()
}

extension ModelObserver {
    /// Does nothing.
    public func modelWillChangeContent() {}

    /// Tells them one by one.
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

    /// Does nothing.
    public func model(
        didChange section: SectionInfo<Entity>, atSectionIndex index: Int?, for type: ModelChangeType,
        newSectionIndex newIndex: Int?
    ) {}

    /// Tells them one by one.
    public func model(
        didChange entities: [Entity], at paths: [SectionPath]?, for type: ModelChangeType, newPaths: [SectionPath]?
    ) {
        for (position, entity) in entities.enumerated() {
            model(
                didChange: entity, at: paths.map { $0[position] }, for: type, newPath: newPaths.map { $0[position] })
        }
    }

    /// Does nothing.
    public func model(
        didChange entity: Entity, at path: SectionPath?, for type: ModelChangeType, newPath: SectionPath?
    ) {}

    /// Does nothing.
    public func modelDidChangeContent() {}
}
