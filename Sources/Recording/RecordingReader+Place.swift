package import Wire

extension RecordingReader {
    /// A place between two lines, to which a reader can return.
    package struct Place: Hashable, Sendable {
        /// The offset of the next line's first byte.
        package var offset: Int
        /// The number of the next line, from 1.
        package var line: Int
        /// The expected number of the next numbered record.
        package var number: Int
        /// The time of the record before the place.
        package var time: Moment
        /// Whether a chunk begins at the place. A reader that enters a chunk elsewhere cannot verify its checksum.
        var isChunkStart: Bool
        /// The reader's `displacement` at the place.
        var displacement: Int?

        /// The beginning of a recording, before its head.
        static let start = Place(offset: 0, line: 1, number: 1, time: .zero, isChunkStart: true, displacement: 0)
    }

    /// The place after the last entry. Read it before the end is reached: from a place at the end, nothing more is
    /// found even if the file grows. The reader of a growing file returns to an earlier place.
    package var place: Place {
        Place(
            offset: lines.nextOffset, line: lines.line + 1, number: expected, time: lastTime,
            isChunkStart: lines.isAtChunkStart, displacement: displacement)
    }

    /// Moves to a place of this recording, taken from a `RecordingIndex` or a reader. Works only for files and for
    /// recordings in memory.
    /// - Throws: When no line begins at the place.
    package mutating func move(to place: Place) throws(RecordingError) {
        waiting.removeAll()
        if place.offset > 0 {
            try lines.move(to: place.offset - 1, line: place.line - 1)
            guard case .whole(let rest) = try lines.next(), rest.isEmpty else {
                throw .system(operation: "find a line at byte \(place.offset) of", path: lines.source.path, code: 22)
            }
        }
        try lines.move(to: place.offset, line: place.line)
        if place.isChunkStart || place.offset == 0 { lines.beginChunk() }
        // The head is not an entry.
        if place.offset == 0 { _ = try lines.next() }
        expected = place.number
        isFirst = place.number == 1
        lastTime = place.time
        displacement = place.displacement
        indexOffset = nil
    }

    /// Returns why a followed file yields nothing more: it was cut short or replaced. Returns `nil` while it only
    /// grows.
    package func whyOver(behind place: Place) -> String? { lines.source.whyOver(behind: place.offset) }

    /// Whether the reader has read the end, and the end is a fence: other members of the group have taken over.
    package var isFenced: Bool { lines.source.isFenced }

    /// A descriptor that becomes readable when more data may be available; `nil` for a file.
    package var growth: Int32? { lines.source.growth }

    /// Returns the scanner, for callers that need lines instead of records.
    consuming func intoLines() -> LineScanner { lines }
}
