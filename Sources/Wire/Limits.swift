import JSONText

/// The largest things a client takes from a server; sizes are in bytes.
///
/// There is one limit for each thing, and it is applied where the thing arrives: what is larger never reaches the session. So a recording
/// holds whole everything that a session met, and a replay meets the same. The format of recordings can hold `largest`.
public struct Limits: Hashable, Sendable {
    /// A message of the realtime connection, put together and decompressed; a packet of Engine.IO polling; an answer of Bayeux polling.
    public var message = standard
    /// The body of an HTTP answer, decompressed.
    public var body = standard
    /// The attachments of one Socket.IO packet together.
    public var attachments = standard
    /// How many attachments one packet may have.
    public var attachmentCount = SocketIO.maximumAttachments
    /// How many arrays and objects of what the realtime connection brings may be nested.
    public var depth = JSONReader.standardDepth

    /// The limits where nobody set others.
    public init() {}

    /// The limit of each, where nobody set another.
    public static let standard = 16 << 20
    /// Bytes that one queue holds, besides the thing that went over it: then whoever fills it slows down, or what comes is left out and told.
    public static let waiting = 8 << 20
    /// What each size may be set to.
    public static let range = 4096...largest
    /// What `attachmentCount` may be set to.
    public static let attachmentCounts = 0...1000
    /// What `depth` may be set to.
    public static let depths = 8...JSONReader.standardDepth
    /// The most that a limit may be, so that the longest line holds it whatever its bytes are.
    public static let largest = 32 << 20
    /// The longest line of a recording, its line feed included: the largest payload in base64, and everything beside it.
    public static let longestLine = (largest + 2) / 3 * 4 + (1 << 20)
    /// The status line and the headers of an HTTP answer.
    public static let head = 256 << 10
}

extension Array {
    /// Makes room for `count` more elements of what may become `most` long. What has become a mebibyte long gets its last room at once: to
    /// double it again and again needs twice the memory while it is moved, and room that nothing was written to costs none.
    package mutating func reserve(_ count: Int, upTo most: Int) {
        let needed = self.count + count
        guard needed > capacity, needed > 1 << 20 else { return }
        reserveCapacity(Swift.max(needed, Swift.min(most, self.count + Limits.largest)))
    }
}
