/// Values by slot, in pages: a value whose copy is O(1) and whose change copies one page at most.
@usableFromInline
struct SlotPages<Value: Sendable>: Sendable {
    /// Slots are 64 to a page, pages 16 to a group and groups 16 to a block. A change after a copy copies one list of each kind, and that
    /// touches all it names: many short lists cost less than few long ones, and the list of blocks stays short, too.
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

    /// Calls `body` with the value of a slot that was used, where it lies.
    @inlinable
    func withValue<Result>(in slot: Slot, _ body: (borrowing Value) -> Result) -> Result {
        let group = blocks.place(of: slot.block).pointee.place(of: slot.group)
        return group.pointee.place(of: slot.page).pointee.withElement(at: slot.index, body)
    }

    /// Gives a value to a slot that was never used; gives the slot.
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

/// What a row has in the checksum, and the digest of its identity and its section, from which that of its next element goes on.
@usableFromInline
struct RowDigest: Sendable {
    @usableFromInline var value: UInt64 = 0
    @usableFromInline var identity = ElementDigest()

    @inlinable
    init() {}
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
