import CWeirJSONScan

/// One whole WebSocket message, either received or to be sent.
package enum WebSocketMessage: Hashable, Sendable {
    /// A text message, whose bytes are UTF-8.
    case text(ArraySlice<UInt8>)
    /// A binary message, whose bytes may be anything.
    case binary(ArraySlice<UInt8>)

    /// Creates a text message from a string.
    package static func text(_ string: String) -> WebSocketMessage { .text(ArraySlice(string.utf8)) }

    /// The payload of either kind of message.
    package var bytes: ArraySlice<UInt8> {
        switch self {
        case .text(let bytes), .binary(let bytes): bytes
        }
    }
}

/// How a WebSocket ended: the close code of RFC 6455 section 7.4 and its reason. 1005 means that no code was sent, and
/// 1006 that the connection was cut off.
package struct WebSocketClose: Hashable, Sendable {
    /// The close code, received or generated.
    package var code: UInt16
    /// The reason that the peer sent. Untrusted text.
    package var reason: String
    /// Whether another attempt makes sense, as far as the transport knows.
    package var retry: Reconnection
    /// Creates a close. By default, another attempt may help after a while.
    package init(code: UInt16, reason: String = "", retry: Reconnection = .later) {
        self.code = code
        self.reason = reason
        self.retry = retry
    }
}

/// The complete messages that were read and not yet taken, and the beginning of the next one.
///
/// A message arrives either as a slice of the bytes of one read, which it shares with its neighbors, or in pieces.
/// Messages assembled from pieces lie next to each other in a shared buffer.
package struct MessageBatch: Sendable {
    /// The kind of a message.
    package enum Kind: Hashable, Sendable {
        case text, binary
    }
    /// The reasons for rejecting a message.
    package enum Refusal: Error, Hashable, Sendable {
        case tooLarge, notUTF8
    }

    /// The maximum number of messages returned by one call to `take()`.
    private static let mostTaken = 1024
    /// The maximum size of a message, in bytes.
    package let maximumMessage: Int
    private var messages: [WebSocketMessage] = []
    /// The total size of `messages`, in bytes.
    private var messageBytes = 0
    /// The bytes assembled from pieces that are not in `messages` yet.
    private var bytes: [UInt8] = []
    private var joined: [(range: Range<Int>, kind: Kind)] = []
    /// The offset in `bytes` at which the unfinished message begins.
    private var start = 0

    /// Creates an empty batch with a limit on the size of each message.
    package init(maximumMessage: Int) { self.maximumMessage = maximumMessage }

    /// Whether the batch contains complete messages.
    package var hasMessages: Bool { !messages.isEmpty || !joined.isEmpty }

    /// The size of all messages in bytes, including the unfinished one.
    package var heldBytes: Int { messageBytes + bytes.count }

    /// How many bytes the unfinished message may still grow.
    package var room: Int { maximumMessage - (bytes.count - start) }

    /// Appends a piece to the unfinished message.
    package mutating func append(_ piece: UnsafeRawBufferPointer) throws(Refusal) {
        guard piece.count <= room else { throw .tooLarge }
        bytes.reserve(piece.count, upTo: start + maximumMessage)
        bytes.append(contentsOf: piece)
    }

    /// Appends a masked piece to the unfinished message. `phase` is the number of bytes of the frame before this piece.
    mutating func append(_ piece: UnsafeRawBufferPointer, mask: UInt32, phase: Int) throws(Refusal) {
        let begin = bytes.count
        try append(piece)
        bytes.withUnsafeMutableBytes {
            WebSocketFrame.unmask(UnsafeMutableRawBufferPointer(rebasing: $0[begin...]), key: mask, phase: phase)
        }
    }

    /// Appends a complete masked message. No message may be unfinished. Returns false, and appends nothing, if a text
    /// is not UTF-8 or the message is too large.
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

    /// Completes the unfinished message. Throws if it is a text that is not UTF-8.
    package mutating func finish(_ kind: Kind) throws(Refusal) {
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

    /// Appends complete messages that lie in the bytes of one read, after the existing ones. They have already been
    /// checked.
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

    /// Removes and returns the complete messages, at most 1024 at a time.
    ///
    /// A read of 64 KiB may contain 32,768 empty messages. Each takes much more memory in its owner, which may stop
    /// after some of them.
    package mutating func take() -> [WebSocketMessage] {
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

    /// Discards all messages, including the unfinished one.
    package mutating func discard() {
        self = MessageBatch(maximumMessage: maximumMessage)
    }

    /// Moves the assembled messages to `messages`.
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
