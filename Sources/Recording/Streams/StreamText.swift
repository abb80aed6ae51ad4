/// Puts the chunks of a stream together to the recording's text, each byte at its place.
///
/// Nothing is passed over in silence: what is missing, or is not what was published, is a line of as many bytes that is no record, so that
/// a reader of the text meets the damage at its place and its length, and every byte after it has the offset that it has in the file.
package struct StreamText: Sendable {
    /// What a missing byte reads as.
    static let filler = UInt8(ascii: "?")

    /// The recording's id; nil until a chunk was seen.
    package private(set) var recording: String?
    /// The offset of the next byte.
    package private(set) var offset: Int
    private var text: [UInt8] = []
    private var start = 0
    /// Bytes to make up before `text`.
    private var missing = 0

    /// Begins at a byte.
    package init(at offset: Int = 0, of recording: String? = nil) {
        self.offset = offset
        self.recording = recording
    }

    /// Whether bytes can be taken.
    package var isEmpty: Bool { missing == 0 && start == text.count }

    /// What became of a message.
    package enum Outcome: Hashable, Sendable {
        case taken
        /// It was known, or is no chunk.
        case passedOver
        /// It is another recording's.
        case otherRecording(String)
    }

    /// Adds the next message. What was added before must have been taken.
    package mutating func append(_ received: StreamChunk.Received) -> Outcome {
        precondition(isEmpty, "a chunk is added while bytes wait")
        switch received {
        case .foreign: return .passedOver
        case .damaged(let place, let bytes):
            guard place + bytes > offset else { return .passedOver }
            missing = place + bytes - offset
            return .taken
        case .chunk(let chunk):
            if let recording, recording != chunk.recording { return .otherRecording(chunk.recording) }
            recording = chunk.recording
            guard chunk.end > offset else { return .passedOver }
            missing = max(0, chunk.offset - offset)
            start = max(0, offset - chunk.offset)
            text = chunk.text
            return .taken
        }
    }

    /// Takes bytes into `buffer`; gives how many.
    package mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        if missing > 0 {
            count = min(missing, buffer.count)
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]).initializeMemory(
                as: UInt8.self, repeating: Self.filler)
            missing -= count
            // The line of what is missing ends before the next chunk.
            if missing == 0, count > 0 { buffer[count - 1] = UInt8(ascii: "\n") }
        }
        let more = min(text.count - start, buffer.count - count)
        if more > 0 {
            text.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + more])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + more]))
            }
            start += more
            count += more
        }
        if start == text.count {
            text = []
            start = 0
        }
        offset += count
        return count
    }
}
