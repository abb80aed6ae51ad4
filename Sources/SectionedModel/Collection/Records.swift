/// The elements by slot: a value whose copy is O(1) and whose change copies one page at most.
@usableFromInline
struct Records<Element: SectionedElement>: Sendable {
    @usableFromInline var pages = SlotPages<Place>()

    /// What lies in a slot.
    @usableFromInline
    struct Place: ChunkElement {
        @usableFromInline var element: Element?

        @inlinable
        init(_ element: Element?) { self.element = element }

        /// An element of one word refers to what it is made of.
        @inlinable
        static var leadingReferences: Int {
            MemoryLayout<Element>.size == MemoryLayout<UnsafeRawPointer>.size ? 1 : 0
        }
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

    /// The element in a slot, or nil.
    @inlinable
    func element(in slot: Slot) -> Element? { pages[slot].element }

    @inlinable
    mutating func set(_ slot: Slot, to element: Element?) { pages[slot].element = element }

    /// Puts an element into a slot that was never used; gives the slot.
    @inlinable
    mutating func append(_ element: Element) -> Slot { pages.append(Place(element)) }
}
