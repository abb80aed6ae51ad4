import Testing
import WeirEvents
import WeirJSON

@testable import WeirDemoServer

@Suite struct ScriptTests {
    private static let epoch: Int64 = 1_631_610_000_000

    /// Plays a script until `until`, and returns one line per frame.
    private func history(_ scenario: Scenario, seed: UInt64, until: Int64) -> (
        lines: [String], world: World, script: Script
    ) {
        var (script, world) = Script.begin(scenario, seed: seed, epoch: Self.epoch)
        var lines: [String] = []
        while let next = script.nextAt, next < Self.epoch + until {
            for frame in world.advance(to: next) + script.step(in: &world) {
                lines.append("\(next - Self.epoch) \(frame.name.rawValue) \(frame.text)")
            }
        }
        return (lines, world, script)
    }

    private func workspace(_ seed: UInt64) throws -> Scenario { try #require(Scenario(named: "workspace", seed: seed)) }

    @Test func `the same seed gives the same history, byte for byte`() throws {
        let first = history(try workspace(7), seed: 7, until: 60_000)
        let second = history(try workspace(7), seed: 7, until: 60_000)
        #expect(first.lines == second.lines)
        #expect(first.world.truth(for: first.script.me) == second.world.truth(for: second.script.me))
        #expect(first.lines.count > 200)
    }

    @Test func `this seed gives this history on every machine`() throws {
        let lines = history(try workspace(1), seed: 1, until: 30_000).lines
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in lines.joined(separator: "\n").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        #expect(hash == 10_137_834_553_342_991_097, "a changed scenario or world changes this number; nothing else may")
    }

    @Test func `another seed gives another history`() throws {
        let first = history(try workspace(1), seed: 1, until: 30_000)
        let second = history(try workspace(2), seed: 2, until: 30_000)
        #expect(first.lines != second.lines)
        #expect(first.script.me != second.script.me)
    }

    @Test(arguments: [1, 99] as [UInt64])
    func `no action of the script is refused in five minutes`(seed: UInt64) throws {
        let (_, world, script) = history(try workspace(seed), seed: seed, until: 300_000)
        #expect(script.skipped == 0)
        #expect(script.nextAt != nil, "it goes on")
        #expect(world.channels.count < 15)
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `the opening contains every kind of frame, and a user in all rooms sees three to six events a second`(
        seed: UInt64
    ) throws {
        let (script, world) = Script.begin(try workspace(seed), seed: seed, epoch: Self.epoch)
        let me = script.me
        let opening = history(try workspace(seed), seed: seed, until: 15_000)
        for kind in [
            "channel\"", "channel_activity", "channel_member", "message\"", "user_notification_badges",
            "notification:desktop",
        ] {
            #expect(opening.lines.contains { $0.contains(#""type":"\#(kind)"#) }, "\(kind)")
        }
        #expect(opening.lines.contains { $0.contains(#""subtype":"deleted""#) })
        #expect(opening.lines.contains { $0.contains(#""type":"writing""#) })
        let minute = history(try workspace(seed), seed: seed, until: 60_000)
        let rooms = Set(
            [
                world.rooms.publicList(world.workspaces[0].id),
                world.rooms.privateList(world.workspaces[0].id, user: me),
                world.rooms.directList(user: me), world.rooms.notifications(user: me), world.rooms.writing,
            ] + minute.world.channels(of: me).map { world.rooms.feed($0) })
        for (lines, seconds) in [(opening.lines, 15.0), (minute.lines, 60.0)] {
            let seen = lines.count { line in rooms.contains { line.contains(#"":"\#($0)""#) } }
            #expect((3.0...6.0).contains(Double(seen) / seconds), "\(Double(seen) / seconds) a second")
        }
    }

    @Test func `the badges of the user increase and decrease`() throws {
        var (script, world) = Script.begin(try workspace(1), seed: 1, epoch: Self.epoch)
        var counts: [Int] = [world.badges(of: script.me).count]
        while let next = script.nextAt, next < Self.epoch + 15_000 {
            _ = world.advance(to: next)
            _ = script.step(in: &world)
            counts.append(world.badges(of: script.me).count)
        }
        #expect(zip(counts, counts.dropFirst()).contains { $0 < $1 })
        #expect(zip(counts, counts.dropFirst()).contains { $0 > $1 })
    }

    @Test func `message ids are unique time UUIDs that contain their time`() throws {
        let (_, world, _) = history(try workspace(3), seed: 3, until: 60_000)
        for message in world.messages.values {
            guard case .uuid(let high, let low) = message.id else {
                Issue.record("not a UUID: \(message.id)")
                continue
            }
            #expect(high & 0xF000 == 0x1000, "version 1")
            #expect(low >> 62 == 2, "variant of RFC 4122")
            let steps = (high & 0xFFF) << 48 | (high >> 16 & 0xFFFF) << 32 | high >> 32
            #expect((Int64(steps) - 0x01B2_1DD2_1381_4000) / 10_000 == message.createdAt)
        }
        #expect(Set(world.channels.map(\.id)).count == world.channels.count)
    }
}
