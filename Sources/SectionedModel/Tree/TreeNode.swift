/// A node of a counted tree: a leaf with entries, or an inner node with children. Only the root
/// of an empty tree has neither.
@usableFromInline
struct TreeNode<Entry: TreeEntry>: Sendable {
    @usableFromInline
    struct Child: Sendable {
        @usableFromInline var node: TreeNode
        /// The separator of the node's first entry.
        @usableFromInline var first: Entry.Separator
        @usableFromInline var count: Int
        @usableFromInline var weight: Int

        @inlinable
        init(_ node: TreeNode, first: Entry.Separator, count: Int, weight: Int) {
            self.node = node
            self.first = first
            self.count = count
            self.weight = weight
        }
    }

    /// The entries of a leaf. They grow from a few, so that a thousand sections of ten rows stay small.
    @usableFromInline var entries = Chunk<Entry>()
    /// The children of an inner node.
    @usableFromInline var children = Chunk<Child>()

    @inlinable
    init() {}

    /// The maximum number of children of an inner node. A change after a snapshot copies one node of each level. When
    /// a snapshot is released, the C library's allocator sorts its freed nodes one by one if they are larger than
    /// 1,008 bytes; these are smaller.
    @inlinable
    static var innerLimit: Int { 20 }

    @inlinable
    var isLeaf: Bool { children.isEmpty }

    @inlinable
    var isOverfull: Bool { entries.count > Entry.leafLimit || children.count > Self.innerLimit }

    @inlinable
    var firstSeparator: Entry.Separator? { isLeaf ? entries.first?.separator : children.first?.first }

    /// Returns the child that contains a position.
    @inlinable
    func child<Probe: TreeProbe>(of place: Probe) -> Int where Probe.Separator == Entry.Separator {
        // The first child need not be inspected: an entry before it is inserted into it.
        partitionPoint(children.count - 1) { children.withElement(at: $0 + 1) { !place.isBefore($0.first) } }
    }

    @inlinable
    func index<Probe: TreeProbe>(of place: Probe) -> Int where Probe.Separator == Entry.Separator {
        partitionPoint(entries.count) { entries.withElement(at: $0) { place.isAfter($0.separator) } }
    }

    /// Returns the number of entries before a child.
    @inlinable
    func offset(of child: Int) -> Int {
        var offset = 0
        for index in 0..<child { offset += children[index].count }
        return offset
    }

    // MARK: - Reading

    @inlinable
    func rank<Probe: TreeProbe>(of place: Probe) -> Int where Probe.Separator == Entry.Separator {
        if isLeaf { return index(of: place) }
        let child = child(of: place)
        return offset(of: child) + children.withElement(at: child) { $0.node.rank(of: place) }
    }

    @inlinable
    func withEntry<Probe: TreeProbe, Result>(
        at place: Probe, offset: Int, _ body: (Int, Entry) -> Result
    ) -> Result? where Probe.Separator == Entry.Separator {
        if isLeaf {
            let index = index(of: place)
            guard index < entries.count, !place.isBefore(entries[index].separator) else { return nil }
            return entries.withElement(at: index) { body(offset + index, $0) }
        }
        let child = child(of: place)
        let before = offset + self.offset(of: child)
        return children.withElement(at: child) { $0.node.withEntry(at: place, offset: before, body) }
    }

    @inlinable
    func withEntry<Result>(at index: Int, _ body: (Entry) -> Result) -> Result {
        if isLeaf { return body(entries[index]) }
        var (child, rest) = (0, index)
        while rest >= children[child].count {
            rest -= children[child].count
            child += 1
        }
        return children[child].node.withEntry(at: rest, body)
    }

    @inlinable
    func weight(before index: Int) -> Int {
        if isLeaf { return entries[..<index].reduce(0) { $0 + $1.weight } }
        var (child, rest, weight) = (0, index, 0)
        while child < children.count, rest >= children[child].count {
            rest -= children[child].count
            weight += children[child].weight
            child += 1
        }
        return rest == 0 ? weight : weight + children[child].node.weight(before: rest)
    }

    @inlinable
    func index(ofWeight weight: Int, offset: Int) -> (index: Int, rest: Int) {
        var (position, rest, offset) = (0, weight, offset)
        if isLeaf {
            while rest >= entries[position].weight {
                rest -= entries[position].weight
                position += 1
            }
            return (offset + position, rest)
        }
        while rest >= children[position].weight {
            rest -= children[position].weight
            offset += children[position].count
            position += 1
        }
        return children[position].node.index(ofWeight: rest, offset: offset)
    }

    @inlinable
    func forEach<Failure: Error>(_ body: (Entry) throws(Failure) -> Void) throws(Failure) {
        for index in entries.indices { try body(entries[index]) }
        for index in children.indices { try children[index].node.forEach(body) }
    }
}
