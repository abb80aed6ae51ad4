package import Wire

/// Where every chunk of a recording stands: reading can begin at a time or at a number without what comes before it.
///
/// The file's own `idx` is taken when it agrees with the file; else the index is made from the `sync` lines.
package struct RecordingIndex: Hashable, Sendable {
    /// A chunk: the lines between two `sync` records. What follows the last `sync` is one, too.
    package typealias Chunk = Record.IndexRecord.Chunk

    /// Where the index comes from.
    package enum Origin: Hashable, Sendable {
        /// The file's `idx`, found by its `end` and compared with its last `sync`.
        case file
        /// The `sync` lines, or the lines themselves where those are missing.
        case scan
    }

    /// Where the index comes from.
    package let origin: Origin
    /// The chunks, in the order of the file. The first begins with the head.
    package let chunks: [Chunk]
    /// All records by kind; empty when the file does not say.
    package let kinds: [Record.Count]
    /// Messages received by room, the busiest first; empty when the file does not say.
    package let rooms: [Record.Count]

    /// Time of the first and of the last record; nil when there is none.
    package var times: ClosedRange<Moment>? {
        guard let first = chunks.first, let last = chunks.last, first.firstTime <= last.lastTime else { return nil }
        return first.firstTime...last.lastTime
    }

    /// The chunk to read from to find the first record at `time` or later: no earlier chunk holds one. Nil when all are
    /// earlier.
    package func chunk(at time: Moment) -> Int? {
        let place = partition { $0.lastTime < time }
        return place < chunks.count ? place : nil
    }

    /// The chunk to read from to find the record with number `n`: no later chunk holds it. Nil when there are none.
    package func chunk(ofRecord n: Int) -> Int? {
        let place = partition { $0.firstNumber <= n }
        return place > 0 ? place - 1 : chunks.isEmpty ? nil : 0
    }

    /// The place where a chunk begins, for `RecordingReader.move(to:)`. `chunk` must be one of `chunks.indices`.
    ///
    /// The first is where any reading begins: a hole before the first record that can be read is told there, too.
    package func place(ofChunk chunk: Int) -> RecordingReader.Place {
        guard chunk > 0 else { return .start }
        let lines = chunks[..<chunk].reduce(1) { $0 + $1.records + 1 }
        return RecordingReader.Place(
            offset: chunks[chunk].offset, line: lines, number: chunks[chunk].firstNumber,
            time: chunks[chunk - 1].lastTime, isChunkStart: true, displacement: nil)
    }

    /// How many chunks, from the first on, a condition holds for that holds for no chunk behind one it does not hold for.
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
