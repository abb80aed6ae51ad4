package import JSONText
import SectionedModel
package import Wire

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
