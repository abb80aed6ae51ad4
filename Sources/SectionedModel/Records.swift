/// The elements by slot, in pages: a value whose copy is O(1) and whose change copies one page at most.
@usableFromInline
struct Records<Element: SectionedElement>: Sendable {
    /// Slots are 64 to a page and pages 64 to a group, so that the list of groups, which a change after a copy copies whole, stays short.
    @usableFromInline var groups: [[[Element?]]] = []
    /// One more than the highest slot ever used.
    @usableFromInline var end = 0

    @inlinable
    init() {}

    /// The element in a slot, which must have one.
    @inlinable
    subscript(slot: Slot) -> Element {
        guard let element = groups[slot.group][slot.page][slot.index] else { preconditionFailure("an empty slot") }
        return element
    }

    /// The element in a slot, or nil.
    @inlinable
    func element(in slot: Slot) -> Element? { groups[slot.group][slot.page][slot.index] }

    @inlinable
    mutating func set(_ slot: Slot, to element: Element?) { groups[slot.group][slot.page][slot.index] = element }

    /// Puts an element into a slot that was never used; gives the slot.
    @inlinable
    mutating func append(_ element: Element) -> Slot {
        let slot = Slot(end)
        end += 1
        if slot.page == 0, slot.index == 0 { groups.append([]) }
        if slot.index == 0 {
            groups[slot.group].append([])
            // The first page grows as it is filled, for there are small models.
            if end > 1 { groups[slot.group][slot.page].reserveCapacity(Slot.pageSize) }
        }
        groups[slot.group][slot.page].append(element)
        return slot
    }
}

/// Where an element lies in the records; it keeps its slot while it lives.
@usableFromInline
struct Slot: Equatable, Sendable {
    @usableFromInline let number: UInt32

    @inlinable
    init(_ number: Int) { self.number = UInt32(number) }

    @inlinable
    static func == (a: Slot, b: Slot) -> Bool { a.number == b.number }

    @inlinable
    static var pageSize: Int { 64 }

    @inlinable
    var group: Int { Int(number >> 12) }
    @inlinable
    var page: Int { Int(number >> 6 & 63) }
    @inlinable
    var index: Int { Int(number & 63) }
}
