/// The first of `0..<count` for which `isBefore` is false, when all for which it is true come first; `count` if none is.
@inlinable
func partitionPoint(_ count: Int, isBefore: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
        let middle = low + (high - low) / 2
        if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
}

/// The positions, ascending, of one longest strictly increasing subsequence. Which one is a function of the values alone.
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
