import Testing
import TestSupport
import WeirDemoServer
import WeirJSON
import WeirModel
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

@testable import WeirLive
@testable import WeirViews

/// A recorded exchange over the control sockets of a tail and of a replay. It calls every method; some calls are
/// refused.
struct ControlExchange {
    /// Every line in either direction.
    private(set) var lines: [JSONValue] = []
    /// The results of the methods, named `tail.METHOD` or `replay.METHOD`.
    private(set) var results: [(name: String, value: JSONValue)] = []
    private var number: Int64 = 0

    /// Talks to a tail, then to a replay.
    static func recorded() async throws -> ControlExchange {
        var exchange = ControlExchange()
        let folder = try temporaryFolder()
        try await exchange.speakToTail(in: folder)
        try await exchange.speakToReplay(of: folder + "/a.0001.weir.jsonl", in: folder)
        return exchange
    }

    /// Calls a method over a connection. Returns the result, or `nil` if the call is refused.
    @discardableResult
    private mutating func call(
        _ client: UnixClient, _ server: ControlMethod.Server, _ method: ControlMethod, _ params: String = "{}"
    ) throws -> JSONValue? {
        number += 1
        let line = #"{"jsonrpc":"2.0","id":\#(number),"method":"\#(method.rawValue)","params":\#(params)}"#
        lines.append(try JSONValue(parsing: Array(line.utf8)[...]))
        client.send(line: line)
        while let text = client.readLine() {
            let value = try JSONValue(parsing: Array(text.utf8)[...])
            lines.append(value)
            guard value["id"] == .integer(number) else { continue }
            if let result = value["result"] { results.append(("\(server.rawValue).\(method.rawValue)", result)) }
            return value["result"]
        }
        Issue.record("\(server.rawValue) closed when asked for \(method.rawValue)")
        return nil
    }

    // MARK: - A tail

    private mutating func speakToTail(in folder: String) async throws {
        let loop = try EventLoop(name: "weir-backend")
        defer { runOnThread(named: "weir-end") { loop.shutDown() } }
        let scenario = try Scenario.load(packageFolder + "/samples/scenarios/standup.jsonl", seed: 3)
        let server = try EmbeddedServer(on: loop, scenario: scenario, seed: 3, options: EmbeddedServer.Options())
        var configuration = TailConfiguration(
            server: try URLParts(parsing: server.url), session: Configuration(backend: .twake),
            token: .provider { server.makeToken() }, seed: 5, tool: "weir-test")
        configuration.controlPath = folder + "/t.sock"
        configuration.storePath = folder + "/kept.sqlite"
        configuration.recordPath = folder + "/a.weir.jsonl"
        configuration.recording.rotation = SegmentPlan.Rotation()
        configuration.recording.flight = FlightPlan(window: .seconds(60), prefix: folder + "/flight")
        configuration.allowsEmit = true
        configuration.metrics = MetricsCollector()
        configuration.view = ViewControls()
        configuration.filter = ViewFilter()
        let rooms = Mailbox<String>()
        let tail = Tail(configuration, outlets: [JoinedRooms(rooms)])
        async let summary = tail.run()
        let joined = await rooms.wait { $0.contains { $0.hasSuffix("/feed") } }
        let room = try #require(joined.first { $0.hasSuffix("/feed") })
        let client = try UnixClient(folder + "/t.sock")
        do {
            try askTail(client, room)
            try steerTail(client)
            try lookOn(folder + "/t.sock")
            try call(client, .tail, .quit)
        } catch {
            tail.stop()
            _ = try await summary
            server.close()
            throw error
        }
        _ = try await summary
        server.close()
    }

