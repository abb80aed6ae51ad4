import WeirModel
import WeirWire

/// Random states with section ranks, made without a collection. Composition and the other forms of a batch must be
/// correct for any pair of states, whatever made the batch.
package struct RandomStates {
    private var generator: RandomSource

    /// Creates the generator from a seed.
    package init(seed: UInt64) { generator = RandomSource(seed: seed) }

    /// Returns a state with up to 30 rows, or one with up to ten changes and other ranks than `origin`.
    package mutating func next(near origin: State? = nil) -> State {
        var rows: [Row?] = Array(repeating: nil, count: 40)
        for row in origin?.rows ?? [] { rows[row.id] = row }
        for _ in 0..<generator.below(origin == nil ? 31 : 11) {
            let id = generator.below(rows.count)
            let row = Row(id, in: generator.below(6), at: generator.below(6), content: generator.below(2))
            rows[id] = generator.oneIn(4) ? nil : row
        }
        var ranks: [Int: Int64] = [:]
        for key in 0..<6 where generator.oneIn(2) { ranks[key] = Int64(generator.below(3)) }
        return State(of: rows.compactMap { $0 }, ranks: ranks)
    }

    /// Returns the errors in the batches between three states, in their inverses and in their compositions.
    package mutating func problems() -> [String] {
        let first = next()
        let second = next(near: first)
        let third = next(near: generator.oneIn(2) ? first : second)
        var trail = Trail()
        var found: [String] = []
        for (old, new) in [(first, second), (second, third), (third, first)] {
            guard let batch = old.difference(to: new) else { continue }
            found += BatchRules(batch: batch, old: old, new: new).problems
            found += AlgebraRules(batch: batch, old: old, new: new).problems
            found += AlgebraRules(batch: batch.inverted(), old: new, new: old).problems
            found += trail.append(batch, from: old, to: new)
        }
        return found
    }
}
