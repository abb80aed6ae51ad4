package import WeirWire

/// The last part of a recording, kept in memory to be written when an event of interest happens.
///
/// The ring consists of parts, each with the state that a session needs in order to begin there. The oldest part is
/// dropped when the others cover the window or when memory is full. Secrets are removed before a record is kept.
package struct FlightRing: ~Copyable {
    /// Returns the state that a session needs in order to begin with a part. Called only when a file is written.
    package typealias Beginning = @Sendable () -> [Record]

    private struct Part {
        var beginning: Beginning
        /// The stamp of the record before the part.
        var start: Stamp
        var lines: [UInt8] = []
        var last: Moment
    }

    private let window: Duration
    private let most: Int
    private var parts: [Part]
    private var encoder: RecordEncoder
    private var number = 0
    private var hasLost = false

    /// Creates a ring that keeps `window` of time in at most `most` bytes.
    package init(window: Duration, most: Int, options: RecordingWriter.Options) {
        self.window = window
        self.most = most
        encoder = RecordEncoder(options)
        let start = Stamp(n: 0, time: .zero, wall: 0)
        parts = [Part(beginning: { [] }, start: start, last: .zero)]
    }

    /// Adds a secret that must never be in a file.
    package mutating func redact(_ secret: Secret) { encoder.redactor.add(secret) }

    /// Keeps a record. Numbers must increase.
    package mutating func append(_ record: Record, _ stamp: Stamp) {
        var stamp = stamp
        if record.isUnnumbered { stamp.n = number } else { number = stamp.n }
        guard encoder.encode(record, stamp), let last = parts.indices.last else { return }
        parts[last].lines += encoder.line
        parts[last].last = stamp.time
        trim()
    }

    /// Whether the caller should begin a new part, so that an old one can be dropped.
    package var isPartDue: Bool {
        guard let part = parts.last else { return true }
        return part.lines.count >= most / 8 || part.last - part.start.time >= window / 8
    }

    /// Begins a part after the record added last.
    package mutating func beginPart(at stamp: Stamp, _ beginning: @escaping Beginning) {
        let start = Stamp(n: number, time: stamp.time, wall: stamp.wall)
        parts.append(Part(beginning: beginning, start: start, last: stamp.time))
        trim()
    }

    /// The length of time that the ring covers.
    package var span: Duration { (parts.last?.last ?? .zero) - (parts.first?.start.time ?? .zero) }

    private mutating func trim() {
        guard let now = parts.last?.last else { return }
        while parts.count > 1 {
            let isOld = now - parts[1].start.time >= window
            guard isOld || parts.reduce(0, { $0 + $1.lines.count }) > most else { break }
            parts.removeFirst()
            hasLost = true
        }
        // A single part has grown too large because the caller began no other. None of it can be kept.
        if parts.count == 1, parts[0].lines.count > most {
            parts[0].lines.removeAll()
            hasLost = true
        }
    }

    /// Returns a name for a file written at the time `wall`: `PREFIX-20260102T030405Z`, with a number appended unless
    /// it is 1.
    package static func path(prefix: String, wall: Int64, number: Int) -> String {
        let digits = WallClock.text(wall).prefix(19).filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
        return "\(prefix)-\(String(decoding: digits, as: UTF8.self))Z\(number > 1 ? "-\(number)" : "").weir.jsonl"
    }

    /// Writes the ring as a file that can be played alone. The ring keeps its contents.
    package func write(
        to path: String, head: Record.Head, at stamp: Stamp, options: RecordingWriter.Options
    ) throws(RecordingError) {
        guard let first = parts.first else { return }
        var head = head
        // The file does not begin with the start of the recording, so it is a later segment without the earlier ones.
        if hasLost { head.segment = 2 }
        // The kept lines are redacted already, and the restated records contain the same secrets.
        var encoder = encoder.copy()
        encoder.rules = [.secrets]
        var writer = try RecordingWriter(
            creating: path, head: head, encoder: encoder, options: options, nextNumber: first.start.n + 1)
        if hasLost {
            for record in first.beginning() {
                var stamp = first.start
                stamp.isRestated = true
                try writer.append(record, stamp)
            }
        }
        for part in parts {
            for line in part.lines.split(separator: UInt8(ascii: "\n")) {
                guard let decoded = try? LineDecoder.decode(line.span), let number = decoded.number,
                    let time = decoded.time
                else { continue }
                try writer.append(decoded.record, Stamp(n: number, time: time, wall: decoded.wall ?? 0))
            }
        }
        try writer.close(why: .closed, at: stamp)
    }
}
