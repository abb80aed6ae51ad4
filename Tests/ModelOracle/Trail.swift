import SectionedModel

/// The batches of a history so far, and what has to hold of several of them together.
struct Trail {
    private typealias Leg = (batch: Batch<Row>?, from: State)

    /// The batch before.
    private var last: Leg?
    /// All batches since some state, composed one by one; nil when they cancel out.
    private var folded: Leg?
    private var length = 0

    /// Composes the next batch with those before it, and holds the outcome against the difference of the states.
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
        // Also short ones behind long ones, and states that come back.
        if length % 11 == 10 { (folded, length) = (nil, 0) }
        return found
    }

    private static func composition(
        _ first: Batch<Row>?, _ second: Batch<Row>
    ) throws(ModelError) -> Batch<Row>? {
        guard let first else { return second }
        return try first.composed(with: second)
    }

    /// The composition is the batch that one transaction would have made.
    private static func problems(_ batch: Batch<Row>?, _ old: State, _ new: State) -> [String] {
        var expected = old.difference(to: new)
        expected?.checksums = batch?.checksums
        return batch == expected ? [] : ["not the batch of one transaction"]
    }
}
