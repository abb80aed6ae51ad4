public import JSONText
import Pipeline
import Wire

extension Summary {
    /// Names of each table that are told one by one.
    private static let mostTold = 100

    /// Writes the summary as one line: an object of type `summary` of `schemas/envelope.schema.json`. `filtered` is what was not shown.
    public func write(
        _ end: TailSummary, words: String?, code: Int, filtered: FilterTally, into writer: inout JSONWriter
    ) {
        writer.beginObject()
        for (key, value) in [("v", Int64(Envelope.version)), ("n", 0), ("t_us", lastTime.microseconds)] {
            if key == "n" {
                writer.key("type")
                writer.string("summary")
            }
            if key == "t_us" {
                writer.key("time")
                writer.string(TimeText.rfc3339(wall: lastWall))
            }
            writer.key(key)
            writer.integer(value)
        }
        writer.key("ctx")
        if let context = end.context { writer.string(context) } else { writer.null() }
        writer.key("end")
        if let words { writer.string(words) } else { writer.null() }
        let figures = [
            ("code", code), ("duration_us", Int(duration.microseconds)), ("events", events),
            ("undecodable", undecodable),
            ("gaps", gaps), ("lost", lost), ("reconnects", reconnects), ("denied", denied), ("batches", batches),
        ]
        for (key, value) in figures {
            writer.key(key)
            writer.integer(value)
        }
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
        writer.key("others")
        writer.integer(others)
        writer.endObject()
    }

    private static func write(_ name: String, _ count: Int, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("name")
        writer.string(name)
        writer.key("count")
        writer.integer(count)
        writer.endObject()
    }

    private func write(_ requests: RequestFigures, into writer: inout JSONWriter) {
        writer.key("requests")
        writer.beginObject()
        writer.key("answered")
        writer.integer(requests.answered)
        writer.key("failed")
        writer.integer(requests.failed)
        writer.key("reasons")
        writer.beginArray()
        for reason in requests.reasons { Self.write(reason.name, reason.count, into: &writer) }
        writer.endArray()
        writer.key("open")
        writer.integer(requests.open)
        for (key, percentile) in [("p50_us", 50), ("p99_us", 99)] {
            writer.key(key)
            if let latency = requests.latency(percentile: percentile) {
                writer.integer(latency.microseconds)
            } else {
                writer.null()
            }
        }
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
            writer.key("section")
            writer.string(section.text)
            writer.key("rows")
            writer.integer(count)
            writer.endObject()
        }
        writer.endArray()
    }
}

extension FilterTally {
    /// Writes what was left out as the member `filter` of a summary.
    fileprivate func write(into writer: inout JSONWriter) {
        writer.key("filter")
        writer.beginObject()
        writer.key("events")
        writer.integer(seen.events)
        writer.key("others")
        writer.integer(seen.others)
        writer.key("sampled_out")
        writer.integer(sampledOut)
        writer.key("clauses")
        writer.beginArray()
        for share in shares {
            writer.beginObject()
            for (key, value) in [("clause", share.clause), ("origin", share.origin)] {
                writer.key(key)
                writer.string(value)
            }
            for (key, value) in [("events", share.removed.events), ("others", share.removed.others)] {
                writer.key(key)
                writer.integer(value)
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
