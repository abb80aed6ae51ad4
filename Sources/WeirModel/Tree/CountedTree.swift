/// An entry of a counted tree.
@usableFromInline
protocol TreeEntry: Sendable {
    /// The part of an entry that determines the positions of others. It is small, because inner nodes keep copies.
    associatedtype Separator: Sendable
    /// The separator, which must not change while the entry is in a tree.
    var separator: Separator { get }
    /// The amount that the entry adds to the tree's weight.
    var weight: Int { get }
    /// The maximum number of entries in a leaf: large if a copy of an entry is a copy of bytes,
    /// small if it follows references.
    static var leafLimit: Int { get }
}

/// A position in the order of a tree.
@usableFromInline
protocol TreeProbe {
    associatedtype Separator
    /// Returns whether the entry with this separator comes before the position. True for a prefix of the entries.
    func isAfter(_ separator: Separator) -> Bool
    /// Returns whether the entry with this separator comes after the position. True for a suffix of the entries.
    /// Between prefix and suffix is at most one entry, the one at the position.
    func isBefore(_ separator: Separator) -> Bool
}

/// A counted B+tree: a sequence in an order that its callers know. Finding a position, its rank, and inserting or
/// removing an entry are each O(log n).
///
/// Nodes are chunks in chunks. The tree is therefore a value: a copy is O(1), and a later change copies the
/// nodes on one path and no others.
@usableFromInline
struct CountedTree<Entry: TreeEntry>: Sendable {
    @usableFromInline var root = TreeNode<Entry>()
    @usableFromInline var count = 0
    /// The sum of the entries' weights.
    @usableFromInline var weight = 0

    @inlinable
    init() {}

    /// Creates a tree of entries that are already in order.
    @inlinable
    init(sorted entries: [Entry]) {
        count = entries.count
        weight = entries.reduce(0) { $0 + $1.weight }
        root = TreeNode(sorted: entries)
    }

    @inlinable
    var isEmpty: Bool { count == 0 }

    /// Returns the number of entries before a position.
    @inlinable
    func rank<Probe: TreeProbe>(of place: Probe) -> Int where Probe.Separator == Entry.Separator {
        root.rank(of: place)
    }

    /// Calls `body` with the index and the entry at a position; returns `nil` if there is no entry.
    @inlinable
    func withEntry<Probe: TreeProbe, Result>(at place: Probe, _ body: (Int, Entry) -> Result) -> Result?
    where Probe.Separator == Entry.Separator {
        root.withEntry(at: place, offset: 0, body)
    }

    /// Calls `body` with the entry at an index, which must be valid.
    @inlinable
    func withEntry<Result>(at index: Int, _ body: (Entry) -> Result) -> Result {
        precondition(index >= 0 && index < count, "an index outside the tree")
        return root.withEntry(at: index, body)
    }

    @inlinable
    subscript(index: Int) -> Entry { withEntry(at: index) { $0 } }

    /// Returns the weight of the entries before an index.
    @inlinable
    func weight(before index: Int) -> Int { root.weight(before: index) }

    /// Returns the entry into which `weight`, counted from the start, falls, and the remainder within that entry.
    /// `weight` must be less than the tree's.
    @inlinable
    func index(ofWeight weight: Int) -> (index: Int, rest: Int) { root.index(ofWeight: weight, offset: 0) }

    /// Inserts an entry at its position and returns its index.
    @inlinable
    @discardableResult
    mutating func insert<Probe: TreeProbe>(_ entry: Entry, at place: Probe) -> Int
    where Probe.Separator == Entry.Separator {
        count += 1
        weight += entry.weight
        let index = root.insert(entry, at: place)
        if root.isOverfull { root = TreeNode(splitting: &root) }
        return index
    }

    /// Removes the entry at a position, where one must exist. Returns the entry and its former index.
    @inlinable
    @discardableResult
    mutating func remove<Probe: TreeProbe>(at place: Probe) -> (index: Int, entry: Entry)
    where Probe.Separator == Entry.Separator {
        let removed = root.remove(at: place)
        count -= 1
        weight -= removed.entry.weight
        if root.children.count == 1 { root = root.children[0].node }
        return removed
    }

    /// Changes the entry at a position, but not its separator. Returns its index and the result of `body`, or `nil` if
    /// there is no entry. The search begins at `recent`, which leads to the entry afterwards.
    @inlinable
    mutating func modify<Probe: TreeProbe, Result>(
        at place: Probe, recent: inout TreePath, _ body: (inout Entry) -> Result
    ) -> (index: Int, result: Result)? where Probe.Separator == Entry.Separator {
        var changed = root.modify(at: place, along: recent, body)
        if changed == nil {
            guard let path = root.path(to: place) else { return nil }
            recent = path
            changed = root.modify(at: place, along: path, body)
        }
        guard let (index, gain, result) = changed else { return nil }
        weight += gain
        return (index, result)
    }

    /// Calls `body` with every entry, in order.
    @inlinable
    func forEach<Failure: Error>(_ body: (Entry) throws(Failure) -> Void) throws(Failure) { try root.forEach(body) }
}

/// The path from the root of a tree to one of its entries: the child in each inner node, and the entry in the leaf.
/// After a change of the tree it may lead to another entry, or to none.
@usableFromInline
struct TreePath: Sendable {
    /// The steps, eight bits per node, the root's in the lowest bits: no node has more than 256 entries or children,
    /// and no tree in memory is deeper than eight nodes.
    @usableFromInline var steps: UInt64

    @inlinable
    init() { steps = 0 }

    /// Creates a path within a single node.
    @inlinable
    init(step: Int) { steps = UInt64(truncatingIfNeeded: step) }

    /// Creates a path from a node to its child, and from there along `rest`.
    @inlinable
    init(step: Int, then rest: TreePath) { steps = rest.steps << 8 | UInt64(truncatingIfNeeded: step) }

    /// The step within the first node.
    @inlinable
    var step: Int { Int(truncatingIfNeeded: steps & 255) }

    /// The path after the first node.
    @inlinable
    var rest: TreePath {
        var rest = self
        rest.steps >>= 8
        return rest
    }
}

extension TreeNode {
    /// Returns the path to the entry at a position; `nil` if there is no entry.
    @inlinable
    func path<Probe: TreeProbe>(to place: Probe) -> TreePath? where Probe.Separator == Entry.Separator {
        if isLeaf {
            let index = index(of: place)
            return index < entries.count && !place.isBefore(entries[index].separator) ? TreePath(step: index) : nil
        }
        let child = child(of: place)
        let rest = children.withElement(at: child) { $0.node.path(to: place) }
        return rest.map { TreePath(step: child, then: $0) }
    }

    /// Changes the entry at a position, but not its separator, if `path` leads to it. Returns its index and the weight
    /// it gained; `nil` if the path leads elsewhere.
    @inlinable
    mutating func modify<Probe: TreeProbe, Result>(
        at place: Probe, along path: TreePath, _ body: (inout Entry) -> Result
    ) -> (index: Int, gain: Int, result: Result)? where Probe.Separator == Entry.Separator {
        let step = path.step
        if isLeaf {
            guard step < entries.count, !place.isBefore(entries[step].separator),
                !place.isAfter(entries[step].separator)
            else { return nil }
            let before = entries[step].weight
            let result = body(&entries[step])
            return (step, entries[step].weight - before, result)
        }
        guard step < children.count, let changed = children[step].node.modify(at: place, along: path.rest, body)
        else { return nil }
        children[step].weight += changed.gain
        return (offset(of: step) + changed.index, changed.gain, changed.result)
    }
}

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
