package import WeirJSON
package import WeirModel
package import WeirWire

/// The diff log: JSON Lines, one batch a line. Applying all lines to an empty model gives the final model.
///
///     {"v":1,"seq":7,"n":42,"t":1200345,"section_insert":[{"at":2,"section":["messages","…"]}],
///      "insert":[{"to":[2,0],"id":["message","…"],…}]}
///
/// The example is one line. `n` and `t` are the number and the time (in microseconds) of the record that caused the
/// batch. Paths are `[section, item]`; `at` and `from` count in the state before the batch, `to` in the state after it
/// (diff log DL-1). Empty lists and ranks of 0 are left out.
///
/// If the model keeps a checksum, `base` and `sum` are the checksums of the states before and after the batch, as 16
/// hexadecimal digits. A later version of the checksum puts its number and a colon before the digits (`2:…`). A reader
/// that applies the line to a model with a checksum compares the two, unless their versions differ. A reversible line
/// also contains what it deletes or replaces, so that it can be reverted from the state after it alone.
package enum DiffLog {
    /// The version of the format of a line. Later formats only add members.
    static let version = 1

    /// Writes one line, including its line feed.
    package static func write(
        _ report: DiffReport, at time: Moment, reversible: Bool = false, into writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.member("v", integer: Int64(version))
        writer.member("seq", integer: Int64(report.sequence))
        writer.member("n", integer: Int64(report.cause))
        writer.member("t", integer: time.microseconds)
        if let checksums = report.batch.checksums {
            writer.key("base")
            writer.hexadecimal(checksums.before)
            writer.key("sum")
            writer.hexadecimal(checksums.after)
        }
        if let sole = report.batch.soleChange {
            writeSole(sole, reversible: reversible, into: &writer)
        } else {
            writeSections(of: report.batch, into: &writer)
            writeRows(of: report.batch, reversible: reversible, into: &writer)
        }
        writer.endObject()
        writer.endLine()
    }

    private static func writeSole(
        _ sole: Batch<Item>.SoleChange, reversible: Bool, into writer: inout JSONWriter
    ) {
        writer.key(sole.moves ? "move" : "update")
        writer.beginArray()
        writer.beginObject()
        writeChange(sole.change, reversible: reversible, into: &writer)
        writer.endObject()
        writer.endArray()
    }

    private static func writeSections(of batch: Batch<Item>, into writer: inout JSONWriter) {
        writeList("section_delete", batch.sectionDeletions, into: &writer, writeSection)
        writeList("section_insert", batch.sectionInsertions, into: &writer, writeSection)
        writeList("section_move", batch.sectionMoves, into: &writer) { move, writer in
            writer.member("from", integer: Int64(move.from))
            writer.member("to", integer: Int64(move.to))
            writer.key("section")
            move.key.encode(into: &writer)
            writeRank("rank", move.newRank, into: &writer)
            writeRank("old_rank", move.oldRank, into: &writer)
        }
    }

    private static func writeRows(of batch: Batch<Item>, reversible: Bool, into writer: inout JSONWriter) {
        writeList("delete", batch.deletions, into: &writer) { deletion, writer in
            writer.key("at")
            write(deletion.path, into: &writer)
            writer.key("id")
            deletion.element.contents.id.encode(into: &writer)
            if reversible { writeOld(deletion.element, into: &writer) }
        }
        writeList("insert", batch.insertions, into: &writer) { insertion, writer in
            writer.key("to")
            write(insertion.path, into: &writer)
            insertion.element.encodeMembers(into: &writer)
        }
        writeList("move", batch.moves, into: &writer) { writeChange($0, reversible: reversible, into: &$1) }
        writeList("update", batch.updates, into: &writer) { writeChange($0, reversible: reversible, into: &$1) }
    }

    private static func writeChange(_ change: Batch<Item>.Change, reversible: Bool, into writer: inout JSONWriter) {
        writer.key("from")
        write(change.from, into: &writer)
        writer.key("to")
        write(change.to, into: &writer)
        change.new.encodeMembers(into: &writer)
        if reversible { writeOld(change.old, into: &writer) }
    }

    private static func writeOld(_ item: Item, into writer: inout JSONWriter) {
        writer.key("old")
        writer.beginObject()
        item.encodeContents(into: &writer)
        writer.endObject()
    }

    @inline(__always)
    private static func writeList<Element>(
        _ name: StaticString, _ elements: [Element], into writer: inout JSONWriter,
        _ body: (Element, inout JSONWriter) -> Void
    ) {
        guard !elements.isEmpty else { return }
        writer.key(name)
        writer.beginArray()
        for element in elements {
            writer.beginObject()
            body(element, &writer)
            writer.endObject()
        }
        writer.endArray()
    }

    private static func writeSection(_ change: Batch<Item>.SectionChange, into writer: inout JSONWriter) {
        writer.member("at", integer: Int64(change.index))
        writer.key("section")
        change.key.encode(into: &writer)
        writeRank("rank", change.rank, into: &writer)
    }

    private static func writeRank(_ name: StaticString, _ rank: Int64, into writer: inout JSONWriter) {
        if rank != 0 { writer.member(name, integer: rank) }
    }

    private static func write(_ path: SectionPath, into writer: inout JSONWriter) {
        writer.beginArray()
        writer.integer(path.section)
        writer.integer(path.item)
        writer.endArray()
    }

    /// Returns a checksum in the format of a line.
    static func text(of checksum: UInt64) -> String {
        var writer = JSONWriter()
        writer.hexadecimal(checksum)
        return String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self)
    }
}

