/// The rows of one section in order, in leaves of bounded size: a row that comes, leaves or moves shifts its leaf only, not the section.
///
/// Indices count the rows of the whole section from 0.
@usableFromInline
struct Rows<Element: SectionedElement>: Sendable {
    /// A leaf that grows past this is split in halves. Large enough for few leaves, small enough that shifting one is cheap.
    @inlinable
    static var leafLimit: Int { 64 }

    /// Never holds an empty leaf.
    @usableFromInline var leaves: [[Element]] = []
    /// `sizes[i]` is the number of rows in `leaves[i]`, side by side so that finding an index reads little memory.
    @usableFromInline var sizes: [Int] = []
    @usableFromInline var count = 0

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool { count == 0 }

    @inlinable
    var indices: Range<Int> { 0..<count }

    /// All rows, in order.
    @inlinable
    var all: [Element] { Array(leaves.joined()) }

    /// The leaf and the place in it of a row, or of the end of the last leaf for `count`.
    @inlinable
    func position(of index: Int) -> (leaf: Int, offset: Int) {
        precondition(index >= 0 && index <= count, "a row outside its section")
        var rest = index
        var leaf = 0
        while leaf + 1 < sizes.count, rest >= sizes[leaf] {
            rest -= sizes[leaf]
            leaf += 1
        }
        return (leaf, rest)
    }

    @inlinable
    subscript(index: Int) -> Element {
        get {
            let (leaf, offset) = position(of: index)
            return leaves[leaf][offset]
        }
        set {
            let (leaf, offset) = position(of: index)
            leaves[leaf][offset] = newValue
        }
    }

    /// How many rows stand before the place (sort key, id).
    @inlinable
    func rank(of sortKey: Element.SortKey, _ id: Element.ID) -> Int {
        // The place is in the last leaf that does not begin behind it.
        let behind = partitionPoint(leaves.count) { Self.precedes(leaves[$0], 0, sortKey, id) }
        guard behind > 0 else { return 0 }
        let leaf = behind - 1
        let offset = partitionPoint(sizes[leaf]) { Self.precedes(leaves[leaf], $0, sortKey, id) }
        return sizes[..<leaf].reduce(offset, +)
    }

    @inlinable
    static func precedes(_ rows: [Element], _ index: Int, _ sortKey: Element.SortKey, _ id: Element.ID) -> Bool {
        let other = rows[index].sortKey
        return other < sortKey || (other == sortKey && rows[index].id < id)
    }

    @inlinable
    mutating func insert(_ element: Element, at index: Int) {
        if leaves.isEmpty {
            leaves = [[element]]
            sizes = [1]
            count = 1
            return
        }
        let (leaf, offset) = position(of: index)
        leaves[leaf].insert(element, at: offset)
        sizes[leaf] += 1
        count += 1
        if sizes[leaf] > Self.leafLimit { split(leaf) }
    }

    @inlinable
    mutating func split(_ leaf: Int) {
        let half = sizes[leaf] / 2
        let upper = Array(leaves[leaf][half...])
        leaves[leaf].removeSubrange(half...)
        leaves.insert(upper, at: leaf + 1)
        sizes[leaf] = half
        sizes.insert(upper.count, at: leaf + 1)
    }

    @inlinable
    @discardableResult
    mutating func remove(at index: Int) -> Element {
        let (leaf, offset) = position(of: index)
        let element = leaves[leaf].remove(at: offset)
        sizes[leaf] -= 1
        count -= 1
        if sizes[leaf] == 0 {
            leaves.remove(at: leaf)
            sizes.remove(at: leaf)
        } else {
            join(leaf)
        }
        return element
    }

    /// Joins a leaf with its right neighbour when both together are far from full, so that leaves do not stay small for ever.
    @inlinable
    mutating func join(_ leaf: Int) {
        guard leaf + 1 < sizes.count, sizes[leaf] + sizes[leaf + 1] <= Self.leafLimit / 2 else { return }
        leaves[leaf] += leaves[leaf + 1]
        sizes[leaf] = leaves[leaf].count
        leaves.remove(at: leaf + 1)
        sizes.remove(at: leaf + 1)
    }

    /// Puts another element of the same id in the place of one, at the index its sort key gives. Returns that index.
    @inlinable
    mutating func replace(at index: Int, by element: Element) -> Int {
        let rank = rank(of: element.sortKey, element.id)
        // The rank counts the row that is about to leave.
        let target = rank > index ? rank - 1 : rank
        if target == index {
            self[index] = element
        } else {
            remove(at: index)
            insert(element, at: target)
        }
        return target
    }
}
