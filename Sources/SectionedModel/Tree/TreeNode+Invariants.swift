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
