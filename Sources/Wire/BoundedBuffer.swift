/// Elements that wait their turn, bounded in number and in bytes. What does not fit is refused to the caller, who reports it.
struct BoundedBuffer<Element: Sendable>: Sendable {
    /// How many elements may wait.
    static var countLimit: Int { 4096 }
    /// How many bytes they may hold together.
    static var byteLimit: Int { 16 << 20 }

    private var elements: [Element] = []
    private var byteCount = 0

    /// Keeps `element`, which holds `bytes` bytes; false when there is no room for it.
    mutating func append(_ element: Element, bytes: Int) -> Bool {
        guard elements.count < Self.countLimit, bytes <= Self.byteLimit - byteCount else { return false }
        elements.append(element)
        byteCount += bytes
        return true
    }

    /// Gives everything, in the order it came.
    mutating func drain() -> [Element] {
        let all = elements
        self = BoundedBuffer()
        return all
    }
}
