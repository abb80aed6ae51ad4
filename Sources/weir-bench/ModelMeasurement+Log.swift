import Events
import JSONText
import Pipeline
import SectionedModel
import Wire

extension ModelMeasurement {
    /// Measures the diff log of a model of Twake channels: committing a change and writing its line, then reading that
    /// line and applying it to another model.
    mutating func measureLog(seed: UInt64) throws(BenchmarkError) {
        var dice = RandomSource(seed: seed)
        let rows = (0..<shape.rows).map { _ in Self.channel(in: shape.sections, &dice) }
        for reversible in [false, true] {
            let name = reversible ? "reversible line" : "line"
            var live = SectionedCollection<Item>(keepsChecksum: true)
            try ModelSubject.refused { () throws(ModelError) in
                for row in rows { try live.upsert(row) }
                _ = live.commit()
            }
            var follower = SectionedCollection<Item>(keepsChecksum: true)
            try ModelSubject.refused { () throws(ModelError) in
                for row in rows { try follower.upsert(row) }
                _ = follower.commit()
            }
            let changes = (0..<Self.changes / 5).map { _ in
                Self.active(rows[dice.below(rows.count)], at: Int64(dice.below(1_000_000)))
            }
            var writer = JSONWriter()
            let writing = try time(changes.count) { () throws(ModelError) in
                try Self.commit(changes, to: &live, reversible: reversible, &writer)
            }
            figures.add("a channel's change, its \(name) written", writing.microseconds, "us", in: .others)
            let applying = try Self.seek(writer.bytes, follower, from: 0, to: writing.value)
            guard applying.checksum == live.checksum else { throw .failed("the log led elsewhere") }
            figures.add(
                "  the \(name) read, applied, verified", applying.seconds * 1e6 / Double(writing.value), "us",
                in: .others)
            guard reversible else { continue }
            let reverting = try Self.seek(writer.bytes, live, from: writing.value, to: 0)
            guard reverting.checksum == follower.checksum else { throw .failed("the log led back elsewhere") }
            figures.add(
                "  the \(name) read, undone, verified", reverting.seconds * 1e6 / Double(writing.value), "us",
                in: .others)
        }
    }

    @inline(never)
    private static func commit(
        _ changes: [Item], to model: inout SectionedCollection<Item>, reversible: Bool, _ writer: inout JSONWriter
    ) throws(ModelError) -> Int {
        var lines = 0
        for change in changes {
            try model.upsert(change)
            guard let batch = model.commit() else { continue }
            lines += 1
            let report = DiffReport(sequence: lines, cause: lines, batch: batch)
            DiffLog.write(report, at: .zero, reversible: reversible, into: &writer)
        }
        return lines
    }

    /// Returns the processor time, in seconds, to seek from one state of a log to another.
    private static func seek(
        _ log: [UInt8], _ model: consuming SectionedCollection<Item>, from start: Int, to end: Int
    ) throws(BenchmarkError) -> (seconds: Double, checksum: UInt64?) {
        do {
            var cursor = try DiffLogCursor(log, model: model, at: start)
            let watch = Stopwatch()
            try cursor.seek(to: end)
            return (watch.elapsed.processor, cursor.model.checksum)
        } catch {
            throw .failed("the log does not lead there: \(error)")
        }
    }

    private static func channel(in sections: Int, _ dice: inout RandomSource) -> Item {
        let id = EntityID(dice.uuid())
        let workspace = EntityID("w\(dice.below(sections))")
        let channel = Twake.Channel(
            id: id, company: .text("company"), workspace: workspace, visibility: .public, name: "channel \(id)",
            icon: "📄", description: "what the channel is for")
        let item = Item(
            id: Item.ID(.channel, id), section: Item.Section("channels", workspace), sortKey: 0,
            entity: Item.Entity(channel))
        return active(item, at: Int64(dice.below(1_000_000)))
    }

    /// Returns the channel after an activity in it, which moves it within its section.
    private static func active(_ item: Item, at time: Int64) -> Item {
        guard var channel = item.entity.as(Twake.Channel.self) else { return item }
        channel.lastActivity = Timestamp(milliseconds: 1_700_000_000_000 + time)
        return Item(
            id: item.id, section: item.sectionKey, sortKey: -1_700_000_000_000 - time, entity: Item.Entity(channel))
    }
}
