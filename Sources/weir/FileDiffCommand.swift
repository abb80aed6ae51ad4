import JSONText
import Live
import Recording

/// The command `weir file diff`.
enum FileDiffCommand {
    static func run(_ arguments: Arguments) throws -> ExitCode {
        let diff = try ReplayDiff(arguments.positionals[0], arguments.positionals[1])
        let output = StandardOutput()
        if arguments.has(.json) {
            try output.write([json(diff)])
        } else {
            try output.write(lines(diff).map(StandardOutput.escaped))
        }
        return diff.modelsDiffer == nil ? .done : .mismatch
    }

    private static func lines(_ diff: ReplayDiff) -> [String] {
        var lines: [String] = []
        if let number = diff.recordsDiffer { lines.append("records differ from record \(number) on") }
        guard let (number, stamp) = diff.modelsDiffer else {
            return lines + ["the models are the same after each of \(diff.records) records"]
        }
        lines.append("models differ after record \(number), at \(RecordingTime.text(stamp.wall))")
        var section = ""
        for row in diff.rows {
            if row.section != section { lines.append("  " + row.section) }
            section = row.section
            lines.append("    \(words(of: row.difference))  \(row.id)\(row.label.map { "  “\($0)”" } ?? "")")
        }
        if diff.rowCount > diff.rows.count { lines.append("  … \(diff.rowCount - diff.rows.count) more rows") }
        return lines
    }

    private static func words(of difference: ReplayDiff.Row.Difference) -> String {
        switch difference {
        case .onlyInFirst: "< only in the first"
        case .onlyInSecond: "> only in the second"
        case .changed(let fields): "~ " + fields.joined(separator: ", ")
        case .moved(let first, let second): "→ \(first) in the first, \(second) in the second"
        }
    }

    private static func json(_ diff: ReplayDiff) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("records", diff.records)
        writer.member("records_differ", orNull: diff.recordsDiffer)
        writer.member("models_differ", orNull: diff.modelsDiffer?.number)
        writer.key("rows")
        writer.beginArray()
        for row in diff.rows {
            writer.beginObject()
            writer.member("section", row.section)
            writer.member("id", row.id)
            writer.key("op")
            switch row.difference {
            case .onlyInFirst: writer.string("first")
            case .onlyInSecond: writer.string("second")
            case .moved: writer.string("moved")
            case .changed(let fields):
                writer.string("changed")
                writer.member("fields", names: fields)
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
