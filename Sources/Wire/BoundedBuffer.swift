/// A queue with limits on the number and the total size of its elements. The caller reports an element that does not
/// fit.
struct BoundedBuffer<Element: Sendable>: Sendable {
    /// The maximum number of queued elements.
    let countLimit: Int
    /// The maximum total size of the queued elements, in bytes.
    let byteLimit: Int

    private var elements: [(element: Element, bytes: Int)] = []
    private var byteCount = 0

    /// Creates an empty buffer with these limits.
    init(countLimit: Int = 4096, byteLimit: Int = 16 << 20) {
        self.countLimit = countLimit
        self.byteLimit = byteLimit
    }

    /// Whether the queue contains no elements.
    var isEmpty: Bool { elements.isEmpty }

    /// The oldest element, or `nil` if the queue is empty.
    var first: Element? { elements.first?.element }

    /// Appends `element`, whose size is `bytes`. Returns false if it does not fit.
    mutating func append(_ element: Element, bytes: Int) -> Bool {
        guard elements.count < countLimit, bytes <= byteLimit - byteCount else { return false }
        elements.append((element, bytes))
        byteCount += bytes
        return true
    }

    /// Removes and returns the oldest element.
    mutating func popFirst() -> Element? {
        if elements.isEmpty { return nil }
        let (element, bytes) = elements.removeFirst()
        byteCount -= bytes
        return element
    }

    /// Removes and returns the first element for which `isWanted` returns true.
    mutating func remove(where isWanted: (Element) -> Bool) -> Element? {
        guard let index = elements.firstIndex(where: { isWanted($0.element) }) else { return nil }
        let (element, bytes) = elements.remove(at: index)
        byteCount -= bytes
        return element
    }

    /// Removes and returns all elements, oldest first.
    mutating func drain() -> [Element] {
        let all = elements.map(\.element)
        elements = []
        byteCount = 0
        return all
    }
}
