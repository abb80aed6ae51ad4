/// What a counted tree holds.
@usableFromInline
protocol TreeEntry: Sendable {
    /// What of an entry decides where others stand; small, for inner nodes keep copies of it.
    associatedtype Separator: Sendable
    /// Never changes while the entry is in a tree.
    var separator: Separator { get }
    /// What it adds to the tree's weight.
    var weight: Int { get }
    /// The most entries a leaf has: many where copying one is a copy of bytes, few where it follows references.
    static var leafLimit: Int { get }
}

/// A place in the order of a tree.
@usableFromInline
protocol TreeProbe {
    associatedtype Separator
    /// Whether the entry with this separator stands before the place. True for a prefix of the entries.
    func isAfter(_ separator: Separator) -> Bool
    /// Whether the entry with this separator stands behind the place. True for a suffix; between both is at most one entry, the place's own.
    func isBefore(_ separator: Separator) -> Bool
}

/// A counted B+tree: a sequence in an order its callers know, where finding a place, its rank, and putting in or taking out there are
/// O(log n).
///
/// Nodes are chunks in chunks. So it is a value, a copy is O(1), and a change after it copies the nodes on one path and no others.
@usableFromInline
struct CountedTree<Entry: TreeEntry>: Sendable {
    @usableFromInline var root = TreeNode<Entry>()
    @usableFromInline var count = 0
    /// The sum of the entries' weights.
    @usableFromInline var weight = 0

    @inlinable
    init() {}

    /// A tree of entries that stand in order already.
    @inlinable
    init(sorted entries: [Entry]) {
        count = entries.count
        weight = entries.reduce(0) { $0 + $1.weight }
        root = TreeNode(sorted: entries)
    }

    @inlinable
    var isEmpty: Bool { count == 0 }

    /// How many entries stand before a place.
    @inlinable
    func rank<Probe: TreeProbe>(of place: Probe) -> Int where Probe.Separator == Entry.Separator {
        root.rank(of: place)
    }

    /// Calls `body` with the entry that has this place, and its index; nil when there is none.
    @inlinable
    func withEntry<Probe: TreeProbe, Result>(at place: Probe, _ body: (Int, Entry) -> Result) -> Result?
    where Probe.Separator == Entry.Separator {
        root.withEntry(at: place, offset: 0, body)
    }

    /// Calls `body` with the entry at an index, which must be one.
    @inlinable
    func withEntry<Result>(at index: Int, _ body: (Entry) -> Result) -> Result {
        precondition(index >= 0 && index < count, "an index outside the tree")
        return root.withEntry(at: index, body)
    }

    @inlinable
    subscript(index: Int) -> Entry { withEntry(at: index) { $0 } }

    /// The weight of the entries before an index.
    @inlinable
    func weight(before index: Int) -> Int { root.weight(before: index) }

    /// The entry in which the given weight, counted from the start, falls, and what of it is left there; `weight` must be less than the tree's.
    @inlinable
    func index(ofWeight weight: Int) -> (index: Int, rest: Int) { root.index(ofWeight: weight, offset: 0) }

    /// Puts an entry in at its place; gives its index.
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

    /// Takes the entry of a place out; there must be one. Gives it and the index it had.
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

    /// Changes the entry of a place, but not its separator; nil when there is none. Gives its index too. It is looked for at `recent` first,
    /// which leads to it afterwards.
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
