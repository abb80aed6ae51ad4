/// A batch as views that animate want it, for example table and collection views of UIKit.
///
/// What leaves is in the index space before, what comes in the one after, as in the batch. Rows of a section that is deleted
/// go with it, rows of one that is inserted come with it, and neither is listed; a row that moves out of a deleted section is
/// an insertion, one that moves into an inserted section a deletion, one that does both is not listed. A section is moved
/// only if it has to be: a rank is nothing a view knows.
///
/// No row is named twice. A row that moves is not updated besides, which such views forbid; if its contents changed too, its
/// new path is in `reconfigured`, to be drawn afresh after the batch.
public struct ViewForm<Element: SectionedElement>: Equatable, Sendable {
    /// Sections that leave, old indices, ascending.
    public var sectionDeletions: [Batch<Element>.SectionChange] = []
    /// Sections that come, new indices, ascending.
    public var sectionInsertions: [Batch<Element>.SectionChange] = []
    /// Sections that move, ascending by new index: the fewest that lead to the new order.
    public var sectionMoves: [Batch<Element>.SectionMove] = []
    /// Rows that leave sections that stay, old paths, ascending.
    public var deletions: [Batch<Element>.Deletion] = []
    /// Rows that come to sections that stay, new paths, ascending.
    public var insertions: [Batch<Element>.Insertion] = []
    /// Rows that move from a section that stays to a section that stays, ascending by new path.
    public var moves: [Batch<Element>.Change] = []
    /// Rows to be drawn afresh in place, ascending by new path; a view that reloads wants their old paths.
    public var updates: [Batch<Element>.Change] = []
    /// New paths, ascending, of those moved rows that are to be drawn afresh.
    public var reconfigured: [SectionPath] = []

    /// Whether there is nothing to do. A batch that only gave a section another rank at its old place has such a form.
    @inlinable
    public var isEmpty: Bool {
        sectionDeletions.isEmpty && sectionInsertions.isEmpty && sectionMoves.isEmpty
            && deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty
    }
}

extension Batch {
    /// The same change for views that animate.
    ///
    /// A row that moves or is updated always differs in its element, if only in its sort key. `looksAlike` says of the
    /// element before and after whether that shows: one that looks alike is neither updated nor reconfigured. Requires a
    /// well-formed batch, as `commit()` makes it.
    @inlinable
    public func viewForm(looksAlike: (Element, Element) -> Bool = { $0 == $1 }) -> ViewForm<Element> {
        let gone = SurvivingSections(without: sectionDeletions.map(\.index))
        let fresh = SurvivingSections(without: sectionInsertions.map(\.index))
        var form = ViewForm(sections: self)
        form.deletions = deletions.filter { !gone.isAbsent($0.path.section) }
        form.insertions = insertions.filter { !fresh.isAbsent($0.path.section) }
        for move in moves {
            switch (gone.isAbsent(move.from.section), fresh.isAbsent(move.to.section)) {
            case (true, true): break
            case (true, false): form.insertions.append(Insertion(path: move.to, element: move.new))
            case (false, true): form.deletions.append(Deletion(path: move.from, element: move.old))
            case (false, false):
                form.moves.append(move)
                if !looksAlike(move.old, move.new) { form.reconfigured.append(move.to) }
            }
        }
        if form.deletions.count > 1 { form.deletions.sort { $0.path < $1.path } }
        if form.insertions.count > 1 { form.insertions.sort { $0.path < $1.path } }
        form.updates = updates.filter { !looksAlike($0.old, $0.new) }
        return form
    }

    /// Of the section moves those that lead to the new order: the others still stand between the same sections.
    @inlinable
    var neededSectionMoves: [SectionMove] {
        if sectionMoves.isEmpty { return [] }
        let before = SurvivingSections(without: sectionDeletions.map(\.index) + sectionMoves.map(\.from))
        let after = SurvivingSections(without: sectionInsertions.map(\.index) + sectionMoves.map(\.to))
        var candidates: [(from: Int, to: Int, index: Int)] = []
        for (index, move) in sectionMoves.enumerated() {
            let number = move.from - before.countBefore(move.from)
            if number == move.to - after.countBefore(move.to) { candidates.append((move.from, move.to, index)) }
        }
        candidates.sort { $0.from < $1.from }
        var stays = Array(repeating: false, count: sectionMoves.count)
        for position in longestIncreasingSubsequence(candidates.map(\.to)) { stays[candidates[position].index] = true }
        return sectionMoves.indices.filter { !stays[$0] }.map { sectionMoves[$0] }
    }
}

extension ViewForm {
    @inlinable
    init(sections batch: Batch<Element>) {
        sectionDeletions = batch.sectionDeletions
        sectionInsertions = batch.sectionInsertions
        sectionMoves = batch.neededSectionMoves
    }
}
