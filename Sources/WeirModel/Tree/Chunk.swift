/// A short list from which nodes and pages are built. It is a value: a copy is O(1), and the elements are copied when
/// one of two chunks that share them changes, as in an array.
///
/// Unlike an array, it is a single reference, and no reference at all while it is empty. An insertion or a removal
/// copies only the elements that remain.
@usableFromInline
struct Chunk<Element: Sendable>: @unchecked Sendable {
    /// The storage, to which only its single owner writes. `nil` while the chunk is empty.
    @usableFromInline var storage: ChunkStorage<Element>?

    @inlinable
    init() {}

    @inlinable
    init(_ elements: some Collection<Element>) {
        guard !elements.isEmpty else { return }
        let storage = ChunkStorage<Element>.make(room: elements.count)
        storage.withUnsafeMutablePointerToElements { places in
            var place = places
            for element in elements {
                place.initialize(to: element)
                place += 1
            }
        }
        storage.count = elements.count
        self.storage = storage
    }

    @inlinable
    mutating func append(_ element: Element) { insert(element, at: count) }

    @inlinable
    mutating func append(contentsOf other: Chunk) {
        guard let added = other.storage else { return }
        let end = count
        replaceStorage(room: end + added.count, at: end..<end, by: added.count)
        withElements { elements in
            added.withUnsafeMutablePointerToElements {
                (elements + end).initialize(from: $0, count: added.count)
            }
        }
    }

    @inlinable
    mutating func insert(_ element: Element, at index: Int) {
        let count = count
        precondition(index >= 0 && index <= count, "an index outside the chunk")
        if isKnownUniquelyReferenced(&storage), count < room {
            withElements { elements in
                let place = elements + index
                (place + 1).moveInitialize(from: place, count: count - index)
                place.initialize(to: element)
            }
            storage?.count = count + 1
        } else {
            let room = count < room ? room : Swift.max(4, count * 2)
            replaceStorage(room: room, at: index..<index, by: 1)
            withElements { ($0 + index).initialize(to: element) }
        }
    }

    @inlinable
    mutating func remove(at index: Int) -> Element {
        let count = count
        precondition(index >= 0 && index < count, "an index outside the chunk")
        let removed: Element
        if isKnownUniquelyReferenced(&storage) {
            removed = withElements { elements in
                let place = elements + index
                let removed = place.move()
                place.moveInitialize(from: place + 1, count: count - index - 1)
                return removed
            }
            storage?.count = count - 1
        } else {
            removed = self[index]
            replaceStorage(room: room, at: index..<index + 1, by: 0)
        }
        if count == 1 { storage = nil }
        return removed
    }

    /// Keeps the elements before an index, of which there must be at least one, and returns the others.
    @inlinable
    mutating func split(at index: Int) -> Chunk {
        let upper = Chunk(self[index...])
        replaceStorage(room: Swift.max(index, room / 2), at: index..<count, by: 0)
        return upper
    }

    /// Replaces the storage by a new one with the elements outside `range`, and with `successors` uninitialised places
    /// instead of the elements inside it.
    @inlinable
    mutating func replaceStorage(room: Int, at range: Range<Int>, by successors: Int) {
        let isUnique = isKnownUniquelyReferenced(&storage)
        let new = ChunkStorage<Element>.make(room: room)
        new.count = count - range.count + successors
        if let storage {
            storage.give(to: new, movesThem: isUnique, allBut: range, leaving: successors)
        }
        storage = new
    }
}

extension Chunk: RandomAccessCollection, MutableCollection {
    @inlinable
    var count: Int { storage?.count ?? 0 }

    @inlinable
    var isEmpty: Bool { storage == nil }

    /// The number of elements that fit before the chunk must grow.
    @inlinable
    var room: Int { storage?.room ?? 0 }

    /// Calls `body` with a pointer to the first element. The chunk must not be empty.
    @inlinable
    func withElements<Result>(_ body: (UnsafeMutablePointer<Element>) -> Result) -> Result {
        guard let storage else { preconditionFailure("an empty chunk") }
        return storage.withUnsafeMutablePointerToElements(body)
    }

    /// Calls `body` with an element in place.
    @inlinable
    func withElement<Result>(at index: Int, _ body: (borrowing Element) -> Result) -> Result {
        body(place(of: index).pointee)
    }

    /// Returns a pointer to an element, which is valid as long as the chunk exists and is not changed.
    @inlinable
    func place(of index: Int) -> UnsafeMutablePointer<Element> {
        guard let storage else { preconditionFailure("an empty chunk") }
        return storage.withUnsafeMutablePointers { extent, elements in
            precondition(index >= 0 && index < Int(extent.pointee.count), "an index outside the chunk")
            return elements + index
        }
    }

    @inlinable
    var startIndex: Int { 0 }

    @inlinable
    var endIndex: Int { count }

    @inlinable
    subscript(index: Int) -> Element {
        get {
            precondition(index >= 0 && index < count, "an index outside the chunk")
            return withElements { $0[index] }
        }
        _modify {
            precondition(index >= 0 && index < count, "an index outside the chunk")
            if !isKnownUniquelyReferenced(&storage) { replaceStorage(room: room, at: count..<count, by: 0) }
            let elements = withElements { $0 }
            defer { withExtendedLifetime(storage) {} }
            yield &elements[index]
        }
    }
}

/// The heap storage of a chunk's elements.
@usableFromInline
final class ChunkStorage<Element: Sendable>: ManagedBuffer<ChunkExtent, Element> {
    @inlinable
    static func make(room: Int) -> ChunkStorage {
        let storage = create(minimumCapacity: room) { _ in ChunkExtent(count: 0, room: UInt32(room)) }
        return unsafeDowncast(storage, to: ChunkStorage.self)
    }

    @inlinable
    var count: Int {
        get { withUnsafeMutablePointerToHeader { Int($0.pointee.count) } }
        // Not through `header`, whose every access is checked for exclusivity.
        set { withUnsafeMutablePointerToHeader { $0.pointee.count = UInt32(newValue) } }
    }

    @inlinable
    var room: Int { withUnsafeMutablePointerToHeader { Int($0.pointee.room) } }

    /// Copies or moves all elements outside a range into an empty storage, and leaves `places` uninitialised
    /// places instead of those inside it.
    @inlinable
    func give(to other: ChunkStorage, movesThem: Bool, allBut range: Range<Int>, leaving places: Int) {
        let rest = count - range.upperBound
        withUnsafeMutablePointerToElements { elements in
            other.withUnsafeMutablePointerToElements { target in
                let behind = target + range.lowerBound + places
                if movesThem {
                    target.moveInitialize(from: elements, count: range.lowerBound)
                    (elements + range.lowerBound).deinitialize(count: range.count)
                    behind.moveInitialize(from: elements + range.upperBound, count: rest)
                } else {
                    target.initialize(from: elements, count: range.lowerBound)
                    behind.initialize(from: elements + range.upperBound, count: rest)
                }
            }
        }
        if movesThem { count = 0 }
    }

    @inlinable
    deinit {
        _ = withUnsafeMutablePointers { $1.deinitialize(count: Int($0.pointee.count)) }
    }
}

/// The header of a chunk's storage.
@usableFromInline
struct ChunkExtent {
    /// The number of initialised elements in the storage.
    @usableFromInline var count: UInt32
    /// The number of elements that fit into the storage.
    @usableFromInline let room: UInt32

    @inlinable
    init(count: UInt32, room: UInt32) {
        self.count = count
        self.room = room
    }
}
