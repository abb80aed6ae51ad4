import Glibc
import WeirWire

/// Decodes the bytes of a file into the text of a recording: plain, zstd or gzip, detected by the file's first bytes
/// and not by its name.
///
/// Damage is never silent. For missing compressed text it inserts a line that is not a record, or an unfinished one at
/// the end of the file, which the reader of the lines reports. After damage, zstd continues with the next frame.
///
/// Memory is bounded: one input buffer and the decoder's own memory (128 MiB at most, `Zstd.maximumWindowLog`).
final class ContentDecoder {
    private enum State {
        /// The first bytes are not known yet. → plain, zstd, gzip, over.
        case new
        /// The bytes of the file are the text.
        case plain
        /// Decodes zstd frames. → seeking, over.
        case zstd(ZstdDecoder, isInside: Bool)
        /// Searches for the next frame after damage. → zstd, over.
        case seeking(ZstdDecoder)
        /// Decodes gzip members. → over.
        case gzip(GzipReader, isInside: Bool)
        /// The end of the text.
        case over
    }

    private static let inputBytes = 128 << 10
    private static let gzipMagic: [UInt8] = [0x1F, 0x8B]

    private var state = State.new
    private var input: [UInt8] = []
    private var start = 0
    private var end = 0
    /// Whether the decoder filled its buffer last time, so that it may hold more text.
    private var mayHoldText = false
    private var endsWithLineFeed = true
    /// Text that is not in the file, returned before anything else.
    private var inserted: [UInt8] = []

    /// Whether the file is compressed. Known once the first bytes were read.
    private(set) var isCompressed = false
    /// The number of bytes of text still to skip.
    private var skipped = 0

    /// Restarts after the file was moved to its start or to the start of a frame. Skips `count` bytes of the text from
    /// there.
    func restart(skipping count: Int) {
        state = .new
        input = []
        start = 0
        end = 0
        mayHoldText = false
        endsWithLineFeed = true
        inserted = []
        skipped = count
    }

    /// Reads text into `buffer`; returns 0 at the end of the text. `read` reads from the file and returns 0 at its end.
    func read(
        into buffer: UnsafeMutableRawBufferPointer,
        from read: (UnsafeMutableRawBufferPointer) -> Result<Int, RecordingError>
    ) -> Result<Int, RecordingError> {
        do throws(RecordingError) {
            while true {
                var given = giveInserted(to: buffer)
                if given == nil { given = try step(into: buffer, from: read) }
                guard let count = given else { continue }
                if skipped == 0 || count == 0 { return .success(count) }
                let passed = min(skipped, count)
                skipped -= passed
                guard passed < count, let base = buffer.baseAddress else { continue }
                memmove(base, base + passed, count - passed)
                return .success(count - passed)
            }
        } catch {
            return .failure(error)
        }
    }

