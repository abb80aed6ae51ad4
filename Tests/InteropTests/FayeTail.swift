import Testing
import TestSupport
import WeirEvents
import WeirLive
@testable import WeirViews
import WeirModel
import WeirNetwork
import WeirPipeline
import WeirThreads
import WeirWire

/// A GroupMe tail that gets its pushes from Debian's Faye, through a relay that can simulate network trouble. The same
/// process answers REST requests from what was published.
final class FayeTail: Sendable {
    static let user = "20000001"
    static let group = "10000001"

    let stage: FayeStage
    let reports = Mailbox<StampedReport>()
    let tail: Tail
    private let relay: Peer
    private let control: UInt16
    private let run: Task<TailSummary, any Error>

    /// `timeout` is the time in seconds that Faye holds a connect. Its sessions live twice as long.
    init(
        timeout: Int, token: String = "token-20000001", transport: EngineIO.TransportChoice = .websocket
    ) throws {
        stage = try FayeStage(timeout: timeout, world: try temporaryFolder() + "/world.jsonl")
        relay = try Peer(["python3", "\(peersFolder)/tcp_relay.py", "\(stage.port)"])
        let words = try relay.readLine(startingWith: "control ").split(separator: " ")
        control = try #require(words.last.flatMap { UInt16($0) })
        let port = try relay.listeningPort()
        let configuration = TailConfiguration(
            server: URLParts(scheme: "http", host: "127.0.0.1", port: port),
            session: Configuration(
                backend: .groupme, transport: transport,
                reconnect: Backoff(base: .milliseconds(50), cap: .milliseconds(200))),
            token: .provider { Secret(token) }, seed: 5)
        tail = Tail(configuration, outlets: [Told(reports)])
        run = Task { [tail] in try await tail.run() }
    }

    /// Stops the tail, then its server.
    @discardableResult
    func end() async throws -> TailSummary {
        tail.stop()
        return try await ended()
    }

    /// Waits until the tail ends on its own, then stops its server.
    func ended() async throws -> TailSummary {
        let summary = try await run.value
        relay.stop()
        stage.stop()
        return summary
    }

    /// Sends a command to the relay: `cut`, `refuse`, `accept` or `hole`.
    func network(_ command: String) async {
        let request = HTTPRequest(
            method: "GET", url: URLParts(scheme: "http", host: "127.0.0.1", port: control, path: "/\(command)"))
        _ = await withCheckedContinuation { continuation in
            stage.http.send(request) { continuation.resume(returning: $0) }
        }
    }

    /// Publishes a message from Ann in the group. Subscribers get the push, and REST returns the message from then on.
    func say(_ text: String, id: Int) async throws {
        let data =
            #"{"type":"line.create","alert":"Ann: \#(text)","subject":{"id":"17853460\#(id)00000001","group_id":"\#(Self.group)","created_at":17853460\#(id),"user_id":"20000002","sender_id":"20000002","sender_type":"user","name":"Ann","text":"\#(text)","source_guid":"g\#(id)","system":false,"attachments":[]},"received_at":17853460\#(id)000}"#
        try await stage.publish("/user/\(Self.user)", data)
    }

    /// The texts of the group's messages in the model, oldest first.
    var texts: [String] {
        get async {
            let model = await tail.model
            return model.sectionKeys.filter { $0.name == "messages" }.flatMap { model.elements(in: $0) }.compactMap {
                $0.entity.as(GroupMe.Message.self)?.text
            }
        }
    }

    /// Waits until the model holds exactly these messages.
    func wait(for wanted: [String]) async {
        var seen = -1
        while await texts != wanted {
            let before = seen
            let told = await reports.wait(seconds: 30) { $0.count > before }
            guard told.count > before else { return }
            seen = told.count
        }
    }

    /// Waits until rooms have been joined `count` times.
    func waitForJoins(_ count: Int) async {
        await reports.wait(seconds: 30) { $0.joins >= count }
    }

    /// Waits until exactly these messages were pushed. REST may have returned them earlier.
    func wait(forPushes wanted: [String]) async {
        await reports.wait(seconds: 30) { $0.pushed.count >= wanted.count }
        #expect(pushed == wanted)
    }

    /// The texts of the pushed messages, in order of arrival.
    var pushed: [String] { reports.all.pushed }
}

/// Puts reports into a mailbox.
private final class Told: Outlet {
    private let reports: Mailbox<StampedReport>

    init(_ reports: Mailbox<StampedReport>) { self.reports = reports }

    func write(_ reports: [StampedReport]) throws(OutletError) { self.reports.put(reports) }
    func finish() throws(OutletError) {}
}

extension [StampedReport] {
    var gaps: Int { count { if case .gap(let gap) = $0.report { gap.isLoss } else { false } } }

    var pushed: [String] {
        compactMap {
            guard case .event(let report) = $0.report, case .push(let push)? = report.event.groupMe,
                case .line(let message) = push.content
            else { return nil }
            return message.text
        }
    }

    fileprivate var joins: Int {
        count { if case .room(let room) = $0.report { room.change == .joined } else { false } }
    }
}
