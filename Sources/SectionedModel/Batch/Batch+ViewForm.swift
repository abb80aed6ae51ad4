/// A batch in the form that animating views need, for example the table and collection views of UIKit.
///
/// As in the batch, deletions have indices of the old state, and insertions of the new one. The rows of a deleted or
/// inserted section are deleted or inserted with it and are not listed. A row that moves out of a deleted section is an
/// insertion, a row that moves into an inserted section is a deletion, and a row that does both is not listed. A
/// section is moved only if it has to be, because views do not know ranks.
///
/// No row is named twice. A row that moves is not also updated, which such views forbid. If its contents changed too,
/// its new path is in `reconfigured`: redraw it after the batch.
public struct ViewForm<Element: SectionedElement>: Equatable, Sendable {
    /// The deleted sections, by old index, ascending.
    public var sectionDeletions: [Batch<Element>.SectionChange] = []
    /// The inserted sections, by new index, ascending.
    public var sectionInsertions: [Batch<Element>.SectionChange] = []
    /// The moved sections, ascending by new index: the fewest moves that lead to the new order.
    public var sectionMoves: [Batch<Element>.SectionMove] = []
    /// The rows deleted from sections that remain, by old path, ascending.
    public var deletions: [Batch<Element>.Deletion] = []
    /// The rows inserted into sections that remain, by new path, ascending.
    public var insertions: [Batch<Element>.Insertion] = []
    /// The rows that move between sections that remain, or within one, ascending by new path.
    public var moves: [Batch<Element>.Change] = []
    /// The rows to redraw in place, ascending by new path. A view that reloads rows needs their old paths.
    public var updates: [Batch<Element>.Change] = []
    /// The new paths, ascending, of the moved rows to redraw.
    public var reconfigured: [SectionPath] = []

    /// Whether the form contains no change. This is also true for a batch that only gives a section
    /// another rank at its old index.
    @inlinable
    public var isEmpty: Bool {
        sectionDeletions.isEmpty && sectionInsertions.isEmpty && sectionMoves.isEmpty
            && deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty
    }
}

extension Batch {
    /// Returns the batch in the form for animating views.
    ///
    /// A row that moves or is updated always has another element, if only by its sort key. `looksAlike` returns whether
    /// the elements before and after look the same; a row for which it returns true is neither updated nor
    /// reconfigured. Requires a well-formed batch, as `commit()` returns it.
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

    /// The section moves that lead to the new order. The others leave a section between the same sections.
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
