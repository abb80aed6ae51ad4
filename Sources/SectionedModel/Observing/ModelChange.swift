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
