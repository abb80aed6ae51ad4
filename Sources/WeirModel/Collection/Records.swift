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

/// The map from ids to slots: open addressing over hashes and slots only. The ids themselves are in the records.
///
/// The table is split into shards by the hash, so that growing it never moves more than one shard's entries. It is only
/// looked up and never iterated, because its order changes with the process.
@usableFromInline
struct SlotTable: Sendable {
    /// The shards, each with a power of two of places, at most three quarters of them used.
    @usableFromInline var shards: [Shard] = []

    @usableFromInline
    struct Shard: Sendable {
        /// Each entry has the lower half of a hash in its upper 32 bits, and the slot's number plus one in its
        /// lower ones. 0 is a free place.
        @usableFromInline var places: [UInt64] = []
        @usableFromInline var used = 0

        @inlinable
        init() {}
    }

    @inlinable
    init() {}

    @inlinable
    static var shardCount: Int { 256 }

    @inlinable
    static func shard(of hash: Int) -> Int { Int(truncatingIfNeeded: UInt(bitPattern: hash) >> 56) }

    @inlinable
    static func mark(of hash: Int) -> UInt64 { UInt64(UInt32(truncatingIfNeeded: hash)) << 32 }

    /// Returns the slot with this hash for which `matches` is true.
    @inlinable
    func slot(hash: Int, _ matches: (Slot) -> Bool) -> Slot? {
        guard !shards.isEmpty else { return nil }
        return shards[Self.shard(of: hash)].place(hash: hash, matches)?.slot
    }

    /// Reserves room for `count` entries at once.
    @inlinable
    mutating func reserve(_ count: Int) {
        if shards.isEmpty { shards = Array(repeating: Shard(), count: Self.shardCount) }
        // Shards fill unevenly: a quarter more keeps most of them from growing again.
        for shard in shards.indices { shards[shard].grow(toHold: count / Self.shardCount * 5 / 4) }
    }

    /// Adds a slot, which must not be in the table.
    @inlinable
    mutating func insert(_ slot: Slot, hash: Int) {
        if shards.isEmpty { shards = Array(repeating: Shard(), count: Self.shardCount) }
        shards[Self.shard(of: hash)].insert(Self.mark(of: hash) | UInt64(slot.number) + 1)
    }

    /// Removes a slot, which must be in the table.
    @inlinable
    mutating func remove(_ slot: Slot, hash: Int) {
        let shard = Self.shard(of: hash)
        guard let place = shards[shard].place(hash: hash, { $0 == slot })?.index else {
            preconditionFailure("a slot that is not in the table")
        }
        shards[shard].free(place)
    }
}

extension SlotTable.Shard {
    @inlinable
    func place(hash: Int, _ matches: (Slot) -> Bool) -> (index: Int, slot: Slot)? {
        guard !places.isEmpty else { return nil }
        let mark = SlotTable.mark(of: hash)
        let mask = places.count - 1
        var index = Int(mark >> 32) & mask
        while places[index] != 0 {
            let place = places[index]
            if place & 0xFFFF_FFFF_0000_0000 == mark {
                let slot = Slot(Int(UInt32(truncatingIfNeeded: place)) - 1)
                if matches(slot) { return (index, slot) }
            }
            index = (index + 1) & mask
        }
        return nil
    }

    @inlinable
    mutating func insert(_ place: UInt64) {
        grow(toHold: used + 1)
        put(place)
        used += 1
    }

    @inlinable
    mutating func put(_ place: UInt64) {
        let mask = places.count - 1
        var index = Int(place >> 32) & mask
        while places[index] != 0 { index = (index + 1) & mask }
        places[index] = place
    }

    @inlinable
    mutating func grow(toHold count: Int) {
        guard count * 4 > places.count * 3 else { return }
        let old = places
        var size = max(4, old.count)
        while count * 4 > size * 3 { size *= 2 }
        places = Array(repeating: 0, count: size)
        for place in old where place != 0 { put(place) }
    }

    /// Frees a place and moves up the entries that were displaced past it, so that no search ends too early.
    @inlinable
    mutating func free(_ place: Int) {
        let mask = places.count - 1
        var (hole, index) = (place, place)
        used -= 1
        while true {
            index = (index + 1) & mask
            guard places[index] != 0 else { break }
            let home = Int(places[index] >> 32) & mask
            // An entry may move into the hole unless its home is after the hole.
            if (index - home) & mask >= (index - hole) & mask {
                places[hole] = places[index]
                hole = index
            }
        }
        places[hole] = 0
    }
}
