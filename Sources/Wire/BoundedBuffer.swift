/// Elements that wait their turn, bounded in number and in bytes. What does not fit is refused to the caller, who reports it.
struct BoundedBuffer<Element: Sendable>: Sendable {
    /// How many elements may wait.
    let countLimit: Int
    /// How many bytes they may hold together.
    let byteLimit: Int

    private var elements: [(element: Element, bytes: Int)] = []
    private var byteCount = 0

    /// An empty buffer.
    init(countLimit: Int = 4096, byteLimit: Int = 16 << 20) {
        self.countLimit = countLimit
        self.byteLimit = byteLimit
    }

    /// Whether nothing waits.
    var isEmpty: Bool { elements.isEmpty }

    /// The element whose turn it is.
    var first: Element? { elements.first?.element }

    /// Keeps `element`, which holds `bytes` bytes; false when there is no room for it.
    mutating func append(_ element: Element, bytes: Int) -> Bool {
        guard elements.count < countLimit, bytes <= byteLimit - byteCount else { return false }
        elements.append((element, bytes))
        byteCount += bytes
        return true
    }

    /// Gives the element whose turn it is.
    mutating func popFirst() -> Element? {
        if elements.isEmpty { return nil }
        let (element, bytes) = elements.removeFirst()
        byteCount -= bytes
        return element
    }

    /// Gives the first element of which `isWanted` is true, whether or not it is its turn.
    mutating func remove(where isWanted: (Element) -> Bool) -> Element? {
        guard let index = elements.firstIndex(where: { isWanted($0.element) }) else { return nil }
        let (element, bytes) = elements.remove(at: index)
        byteCount -= bytes
        return element
    }

    /// Gives everything, in the order it came.
    mutating func drain() -> [Element] {
        let all = elements.map(\.element)
        elements = []
        byteCount = 0
        return all
    }
}