extension DiffLog {
    /// Applies a line to the model that the lines before it produced.
    ///
    /// If the model keeps a checksum, the checksum is compared with the line's before and after. When the function
    /// throws, the model is unchanged.
    ///
    /// - Parameters:
    ///   - line: The line, without its line feed.
    ///   - sequence: The result of the previous call; 0 for the first line.
    ///   - model: The model after the previous line.
    /// - Returns: The sequence number of the line.
    package static func apply(
        _ line: ArraySlice<UInt8>, after sequence: Int, to model: inout SectionedCollection<Item>
    ) throws(DiffLogError) -> Int {
        let line = try DiffLogLine(line)
        guard line.sequence == sequence + 1 else {
            throw .outOfOrder(expected: sequence + 1, found: line.sequence)
        }
        let batch = try line.batch { id throws(DiffLogError) in model.committed(id) }
        try apply(batch, of: line, entering: .before, to: &model)
        return line.sequence
    }

    /// Reverts a line of a reversible log. The model must be in the state after the line, and returns to the state
    /// before it.
    ///
    /// When the function throws, the model is unchanged.
    ///
    /// - Returns: The sequence number of the previous line.
    static func revert(
        _ line: ArraySlice<UInt8>, of sequence: Int, from model: inout SectionedCollection<Item>
    ) throws(DiffLogError) -> Int {
        let line = try DiffLogLine(line)
        guard line.sequence == sequence else { throw .outOfOrder(expected: sequence, found: line.sequence) }
        let batch = try line.batch { _ throws(DiffLogError) in throw .irreversible(sequence: sequence) }
        try apply(batch.inverted(), of: line, entering: .after, to: &model)
        return sequence - 1
    }

    /// Applies the batch of a line, or its inverse, to a model that is in the state on the given side of the line.
    private static func apply(
        _ batch: Batch<Item>, of line: DiffLogLine, entering side: DiffLogError.Side,
        to model: inout SectionedCollection<Item>
    ) throws(DiffLogError) {
        do {
            try model.apply(batch)
        } catch {
            if case .checksumDiffers(let after, let logged, let found) = error {
                let side: DiffLogError.Side = after == (side == .before) ? .after : .before
                throw .checksumDiffers(sequence: line.sequence, side: side, logged: logged, found: found)
            }
            throw .doesNotFit(sequence: line.sequence, message: error.description)
        }
    }
}

/// The reason why a line of a diff log cannot be applied or reverted.
package enum DiffLogError: Error, Hashable, Sendable {
    /// The state before a line or the state after it.
    package enum Side: String, Hashable, Sendable {
        case before, after
    }
    /// The text is not a line of a diff log. `offset` is a byte offset in the line.
    case unreadable(message: String, offset: Int)
    /// The line does not have the expected sequence number.
    case outOfOrder(expected: Int, found: Int)
    /// The batch does not fit the model to which it is applied.
    case doesNotFit(sequence: Int, message: String)
    /// The model's checksum on one side of the line differs from the checksum in the line.
    case checksumDiffers(sequence: Int, side: Side, logged: UInt64, found: UInt64)
    /// The line does not contain what it deleted or replaced, so it cannot be reverted.
    case irreversible(sequence: Int)
    /// The log has no state with this number; its states are those from `first` to `last`.
    case outside(Int, first: Int, last: Int)
}

extension DiffLogError: CustomStringConvertible {
    /// A description in one sentence, for people.
    package var description: String {
        switch self {
        case .unreadable(let message, let offset): "not a line of a diff log, at its byte \(offset): \(message)"
        case .outOfOrder(let expected, let found): "found line \(found) instead of line \(expected)"
        case .doesNotFit(let sequence, let message): "line \(sequence) does not fit the model: \(message)"
        case .checksumDiffers(let sequence, let side, let logged, let found):
            "line \(sequence): the checksum of the model \(side.rawValue) it is \(DiffLog.text(of: found)), "
                + "the line says \(DiffLog.text(of: logged))"
        case .irreversible(let sequence): "line \(sequence) lacks the replaced values and cannot be undone"
        case .outside(let sequence, let first, let last):
            "the log leads from state \(first) to state \(last), and not to \(sequence)"
        }
    }
}

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
