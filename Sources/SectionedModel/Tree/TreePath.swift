/// The way from the root of a tree to one of its entries: which child in each inner node, and which entry in the leaf. A change of the
/// tree may make it lead to another entry, or to none.
@usableFromInline
struct TreePath: Sendable {
    /// Eight bits a node, the root's lowest: no node has more than 256, and no tree in memory is deeper than eight.
    @usableFromInline var steps: UInt64

    @inlinable
    init() { steps = 0 }

    /// Of a single node.
    @inlinable
    init(step: Int) { steps = UInt64(truncatingIfNeeded: step) }

    /// From a node above: its child, and the way from there.
    @inlinable
    init(step: Int, then rest: TreePath) { steps = rest.steps << 8 | UInt64(truncatingIfNeeded: step) }

    /// In the node it starts from.
    @inlinable
    var step: Int { Int(truncatingIfNeeded: steps & 255) }

    /// The way on from there.
    @inlinable
    var rest: TreePath {
        var rest = self
        rest.steps >>= 8
        return rest
    }
}

extension TreeNode {
    /// The way to the entry of a place; nil when there is none.
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

    /// Changes the entry of a place, but not its separator, if that is where a way leads; nil if it is not. Gives its index, and how much
    /// weight it gained.
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
