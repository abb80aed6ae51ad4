import Testing
import TestSupport
import WeirDemoServer
import WeirEvents
import WeirJSON
import WeirLive
@testable import WeirViews
import WeirModel
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

/// Tests actions of a running tail against the embedded server, over real sockets.
@Suite(.serialized) struct ActionTests {
    private let texts = ["one", "two", "three", "four", "four"]

    private func operations(in channel: EntityID) -> [Action.Operation] {
        texts.map { .send(channel: channel, thread: nil, text: $0) } + [
            // These act on messages that are still pending.
            .edit(.init(channel: channel, message: EntityID("A1")), text: "1"),
            .react(.init(channel: channel, message: EntityID("A2")), names: ["👍"]),
            .delete(.init(channel: channel, message: EntityID("A3"))),
            .send(channel: channel, thread: EntityID("A1"), text: "reply"),
            .markRead(channel: channel),
        ]
    }

    @Test(arguments: [true, false])
    func `a running tail does each action once and in order, and a replay shows the same`(hasCore: Bool)
        async throws
    {
        let loop = try EventLoop(name: "weir-backend")
        defer { runOnThread(named: "weir-end") { loop.shutDown() } }
        var options = EmbeddedServer.Options(pace: 5)
        options.hasCore = hasCore
        let scenario = try Scenario.load(packageFolder + "/samples/scenarios/standup.jsonl", seed: 3)
        let server = try EmbeddedServer(on: loop, scenario: scenario, seed: 3, options: options)
        let watcher = Watcher()
        var configuration = TailConfiguration(
            server: try URLParts(parsing: server.url), session: Configuration(backend: .twake),
            token: .provider { server.makeToken() }, seed: 5)
        let path = try temporaryFolder() + "/a.weir"
        configuration.recordPath = path
        let tail = Tail(configuration, outlets: [watcher])
        async let phases = Self.phases(of: tail)
        async let ends = Self.ends(of: tail)
        async let summary = tail.run()
        await watcher.reports.wait { $0.events.count > 20 }
        let channel = try #require(await server.truth().channels.first { $0.visibility == "public" }?.id)
        let operations = operations(in: channel)
        for (index, operation) in operations.enumerated() {
            tail.act(
                Action(id: EntityID("A\(index + 1)"), operation, asked: Timestamp(milliseconds: 1_631_610_000_000)))
        }
        let reports = await watcher.reports.wait { $0.endedActions.count == operations.count }
        #expect(reports.endedActions.filter { if case .done = $0.change { false } else { true } } == [])
        let truth = await server.truth()
        let threads = try #require(truth.channels.first { $0.id == channel }?.threads)
        let own = threads.compactMap(\.messages.first).filter { $0.user == server.user }.suffix(texts.count)
        #expect(
            own.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }.map(\.text)
                == ["1", "two", "Deleted message", "four", "four"])
        #expect(own.contains { $0.reactions.map(\.name) == ["👍"] })
        #expect(threads.flatMap(\.messages).count { $0.text == "reply" } == 1)
        tail.stop()
        _ = try await summary
        // Programs that follow the tail saw every action end, and saw the synchronisation begin and succeed.
        let (ended, passed) = await (ends, phases)
        #expect(ended == operations.indices.map { EntityID("A\($0 + 1)") }.sorted())
        #expect(passed.prefix(2) == [.initial, .inProgress] && passed.contains(.success))
        runOnThread(named: "weir-close") { server.close() }
        #expect(try lines(of: watcher.reports.all) == replayed(path))
    }

    /// Returns the phases of the synchronisation until the tail's end, without immediate repetitions.
    private static func phases(of tail: Tail) async -> [SyncState.Phase] {
        var phases: [SyncState.Phase] = []
        for await state in tail.syncStates where state.phase != phases.last { phases.append(state.phase) }
        return phases
    }

    /// Returns the actions that were done until the tail's end.
    private static func ends(of tail: Tail) async -> [EntityID] {
        var ids: [EntityID] = []
        for await report in tail.actionReports { if case .done = report.change { ids.append(report.action.id) } }
        return ids.sorted()
    }

    @Test(arguments: [true, false])
    func `a deleted workspace leaves the model of a running tail with its channels, and another one is selected`(
        hasCore: Bool
    ) async throws {
        let loop = try EventLoop(name: "weir-backend")
        defer { runOnThread(named: "weir-end") { loop.shutDown() } }
        var options = EmbeddedServer.Options(pace: 5)
        options.hasCore = hasCore
        let server = try EmbeddedServer(
            on: loop, scenario: try Scenario.load("workspace", seed: 3), seed: 3, options: options)
        let watcher = Watcher()
        let tail = Tail(
            TailConfiguration(
                server: try URLParts(parsing: server.url), session: Configuration(backend: .twake, following: .usual),
                token: .provider { server.makeToken() }, seed: 5), outlets: [watcher])
        async let summary = tail.run()
        let channel = try #require(await server.truth().channels.first { $0.visibility == "public" })
        await watcher.reports.wait { reports in
            reports.diffs.flatMap(\.batch.insertions).contains { $0.element.id == .init(.channel, channel.id) }
        }
        tail.act(
            Action(id: EntityID("A1"), .createWorkspace(name: "Other", members: []), asked: Timestamp(milliseconds: 1)))
        await watcher.reports.wait { $0.endedActions.count == 1 }
        tail.act(
            Action(id: EntityID("A2"), .changeWorkspace(channel.workspace, .delete), asked: Timestamp(milliseconds: 2)))
        await watcher.reports.wait { reports in
            reports.endedActions.count == 2
                && Set(reports.rooms(.wanted).filter { $0.hasSuffix("/channels?type=public") }).count == 2
        }
        let model = await tail.model
        #expect(model[.init(.channel, channel.id)] == nil && model[.init(.workspace, channel.workspace)] == nil)
        tail.stop()
        _ = try await summary
        runOnThread(named: "weir-close") { server.close() }
    }

    private func replayed(_ path: String) throws -> [String] {
        let watcher = Watcher()
        _ = try Replay(path: path, speed: .maximum, outlets: [watcher]).play()
        return lines(of: watcher.reports.all)
    }

    private func lines(of reports: [StampedReport]) -> [String] {
        reports.compactMap { stamped in
            guard case .diff(let diff) = stamped.report else { return nil }
            var writer = JSONWriter()
            DiffLog.write(diff, at: stamped.stamp.time, into: &writer)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }
}

extension [StampedReport] {
    /// The reports of actions that have ended.
    fileprivate var endedActions: [ActionReport] {
        compactMap { stamped in
            guard case .action(let report) = stamped.report else { return nil }
            switch report.change {
            case .done, .refused, .dropped: return report
            case .queued, .sending, .delayed: return nil
            }
        }
    }
}
