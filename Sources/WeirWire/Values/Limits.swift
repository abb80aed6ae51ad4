import WeirJSON

/// The largest input that a client accepts from a server. Sizes are in bytes.
///
/// Each kind of input has one limit, which is applied on arrival, so larger input never reaches the session. A
/// recording therefore contains everything that a session received in full, and a replay receives the same. Recordings
/// can hold values up to `largest`.
public struct Limits: Hashable, Sendable {
    /// A message of the realtime connection, assembled and decompressed; a packet of Engine.IO polling; an answer of
    /// Bayeux polling.
    public var message = standard
    /// The body of an HTTP response, decompressed.
    public var body = standard
    /// The total size of the attachments of one Socket.IO packet.
    public var attachments = standard
    /// The maximum number of attachments of one packet.
    public var attachmentCount = SocketIO.maximumAttachments
    /// How deep arrays and objects may be nested in data from the realtime connection.
    public var depth = JSONReader.standardDepth

    /// Creates limits with the default values.
    public init() {}

    /// The default of each size limit.
    public static let standard = 16 << 20
    /// The size in bytes at which a queue is full, not counting the element that exceeded it. The producer then slows
    /// down, or new elements are dropped and reported.
    public static let waiting = 8 << 20
    /// The allowed values of each size limit.
    public static let range = 4096...largest
    /// The allowed values of `attachmentCount`.
    public static let attachmentCounts = 0...1000
    /// The allowed values of `depth`.
    public static let depths = 8...JSONReader.standardDepth
    /// The maximum of a size limit, chosen so that the longest line can hold the value, whatever its bytes are.
    public static let largest = 32 << 20
    /// The longest line of a recording, including its line feed: the largest payload in Base64, and all other members.
    public static let longestLine = (largest + 2) / 3 * 4 + (1 << 20)
    /// The status line and the headers of an HTTP response.
    public static let head = 256 << 10
}

extension Array {
    /// Makes room for `count` more elements in an array that may grow to `most` elements.
    ///
    /// An array of more than a mebibyte gets its final capacity at once. Repeated doubling would need twice the memory
    /// during each move, and capacity that is never written to costs nothing.
    package mutating func reserve(_ count: Int, upTo most: Int) {
        let needed = self.count + count
        guard needed > capacity, needed > 1 << 20 else { return }
        reserveCapacity(Swift.max(needed, Swift.min(most, self.count + Limits.largest)))
    }
}

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
