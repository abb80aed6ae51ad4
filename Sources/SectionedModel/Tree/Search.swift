/// Returns the first number in `0..<count` for which `isBefore` is false, or `count` if there is none. All numbers for
/// which it is true must come first.
@inlinable
func partitionPoint(_ count: Int, isBefore: (Int) -> Bool) -> Int {
    // The result of a comparison selects values and is not branched on, because it cannot be predicted.
    var (low, length) = (0, count)
    while length > 0 {
        let half = length / 2
        let isUpper = isBefore(low + half)
        low = isUpper ? low + half + 1 : low
        length = isUpper ? length - half - 1 : half
    }
    return low
}

/// Returns the positions, ascending, of one longest strictly increasing subsequence. The values
/// alone determine which one.
///
/// O(n log n), by piles: `piles[l]` is the position of the least value that ends an increasing run of length l + 1.
@inlinable
func longestIncreasingSubsequence<Value: Comparable>(_ values: [Value]) -> [Int] {
    var piles: [Int] = []
    var previous = Array(repeating: -1, count: values.count)
    for position in values.indices {
        let pile = partitionPoint(piles.count) { values[piles[$0]] < values[position] }
        if pile > 0 { previous[position] = piles[pile - 1] }
        if pile == piles.count { piles.append(position) } else { piles[pile] = position }
    }
    var run: [Int] = []
    var position = piles.last ?? -1
    while position >= 0 {
        run.append(position)
        position = previous[position]
    }
    return run.reversed()
}
