import WeirLive
@testable import WeirViews
import WeirModel
import WeirPipeline
import WeirRecording
import WeirWire

@testable import WeirEvents

/// Sections with ranks, which no backend sets, in a model without a checksum.
enum RankedSections {
    static func reports() throws -> [StampedReport] {
        var model = SectionedCollection<Item>()
        var reports: [StampedReport] = []
        func commit() {
            guard let batch = model.commit() else { return }
            let report = DiffReport(sequence: reports.count + 1, cause: 0, batch: batch)
            let stamp = Stamp(n: reports.count, time: .zero, wall: 0)
            reports.append(StampedReport(stamp: stamp, report: .diff(report)))
        }
        for name in ["a", "b", "c"] { try model.upsert(counter(name)) }
        commit()
        model.setRank(5, of: Item.Section("a"))
        model.setRank(-5, of: Item.Section("c"))
        commit()
        model.setRank(0, of: Item.Section("a"))
        model.remove(counter("c").id)
        commit()
        try model.upsert(counter("c"))
        commit()
        return reports
    }

    private static func counter(_ name: String) -> Item {
        Item(
            id: Item.ID(.badge, EntityID(name)), section: Item.Section(name), sortKey: 0,
            entity: Item.Entity(Twake.BadgeCount(level: .channel, id: EntityID(name), count: 1)))
    }
}
