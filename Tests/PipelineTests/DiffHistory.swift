import Testing
import WeirJSON
import WeirModel
import WeirWire

@testable import WeirEvents
@testable import WeirPipeline

/// A model's history and its reversible log.
struct DiffHistory {
    /// `states[n]` is the state after the n-th batch.
    private(set) var states: [SectionedSnapshot<Item>]
    private(set) var log: [UInt8] = []

    init(_ model: SectionedCollection<Item>) { states = [model.snapshot] }

    mutating func commit(_ model: inout SectionedCollection<Item>) {
        guard let batch = model.commit() else { return }
        let report = DiffReport(sequence: states.count, cause: 0, batch: batch)
        var line = JSONWriter()
        DiffLog.write(report, at: .zero, reversible: true, into: &line)
        log += line.bytes
        states.append(model.snapshot)
    }

    static func counter(_ name: String, count: Int = 1) -> Item {
        Item(
            id: Item.ID(.badge, EntityID(name)), section: Item.Section(name), sortKey: 0,
            entity: Item.Entity(Twake.BadgeCount(level: .channel, id: EntityID(name), count: count)))
    }

    /// A session whose channels appear, move, change and disappear at random, controlled by a seed.
    static func transcript(seed: UInt64, keepsChecksum: Bool = false) -> Transcript {
        let room = "/companies/C/workspaces/W/channels?type=public"
        var random = RandomSource(seed: seed)
        var transcript = Transcript.ready(
            rooms: [room], company: "C", workspace: "W", keepsChecksum: keepsChecksum)
        transcript.answer("/channels", status: 404, "gone")
        for step in 1...200 {
            let workspace = ["W", "direct"].randomElement(using: &random) ?? "W"
            let id = Int.random(in: 0..<12, using: &random)
            let action = Int.random(in: 0..<4, using: &random) == 0 ? "deleted" : "saved"
            let activity = 1_620_987_700_000 + Int.random(in: 0..<20, using: &random) * 1000
            transcript.receive(
                #"42["realtime:resource",{"action":"\#(action)","room":"\#(room)","type":"channel","path":null,"resource":{"company_id":"C","workspace_id":"\#(workspace)","id":"c\#(id)","name":"n\#(step)","members":[],"last_activity":\#(activity)}}]"#
            )
        }
        return transcript
    }

    /// The lines without their line feeds.
    static func lines(_ diffs: [DiffReport], reversible: Bool = false) -> [ArraySlice<UInt8>] {
        log(diffs, reversible: reversible).split(separator: UInt8(ascii: "\n"))
    }

    static func log(_ diffs: [DiffReport], reversible: Bool = false) -> [UInt8] {
        var writer = JSONWriter()
        for diff in diffs {
            DiffLog.write(diff, at: Moment(microseconds: 7), reversible: reversible, into: &writer)
        }
        return writer.bytes
    }
}
