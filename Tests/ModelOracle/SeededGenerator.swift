/// A small generator with a seed (SplitMix64), so that a failing run can be had again.
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Starts from the seed.
    public init(seed: UInt64) { state = seed }

    /// The next word.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is small: the slight bias does not matter, the speed in a debug build does.
    mutating func below(_ bound: Int) -> Int { bound <= 1 ? 0 : Int(next() >> 33) % bound }

    /// True once in `count` times.
    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
}
