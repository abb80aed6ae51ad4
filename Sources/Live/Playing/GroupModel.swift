import Pipeline
import Recording
import SectionedModel

/// The merged model of a group's recordings. It contains the rows of all members' models.
///
/// A member drops the rows of a room that it gives away, and the member that takes the room fetches them. So the rows of a room come from
/// its holder. Several members may have the same row, such as a channel or a person; the latest change wins. The rows of a member that
/// ended or was fenced off stay until all other members have taken over. Then the rows that no other member has are removed.
struct GroupModel {
    private(set) var model: SectionedCollection<Item>
    private var diffs = 0
    /// The indices of the members whose rows no longer count.
    private(set) var gone: Set<Int> = []

    init(keepsChecksum: Bool) { model = SectionedCollection(keepsChecksum: keepsChecksum) }

    /// Converts the changes in the members' reports into changes of this model. `others` contains the models of the other members.
    mutating func merge(_ reports: [StampedReport], _ others: [SectionedCollection<Item>]) -> [StampedReport] {
        reports.compactMap { stamped in
            guard case .diff(let diff) = stamped.report else { return stamped }
            for deletion in diff.batch.deletions { drop(deletion.element.id, others) }
            for insertion in diff.batch.insertions { take(insertion.element) }
            for change in diff.batch.updates + diff.batch.moves { take(change.new) }
            guard let batch = commit() else { return nil }
            var stamped = stamped
            stamped.report = .diff(
                DiffReport(
                    sequence: diffs, cause: diff.cause, batch: batch, refetched: diff.refetched, user: diff.user,
                    isRecalled: diff.isRecalled))
            return stamped
        }
    }

    /// Removes the rows of a member that ended. `rows` is the member's last model.
    mutating func retire(
        _ member: Int, _ rows: SectionedCollection<Item>, of user: String?, _ others: [SectionedCollection<Item>],
        _ stamp: Stamp
    ) -> StampedReport? {
        gone.insert(member)
        rows.forEachElement { drop($1.id, others) }
        return commit().map { batch in
            StampedReport(
                stamp: stamp, report: .diff(DiffReport(sequence: diffs, cause: stamp.n, batch: batch, user: user)))
        }
    }

    private mutating func drop(_ id: Item.ID, _ others: [SectionedCollection<Item>]) {
        if let row = others.lazy.compactMap({ $0[id] }).first { take(row) } else { model.remove(id) }
    }

    private mutating func take(_ row: Item) {
        // The model refuses a row without a sort key.
        do throws(ModelError) { try model.upsert(row) } catch { return }
    }

    private mutating func commit() -> Batch<Item>? {
        let batch = model.commit()
        if batch != nil { diffs += 1 }
        return batch
    }
}
