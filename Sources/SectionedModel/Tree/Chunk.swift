/// A short list, of which nodes and pages are made: a value whose copy is O(1), and which copies its elements when one of two that share
/// them changes, as an array does.
///
/// Other than an array it is one reference, and none while it is empty. It copies what stays, and no more, when an element comes or goes.
@usableFromInline
struct Chunk<Element: Sendable>: @unchecked Sendable {
    /// Written to by its one owner only. Nil while there is no element.
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

    /// Keeps the elements before an index, of which there must be some, and gives the others.
    @inlinable
    mutating func split(at index: Int) -> Chunk {
        let upper = Chunk(self[index...])
        replaceStorage(room: Swift.max(index, room / 2), at: index..<count, by: 0)
        return upper
    }

    /// Takes a storage of its own with the elements outside a range, and with so many places for the successors of those inside, which are
    /// not initialised yet.
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

    /// How many elements there can be before it must grow.
    @inlinable
    var room: Int { storage?.room ?? 0 }

    /// Calls `body` with the place of the first element, of which there must be one.
    @inlinable
    func withElements<Result>(_ body: (UnsafeMutablePointer<Element>) -> Result) -> Result {
        guard let storage else { preconditionFailure("an empty chunk") }
        return storage.withUnsafeMutablePointerToElements(body)
    }

    /// Calls `body` with an element where it lies.
    @inlinable
    func withElement<Result>(at index: Int, _ body: (borrowing Element) -> Result) -> Result {
        body(place(of: index).pointee)
    }

    /// Where an element lies, for as long as the chunk is there and is not changed.
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

/// The elements of a chunk.
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
        // Not by `header`, each access to which is checked for exclusivity.
        set { withUnsafeMutablePointerToHeader { $0.pointee.count = UInt32(newValue) } }
    }

    @inlinable
    var room: Int { withUnsafeMutablePointerToHeader { Int($0.pointee.room) } }

    /// Copies or moves all elements but those in a range into an empty storage, and leaves so many places there in their stead.
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

/// How large a chunk is.
@usableFromInline
struct ChunkExtent {
    /// Elements there are.
    @usableFromInline var count: UInt32
    /// Elements there can be.
    @usableFromInline let room: UInt32

    @inlinable
    init(count: UInt32, room: UInt32) {
        self.count = count
        self.room = room
    }
}
