import WeirModel

/// The batches of a history so far, and checks of their composition.
struct Trail {
    private typealias Leg = (batch: Batch<Row>?, from: State)

    /// The previous batch and the state before it.
    private var last: Leg?
    /// The composition of all batches since some state, made one by one. Its batch is `nil` when they cancel out.
    private var folded: Leg?
    private var length = 0

    /// Composes the next batch with the earlier ones, and compares the result with the difference of the states.
    mutating func append(_ batch: Batch<Row>, from old: State, to new: State) -> [String] {
        var found: [String] = []
        do throws(ModelError) {
            if let last, length % 2 == 1 {
                let pair = try Trail.composition(last.batch, batch)
                found += Trail.problems(pair, last.from, new).map { "two composed: " + $0 }
            }
            let all = folded ?? (nil, old)
            let whole = try Trail.composition(all.batch, batch)
            found += Trail.problems(whole, all.from, new).map { "\(length + 1) composed: " + $0 }
            if length % 3 == 0, let back = try Trail.composition(batch, batch.inverted()) {
                found.append("a batch and its inverse are not nothing: \(back)")
            }
            folded = (whole, all.from)
        } catch {
            found.append("composition refuses: \(error)")
        }
        last = (batch, old)
        length += 1
        // Starting over also tests short batches after long ones, and states that recur.
        if length % 11 == 10 { (folded, length) = (nil, 0) }
        return found
    }

    private static func composition(
        _ first: Batch<Row>?, _ second: Batch<Row>
    ) throws(ModelError) -> Batch<Row>? {
        guard let first else { return second }
        return try first.composed(with: second)
    }

    /// Checks that the composition equals the batch of a single transaction.
    private static func problems(_ batch: Batch<Row>?, _ old: State, _ new: State) -> [String] {
        var expected = old.difference(to: new)
        expected?.checksums = batch?.checksums
        return batch == expected ? [] : ["not the batch of one transaction"]
    }
}
