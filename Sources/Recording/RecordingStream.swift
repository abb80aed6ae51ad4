package import Wire

/// The lines of a recording for who looks on from somewhere in its middle: what a session must know to begin there, then every record.
///
/// What the rules hide is hidden as in a file. Not thread-safe: one owner, on any one thread.
package struct RecordingStream: ~Copyable {
    private var encoder: RecordEncoder
    /// Number of the last record, whether anybody looked on or not.
    private var number = 0

    /// A stream of which nothing was taken. Of the options, only what is hidden counts.
    package init(_ options: RecordingWriter.Options) { encoder = RecordEncoder(options) }

    /// Tells what must never be in a line.
    package mutating func redact(_ secret: Secret) { encoder.redactor.add(secret) }

    /// A record went by that nobody is told of.
    package mutating func pass(_ record: Record, _ stamp: Stamp) { if !record.isAside { number = stamp.n } }

    /// The line of the next record, with its line feed; nil for one that is too long to be read again.
    package mutating func line(of record: Record, _ stamp: Stamp) -> [UInt8]? {
        var stamp = stamp
        pass(record, stamp)
        if record.isAside { stamp.n = number }
        return encoder.encode(record, stamp) ? encoder.line : nil
    }

    /// The next record as whoever reads its line finds it; nil for one that is too long to be read again.
    package mutating func shown(_ record: Record, _ stamp: Stamp) -> Record? {
        guard let line = line(of: record, stamp) else { return nil }
        // Without its line feed.
        return try? LineDecoder.decode(line.span.extracting(0..<max(line.count - 1, 0))).record
    }

    /// The lines that a viewer begins with here: a head, as that of a later segment, and what is restated, given line by line to `body`.
    package mutating func begin(
        _ head: Record.Head, at stamp: Stamp, restating records: some Sequence<Record>, _ body: ([UInt8]) -> Void
    ) {
        var head = head
        head.segment = max(head.segment, 2)
        if encoder.encode(.head(head), Stamp(n: 0, time: .zero, wall: head.wallStart)) { body(encoder.line) }
        for record in records {
            let stamp = Stamp(n: number, time: stamp.time, wall: stamp.wall, isRestated: true)
            if encoder.encode(record, stamp) { body(encoder.line) }
        }
    }
}
