import Wire

// The same seed gives the same history on every machine.
extension RandomSource {
    /// Returns a number in `0..<bound`; 0 when `bound` is not positive. (The bias of the remainder is far below
    /// anything a script can show.)
    mutating func below(_ bound: Int) -> Int {
        bound > 0 ? Int(next() % UInt64(bound)) : 0
    }

    /// Returns a random number in `range`, both ends included.
    mutating func within(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.count)
    }

    /// Returns one of `choices`; `nil` when there are none.
    mutating func pick<Choice>(_ choices: [Choice]) -> Choice? {
        choices.isEmpty ? nil : choices[below(choices.count)]
    }

    /// Returns true once in `n` times on average.
    mutating func oneIn(_ n: Int) -> Bool { below(n) == 0 }

    /// Returns `items` in a random order.
    mutating func shuffled<Item>(_ items: [Item]) -> [Item] {
        var items = items
        for index in items.indices.reversed() where index > 0 { items.swapAt(index, below(index + 1)) }
        return items
    }

    /// Applies SplitMix64's output function to a value.
    static func mix(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
