import Wire

extension RandomSource {
    /// A number below `bound`, which is small: the slight bias does not matter, the speed in a debug build does.
    mutating func below(_ bound: Int) -> Int { bound <= 1 ? 0 : Int(next() >> 33) % bound }

    /// True once in `count` times.
    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
}
