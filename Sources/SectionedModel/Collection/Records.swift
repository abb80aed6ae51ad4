/// The elements by slot: a value whose copy is O(1) and whose change copies one page at most.
@usableFromInline
struct Records<Element: SectionedElement>: Sendable {
    @usableFromInline var pages = SlotPages<Place>()

    /// What lies in a slot.
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

    /// The element in a slot, which must have one.
    @inlinable
    subscript(slot: Slot) -> Element {
        guard let element = pages[slot].element else { preconditionFailure("an empty slot") }
        return element
    }

    /// Calls `body` with the element in a slot, which must have one, where it lies: to take it out counts a reference.
    @inlinable
    func withElement<Result>(in slot: Slot, _ body: (borrowing Element) -> Result) -> Result {
        pages.withValue(in: slot) { place in
            switch place.element {
            case let element?: body(element)
            case nil: preconditionFailure("an empty slot")
            }
        }
    }

    /// The element in a slot, or nil.
    @inlinable
    func element(in slot: Slot) -> Element? { pages[slot].element }

    @inlinable
    mutating func set(_ slot: Slot, to element: Element?) { pages[slot].element = element }

    /// Puts another element into a slot, which must have one. Gives the one that was there.
    @inlinable
    mutating func exchange(_ slot: Slot, for new: Element) -> Element {
        guard let old = Swift.exchange(&pages[slot].element, with: new) else { preconditionFailure("an empty slot") }
        return old
    }

    /// Puts an element into a slot that was never used; gives the slot.
    @inlinable
    mutating func append(_ element: Element) -> Slot { pages.append(Place(element)) }
}

/// Records without a reference to them, for a search: they stay where they are while it lasts.
@usableFromInline
struct SearchedRecords<Element: SectionedElement> {
    @usableFromInline typealias Blocks = ChunkStorage<Chunk<Chunk<Chunk<Records<Element>.Place>>>>

    @usableFromInline unowned(unsafe) let blocks: Blocks?

    @inlinable
    init(_ records: borrowing Records<Element>) { blocks = records.pages.blocks.storage }

    /// Whether the element in a slot stands before that in another by its id.
    @inlinable
    func comesFirst(_ slot: Slot, before other: Slot) -> Bool {
        var records = Records<Element>()
        records.pages.blocks.storage = blocks
        return records[slot].id < records[other].id
    }
}
