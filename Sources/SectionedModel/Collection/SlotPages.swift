/// Values by slot, in pages. A value: a copy is O(1), and a change copies at most one page.
@usableFromInline
struct SlotPages<Value: Sendable>: Sendable {
    /// A page has 64 slots, a group 16 pages, and a block 16 groups. A change after a copy copies one list of each
    /// kind, and that touches everything that the list names. Many short lists therefore cost less than few long ones,
    /// and the list of blocks stays short too.
    @usableFromInline var blocks = Chunk<Chunk<Chunk<Chunk<Value>>>>()
    /// One more than the highest slot ever used.
    @usableFromInline var end = 0

    @inlinable
    init() {}

    /// The value of a slot that was used.
    @inlinable
    subscript(slot: Slot) -> Value {
        get { blocks[slot.block][slot.group][slot.page][slot.index] }
        _modify { yield &blocks[slot.block][slot.group][slot.page][slot.index] }
    }

    /// Calls `body` with the value, in place, of a slot that was used.
    @inlinable
    func withValue<Result>(in slot: Slot, _ body: (borrowing Value) -> Result) -> Result {
        let group = blocks.place(of: slot.block).pointee.place(of: slot.group)
        return group.pointee.place(of: slot.page).pointee.withElement(at: slot.index, body)
    }

    /// Stores a value in a slot that was never used, and returns the slot.
    @inlinable
    mutating func append(_ value: Value) -> Slot {
        let slot = Slot(end)
        end += 1
        if slot.index == 0 {
            if slot.page == 0, slot.group == 0 { blocks.append(Chunk()) }
            if slot.page == 0 { blocks[slot.block].append(Chunk()) }
            blocks[slot.block][slot.group].append(Chunk())
        }
        blocks[slot.block][slot.group][slot.page].append(value)
        return slot
    }
}

/// A row's part of the checksum, and the digest of its identity and section, from which the digest
/// of its next element continues.
@usableFromInline
struct RowDigest: Sendable {
    @usableFromInline var value: UInt64 = 0
    @usableFromInline var identity = ElementDigest()

    @inlinable
    init() {}
}

/// The location of an element in the records. An element keeps its slot for its lifetime.
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
