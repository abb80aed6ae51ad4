/// The elements by slot. A value: a copy is O(1), and a change copies at most one page.
@usableFromInline
struct Records<Element: SectionedElement>: Sendable {
    @usableFromInline var pages = SlotPages<Place>()

    /// The contents of a slot: an element or nothing.
    @usableFromInline
    struct Place: Sendable {
        @usableFromInline var element: Element?

        @inlinable
        init(_ element: Element?) { self.element = element }
    }

    @inlinable
    init() {}

    /// One more than the highest slot ever used.
    @inlinable
    var end: Int { pages.end }

    /// The element in a slot, which must not be empty.
    @inlinable
    subscript(slot: Slot) -> Element {
        guard let element = pages[slot].element else { preconditionFailure("an empty slot") }
        return element
    }

    /// Calls `body` with the element in a slot, which must not be empty. The element stays in place, because a
    /// copy would count a reference.
    @inlinable
    func withElement<Result>(in slot: Slot, _ body: (borrowing Element) -> Result) -> Result {
        pages.withValue(in: slot) { place in
            switch place.element {
            case let element?: body(element)
            case nil: preconditionFailure("an empty slot")
            }
        }
    }

    /// Returns the element in a slot; `nil` if the slot is empty.
    @inlinable
    func element(in slot: Slot) -> Element? { pages[slot].element }

    @inlinable
    mutating func set(_ slot: Slot, to element: Element?) { pages[slot].element = element }

    /// Replaces the element in a slot, which must not be empty, and returns the old one.
    @inlinable
    mutating func exchange(_ slot: Slot, for new: Element) -> Element {
        guard let old = Swift.exchange(&pages[slot].element, with: new) else { preconditionFailure("an empty slot") }
        return old
    }

    /// Stores an element in a slot that was never used, and returns the slot.
    @inlinable
    mutating func append(_ element: Element) -> Slot { pages.append(Place(element)) }
}

/// The records without a counted reference, for a search. They must not be changed or released while it lasts.
@usableFromInline
struct SearchedRecords<Element: SectionedElement> {
    @usableFromInline typealias Blocks = ChunkStorage<Chunk<Chunk<Chunk<Records<Element>.Place>>>>

    @usableFromInline unowned(unsafe) let blocks: Blocks?

    @inlinable
    init(_ records: borrowing Records<Element>) { blocks = records.pages.blocks.storage }

    /// Returns whether the element in `slot` precedes the one in `other` by its id.
    @inlinable
    func comesFirst(_ slot: Slot, before other: Slot) -> Bool {
        var records = Records<Element>()
        records.pages.blocks.storage = blocks
        return records[slot].id < records[other].id
    }
}
