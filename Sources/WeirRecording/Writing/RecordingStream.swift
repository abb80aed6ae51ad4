package import WeirWire

/// Encodes a recording for viewers that join a running session: the state needed to begin at that point, then every
/// record.
///
/// Redaction rules apply as in a file. Not thread-safe: it has one owner, on any one thread.
package struct RecordingStream: ~Copyable {
    private var encoder: RecordEncoder
    /// The number of the last record, whether or not a viewer was present.
    private var number = 0

    /// Creates a stream. It uses only the redaction rules of the options.
    package init(_ options: RecordingWriter.Options) { encoder = RecordEncoder(options) }

    /// Adds a secret that must never be in a line.
    package mutating func redact(_ secret: Secret) { encoder.redactor.add(secret) }

    /// Counts a record that no viewer receives.
    package mutating func pass(_ record: Record, _ stamp: Stamp) { if !record.isUnnumbered { number = stamp.n } }

    /// Returns the line of the next record with its line feed, or `nil` when the line is too long to be read again.
    package mutating func line(of record: Record, _ stamp: Stamp) -> [UInt8]? {
        var stamp = stamp
        pass(record, stamp)
        if record.isUnnumbered { stamp.n = number }
        return encoder.encode(record, stamp) ? encoder.line : nil
    }

    /// Returns the next record as a reader of its line sees it, or `nil` when the line is too long to be read again.
    package mutating func shown(_ record: Record, _ stamp: Stamp) -> Record? {
        guard let line = line(of: record, stamp) else { return nil }
        // Drops the line feed.
        return try? LineDecoder.decode(line.span.extracting(0..<max(line.count - 1, 0))).record
    }

    /// Passes the first lines for a new viewer to `body`, one by one: the head of a later segment, then the restated
    /// records.
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
