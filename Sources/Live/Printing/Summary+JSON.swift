public import JSONText
import Pipeline
import Wire

extension Summary {
    /// The maximum number of names listed in each table.
    private static let mostTold = 100

    /// Writes the summary as one line: an object of type `summary` of `schemas/envelope.schema.json`.
    ///
    /// - Parameters:
    ///   - end: The figures of the finished run.
    ///   - words: The reason for the end; `nil` for none.
    ///   - code: The exit code of the process.
    ///   - filtered: The counts of reports that were not shown.
    public func write(
        _ end: TailSummary, words: String?, code: Int, filtered: FilterTally, into writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.member("v", Envelope.version)
        writer.member("type", "summary")
        writer.member("n", 0)
        writer.member("time", TimeText.rfc3339(wall: lastWall))
        writer.member("t_us", lastTime.microseconds)
        writer.member("ctx", orNull: end.context)
        writer.member("end", orNull: words)
        writer.member("code", code)
        writer.member("duration_us", duration.microseconds)
        writer.member("events", events)
        writer.member("undecodable", undecodable)
        writer.member("gaps", gaps)
        writer.member("lost", lost)
        writer.member("missed", missed)
        writer.member("reconnects", reconnects)
        writer.member("denied", denied)
        writer.member("batches", batches)
        for (key, tally) in [("kinds", kinds), ("rooms", rooms), ("actors", actors), ("unknown", unknownNames)] {
            writer.key(key)
            Self.write(tally, into: &writer)
        }
        write(end.requests, into: &writer)
        writeChanges(into: &writer)
        write(end.sections, into: &writer)
        filtered.write(into: &writer)
        writer.endObject()
        writer.endLine()
    }

    private static func write(_ tally: Tally, into writer: inout JSONWriter) {
        let (names, others) = tally.top(mostTold)
        writer.beginObject()
        writer.key("most")
        writer.beginArray()
        for (name, count) in names { write(name, count, into: &writer) }
        writer.endArray()
        writer.member("others", others)
        writer.endObject()
    }

    private static func write(_ name: String, _ count: Int, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", name)
        writer.member("count", count)
        writer.endObject()
    }

    private func write(_ requests: RequestFigures, into writer: inout JSONWriter) {
        writer.key("requests")
        writer.beginObject()
        writer.member("answered", requests.answered)
        writer.member("failed", requests.failed)
        writer.key("reasons")
        writer.beginArray()
        for reason in requests.reasons { Self.write(reason.name, reason.count, into: &writer) }
        writer.endArray()
        writer.member("open", requests.open)
        writer.member("p50_us", orNull: requests.latency(percentile: 50)?.microseconds)
        writer.member("p99_us", orNull: requests.latency(percentile: 99)?.microseconds)
        writer.endObject()
    }

    private func writeChanges(into writer: inout JSONWriter) {
        writer.key("changes")
        writer.beginObject()
        for (operation, count) in zip(DiffRow.Operation.allCases, operations) {
            writer.key(operation.rawValue)
            writer.integer(count)
        }
        writer.endObject()
    }

    private func write(_ sections: [(section: Item.Section, count: Int)], into writer: inout JSONWriter) {
        writer.key("model")
        writer.beginArray()
        for (section, count) in sections.prefix(Self.mostTold) {
            writer.beginObject()
            writer.member("section", section.text)
            writer.member("rows", count)
            writer.endObject()
        }
        writer.endArray()
    }
}

extension FilterTally {
    /// Writes the tally as the member `filter` of a summary.
    fileprivate func write(into writer: inout JSONWriter) {
        writer.key("filter")
        writer.beginObject()
        writer.member("events", seen.events)
        writer.member("others", seen.others)
        writer.member("sampled_out", sampledOut)
        writer.key("clauses")
        writer.beginArray()
        for share in shares {
            writer.beginObject()
            writer.member("clause", share.clause)
            writer.member("origin", share.origin)
            writer.member("events", share.removed.events)
            writer.member("others", share.removed.others)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
