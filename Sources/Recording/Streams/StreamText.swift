/// Assembles the chunks of a stream into the recording's text, each byte at its offset.
///
/// Nothing is skipped silently. Missing or damaged bytes become a line of the same length that is not a record. A
/// reader of the text then finds the damage with its position and length, and every later byte has the same offset as
/// in the file.
package struct StreamText: Sendable {
    /// The byte that replaces a missing one.
    static let filler = UInt8(ascii: "?")

    /// The recording's id; `nil` until the first chunk.
    package private(set) var recording: String?
    /// The offset of the next byte.
    package private(set) var offset: Int
    private var text: [UInt8] = []
    private var start = 0
    /// The number of filler bytes before `text`.
    private var missing = 0

    /// Creates an empty text that continues at an offset of a recording.
    package init(at offset: Int = 0, of recording: String? = nil) {
        self.offset = offset
        self.recording = recording
    }

    /// Whether no bytes are ready to be taken.
    package var isEmpty: Bool { missing == 0 && start == text.count }

    /// The results of appending a message.
    package enum Outcome: Hashable, Sendable {
        case taken
        /// The message contains no new bytes, or is not a chunk.
        case passedOver
        /// The chunk belongs to another recording.
        case otherRecording(String)
    }

    /// Appends the next message. All bytes of the previous message must have been taken.
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

    /// Moves bytes into `buffer` and returns their number.
    package mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        if missing > 0 {
            count = min(missing, buffer.count)
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]).initializeMemory(
                as: UInt8.self, repeating: Self.filler)
            missing -= count
            // The filler line ends before the next chunk.
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
