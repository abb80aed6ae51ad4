package import SectionedModel

/// A diff log held in memory, and a place in it: the model as one of its lines left it, which can go to any other.
///
/// Going forward needs the lines between; going back needs that they are reversible.
package struct DiffLogCursor: Sendable {
    /// The model after the line with the number `sequence`.
    package private(set) var model: SectionedCollection<Item>
    /// Number of the line that was applied last; 0 before the first one of a whole log.
    package private(set) var sequence: Int
    private let log: [UInt8]
    /// Each line without its line feed. A last one without one was not written to its end and is not there.
    private let lines: [Range<Int>]

    /// At the beginning of a whole log, with an empty model that is compared with the log's checksums.
    package init(_ log: [UInt8]) throws(DiffLogError) {
        try self.init(log, model: SectionedCollection(keepsChecksum: true), at: 0)
    }

    /// At some place of a log, or of a part of one: `model` is as the line with the number `sequence` left it.
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

    /// Number of the state the first line is applied to.
    private let before: Int

    /// The numbers the cursor can go to.
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

    /// Goes to the state after the line with this number, forward or back. When it throws, the cursor stands before the line
    /// that could not be passed.
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
