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
