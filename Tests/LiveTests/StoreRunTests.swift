import Glibc
import Testing
import TestSupport
import WeirDemoServer
import WeirLive
@testable import WeirViews
import WeirModel
import WeirNetwork
import WeirPipeline
import WeirStore
import WeirThreads
import WeirWire

/// Tests tails with a store against the embedded backend.
@Suite(.serialized) struct StoreRunTests {
    /// A backend that plays the standup, and a folder for the store.
    private struct Backend {
        let loop: EventLoop
        let server: EmbeddedServer
        let folder: String
        var store: String { folder + "/weir/store.sqlite" }

        init(pace: Int = 5) throws {
            folder = try temporaryFolder()
            loop = try EventLoop(name: "weir-backend")
            let scenario = try Scenario.load(packageFolder + "/samples/scenarios/standup.jsonl", seed: 3)
            server = try EmbeddedServer(
                on: loop, scenario: scenario, seed: 3, options: EmbeddedServer.Options(pace: pace))
        }

        func tail(
            _ outlets: [any Outlet], _ change: (inout TailConfiguration) -> Void = { _ in }
        ) throws -> Tail {
            let server = server
            var configuration = TailConfiguration(
                server: try URLParts(parsing: server.url),
                session: Configuration(
                    backend: .twake, maximumAttempts: 100_000,
                    reconnect: Backoff(base: .milliseconds(20), cap: .milliseconds(100))),
                token: .provider { server.makeToken() }, seed: 5)
            configuration.storePath = store
            configuration.requiresStore = true
            change(&configuration)
            return Tail(configuration, outlets: outlets)
        }

        /// Runs a tail until its model equals the server's truth and the standup is over. Returns both.
        func follow(_ tail: Tail, _ watcher: Watcher) async -> (model: Picture, truth: Picture) {
            var (model, truth) = (Picture(await tail.model), Picture(await server.truth()))
            var seen = 0
            while model != truth || !truth.isAfterStandup {
                let reports = await watcher.reports.wait { [seen] in $0.count > seen }
                guard reports.count > seen else { break }
                seen = reports.count
                (model, truth) = (Picture(await tail.model), Picture(await server.truth()))
            }
            return (model, truth)
        }

        func end() {
            let (server, loop) = (server, loop)
            runOnThread(named: "weir-end") {
                server.close()
                loop.shutDown()
            }
        }
    }

    /// Returns the model's rows from the store.
    private func remembered(_ path: String) throws -> Remembered? {
        let store = try Store(opening: path, now: 0)
        defer { store.close() }
        guard let account = try store.accounts().first else { return nil }
        return try store.remembered(of: account.server)
    }

    private func rows(_ items: [Item]) -> [Item.ID: Item] {
        Dictionary(items.map { ($0.id, $0) }) { _, last in last }
    }

    private func rows(_ model: SectionedCollection<Item>) -> [Item.ID: Item] {
        rows(model.sectionKeys.flatMap { model.elements(in: $0) })
    }

    private func rows(_ remembered: Remembered?) -> [Item.ID: Item] {
        rows(
            (remembered?.memories ?? []).flatMap(\.rows).split(separator: UInt8(ascii: "\n")).compactMap {
                Item(decoding: Array($0)[...])
            })
    }

    @Test func `a tail leaves its model and its checkpoints in the store`() async throws {
        let backend = try Backend()
        defer { backend.end() }
        let watcher = Watcher()
        let tail = try backend.tail([watcher])
        async let summary = tail.run()
        let (model, truth) = await backend.follow(tail, watcher)
        #expect(model == truth)
        tail.stop()
        #expect(try await summary.outcome == .interrupted(signal: 0))
        let remembered = try #require(try remembered(backend.store))
        #expect(rows(remembered) == rows(await tail.model))
        #expect(remembered.rows > 10)
        #expect(remembered.checkpoints.contains { $0.resource.hasPrefix("GET ") && $0.at > 1_500_000_000_000 })
        #expect(remembered.rooms.contains { $0.name.contains("/feed") && $0.source == "list" })
        #expect(remembered.notes[.globals]?.contains(#""workspaces""#) == true)
    }

    @Test func `stored rows are shown once the server has identified the user, and are then replaced by the server's`()
        async throws
    {
        let backend = try Backend()
        defer { backend.end() }
        let first = Watcher()
        let early = try backend.tail([first])
        async let summary = early.run()
        await first.reports.wait { $0.events.count > 12 }
        early.stop()
        _ = try await summary
        let shown = rows(try remembered(backend.store))
        #expect(!shown.isEmpty)

        let watcher = Watcher()
        let tail = try backend.tail([watcher, try DiffLogFile(creating: backend.folder + "/live.diff")]) {
            $0.recordPath = backend.folder + "/second.weir.jsonl"
        }
        async let second = tail.run()
        let (model, truth) = await backend.follow(tail, watcher)
        #expect(model == truth)
        // If the first tail saw the standup's end, the stored rows already equal the truth.
        let reports = await watcher.reports.wait {
            $0.notices.contains { $0.text.contains("rows restored from the store for user") }
        }
        tail.stop()
        _ = try await second

        let told = try #require(
            reports.firstIndex {
                if case .notice(let notice) = $0.report {
                    notice.text.contains("rows restored from the store for user")
                } else {
                    false
                }
            })
        let ids = { (reports: [StampedReport]) in
            Set(reports.diffs.flatMap { $0.batch.insertions.map(\.element.id) })
        }
        // Before the notice the model has only the few rows that the server sent.
        #expect(ids(Array(reports[..<told])).count < 3)
        #expect(ids(watcher.reports.all).isSuperset(of: shown.keys))
        #expect(rows(try remembered(backend.store)) == rows(await tail.model))

