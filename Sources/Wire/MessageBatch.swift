import CJSONScan

/// The whole messages that were read and not yet taken, and the beginning of the next one.
///
/// A message comes either as a slice of the bytes of one read, which it shares with its neighbours, or in pieces; messages put
/// together from pieces stand side by side in a buffer they share.
public struct MessageBatch: Sendable {
    /// Whether a message is text.
    public enum Kind: Hashable, Sendable {
        case text, binary
    }
    /// Why a message cannot be taken.
    public enum Refusal: Error, Hashable, Sendable {
        case tooLarge, notUTF8
    }

    /// Messages that are taken at once.
    private static let mostTaken = 1024
    /// Largest message taken, in bytes.
    public let maximumMessage: Int
    private var messages: [WebSocketMessage] = []
    /// Bytes of `messages`.
    private var messageBytes = 0
    /// What was put together from pieces and is not in `messages` yet.
    private var bytes: [UInt8] = []
    private var joined: [(range: Range<Int>, kind: Kind)] = []
    /// Where the unfinished message begins.
    private var start = 0

    /// An empty batch.
    public init(maximumMessage: Int) { self.maximumMessage = maximumMessage }

    /// Whether there are whole messages to take.
    public var hasMessages: Bool { !messages.isEmpty || !joined.isEmpty }

    /// Bytes of the messages held, the unfinished one included.
    public var heldBytes: Int { messageBytes + bytes.count }

    /// Bytes the unfinished message may still grow by.
    package var room: Int { maximumMessage - (bytes.count - start) }

    /// Adds a piece of the unfinished message.
    public mutating func append(_ piece: UnsafeRawBufferPointer) throws(Refusal) {
        guard piece.count <= room else { throw .tooLarge }
        bytes.reserve(piece.count, upTo: start + maximumMessage)
        bytes.append(contentsOf: piece)
    }

    /// Adds a masked piece of the unfinished message; `phase` says how many bytes of its frame came before.
    mutating func append(_ piece: UnsafeRawBufferPointer, mask: UInt32, phase: Int) throws(Refusal) {
        let begin = bytes.count
        try append(piece)
        bytes.withUnsafeMutableBytes {
            WebSocketFrame.unmask(UnsafeMutableRawBufferPointer(rebasing: $0[begin...]), key: mask, phase: phase)
        }
    }

    /// Adds a whole masked message, unless it is not text though it should be: then nothing is added. Nothing is unfinished.
    mutating func appendWhole(_ message: UnsafeRawBufferPointer, mask: UInt32, _ kind: Kind) -> Bool {
        do throws(Refusal) {
            try append(message, mask: mask, phase: 0)
            try finish(kind)
            return true
        } catch {
            bytes.removeSubrange(start...)
            return false
        }
    }

    /// Ends the unfinished message.
    public mutating func finish(_ kind: Kind) throws(Refusal) {
        let range = start..<bytes.count
        switch kind {
        case .binary: break
        case .text:
            let isText = bytes.withUnsafeBufferPointer { buffer in
                buffer.baseAddress.map { json_is_utf8($0 + range.lowerBound, range.count) } ?? true
            }
            guard isText else { throw .notUTF8 }
        }
        joined.append((range, kind))
        start = range.upperBound
    }

    /// Adds whole messages that stand in the bytes of one read: checked, and in this order behind those that are here.
    mutating func add(_ found: [(range: Range<Int>, kind: Kind)], of read: [UInt8]) {
        gather()
        messages.reserveCapacity(messages.count + found.count)
        for message in found {
            messageBytes += message.range.count
            switch message.kind {
            case .text: messages.append(.text(read[message.range]))
            case .binary: messages.append(.binary(read[message.range]))
            }
        }
    }

    /// Takes the whole messages, the first 1024 at most: a read of 64 KiB may hold 32,768 empty ones, and each is worth much more memory to
    /// its owner, who may want no more after some.
    public mutating func take() -> [WebSocketMessage] {
        gather()
        guard messages.count > Self.mostTaken else {
            let taken = messages
            messages = []
            messageBytes = 0
            return taken
        }
        let taken = Array(messages.prefix(Self.mostTaken))
        messages.removeFirst(Self.mostTaken)
        messageBytes -= taken.reduce(0) { $0 + $1.bytes.count }
        return taken
    }

    /// Forgets the whole messages and the unfinished one.
    public mutating func discard() {
        self = MessageBatch(maximumMessage: maximumMessage)
    }

    /// Moves what was put together to `messages`.
    private mutating func gather() {
        guard !joined.isEmpty else { return }
        let found = joined
        let whole = bytes
        bytes = Array(whole[start...])
        start = 0
        joined = []
        add(found, of: whole)
    }
}
