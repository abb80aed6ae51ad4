package import Wire

/// The last part of a recording, in memory, to be written when something happened.
///
/// It is kept in parts, each with what a session must know to begin there; the oldest goes when the rest still covers the time that is
/// asked for, or when there is no room. Secrets are taken out before anything is kept.
package struct FlightRing: ~Copyable {
    /// What a session that begins with a part must know. Called when a file is written, if at all.
    package typealias Beginning = @Sendable () -> [Record]

    private struct Part {
        var beginning: Beginning
        /// Stamp of the record before.
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

    /// A ring that keeps `window` of time, in `most` bytes at most.
    package init(window: Duration, most: Int, options: RecordingWriter.Options) {
        self.window = window
        self.most = most
        encoder = RecordEncoder(options)
        let start = Stamp(n: 0, time: .zero, wall: 0)
        parts = [Part(beginning: { [] }, start: start, last: .zero)]
    }

    /// Tells what must never be in a file.
    package mutating func redact(_ secret: Secret) { encoder.redactor.add(secret) }

    /// Keeps a record. Numbers must grow.
    package mutating func append(_ record: Record, _ stamp: Stamp) {
        var stamp = stamp
        if record.isAside { stamp.n = number } else { number = stamp.n }
        guard encoder.encode(record, stamp), let last = parts.indices.last else { return }
        parts[last].lines += encoder.line
        parts[last].last = stamp.time
        trim()
    }

    /// Whether a new part is to be begun, so that an old one can go.
    package var isPartDue: Bool {
        guard let part = parts.last else { return true }
        return part.lines.count >= most / 8 || part.last - part.start.time >= window / 8
    }

    /// Begins a part behind the record added last.
    package mutating func beginPart(at stamp: Stamp, _ beginning: @escaping Beginning) {
        let start = Stamp(n: number, time: stamp.time, wall: stamp.wall)
        parts.append(Part(beginning: beginning, start: start, last: stamp.time))
        trim()
    }

    /// How much time there is.
    package var span: Duration { (parts.last?.last ?? .zero) - (parts.first?.start.time ?? .zero) }

    private mutating func trim() {
        guard let now = parts.last?.last else { return }
        while parts.count > 1 {
            let isOld = now - parts[1].start.time >= window
            guard isOld || parts.reduce(0, { $0 + $1.lines.count }) > most else { break }
            parts.removeFirst()
            hasLost = true
        }
        // One part that is too large, since nobody began another: nothing of it can be kept.
        if parts.count == 1, parts[0].lines.count > most {
            parts[0].lines.removeAll()
            hasLost = true
        }
    }

    /// A name for a file written at that time: `PREFIX-20260102T030405Z`, and a number behind it when that is not 1.
    package static func path(prefix: String, wall: Int64, number: Int) -> String {
        let digits = WallClock.text(wall).prefix(19).filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
        return "\(prefix)-\(String(decoding: digits, as: UTF8.self))Z\(number > 1 ? "-\(number)" : "").weir.jsonl"
    }

    /// Writes what is kept as a file that can be played alone, and goes on.
    package func write(
        to path: String, head: Record.Head, at stamp: Stamp, options: RecordingWriter.Options
    ) throws(RecordingError) {
        guard let first = parts.first else { return }
        var head = head
        // A file that does not begin with the recording is a later segment of it, without the ones before.
        if hasLost { head.segment = 2 }
        // What is kept is redacted, and what is restated has the same secrets.
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
