import Wire

/// The messages one turn of the loop reads, side by side in one buffer, and the beginning of the next one.
struct MessageBatch {
    /// Whether a message is text.
    enum Kind {
        case text, binary
    }
    /// Why a message cannot be taken.
    enum Refusal: Error {
        case tooLarge, notUTF8
    }

    /// Largest message taken, in bytes.
    let maximumMessage: Int
    private var bytes: [UInt8] = []
    private var messages: [(range: Range<Int>, kind: Kind)] = []
    /// Where the unfinished message begins.
    private var start = 0

    init(maximumMessage: Int) { self.maximumMessage = maximumMessage }

    /// Whether there are whole messages to take.
    var hasMessages: Bool { !messages.isEmpty }

    /// Adds a piece of the unfinished message.
    mutating func append(_ piece: UnsafeRawBufferPointer) throws(Refusal) {
        try append(piece) { _ in }
    }

    /// Adds a piece of the unfinished message and lets `change` work on it in place (unmasking).
    mutating func append(
        _ piece: UnsafeRawBufferPointer, change: (UnsafeMutableBufferPointer<UInt8>) -> Void
    ) throws(Refusal) {
        guard piece.count <= maximumMessage - (bytes.count - start) else { throw .tooLarge }
        let begin = bytes.count
        bytes.append(contentsOf: piece)
        bytes.withUnsafeMutableBufferPointer { change(UnsafeMutableBufferPointer(rebasing: $0[begin...])) }
    }

    /// Ends the unfinished message.
    mutating func finish(_ kind: Kind) throws(Refusal) {
        let range = start..<bytes.count
        switch kind {
        case .binary: break
        case .text: guard isUTF8(bytes.span.extracting(range)) else { throw .notUTF8 }
        }
        messages.append((range, kind))
        start = range.upperBound
    }

    /// Takes the whole messages; they share one buffer.
    mutating func take() -> [WebSocketMessage] {
        guard hasMessages else { return [] }
        let rest = Array(bytes[start...])
        let whole = bytes
        let taken = messages.map { message -> WebSocketMessage in
            switch message.kind {
            case .text: .text(whole[message.range])
            case .binary: .binary(whole[message.range])
            }
        }
        bytes = rest
        messages.removeAll(keepingCapacity: true)
        start = 0
        return taken
    }

    /// Forgets the whole messages and the unfinished one.
    mutating func discard() {
        bytes = []
        messages = []
        start = 0
    }

    private func isUTF8(_ text: Span<UInt8>) -> Bool {
        do {
            _ = try UTF8Span(validating: text)
            return true
        } catch {
            return false
        }
    }
}
