import CWeirJSONScan
import WeirJSON
import WeirWire

/// The line of a text message, parsed by comparing it with the exact form that `RecordEncoder` writes.
///
/// Nearly all lines of a recording have this form, and reading spends most of its time on them. `LineDecoder` handles
/// lines in any other form, even if they are equivalent.
struct FrameLine {
    let number: Int
    let time: Moment
    let wall: Int64
    let connection: Int
    let direction: Record.FrameRecord.Direction
    /// The range of the payload in the line, with its escapes unresolved and unchecked.
    let contents: Range<Int>

    /// Creates a frame from a line; `nil` when the line has another form.
    init?(_ line: UnsafeBufferPointer<UInt8>, _ clock: inout WallClockMinute) {
        guard let base = line.baseAddress, line.count > 80 else { return nil }
        var cursor = Cursor(base: base, end: line.count - 2)
        guard base[line.count - 1] == UInt8(ascii: "}"), base[line.count - 2] == UInt8(ascii: "\""),
            cursor.passes(#"{"k":"f","n":"#), let number = cursor.number(), cursor.passes(#","t":"#),
            let time = cursor.number(), cursor.passes(#","w":""#), let wall = clock.parse(&cursor),
            cursor.passes(#"","c":""#), let connection = cursor.number(), cursor.passes(#"","d":""#)
        else { return nil }
        if cursor.passes(#"in","op":1,"len":"#) {
            direction = .in
        } else if cursor.passes(#"out","op":1,"len":"#) {
            direction = .out
        } else {
            return nil
        }
        guard cursor.number() != nil, cursor.passes(#","p":""#) else { return nil }
        self.number = number
        self.time = Moment(microseconds: Int64(time))
        self.wall = wall
        self.connection = connection
        contents = cursor.place..<line.count - 2
    }

    /// Returns the space that resolving a payload of `length` bytes needs.
    static func room(for length: Int) -> Int { length + Int(JSON_UNESCAPED_SLACK) }

    /// Resolves the payload into `target`, which must have `room(for:)` bytes. Returns the number of bytes written, or
    /// `nil` when the payload is invalid JSON or cannot be resolved here.
    func resolve(_ line: UnsafeBufferPointer<UInt8>, into target: UnsafeMutablePointer<UInt8>) -> Int? {
        guard let base = line.baseAddress else { return nil }
        let count = json_unescaped(base + contents.lowerBound, contents.count, target)
        return count >= 0 ? count : nil
    }

    /// Returns the reader's entry for this frame, with its resolved payload.
    func entry(_ payload: consuming ArraySlice<UInt8>) -> RecordingReader.Entry {
        .record(
            .frame(Record.FrameRecord(connection: connection, direction: direction, message: .text(payload))),
            Stamp(n: number, time: time, wall: wall))
    }
}

extension FrameLine {
    /// A position in a line. Nothing at or after `end` is read.
    struct Cursor {
        let base: UnsafePointer<UInt8>
        let end: Int
        var place = 0

        /// Skips `text` if it follows; returns whether it did.
        @inline(__always)
        mutating func passes(_ text: StaticString) -> Bool {
            let length = text.utf8CodeUnitCount
            guard end - place >= length, json_same_bytes(base + place, text.utf8Start, length) else { return false }
            place += length
            return true
        }

        /// Reads a number of at most 15 digits, which keeps it below 2^53. Returns `nil` when none follows.
        @inline(__always)
        mutating func number() -> Int? {
            let start = place
            var value = 0
            while place < end, place - start < 16 {
                let digit = base[place] &- UInt8(ascii: "0")
                if digit > 9 { break }
                value = value &* 10 &+ Int(digit)
                place += 1
            }
            let length = place - start
            guard length > 0, length < 16, length == 1 || base[start] != UInt8(ascii: "0") else { return nil }
            return value
        }
    }
}

/// Parses wall clocks in the form that `WallClock` writes. Neighbouring records mostly share a minute, which is then
/// parsed once.
struct WallClockMinute {
    private static let minuteBytes = 17
    private static let allBytes = 27
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private var microseconds: Int64 = 0

    /// Reads a wall clock of 27 bytes; returns `nil` when none follows.
    @inline(__always)
    mutating func parse(_ cursor: inout FrameLine.Cursor) -> Int64? {
        guard cursor.end - cursor.place >= Self.allBytes else { return nil }
        let text = UnsafeRawPointer(cursor.base + cursor.place)
        let first = text.loadUnaligned(as: UInt64.self)
        let second = text.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        let rest = cursor.base + cursor.place + Self.minuteBytes
        guard rest[-1] == UInt8(ascii: ":"), rest[2] == UInt8(ascii: "."), rest[9] == UInt8(ascii: "Z"),
            let seconds = Self.digits(rest, 2), let fraction = Self.digits(rest + 3, 6)
        else { return nil }
        if first != self.first || second != self.second {
            let all = UnsafeBufferPointer(start: cursor.base + cursor.place, count: Self.allBytes)
            guard let value = WallClock.parse(all.span) else { return nil }
            microseconds = value - Int64(seconds * 1_000_000 + fraction)
            self.first = first
            self.second = second
        } else if seconds > 60 {
            return nil
        }
        cursor.place += Self.allBytes
        return microseconds + Int64(seconds * 1_000_000 + fraction)
    }

    @inline(__always)
    private static func digits(_ text: UnsafePointer<UInt8>, _ count: Int) -> Int? {
        var value = 0
        for place in 0..<count {
            let digit = text[place] &- UInt8(ascii: "0")
            if digit > 9 { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }
}
