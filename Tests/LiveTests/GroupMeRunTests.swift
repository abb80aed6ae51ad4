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

/// Tests a GroupMe tail against the embedded service, over a real WebSocket and real HTTP. Whatever is lost on the way,
/// the model ends up equal to the server's truth.
@Suite(.serialized, .timeLimit(.minutes(2))) struct GroupMeRunTests {
    /// A form common to a model and the truth, for comparing them.
    private struct Picture: Equatable {
        var groups: [String] = []
        var directs: [String] = []
        var messages: [String: [String]] = [:]

        init(_ truth: GroupMeTruth) {
            groups = truth.groups.map { "\($0.group.id) \($0.group.name ?? "")" }.sorted()
            directs = truth.chats.map(\.conversation.description).sorted()
            for (place, said) in truth.messages { messages[place.description] = said.map(Self.line) }
        }

        init(_ model: SectionedCollection<Item>) {
            for section in model.sectionKeys {
                for item in model.elements(in: section) {
                    switch item.entity.value {
                    case let group as GroupMe.Group:
                        if section.name == "groups" { groups.append("\(group.id) \(group.name ?? "")") }
                    case let chat as GroupMe.Chat: directs.append(chat.conversation.description)
                    case let message as GroupMe.Message:
                        messages[message.conversation.description, default: []].append(Self.line(message))
                    default: break
                    }
                }
            }
            groups.sort()
            directs.sort()
        }

        private static func line(_ message: GroupMe.Message) -> String {
            let reactions = (message.reactions ?? []).map { "\($0.symbol)\($0.users.count)" }
            return "\(message.id) \(message.text ?? "") \(reactions) \(message.isDeleted ? "deleted" : "")"
        }
    }

    /// Tails a server with activity over the given transport. `during` receives the server and the tail's watcher. It
    /// returns the texts that the truth must contain in the end.
    private func run(
        _ transport: EngineIO.TransportChoice, takesWebSockets: Bool = true,
        _ during: (GroupMeServer, Watcher) async throws -> [String]
    ) async throws {
        let loop = try EventLoop(name: "weir-backend")
        defer { runOnThread(named: "weir-end") { loop.shutDown() } }
        let server = try GroupMeServer(
            on: loop, seed: 3, options: .init(isEndless: false, pace: 10, takesWebSockets: takesWebSockets))
        let watcher = Watcher()
        var configuration = TailConfiguration(
            server: try URLParts(parsing: server.url),
            session: Configuration(
                backend: .groupme, transport: transport,
                reconnect: Backoff(base: .milliseconds(20), cap: .milliseconds(100))),
            token: .provider { server.token }, seed: 5)
        configuration.session.following = .usual
        // The service belongs to the test, and its world runs at ten times the normal speed.
        configuration.session.requestsPerSecond = nil
        let tail = Tail(configuration, outlets: [watcher])
        async let summary = tail.run()
        await watcher.reports.wait { $0.contains { $0.isMessage } }
        let said = try await during(server, watcher)
        var (model, truth) = (Picture(await tail.model), Picture(await server.truth()))
        var seen = 0
        while model != truth {
            seen = max(seen, watcher.reports.all.count)
            await watcher.reports.wait { [seen] in $0.count > seen }
            (model, truth) = (Picture(await tail.model), Picture(await server.truth()))
        }
        for text in said { #expect(model.messages["10000001"]?.contains { $0.contains(text) } == true, "\(text)") }
        #expect(model.groups.count > 1 && model.directs.count > 1)
        tail.stop()
        _ = try await summary
        runOnThread(named: "weir-close") { server.close() }
    }

    private let place = GroupMe.ConversationID.group("10000001")

    @Test func `after cut connections and forgotten sessions the model equals the server's truth`()
        async throws
    {
        try await run(.websocket) { server, watcher in
            await server.dropConnections()
            let edited = try #require(await server.say("to be edited", in: place, by: "20000002", guid: "a"))
            #expect(await server.edit(edited, in: place, to: "was edited", by: "20000002"))
            await watcher.reports.wait { $0.gaps.count == 1 }
            await server.forgetSessions()
            #expect(await server.say("the end", in: place, by: "20000002", guid: "b") != nil)
            await watcher.reports.wait { $0.gaps.count == 2 }
            return ["was edited", "the end"]
        }
    }

    @Test(arguments: [(EngineIO.TransportChoice.polling, true), (.auto, false)])
    func `without a WebSocket the tail polls, and a forgotten session is a gap as well`(
        transport: EngineIO.TransportChoice, takesWebSockets: Bool
    ) async throws {
        try await run(transport, takesWebSockets: takesWebSockets) { server, watcher in
            #expect(await server.say("by polling", in: place, by: "20000002", guid: "a") != nil)
            await server.forgetSessions()
            #expect(await server.say("the end", in: place, by: "20000002", guid: "b") != nil)
            await watcher.reports.wait { $0.gaps.count == 1 }
            return ["by polling", "the end"]
        }
    }
}

extension StampedReport {
    fileprivate var isMessage: Bool {
        if case .event(let report) = report { report.event.kind == "message" } else { false }
    }
}
