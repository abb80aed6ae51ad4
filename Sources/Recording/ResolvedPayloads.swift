import Glibc

/// The frames of a block, with all their payloads resolved into one array before the first is read.
struct ResolvedPayloads {
    private struct Resolved {
        /// The range of the line in the block, without its line feed.
        let line: Range<Int>
        let frame: FrameLine
        let payload: Range<Int>
    }

    private var frames: [Resolved] = []
    private var bytes: [UInt8] = []
    private var place = 0

    /// Creates a value without frames.
    init() {}

    /// Resolves the payloads of all frames in a block.
    init(of block: RecordingBlock, _ clock: inout WallClockMinute) {
        var frames: [Resolved] = []
        frames.reserveCapacity(block.range.count / 512)
        bytes = [UInt8](unsafeUninitializedCapacity: FrameLine.room(for: block.range.count)) { target, count in
            block.bytes.withUnsafeBufferPointer { bytes in
                guard let base = bytes.baseAddress, let target = target.baseAddress else { return }
                var start = block.range.lowerBound
                while let feed = memchr(base + start, Int32(UInt8(ascii: "\n")), block.range.upperBound - start) {
                    let end = UnsafeRawPointer(feed) - UnsafeRawPointer(base)
                    let line = UnsafeBufferPointer(start: base + start, count: end - start)
                    if line.count < RecordFormat.maximumLine, let frame = FrameLine(line, &clock),
                        let length = frame.resolve(line, into: target + count)
                    {
                        frames.append(Resolved(line: start..<end, frame: frame, payload: count..<count + length))
                        count += length
                    }
                    start = end + 1
                }
            }
        }
        self.frames = frames
    }

    /// Returns the frame whose line begins at `start`, with its line and its payload; `nil` when that line is not one
    /// of these frames. Call it in file order.
    mutating func next(at start: Int) -> (line: Range<Int>, frame: FrameLine, payload: ArraySlice<UInt8>)? {
        guard hasFrame(at: start) else { return nil }
        defer { place += 1 }
        return (frames[place].line, frames[place].frame, bytes[frames[place].payload])
    }

    /// Like `next(at:)`, but only for a received frame with this number. Returns `nil` and leaves everything unchanged
    /// for any other frame.
    mutating func nextReceived(
        at start: Int, _ number: Int
    ) -> (line: Range<Int>, frame: FrameLine, payload: ArraySlice<UInt8>)? {
        guard hasFrame(at: start), frames[place].frame.direction == .in, frames[place].frame.number == number else {
            return nil
        }
        return next(at: start)
    }

    private func hasFrame(at start: Int) -> Bool { place < frames.count && frames[place].line.lowerBound == start }
}
