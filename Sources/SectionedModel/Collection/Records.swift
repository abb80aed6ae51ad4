/// The elements by slot, in pages: a value whose copy is O(1) and whose change copies one page at most.
@usableFromInline
struct Records<Element: SectionedElement>: Sendable {
    /// Slots are 64 to a page, pages 16 to a group and groups 16 to a block. A change after a copy copies one list of each kind, and that
    /// touches all it names: many short lists cost less than few long ones, and the list of blocks stays short, too.
    @usableFromInline var blocks = Chunk<Chunk<Chunk<Chunk<Place>>>>()
    /// One more than the highest slot ever used.
    @usableFromInline var end = 0

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

    /// The element in a slot, which must have one.
    @inlinable
    subscript(slot: Slot) -> Element {
        guard let element = blocks[slot.block][slot.group][slot.page][slot.index].element else {
            preconditionFailure("an empty slot")
        }
        return element
    }

    /// The element in a slot, or nil.
    @inlinable
    func element(in slot: Slot) -> Element? { blocks[slot.block][slot.group][slot.page][slot.index].element }

    @inlinable
    mutating func set(_ slot: Slot, to element: Element?) {
        blocks[slot.block][slot.group][slot.page][slot.index].element = element
    }

    /// Puts an element into a slot that was never used; gives the slot.
    @inlinable
    mutating func append(_ element: Element) -> Slot {
        let slot = Slot(end)
        end += 1
        if slot.index == 0 {
            if slot.page == 0, slot.group == 0 { blocks.append(Chunk()) }
            if slot.page == 0 { blocks[slot.block].append(Chunk()) }
            blocks[slot.block][slot.group].append(Chunk())
        }
        blocks[slot.block][slot.group][slot.page].append(Place(element))
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
    var block: Int { Int(number >> 14) }
    @inlinable
    var group: Int { Int(number >> 10 & 15) }
    @inlinable
    var page: Int { Int(number >> 6 & 15) }
    @inlinable
    var index: Int { Int(number & 63) }
}