    /// Performs one step. Returns the number of bytes it produced, or `nil` when another step is needed.
    private func step(
        into buffer: UnsafeMutableRawBufferPointer,
        from read: (UnsafeMutableRawBufferPointer) -> Result<Int, RecordingError>
    ) throws(RecordingError) -> Int? {
        switch state {
        case .new:
            while end - start < Zstd.magic.count, try fill(from: read) {}
            state = try coding()
            if case .plain = state {} else { isCompressed = true }
            return nil
        case .plain:
            guard start < end else { return try read(buffer).get() }
            let count = min(end - start, buffer.count)
            input.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
            }
            start += count
            if start == end { input = [] }
            return count
        case .zstd(let decoder, let isInside):
            if start == end, !mayHoldText, try !fill(from: read) {
                finish(isInside: isInside)
                return nil
            }
            return decode(with: decoder, into: buffer)
        case .seeking(let decoder):
            try seek(decoder, from: read)
            return nil
        case .gzip(let reader, let isInside):
            if start == end, !mayHoldText, try !fill(from: read) {
                finish(isInside: isInside)
                return nil
            }
            return decode(with: reader, into: buffer)
        case .over: return 0
        }
    }

    private func coding() throws(RecordingError) -> State {
        let first = input[start..<end].prefix(Zstd.magic.count)
        let isSkippable =
            first.count == 4 && Zstd.skippable.contains(first[start]) && first.dropFirst() == [0x2A, 0x4D, 0x18]
        if Array(first) == Zstd.magic || isSkippable {
            guard let decoder = ZstdDecoder() else { throw Self.noMemory }
            return .zstd(decoder, isInside: false)
        }
        if first.starts(with: Self.gzipMagic) {
            guard let reader = GzipReader() else { throw Self.noMemory }
            return .gzip(reader, isInside: false)
        }
        return .plain
    }

    private func decode(with decoder: ZstdDecoder, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let (taken, made, progress) = input.withUnsafeBytes {
            decoder.read(UnsafeRawBufferPointer(rebasing: $0[start..<end]), into: buffer)
        }
        start += taken
        note(made, in: buffer)
        switch progress {
        case .inside: state = .zstd(decoder, isInside: true)
        case .between:
            state = .zstd(decoder, isInside: false)
            mayHoldText = false
        case .damaged(let why):
            mayHoldText = false
            insertDamage(why)
            // Advances by at least one byte, so that the same frame is not found again.
            start = min(start + 1, end)
            state = .seeking(decoder)
        }
        return made > 0 ? made : nil
    }

    private func decode(with reader: GzipReader, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let (taken, made, progress) = input.withUnsafeBytes {
            reader.read(UnsafeRawBufferPointer(rebasing: $0[start..<end]), into: buffer)
        }
        start += taken
        note(made, in: buffer)
        switch progress {
        case .inside: state = .gzip(reader, isInside: true)
        case .between:
            state = .gzip(reader, isInside: false)
            mayHoldText = false
        case .damaged:
            insertDamage("no gzip")
            state = .over
        }
        return made > 0 ? made : nil
    }

    private func note(_ made: Int, in buffer: UnsafeMutableRawBufferPointer) {
        mayHoldText = made == buffer.count
        if made > 0 { endsWithLineFeed = buffer[made - 1] == UInt8(ascii: "\n") }
    }

    /// Searches for the next frame in the buffered input and in what follows.
    private func seek(
        _ decoder: ZstdDecoder, from read: (UnsafeMutableRawBufferPointer) -> Result<Int, RecordingError>
    ) throws(RecordingError) {
        let length = Zstd.magic.count
        while true {
            while end - start >= length {
                if input[start] == Zstd.magic[0], Array(input[start..<start + length]) == Zstd.magic {
                    state = .zstd(decoder, isInside: false)
                    return
                }
                start += 1
            }
            if try !fill(from: read) {
                state = .over
                return
            }
        }
    }

    /// Handles the end of the file.
    private func finish(isInside: Bool) {
        state = .over
        // Text that ends within a line is unfinished already.
        if isInside, endsWithLineFeed { inserted = Array("(cut off)".utf8) }
    }

    private func insertDamage(_ why: String) {
        inserted = Array("\(endsWithLineFeed ? "" : "\n")(damaged compressed text: \(why))\n".utf8)
        endsWithLineFeed = true
    }

    private func giveInserted(to buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard !inserted.isEmpty else { return nil }
        let count = min(inserted.count, buffer.count)
        for place in 0..<count { buffer[place] = inserted[place] }
        inserted.removeFirst(count)
        return count
    }

    /// Reads more bytes after the buffered ones, which are fewer than a magic number. Returns false at the end of the
    /// file.
    private func fill(
        from read: (UnsafeMutableRawBufferPointer) -> Result<Int, RecordingError>
    ) throws(RecordingError) -> Bool {
        if input.isEmpty { input = [UInt8](repeating: 0, count: Self.inputBytes) }
        input.withUnsafeMutableBytes { bytes in
            guard start > 0, let base = bytes.baseAddress else { return }
            memmove(base, base + start, end - start)
        }
        end -= start
        start = 0
        let free = end
        let count = try input.withUnsafeMutableBytes { bytes in
            read(UnsafeMutableRawBufferPointer(rebasing: bytes[free...]))
        }.get()
        end += count
        return count > 0
    }

    private static let noMemory = RecordingError.system(operation: "decompress", path: "memory", code: ENOMEM)
}
