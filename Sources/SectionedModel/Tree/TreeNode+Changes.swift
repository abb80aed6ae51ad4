extension TreeNode {
    /// Creates a tree over entries in order. Its nodes are nearly full: each has room for a few more entries.
    @inlinable
    init(sorted entries: [Entry]) {
        guard entries.count > Entry.leafLimit else {
            self.entries = Chunk(entries)
            return
        }
        var level = Self.parts(of: entries.count, filling: Entry.leafLimit).map { range in
            var leaf = TreeNode()
            leaf.entries = Chunk(entries[range])
            return leaf
        }
        while level.count > 1 {
            level = Self.parts(of: level.count, filling: Self.innerLimit).map { range in
                var node = TreeNode()
                node.children = Chunk(level[range].compactMap(\.asChild))
                return node
            }
        }
        self = level[0]
    }

    /// Splits `0..<count` into ranges of about the same size, each about seven eighths of a node.
    @inlinable
    static func parts(of count: Int, filling limit: Int) -> [Range<Int>] {
        let number = count <= limit ? 1 : (count - 1) / (limit * 7 / 8) + 1
        return (0..<number).map { count * $0 / number..<count * ($0 + 1) / number }
    }

    /// This node as a child of another; `nil` if it is empty.
    @inlinable
    var asChild: Child? {
        guard let first = firstSeparator else { return nil }
        if isLeaf {
            return Child(self, first: first, count: entries.count, weight: entries.reduce(0) { $0 + $1.weight })
        }
        return Child(
            self, first: first, count: children.reduce(0) { $0 + $1.count },
            weight: children.reduce(0) { $0 + $1.weight })
    }

    /// Creates a root over the two halves of an overfull root.
    @inlinable
    init(splitting node: inout TreeNode) {
        let upper = node.splitOff()
        children = Chunk([node, upper].compactMap(\.asChild))
    }

    /// Keeps the lower half and returns the upper half.
    @inlinable
    mutating func splitOff() -> TreeNode {
        var upper = TreeNode()
        if isLeaf {
            upper.entries = entries.split(at: entries.count / 2)
        } else {
            upper.children = children.split(at: children.count / 2)
        }
        return upper
    }

    @inlinable
    mutating func insert<Probe: TreeProbe>(_ entry: Entry, at place: Probe) -> Int
    where Probe.Separator == Entry.Separator {
        if isLeaf {
            let index = index(of: place)
            entries.insert(entry, at: index)
            return index
        }
        let child = child(of: place)
        let index = children[child].node.insert(entry, at: place)
        children[child].count += 1
        children[child].weight += entry.weight
        if index == 0 { children[child].first = entry.separator }
        let rank = offset(of: child) + index
        if children[child].node.isOverfull { split(child) }
        return rank
    }

    @inlinable
    mutating func split(_ child: Int) {
        guard let upper = children[child].node.splitOff().asChild else { return }
        children[child].count -= upper.count
        children[child].weight -= upper.weight
        children.insert(upper, at: child + 1)
    }

    @inlinable
    mutating func remove<Probe: TreeProbe>(at place: Probe) -> (index: Int, entry: Entry)
    where Probe.Separator == Entry.Separator {
        if isLeaf {
            let index = index(of: place)
            return (index, entries.remove(at: index))
        }
        let child = child(of: place)
        let (index, entry) = children[child].node.remove(at: place)
        let rank = offset(of: child) + index
        children[child].count -= 1
        children[child].weight -= entry.weight
        if index == 0, let first = children[child].node.firstSeparator { children[child].first = first }
        tidy(child)
        return (rank, entry)
    }

    /// Removes a child that has become empty, or joins a small one with a neighbour if both
    /// together leave room for more.
    @inlinable
    mutating func tidy(_ child: Int) {
        if children[child].count == 0 {
            _ = children.remove(at: child)
            return
        }
        guard children[child].node.isSmall else { return }
        for left in [child - 1, child] where left >= 0 && left + 1 < children.count {
            guard children[left].node.canTakeIn(children[left + 1].node) else { continue }
            let right = children.remove(at: left + 1)
            children[left].node.entries.append(contentsOf: right.node.entries)
            children[left].node.children.append(contentsOf: right.node.children)
            children[left].count += right.count
            children[left].weight += right.weight
            return
        }
    }

    @inlinable
    var isSmall: Bool { isLeaf ? entries.count < Entry.leafLimit / 4 : children.count < Self.innerLimit / 4 }

    @inlinable
    func canTakeIn(_ other: TreeNode) -> Bool {
        isLeaf
            ? entries.count + other.entries.count <= Entry.leafLimit * 3 / 4
            : children.count + other.children.count <= Self.innerLimit * 3 / 4
    }
}
