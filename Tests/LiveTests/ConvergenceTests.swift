import Glibc
import Testing
import TestSupport
import WeirDemoServer
import WeirEvents
import WeirLive
@testable import WeirViews
import WeirModel
import WeirNetwork
import WeirPipeline
import WeirThreads
import WeirWire

/// A form common to a model and a server's truth, for comparing them.
struct Picture: Equatable {
    /// The name of each channel, by id. It is empty for directs.
    var channels: [String: String] = [:]
    /// The texts of head messages with their reactions, by channel, oldest first.
    var messages: [String: [String]] = [:]
    /// The texts of replies by thread, oldest first.
    var replies: [String: [String]] = [:]
    /// The threads with unread messages.
    var badges: Set<String> = []

    /// Whether the scenario's last lines have happened: the channel is renamed, and the direct, which has no name, is
    /// read.
    var isAfterStandup: Bool {
        let direct = channels.first { $0.value.isEmpty }?.key ?? "none"
        return channels.values.contains("Team (daily)") && !badges.contains { $0.hasPrefix(direct) }
    }

    init(_ truth: WorldTruth) {
        for channel in truth.channels {
            let id = channel.id.description
            channels[id] = channel.name
            let heads = channel.threads.compactMap(\.messages.first).sorted { $0.createdAt < $1.createdAt }
            if !heads.isEmpty {
                messages[id] = heads.map { "\($0.text) \($0.reactions.map { "\($0.name)\($0.users.count)" })" }
            }
            for thread in channel.threads where thread.messages.count > 1 {
                replies[thread.id.description] = thread.messages.dropFirst().map(\.text)
            }
        }
        badges = Set(truth.badges.map { "\($0.channel) \($0.thread)" })
    }

    init(_ model: SectionedCollection<Item>) {
        for section in model.sectionKeys {
            for item in model.elements(in: section) {
                switch item.entity.value {
                case let channel as Twake.Channel:
                    // A direct has no name. The list composes one from its users.
                    channels[channel.id.description] = channel.visibility == .direct ? "" : channel.name ?? ""
                case let message as Twake.Message where message.isHead:
                    let reactions = message.reactions.map { "\($0.name)\($0.users.count)" }
                    messages[message.channel?.description ?? "?", default: []].append("\(message.text) \(reactions)")
                case let message as Twake.Message: replies[message.thread.description, default: []].append(message.text)
                case let badge as Twake.Badge: badges.insert("\(badge.channel) \(badge.thread)")
                default: break
                }
            }
        }
    }
}

@Suite(.serialized) struct ConvergenceTests {
    /// Plays the standup against a tail until the model equals the server's truth. Returns both at the end.
    private func play(
        revision: EngineIO.Revision, transport: EngineIO.TransportChoice = .auto,
        during: (EmbeddedServer, Watcher) async -> Void = { _, _ in }
    ) async throws -> (model: Picture, truth: Picture, watcher: Watcher) {
        let loop = try EventLoop(name: "weir-backend")
        defer { runOnThread(named: "weir-end") { loop.shutDown() } }
        let scenario = try Scenario.load(packageFolder + "/samples/scenarios/standup.jsonl", seed: 3)
        let server = try EmbeddedServer(on: loop, scenario: scenario, seed: 3, options: EmbeddedServer.Options(pace: 5))
        let watcher = Watcher()
        let configuration = TailConfiguration(
            server: try URLParts(parsing: server.url),
            session: Configuration(
                backend: .twake, revision: revision, transport: transport,
                reconnect: Backoff(base: .milliseconds(20), cap: .milliseconds(100))),
            token: .provider { server.makeToken() }, seed: 5)
        let tail = Tail(configuration, outlets: [watcher])
        async let summary = tail.run()
        await during(server, watcher)
        // The last message of the standup. Its consequences may still be under way.
        var (model, truth) = (Picture(await tail.model), Picture(await server.truth()))
        var seen = 0
        while model != truth || !truth.isAfterStandup {
            let reports = await watcher.reports.wait { [seen] in $0.count > seen }
            guard reports.count > seen else { break }
            seen = reports.count
            (model, truth) = (Picture(await tail.model), Picture(await server.truth()))
        }
        tail.stop()
        #expect(try await summary.undecodable == 0)
        runOnThread(named: "weir-close") { server.close() }
        return (model, truth, watcher)
    }

    @Test(arguments: [
        (EngineIO.Revision.v3, EngineIO.TransportChoice.websocket), (.v4, .websocket), (.v3, .upgrade), (.v4, .polling),
    ])
    func `after a standup the model equals the server's truth`(
        revision: EngineIO.Revision, transport: EngineIO.TransportChoice
    ) async throws {
        let (model, truth, watcher) = try await play(revision: revision, transport: transport)
        #expect(model == truth)
        #expect(!truth.messages.isEmpty && !truth.replies.isEmpty)
        #expect(watcher.reports.all.gaps.isEmpty)
    }

    @Test(arguments: [EngineIO.TransportChoice.websocket, .upgrade])
    func `cut connections leave gaps, and the model still equals the server's truth`(
        transport: EngineIO.TransportChoice
    ) async throws {
        let (model, truth, watcher) = try await play(revision: .v4, transport: transport) { server, watcher in
            await watcher.reports.wait { $0.events.count > 20 }
            await server.dropConnections()
            await watcher.reports.wait { $0.gaps.count == 1 }
            await server.kickClients()
            await watcher.reports.wait { $0.gaps.count == 2 }
        }
        #expect(model == truth)
        #expect(watcher.reports.all.gaps.count == 2)
    }
}
