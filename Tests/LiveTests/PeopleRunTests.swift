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

/// Tests presence, typing, senders, members and place names: a tail against the embedded backend, whose team comes,
/// goes, types, joins, and renames a workspace.
@Suite(.serialized) struct PeopleRunTests {
    /// Returns a row's contents in one line.
    private func text(_ item: Item) -> String {
        switch item.entity.value {
        case let account as Twake.Account: "account \(account.name)"
        case let workspace as Twake.Workspace: "workspace \(workspace.name)"
        case let company as Twake.Company: "company \(company.name)"
        case let presence as Twake.OnlineStatus: "\(presence.user) \(presence.isOnline ? "there" : "gone")"
        case let member as Twake.ChannelMember: "member \(member.user?.description ?? "?") of \(member.channel)"
        default: ""
        }
    }

    private func rows(_ model: SectionedCollection<Item>, _ name: String) -> [String] {
        model.sectionKeys.filter { $0.name == name }.flatMap { model.elements(in: $0).map(text) }
    }

    @Test func `people come, go, type and join, and places are renamed`() async throws {
        let loop = try EventLoop(name: "weir-backend")
        defer { runOnThread(named: "weir-end") { loop.shutDown() } }
        let server = try EmbeddedServer(
            on: loop, scenario: try Scenario.load("workspace", seed: 3), seed: 3,
            options: .init(pace: 4, faults: [.init(at: .seconds(9), .restart)]))
        let watcher = Watcher()
        let configuration = TailConfiguration(
            server: try URLParts(parsing: server.url),
            session: Configuration(
                backend: .twake, reconnect: Backoff(base: .milliseconds(20), cap: .milliseconds(100)),
                following: [.usual, .members]),
            token: .provider { server.makeToken() }, seed: 5)
        let tail = Tail(configuration, outlets: [watcher])
        async let summary = tail.run()
        // Departed users are refetched after the restart. The workspace is renamed later.
        await watcher.reports.wait { reports in
            let rows = reports.diffs.flatMap(\.batch.updates).map(\.new)
            return rows.contains { text($0).hasSuffix(" gone") } && rows.contains { text($0).contains("⚓️") }
        }
        let (model, truth) = (await tail.model, await server.truth())
        tail.stop()
        _ = try await summary
        runOnThread(named: "weir-close") { server.close() }

        #expect(rows(model, "workspaces") == truth.workspaces.map { "workspace \($0.name)" })
        #expect(rows(model, "companies") == ["company Tidewater"])
        #expect(rows(model, "accounts").count > 3)
        #expect(rows(model, "online").contains { $0.hasSuffix(" gone") })
        #expect(rows(model, "members").count > truth.channels.count)
        let typing = watcher.reports.all.compactMap { stamped in
            if case .typing(let report) = stamped.report { report } else { nil }
        }
        #expect(typing.contains { $0.change == .started } && typing.contains { $0.change == .stopped })
        #expect(typing.allSatisfy { $0.name != nil })
        let messages = model.sectionKeys.flatMap { model.elements(in: $0) }.compactMap { item in
            item.entity.as(Twake.Message.self)
        }
        #expect(!messages.isEmpty && messages.allSatisfy { $0.senderName != nil })
    }
}
