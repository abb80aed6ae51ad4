import Glibc

/// The frames of a block, all their payloads resolved into one array before the first of them is asked for.
struct ResolvedPayloads {
    private struct Resolved {
        /// Where the line stands in the block, without its line feed.
        let line: Range<Int>
        let frame: FrameLine
        let payload: Range<Int>
    }

    private var frames: [Resolved] = []
    private var bytes: [UInt8] = []
    private var place = 0

    /// None.
    init() {}

    /// Those of a block.
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

    /// The frame whose line begins there, if it is one of these, with its line and its payload. Ask for them in order.
    mutating func next(at start: Int) -> (line: Range<Int>, frame: FrameLine, payload: ArraySlice<UInt8>)? {
        guard hasFrame(at: start) else { return nil }
        defer { place += 1 }
        return (frames[place].line, frames[place].frame, bytes[frames[place].payload])
    }

    /// The same of a frame that was received and has this number; nil, and nothing has happened, for any other.
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
