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

// The invariants of every tree between two changes. The tests check them after every step.
extension CountedTree {
    /// Returns a description of a broken invariant; `nil` if all of them hold. `isOrdered` returns whether the
    /// second entry may follow the first.
    @inlinable
    func brokenInvariant(_ isOrdered: (Entry, Entry) -> Bool) -> String? {
        var previous: Entry?
        var number = 0
        var isInOrder = true
        forEach { entry in
            if let previous, !isOrdered(previous, entry) { isInOrder = false }
            previous = entry
            number += 1
        }
        if !isInOrder { return "entries out of order" }
        if number != count { return "\(number) entries counted as \(count)" }
        let (broken, sums) = root.check(isRoot: true)
        if let broken { return broken }
        return sums.weight == weight && sums.count == count ? nil : "wrong sums at the root"
    }
}

extension TreeNode {
    @inlinable
    func check(isRoot: Bool) -> (broken: String?, sums: (count: Int, weight: Int, depth: Int)) {
        if isOverfull { return ("an overfull node", (0, 0, 0)) }
        if !entries.isEmpty, !children.isEmpty { return ("a node that is leaf and inner", (0, 0, 0)) }
        if isLeaf {
            if entries.isEmpty, !isRoot { return ("an empty leaf", (0, 0, 0)) }
            return (nil, (entries.count, entries.reduce(0) { $0 + $1.weight }, 1))
        }
        if children.count < 2, isRoot { return ("a root with one child", (0, 0, 0)) }
        var (count, weight, depths) = (0, 0, Set<Int>())
        for child in children {
            let (broken, sums) = child.node.check(isRoot: false)
            if let broken { return (broken, sums) }
            if child.count != sums.count || child.weight != sums.weight { return ("wrong sums of a child", sums) }
            count += sums.count
            weight += sums.weight
            depths.insert(sums.depth)
        }
        return (depths.count == 1 ? nil : "leaves of different depth", (count, weight, (depths.first ?? 0) + 1))
    }
}

extension SectionedSnapshot {
    /// Returns a description of a broken invariant of the state; `nil` if all of them hold.
    @inlinable
    package func brokenInvariant() -> String? {
        if let broken = directory.brokenInvariant({ $0.place < $1.place }) { return "directory: \(broken)" }
        var broken: String?
        var rows = 0
        var found: UInt64 = 0
        directory.forEach { section in
            found &+= Self.digest(of: section.place)
            if section.rows.isEmpty { broken = "an empty section" }
            if section.place.rank != rank(of: section.place.key) { broken = "a section at another rank" }
            let inSection = section.rows.brokenInvariant { a, b in
                RowPlace(of: a.slot, at: a.key, in: records).isBefore(b)
            }
            if let inSection { broken = "section \(section.place.key): \(inSection)" }
            section.rows.forEach { row in
                rows += 1
                let element = records[row.slot]
                if element.sectionKey != section.place.key { broken = "a row in another's section" }
                if element.sortKey != row.key { broken = "a row with another sort key than its element" }
                if slot(of: element.id) != row.slot { broken = "an id that leads elsewhere" }
                var digest = ElementDigest()
                element.feedIdentity(&digest)
                element.feed(&digest)
                found &+= digest.value
            }
        }
        if rows != slots.shards.reduce(0, { $0 + $1.used }) { return "more ids than rows" }
        if let sum, sum != found { return "a wrong checksum" }
        return broken
    }
}
