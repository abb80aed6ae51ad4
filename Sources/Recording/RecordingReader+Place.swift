package import Wire

extension RecordingReader {
    /// A place between two lines, to come back to.
    package struct Place: Hashable, Sendable {
        /// Offset of the next line's first byte.
        package var offset: Int
        /// Number of that line, from 1.
        package var line: Int
        /// The number that the next numbered record is due to have.
        package var number: Int
        /// Time of the record before.
        package var time: Moment
        /// Whether a chunk begins here. The checksum of a chunk that is entered elsewhere is not looked at.
        var isChunkStart: Bool
        /// The reader's here.
        var displacement: Int?

        /// The beginning of a recording, before its head.
        static let start = Place(offset: 0, line: 1, number: 1, time: .zero, isChunkStart: true, displacement: 0)
    }

    /// The place behind the last entry. Ask before the end is met: behind it nothing more is found, even when the file
    /// grew; a reader of a growing file comes back to the place it had.
    package var place: Place {
        Place(
            offset: lines.nextOffset, line: lines.line + 1, number: expected, time: lastTime,
            isChunkStart: lines.isAtChunkStart, displacement: displacement)
    }

    /// Goes to a place of this recording, from a `RecordingIndex` or from a reader. Only a file and what is held in memory
    /// can be moved in. Throws when no line begins there.
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
        // The head is no entry.
        if place.offset == 0 { _ = try lines.next() }
        expected = place.number
        isFirst = place.number == 1
        lastTime = place.time
        displacement = place.displacement
        indexOffset = nil
    }

    /// Why a file that is followed brings nothing more, where it may never be what it was: nil when it only grows.
    package func whyOver(behind place: Place) -> String? { lines.source.whyOver(behind: place.offset) }

    /// A descriptor that can be read when more may be there; nil of a file.
    package var growth: Int32? { lines.source.growth }

    /// The scanner, for who looks at lines and not at records.
    consuming func intoLines() -> LineScanner { lines }
}
