import ModelOracle
import Testing
import WeirModel

/// Goes from one state to another in one batch, by transaction and by difference of the whole arrays,
/// and checks everything about it.
@discardableResult
func transition(
    from old: [Row], to new: [Row], removeFirst: Bool = false,
    ranks: (old: [Int: Int64], new: [Int: Int64]) = ([:], [:])
) throws -> Batch<Row> {
    var rows = Rows(keepsChecksum: true)
    for row in old { rows.put(row) }
    for (key, rank) in ranks.old.sorted(by: { $0.key < $1.key }) { rows.setRank(rank, of: key) }
    _ = rows.commit()
    let before = rows.snapshot
    var (replayed, differing) = (rows, rows)
    let kept = Set(new.map(\.id))
    for row in old where removeFirst || !kept.contains(row.id) { rows.remove(row.id) }
    for row in new { rows.put(row) }
    for (key, rank) in ranks.new.sorted(by: { $0.key < $1.key }) { rows.setRank(rank, of: key) }
    let batch = try rows.committed()
    let (oldState, newState) = (State(of: old, ranks: ranks.old), State(of: new, ranks: ranks.new))
    #expect(State(rows) == newState && State(before) == oldState)
    for (batch, old, new) in [(batch, oldState, newState), (batch.inverted(), newState, oldState)] {
        #expect(BatchRules(batch: batch, old: old, new: new).problems == [])
        #expect(AlgebraRules(batch: batch, old: old, new: new).problems == [])
    }
    try batch.check(from: before, to: rows.snapshot)
    try replayed.apply(batch)
    #expect(State(replayed) == newState && replayed.checksum == rows.checksum)
    #expect(replayed.snapshot.brokenInvariant() == nil && rows.snapshot.brokenInvariant() == nil)
    try replayed.apply(batch.inverted())
    #expect(State(replayed) == oldState && replayed.checksum == before.checksum)
    #expect(try batch.composed(with: batch.inverted()) == nil)
    try differing.stageDifference(from: new.reversed())
    for (key, rank) in ranks.new.sorted(by: { $0.key < $1.key }) { differing.setRank(rank, of: key) }
    #expect(try differing.committed() == batch)
    return batch
}

/// Rows in the order of a sequence of ids.
func line(_ ids: some Sequence<Int>, in section: Int = 0) -> [Row] {
    ids.enumerated().map { Row($0.element, in: section, at: $0.offset) }
}
