import SectionedModel
import Wire

/// Random states with section ranks, without a collection that makes them: what composition and the other forms of a batch
/// have to be right for, whoever made the batch.
package struct RandomStates {
    private var generator: RandomSource

    /// Starts from the seed.
    package init(seed: UInt64) { generator = RandomSource(seed: seed) }

    /// A state with up to 30 rows; or one with up to ten changes from another one, and other ranks.
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

    /// What is wrong with the batches along three states, with their inverses and with their composition.
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
