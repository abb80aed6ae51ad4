import SectionedModel
import Wire

/// A row of 48 bytes without references: a 16-byte id, both keys, and 16 bytes of contents.
struct ModelRow: SectionedElement {
    /// A random id. It is hashed as one word, as `EntityID` is.
    struct ID: Hashable, Comparable, Sendable {
        let high: UInt64
        let low: UInt64

        func hash(into hasher: inout Hasher) { hasher.combine(high ^ low) }

        static func < (a: ID, b: ID) -> Bool { (a.high, a.low) < (b.high, b.low) }
    }

    let id: ID
    var sectionKey: Int64
    var sortKey: Int64
    var contents: UInt64
    let more: UInt64

    func feedIdentity(_ digest: inout ElementDigest) {
        digest.feed(id.high)
        digest.feed(id.low)
        digest.feed(sectionKey)
    }

    func feed(_ digest: inout ElementDigest) {
        digest.feed(sortKey)
        digest.feed(contents)
        digest.feed(more)
    }
}

/// The size of a model: its rows, its sections, and how the rows are distributed.
struct ModelShape: Hashable {
    /// The distribution of the rows over the sections.
    enum Spread: Hashable {
        case even
        /// The k-th largest section has 1/k of the rows of the largest.
        case zipf
    }

    var rows: Int
    var sections: Int
    var spread = Spread.even

    var name: String { "\(rows.grouped) / \(sections.grouped)" + (spread == .zipf ? " Zipf" : "") }
}

/// The rows of a model and changes to them, determined by shape and seed.
struct ModelWorkload {
    let shape: ModelShape
    /// The rows after all changes so far, unordered.
    private(set) var rows: [ModelRow] = []
    private var dice: RandomSource
    /// The cumulative weights of the sections: `weights[k]` is the sum of the weights up to section k. Empty when all
    /// sections have the same weight.
    private let weights: [Int]

    init(_ shape: ModelShape, seed: UInt64) {
        self.shape = shape
        dice = RandomSource(seed: seed)
        weights = shape.spread == .even ? [] : Self.zipf(shape.sections)
        rows.reserveCapacity(shape.rows)
        for _ in 0..<shape.rows { rows.append(newRow()) }
    }

    private static func zipf(_ sections: Int) -> [Int] {
        var total = 0
        return (1...sections).map { rank in
            total += max(1, (1 << 40) / rank)
            return total
        }
    }

    private mutating func newRow() -> ModelRow {
        ModelRow(
            id: .init(high: dice.next(), low: dice.next()), sectionKey: sectionKey(), sortKey: sortKey(),
            contents: dice.next(), more: dice.next())
    }

    private mutating func sortKey() -> Int64 { Int64(dice.next() >> 24) }

    /// Returns a section key. The multiplication by an odd factor permutes the numbers, so that large and small
    /// sections are not in order of size.
    private mutating func sectionKey() -> Int64 {
        Int64(truncatingIfNeeded: (sectionNumber() &* 0x9E37_79B1) & 0xFFFF_FFFF)
    }

    private mutating func sectionNumber() -> Int {
        guard let total = weights.last else { return dice.below(shape.sections) }
        let ticket = dice.below(total)
        var low = 0
        var high = weights.count - 1
        while low < high {
            let middle = (low + high) / 2
            if weights[middle] > ticket { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Moves random rows to another section with another sort key, `count` times. Returns the row after each change.
    mutating func moves(_ count: Int) -> [ModelRow] {
        change(count) { workload, index in
            workload.rows[index].sectionKey = workload.sectionKey()
            workload.rows[index].sortKey = workload.sortKey()
        }
    }

    /// Changes the contents of random rows, `count` times. Returns the row after each change.
    mutating func edits(_ count: Int) -> [ModelRow] {
        change(count) { workload, index in workload.rows[index].contents = workload.dice.next() }
    }

    private mutating func change(_ count: Int, _ body: (inout Self, Int) -> Void) -> [ModelRow] {
        var changed: [ModelRow] = []
        changed.reserveCapacity(count)
        for _ in 0..<count {
            let index = dice.below(rows.count)
            body(&self, index)
            changed.append(rows[index])
        }
        return changed
    }

    /// Returns `count` random ids of existing rows.
    mutating func ids(_ count: Int) -> [ModelRow.ID] { (0..<count).map { _ in rows[dice.below(rows.count)].id } }

    /// Changes `count` rows at once: a quarter move, a quarter get new contents, a quarter are removed, and as many are
    /// added.
    mutating func churn(_ count: Int) {
        _ = moves(count / 4)
        _ = edits(count / 4)
        for _ in 0..<count / 4 {
            rows.swapAt(dice.below(rows.count), rows.count - 1)
            rows.removeLast()
        }
        for _ in 0..<count / 4 { rows.append(newRow()) }
    }

    /// Returns the rows in random order.
    mutating func shuffled() -> [ModelRow] {
        var shuffled = rows
        for index in shuffled.indices.dropFirst() { shuffled.swapAt(index, dice.below(index + 1)) }
        return shuffled
    }
}

extension Int {
    /// The number as text with a comma between groups of three digits.
    var grouped: String {
        let digits = String(magnitude)
        var text = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }
}
