import CJSONScan

/// A part of a recording's text as one message of a stream: whole lines, or a part of a line that is longer than a message may be. The
/// chunks of a recording, one after the other, are its file, byte for byte.
package struct StreamChunk: Hashable, Sendable {
    /// The recording's id, as its head has it.
    package var recording: String
    /// Where the text begins in the recording, in bytes.
    package var offset: Int
    /// Number of the first record that has one; 0 where none has.
    package var firstNumber: Int
    /// How many lines end in it.
    package var lines: Int
    /// When the first record was, microseconds since 1970 UTC; 0 where that is not known.
    package var wall: Int64
    /// The text.
    package var text: [UInt8]

    /// Where the text ends in the recording.
    package var end: Int { offset + text.count }

    /// Its place, as a word.
    package var id: String { "\(recording)-\(firstNumber)-\(offset)" }

    /// CRC-32C of the text.
    package var checksum: UInt32 {
        var crc = CRC32C()
        crc.update(text.span)
        return crc.value
    }

    /// The names of the headers, in the order of their values.
    package static let headers = [
        "Weir-Recording", "Weir-Offset", "Weir-First", "Weir-Lines", "Weir-Wall", "Weir-CRC32C",
    ]

    /// The values of the headers.
    package var values: [String] {
        [recording, "\(offset)", "\(firstNumber)", "\(lines)", "\(wall)", Self.hexadecimal(checksum)]
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// What a message holds.
    package enum Received: Hashable, Sendable {
        case chunk(StreamChunk)
        /// A chunk whose bytes are not those that were published: where it stands.
        case damaged(offset: Int, bytes: Int)
        /// Something else.
        case foreign
    }

    /// Reads a message; `value` gives a header's.
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

/// Cuts the text of a recording into chunks. The same text gives the same chunks only where it comes in the same pieces; a chunk never
/// ends inside a line that would fit into one.
package struct ChunkCutter {
    /// Bytes of text that a chunk has at most.
    package let most: Int
    /// Where the next chunk begins.
    package private(set) var offset: Int
    private var recording: String
    private var waiting: [UInt8] = []
    /// Whether the last chunk ended inside a line.
    private var isInLine = false

    /// Begins at a byte that begins a line, in the recording of that id.
    package init(recording: String, offset: Int = 0, most: Int) {
        precondition(most > 0, "a chunk of nothing")
        self.recording = recording
        self.offset = offset
        self.most = most
    }

    /// Bytes that no chunk was cut of.
    package var count: Int { waiting.count }

    /// Adds text, and gives the chunks that are full.
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

    /// Gives what is left: nothing is waited for.
    package mutating func flush() -> StreamChunk? {
        guard !waiting.isEmpty else { return nil }
        let chunk = chunk(0..<waiting.count)
        waiting = []
        return chunk
    }

    /// Behind the last line that ends there; the end of all where none does.
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

    /// Number and time of the first whole line that has them. A head has a time, and no number.
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

/// The file in which a part of a recording waits to be published: its name says which part.
package enum StreamSpool {
    private static let ending = ".spool"

    /// The path of the file with the text of a recording from a byte on.
    package static func path(in folder: String, recording: String, offset: Int) -> String {
        "\(folder)/\(recording).\(offset)\(ending)"
    }

    /// What the file at a path holds; nil when it is no such file.
    static func part(_ path: String) -> (recording: String, offset: Int)? {
        guard path.hasSuffix(ending) else { return nil }
        let name = path.dropLast(ending.count).split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), let offset = Int(name[name.index(after: dot)...]) else { return nil }
        return (String(name[..<dot]), offset)
    }
}
