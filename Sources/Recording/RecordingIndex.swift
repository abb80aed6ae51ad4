package import Wire

/// The positions of all chunks of a recording. With it, reading can begin at a time or at a record number.
///
/// The file's own `idx` is used when it agrees with the file. Otherwise the index is built from the `sync` lines.
package struct RecordingIndex: Hashable, Sendable {
    /// The lines between two `sync` records. The lines after the last `sync` form a chunk too.
    package typealias Chunk = Record.IndexRecord.Chunk

    /// The source of an index.
    package enum Origin: Hashable, Sendable {
        /// The file's `idx`, found through its `end` and verified against its last `sync`.
        case file
        /// The `sync` lines of the file, or all its lines where those are missing.
        case scan
    }

    /// The source of this index.
    package let origin: Origin
    /// The chunks, in file order. The first begins with the head.
    package let chunks: [Chunk]
    /// All records by kind; empty when the file has no `idx`.
    package let kinds: [Record.Count]
    /// Received messages by room, busiest first; empty when the file does not count them.
    package let rooms: [Record.Count]

    /// The times of the first and the last record; `nil` when there are no records.
    package var times: ClosedRange<Moment>? {
        guard let first = chunks.first, let last = chunks.last, first.firstTime <= last.lastTime else { return nil }
        return first.firstTime...last.lastTime
    }

    /// Returns the chunk in which to look for the first record at `time` or later. No earlier chunk contains one.
    /// Returns `nil` when all records are earlier.
    package func chunk(at time: Moment) -> Int? {
        let place = partition { $0.lastTime < time }
        return place < chunks.count ? place : nil
    }

    /// Returns the chunk in which to look for record number `n`. No later chunk contains it. Returns `nil` when there
    /// are no chunks.
    package func chunk(ofRecord n: Int) -> Int? {
        let place = partition { $0.firstNumber <= n }
        return place > 0 ? place - 1 : chunks.isEmpty ? nil : 0
    }

    /// Returns the place where a chunk begins, for `RecordingReader.move(to:)`. `chunk` must be one of
    /// `chunks.indices`.
    ///
    /// For the first chunk this is the start of the file, so that reading from it also reports a hole before the first
    /// readable record.
    package func place(ofChunk chunk: Int) -> RecordingReader.Place {
        guard chunk > 0 else { return .start }
        let lines = chunks[..<chunk].reduce(1) { $0 + $1.records + 1 }
        return RecordingReader.Place(
            offset: chunks[chunk].offset, line: lines, number: chunks[chunk].firstNumber,
            time: chunks[chunk - 1].lastTime, isChunkStart: true, displacement: nil)
    }

    /// Returns how many chunks at the start satisfy `isBefore`. The chunks must be partitioned by it.
    private func partition(_ isBefore: (Chunk) -> Bool) -> Int {
        var places = chunks.startIndex..<chunks.endIndex
        while !places.isEmpty {
            let middle = places.lowerBound + places.count / 2
            if isBefore(chunks[middle]) {
                places = middle + 1..<places.upperBound
            } else {
                places = places.lowerBound..<middle
            }
        }
        return places.lowerBound
    }
}