        // The stored rows are an input like any other, so a replay has them as well.
        _ = try Replay(
            path: backend.folder + "/second.weir.jsonl", speed: .maximum,
            outlets: [try DiffLogFile(creating: backend.folder + "/replayed.diff")]
        ).play()
        #expect(try readFile(backend.folder + "/replayed.diff") == readFile(backend.folder + "/live.diff"))
    }

    @Test func `without a server no stored rows are shown, and all of them stay in the store`() async throws {
        let backend = try Backend()
        let first = Watcher()
        let online = try backend.tail([first])
        async let summary = online.run()
        _ = await backend.follow(online, first)
        online.stop()
        _ = try await summary
        let shown = rows(await online.model)
        backend.server.close()

        let watcher = Watcher()
        let tail = try backend.tail([watcher])
        async let second = tail.run()
        await watcher.reports.wait {
            $0.contains { if case .connection(.lost) = $0.report { true } else { false } }
        }
        #expect(await tail.model.count == 0 && watcher.reports.all.diffs.isEmpty && !shown.isEmpty)
        tail.stop()
        _ = try await second
        #expect(rows(try remembered(backend.store)) == shown)
        backend.end()
    }

    @Test func `nothing is stored for an account that logs out during the run`() async throws {
        let backend = try Backend(pace: 1)
        defer { backend.end() }
        let watcher = Watcher()
        let tail = try backend.tail([watcher])
        async let summary = tail.run()
        await watcher.reports.wait { $0.events.count > 12 }
        let store = try Store(opening: backend.store, now: 0)
        let account = try #require(try store.accounts().first)
        #expect(try store.forget(account))
        await watcher.reports.wait { $0.notices.contains { $0.text.contains("logged out") } }
        tail.stop()
        _ = try await summary
        #expect(try store.accounts() == [])
        store.close()
    }

    @Test func `an unusable store ends a tail that requires it, and is a notice to one that does not`()
        async throws
    {
        let backend = try Backend()
        defer { backend.end() }
        mkdir(backend.folder + "/weir", 0o700)
        symlink("/etc/passwd", backend.store)
        await #expect(throws: TailError.store(.unsafe(path: backend.store, why: "not a regular file"))) {
            try await backend.tail([Watcher()]).run()
        }
        let watcher = Watcher()
        let tail = try backend.tail([watcher]) { $0.requiresStore = false }
        async let summary = tail.run()
        await watcher.reports.wait { $0.events.count > 3 }
        tail.stop()
        _ = try await summary
        #expect(watcher.reports.all.notices.contains { $0.text.contains("cannot hold a store") })
    }

    @Test func `a damaged store is set aside with a notice and rebuilt from the server`() async throws {
        let backend = try Backend()
        defer { backend.end() }
        mkdir(backend.folder + "/weir", 0o700)
        try writeFile(backend.store, String(repeating: "no database at all ", count: 500))
        let watcher = Watcher()
        let tail = try backend.tail([watcher])
        async let summary = tail.run()
        let (model, truth) = await backend.follow(tail, watcher)
        #expect(model == truth)
        tail.stop()
        _ = try await summary
        #expect(watcher.reports.all.notices.contains { $0.level == .warning && $0.text.contains("was damaged") })
        #expect(rows(try remembered(backend.store)) == rows(await tail.model))
    }

    @Test func `rooms joined by hand are joined again at the next start`() async throws {
        let backend = try Backend()
        defer { backend.end() }
        let first = Watcher()
        let control = backend.folder + "/ctl.sock"
        let tail = try backend.tail([first]) { $0.controlPath = control }
        async let summary = tail.run()
        await first.reports.wait { $0.events.count > 12 }
        for request in [
            #"{"jsonrpc":"2.0","id":1,"method":"rooms.join","params":{"rooms":["/by/hand","/not/any/more"]}}"#,
            #"{"jsonrpc":"2.0","id":2,"method":"rooms.leave","params":{"rooms":["/not/any/more"]}}"#,
        ] {
            _ = try LocalSocketClient.ask(path: control, line: Array(request.utf8))
        }
        await first.reports.wait { $0.rooms(.joined).contains("/by/hand") || $0.rooms(.refused).contains("/by/hand") }
        tail.stop()
        _ = try await summary
        let watcher = Watcher()
        let again = try backend.tail([watcher])
        async let second = again.run()
        await watcher.reports.wait { $0.rooms(.joining).contains("/by/hand") }
        again.stop()
        _ = try await second
        #expect(!watcher.reports.all.rooms(.wanted).contains("/not/any/more"))
    }
}
