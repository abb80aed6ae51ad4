package import SectionedModel

/// A position in a diff log that is held in memory: the model after one of the lines. The cursor can move to any other
/// line.
///
/// Moving forward needs the lines between; moving back also needs them to be reversible.
package struct DiffLogCursor: Sendable {
    /// The model after the line with the number `sequence`.
    package private(set) var model: SectionedCollection<Item>
    /// The number of the last line applied; 0 before the first line of a complete log.
    package private(set) var sequence: Int
    private let log: [UInt8]
    /// The range of each line, without its line feed. A last line without a line feed was not written completely and is
    /// left out.
    private let lines: [Range<Int>]

    /// Creates a cursor at the start of a complete log, with an empty model that is compared with the log's checksums.
    package init(_ log: [UInt8]) throws(DiffLogError) {
        try self.init(log, model: SectionedCollection(keepsChecksum: true), at: 0)
    }

    /// Creates a cursor at a position of a log, or of a part of one. `model` is the state after the line with the
    /// number `sequence`.
    package init(_ log: [UInt8], model: SectionedCollection<Item>, at sequence: Int) throws(DiffLogError) {
        self.log = log
        self.model = model
        self.sequence = sequence
        lines = Self.lines(of: log)
        before =
            try lines.first.map { line throws(DiffLogError) in try DiffLogLine(log[line]).sequence - 1 } ?? sequence
        guard states.contains(sequence) else {
            throw .outside(sequence, first: states.lowerBound, last: states.upperBound)
        }
    }

    /// The number of the state to which the first line applies.
    private let before: Int

    /// The numbers of the states that the cursor can move to.
    package var states: ClosedRange<Int> { before...(before + lines.count) }

    private static func lines(of log: [UInt8]) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = 0
        while let end = log[start...].firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(start..<end)
            start = end + 1
        }
        return lines
    }

    /// Moves to the state after the line with this number, forward or back. When the function throws, the cursor is at
    /// the line that could not be passed.
    package mutating func seek(to target: Int) throws(DiffLogError) {
        guard states.contains(target) else {
            throw .outside(target, first: states.lowerBound, last: states.upperBound)
        }
        while sequence < target {
            sequence = try DiffLog.apply(log[lines[sequence - before]], after: sequence, to: &model)
        }
        while sequence > target {
            sequence = try DiffLog.revert(log[lines[sequence - before - 1]], of: sequence, from: &model)
        }
    }
}
