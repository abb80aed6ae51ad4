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