    private mutating func askTail(_ client: UnixClient, _ room: String) throws {
        for method: ControlMethod in [
            .hello, .status, .stats, .metrics, .globals, .roomsContext, .recordStatus, .filterGet, .modelSections,
        ] {
            try call(client, .tail, method)
        }
        let rooms = #"{"rooms":["\#(room)"]}"#
        try call(client, .tail, .roomsList, #"{"all":true}"#)
        try call(client, .tail, .roomsResolve, ##"{"rooms":["\##(room)","#genral"]}"##)
        for method: ControlMethod in [.roomsWho, .roomsHistory, .roomsMute, .roomsUnmute, .roomsPin, .roomsUnpin] {
            try call(client, .tail, method, rooms)
        }
        try call(client, .tail, .refetch, rooms)
        try call(client, .tail, .refetch, #"{"resources":["badgers"]}"#)
        try call(client, .tail, .cancel, #"{"tag":"nothing"}"#)
        try call(client, .tail, .act, ##"{"do":"send","channel":"#nowhere","text":"hi"}"##)
        try call(client, .tail, .act, #"{"do":"send"}"#)
        let place = #""channel":"CH","thread":"T""#
        try call(client, .tail, .draftSet, "{\(place),\"text\":\"later\"}")
        let draft = try call(client, .tail, .draftGet, "{\(place)}")
        #expect(draft?["text"] == .string("later"))
        try call(client, .tail, .draftSet, "{\(place)}")
        try call(client, .tail, .push, #"{"payload":{"channel_id":"CH","notification":{"title":"a","body":"b"}}}"#)
        try call(client, .tail, .roomsLeave, #"{"rooms":["\#(room)"],"for":"1s","wait":5}"#)
        try call(client, .tail, .roomsJoin, #"{"rooms":["\#(room)"],"wait":"5s"}"#)
        try call(client, .tail, .roomsOnly, rooms)
        try call(client, .tail, .roomsReset, #"{"wait":0.5}"#)
        try call(client, .tail, .roomsSelect, rooms)
        let row = try call(client, .tail, .modelGet, #"{"section":0,"limit":1}"#)?["rows"]
        guard case .array(let rows)? = row, case .array(let id)? = rows.first?["id"], id.count > 1 else {
            Issue.record("no row in \(String(describing: row))")
            return
        }
        try call(client, .tail, .modelItem, #"{"id":\#(id[1].text)}"#)
        try call(client, .tail, .modelItem, #"{"id":"nobody"}"#)
    }

    private mutating func steerTail(_ client: UnixClient) throws {
        try call(client, .tail, .pause)
        try call(client, .tail, .resume)
        try call(client, .tail, .viewSet, #"{"format":"json"}"#)
        try call(client, .tail, .filterSet, #"{"filter":"kind = message"}"#)
        try call(client, .tail, .filterPush, #"{"filter":"size > 1K"}"#)
        try call(client, .tail, .filterPop)
        try call(client, .tail, .logLevel, #"{"level":"warning"}"#)
        try call(client, .tail, .mark, #"{"label":"here"}"#)
        try call(client, .tail, .snapshotDump)
        try call(client, .tail, .emit, #"{"event":"hello","arguments":[{"a":[1]}],"namespace":"/"}"#)
        try call(client, .tail, .emit, #"{"event":"online:get","arguments":{},"binary":["AA=="],"wait":5}"#)
        try call(client, .tail, .ack, #"{"id":7,"arguments":["yes"]}"#)
        try call(client, .tail, .recordRotate)
        try call(client, .tail, .recordStop)
        try call(client, .tail, .recordStart, #"{"name":"incident"}"#)
        try call(client, .tail, .recordStart, #"{"name":"../x"}"#)
        let properties = ControlObservations.Property.allCases.map { #""\#($0.rawValue)""# }.joined(separator: ",")
        try call(client, .tail, .observe, #"{"properties":[\#(properties)]}"#)
        try call(client, .tail, .observe, #"{"properties":["recording"],"once":true,"timeout":"200ms"}"#)
        while let line = client.readLine() {
            lines.append(try JSONValue(parsing: Array(line.utf8)[...]))
            if line.contains(#""method":"ended""#) { break }
        }
        try call(client, .tail, .observe, #"{"properties":["events"],"after":0}"#)
        try call(client, .tail, .unobserve, #"{"observation":1}"#)
        try call(client, .tail, .reconnect)
    }

    private mutating func lookOn(_ path: String) throws {
        try call(try UnixClient(path), .tail, .attach)
    }

    // MARK: - A replay

    private mutating func speakToReplay(of recording: String, in folder: String) async throws {
        var configuration = ReplayConfiguration([recording])
        configuration.controlPath = folder + "/r.sock"
        configuration.pace = .factor(1)
        configuration.isStepping = true
        let progress = ProgressWatcher()
        let replay = Replay(configuration, console: progress.console, outlets: [])
        let outcomes = Mailbox<TailOutcome?>()
        runOnThread(named: "weir-replay") { outcomes.put(try? replay.play().outcome) }
        await progress.places.wait { !$0.isEmpty }
        let client = try UnixClient(folder + "/r.sock")
        for method: ControlMethod in [.hello, .status, .stats, .position, .pause, .mark] {
            try call(client, .replay, method)
        }
        try call(client, .replay, .observe, #"{"properties":["position","state","rate"]}"#)
        try call(client, .replay, .step, #"{"count":2}"#)
        try call(client, .replay, .step, #"{"back":true}"#)
        try call(client, .replay, .seek, #"{"to":"+1s"}"#)
        try call(client, .replay, .seek, #"{"to":"nowhere"}"#)
        try call(client, .replay, .speed, #"{"to":"20/s"}"#)
        try call(client, .replay, .loop, #"{"rounds":2}"#)
        try call(client, .replay, .unobserve, #"{"observation":1}"#)
        try call(client, .replay, .resume)
        try call(client, .replay, .quit)
        #expect(try await outcomes.first() == .limitReached)
    }

    /// Waits for a replay to begin.
    private final class ProgressWatcher: ReplayWatcher {
        let places = Mailbox<Int>()
        var console: ReplayConsole {
            var console = ReplayConsole()
            console.watcher = self
            return console
        }

        func moves(to number: Int, at time: Moment) {}
        func arrives(_ model: SectionedCollection<Item>) {}
        func begins(_ model: SectionedCollection<Item>) {}
        func ends(_ why: String) {}
        func stands(_ progress: ReplayProgress) { places.put(progress.number) }
        func says(_ line: String) {}
    }

    /// Collects the names of joined rooms.
    private final class JoinedRooms: Outlet {
        private let rooms: Mailbox<String>
        init(_ rooms: Mailbox<String>) { self.rooms = rooms }
        func write(_ reports: [StampedReport]) throws(OutletError) {
            for case .room(let room) in reports.map(\.report) where room.change == .joined { rooms.put(room.room) }
        }
        func finish() throws(OutletError) {}
    }
}
