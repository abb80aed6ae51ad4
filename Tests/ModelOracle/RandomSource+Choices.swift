import WeirWire

extension RandomSource {
    /// Returns a number below `bound`, which must be small. The slight bias does not matter, but the speed in a debug
    /// build does.
    mutating func below(_ bound: Int) -> Int { bound <= 1 ? 0 : Int(next() >> 33) % bound }

    /// Returns true with a probability of one in `count`.
    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
}
