public import JSONText
import SectionedModel
public import Wire

/// The diff log: JSON Lines, one batch a line, so that applying the lines to an empty model gives the final model.
///
///     {"v":1,"seq":7,"n":42,"t":1200345,"section_insert":[{"at":2,"section":["messages","…"]}],"insert":[{"to":[2,0],"id":["message","…"],…}]}
///
/// `n` and `t` are number and time (microseconds) of the record that caused the batch. Paths are `[section, item]`;
/// `at` and `from` count in the state before the batch, `to` in the one after it (`reference/model.md` 3.2). Empty
/// lists are left out.
public enum DiffLog {
    /// Version of the line's shape; a member is only ever added to it.
    public static let version = 1

    /// Writes one line, with its line feed.
    public static func write(_ report: DiffReport, at time: Moment, into writer: inout JSONWriter) {
        let batch = report.batch
        writer.beginObject()
        writer.key("v")
        writer.integer(version)
        writer.key("seq")
        writer.integer(report.sequence)
        writer.key("n")
        writer.integer(report.cause)
        writer.key("t")
        writer.integer(time.microseconds)
        writeList("section_delete", batch.sectionDeletions, into: &writer, writeSection)
        writeList("section_insert", batch.sectionInsertions, into: &writer, writeSection)
        writeList("delete", batch.deletions, into: &writer) { deletion, writer in
            writer.key("at")
            write(deletion.path, into: &writer)
            writer.key("id")
            deletion.element.id.encode(into: &writer)
        }
        writeList("insert", batch.insertions, into: &writer) { insertion, writer in
            writer.key("to")
            write(insertion.path, into: &writer)
            insertion.element.encodeMembers(into: &writer)
        }
        writeList("move", batch.moves, into: &writer, writeChange)
        writeList("update", batch.updates, into: &writer, writeChange)
        writer.endObject()
        writer.endLine()
    }

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
        writer.key("at")
        writer.integer(change.index)
        writer.key("section")
        change.key.encode(into: &writer)
    }

    private static func writeChange(_ change: Batch<Item>.Change, into writer: inout JSONWriter) {
        writer.key("from")
        write(change.from, into: &writer)
        writer.key("to")
        write(change.to, into: &writer)
        change.new.encodeMembers(into: &writer)
    }

    private static func write(_ path: SectionPath, into writer: inout JSONWriter) {
        writer.beginArray()
        writer.integer(path.section)
        writer.integer(path.item)
        writer.endArray()
    }
}
