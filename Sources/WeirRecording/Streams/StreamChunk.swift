import CWeirJSONScan

/// A part of a recording's text, published as one message of a stream.
///
/// A chunk consists of whole lines, or of a part of a line that is longer than a message may be. The chunks of a
/// recording, concatenated, are its file, byte for byte.
package struct StreamChunk: Hashable, Sendable {
    /// The recording's id, as in its head.
    package var recording: String
    /// The byte offset in the recording at which the text begins.
    package var offset: Int
    /// The number of the first numbered record; 0 if no record has a number.
    package var firstNumber: Int
    /// The number of lines that end in the text.
    package var lines: Int
    /// The time of the first record, in microseconds since 1970 UTC; 0 if it is unknown.
    package var wall: Int64
    /// The bytes of the chunk.
    package var text: [UInt8]

    package init(recording: String, offset: Int, firstNumber: Int, lines: Int, wall: Int64, text: [UInt8]) {
        (self.recording, self.offset, self.firstNumber) = (recording, offset, firstNumber)
        (self.lines, self.wall, self.text) = (lines, wall, text)
    }

    /// The offset in the recording at which the text ends.
    package var end: Int { offset + text.count }

    /// The message id, made of the recording, the first record and the offset.
    package var id: String { "\(recording)-\(firstNumber)-\(offset)" }

    /// The CRC-32C of the text.
    package var checksum: UInt32 {
        var crc = CRC32C()
        crc.update(text.span)
        return crc.value
    }

    /// The names of the headers, in the order of `values`.
    package static let headers = [
        "Weir-Recording", "Weir-Offset", "Weir-First", "Weir-Lines", "Weir-Wall", "Weir-CRC32C",
    ]

    /// The values of the headers, in the order of `headers`.
    package var values: [String] {
        [recording, "\(offset)", "\(firstNumber)", "\(lines)", "\(wall)", Self.hexadecimal(checksum)]
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// The possible contents of a message.
    package enum Received: Hashable, Sendable {
        case chunk(StreamChunk)
        /// A chunk whose checksum is wrong, with its offset and length.
        case damaged(offset: Int, bytes: Int)
        /// A message that is not a chunk.
        case foreign
    }

    /// Reads a message. `value` returns the value of a header.
    package static func received(_ text: [UInt8], _ value: (String) -> String?) -> Received {
        let found = headers.map(value)
        guard let recording = found[0], let offset = found[1].flatMap({ Int($0) }), offset >= 0,
            offset <= 1 << 53, let checksum = found[5]
        else { return .foreign }
        let chunk = StreamChunk(
            recording: recording, offset: offset, firstNumber: found[2].flatMap { Int($0) } ?? 0,
            lines: found[3].flatMap { Int($0) } ?? 0, wall: found[4].flatMap { Int64($0) } ?? 0, text: text)
        guard checksum == hexadecimal(chunk.checksum) else { return .damaged(offset: offset, bytes: text.count) }
        return .chunk(chunk)
    }
}

/// Cuts the text of a recording into chunks.
///
/// The same text yields the same chunks only if it arrives in the same pieces. A chunk never ends inside a line that
/// would fit into one chunk.
package struct ChunkCutter {
    /// The maximum number of text bytes in a chunk.
    package let most: Int
    /// The offset at which the next chunk begins.
    package private(set) var offset: Int
    private var recording: String
    private var waiting: [UInt8] = []
    /// Whether the last chunk ended inside a line.
    private var isInLine = false

    /// Creates a cutter for the recording with the given id. `offset` is the beginning of a line.
    package init(recording: String, offset: Int = 0, most: Int) {
        precondition(most > 0, "a chunk of nothing")
        self.recording = recording
        self.offset = offset
        self.most = most
    }

    /// The number of bytes that are not yet part of a chunk.
    package var count: Int { waiting.count }

    /// Appends text and returns the chunks that are full.
    package mutating func append(_ text: some Collection<UInt8>) -> [StreamChunk] {
        waiting.append(contentsOf: text)
        guard waiting.count > most else { return [] }
        var chunks: [StreamChunk] = []
        var start = 0
        while waiting.count - start > most {
            let end = Self.end(in: waiting, start..<start + most)
            chunks.append(chunk(start..<end))
            start = end
        }
        waiting.removeFirst(start)
        return chunks
    }

    /// Returns the remaining text as a chunk; `nil` if none remains.
    package mutating func flush() -> StreamChunk? {
        guard !waiting.isEmpty else { return nil }
        let chunk = chunk(0..<waiting.count)
        waiting = []
        return chunk
    }

    /// Returns the end of the last line in the range, or the end of the range if no line ends in it.
    private static func end(in bytes: [UInt8], _ range: Range<Int>) -> Int {
        bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return range.upperBound }
            let last = json_last_byte(base + range.lowerBound, range.count, UInt8(ascii: "\n"))
            return last >= 0 ? range.lowerBound + last + 1 : range.upperBound
        }
    }

    private mutating func chunk(_ range: Range<Int>) -> StreamChunk {
        let text = Array(waiting[range])
        var chunk = StreamChunk(
            recording: recording, offset: offset, firstNumber: 0, lines: 0, wall: 0, text: text)
        chunk.lines = text.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { json_count_byte($0, bytes.count, UInt8(ascii: "\n")) } ?? 0
        }
        if let first = Self.firstRecord(in: text, skipsLine: isInLine) {
            (chunk.firstNumber, chunk.wall) = (first.number, first.wall)
        }
        offset += text.count
        isInLine = text.last != UInt8(ascii: "\n")
        return chunk
    }

    /// Returns the number and time of the first whole line that has a number. A head has a time but no number.
    private static func firstRecord(in text: [UInt8], skipsLine: Bool) -> (number: Int, wall: Int64)? {
        var start = 0
        var isSkipped = skipsLine
        var wall: Int64 = 0
        while let feed = text[start...].firstIndex(of: UInt8(ascii: "\n")) {
            defer {
                start = feed + 1
                isSkipped = false
            }
            if isSkipped { continue }
            guard let line = try? LineDecoder.decode(text.span.extracting(start..<feed)) else { continue }
            if case .head(let head) = line.record { wall = head.wallStart }
            if wall == 0 { wall = line.wall ?? 0 }
            if let number = line.number, !line.repeatsNumber { return (number, wall) }
        }
        return wall == 0 ? nil : (0, wall)
    }
}

/// The files that keep parts of a recording until they are published. The name of a file identifies the part.
package enum StreamSpool {
    private static let ending = ".spool"

    /// Returns the path of the file that keeps a recording's text from an offset on.
    package static func path(in folder: String, recording: String, offset: Int) -> String {
        "\(folder)/\(recording).\(offset)\(ending)"
    }

    /// Returns the recording and offset in the name of a file; `nil` if the file is not a spool file.
    static func part(_ path: String) -> (recording: String, offset: Int)? {
        guard path.hasSuffix(ending) else { return nil }
        let name = path.dropLast(ending.count).split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), let offset = Int(name[name.index(after: dot)...]) else { return nil }
        return (String(name[..<dot]), offset)
    }
}

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
