import Testing
import WeirEvents
import WeirJSON

@testable import WeirDemoServer

@Suite struct `The people of the GroupMe world` {
    private static let epoch: Int64 = 1_785_346_000_000

    /// Plays the script until `until`, and returns one line per publication.
    private func history(
        seed: UInt64, until: Int64, isEndless: Bool = true
    ) -> (lines: [String], world: GroupMeWorld, script: GroupMeScript) {
        var (script, world) = GroupMeScript.begin(seed: seed, epoch: Self.epoch, isEndless: isEndless)
        var lines: [String] = []
        while let next = script.nextAt, next < Self.epoch + until {
            for publication in script.step(in: &world) {
                lines.append("\(next - Self.epoch) \(publication.channel) \(publication.data.raw)")
            }
        }
        return (lines, world, script)
    }

    @Test func `one seed gives the same history byte for byte, and another seed gives another`() {
        let first = history(seed: 7, until: 60_000)
        let second = history(seed: 7, until: 60_000)
        #expect(first.lines == second.lines && first.lines.count > 100)
        #expect(first.world.truth(for: first.script.me) == second.world.truth(for: second.script.me))
        #expect(history(seed: 8, until: 60_000).lines != first.lines)
    }

    @Test(arguments: [1, 99] as [UInt64])
    func `in three minutes every event decodes, and hardly any action is refused`(seed: UInt64)
        throws
    {
        let (lines, _, script) = history(seed: seed, until: 180_000)
        var kinds: Set<String> = []
        for line in lines {
            let parts = line.split(separator: " ", maxSplits: 2)
            let data = RawJSON(unchecked: ArraySlice(parts[2].utf8))
            let event = Event.groupMe(try GroupMe.Event(channel: String(parts[1]), data: data))
            #expect(event.isKnown, "\(line)")
            kinds.insert(event.kind)
        }
        // Members who left cannot post until they are back.
        #expect(script.skipped < 40, "\(script.skipped)")
        #expect(
            kinds.isSuperset(of: [
                "message", "edit", "deletion", "pin", "reaction", "receipt", "typing", "membership", "group",
            ]), "\(kinds.sorted())")
    }

    @Test
    func `the opening contains nearly every event without a refusal, and a finite script then stops`()
        throws
    {
        let (lines, world, script) = history(seed: 1, until: .max / 2, isEndless: false)
        #expect(script.skipped == 0 && script.nextAt == nil && lines.count > 60)
        let truth = world.truth(for: script.me)
        #expect(truth.groups.map(\.group.id) == ["10000001", "10000002", "10000004"])
        #expect(truth.former.map(\.id) == ["10000003"])
        #expect(truth.chats.map(\.partner.name) == ["Dee", "Ann"])
        let family = try #require(truth.messages[.group("10000001")])
        #expect(family.count > 40 && family.map(\.place) == family.map(\.place).sorted())
        #expect(family.filter(\.isDeleted).count == 1 && family.filter(\.isEdited).count == 1)
        #expect(family.contains { $0.pin != nil } && family.contains { $0.reactions?.isEmpty == false })
    }

    @Test func `the world stays within its bounds`() {
        let (_, world, _) = history(seed: 3, until: 600_000)
        #expect(world.groups.count <= 10 && world.threads.values.allSatisfy { $0.messages.count <= 5_000 })
        #expect(world.guids.count < 200)
    }
}
