import TestSupport
@testable import WeirLive
@testable import WeirViews
import WeirNetwork
@testable import WeirPipeline
import WeirThreads
import WeirWire

/// An outlet that collects reports and lets a test wait for them.
final class Watcher: Outlet {
    let reports = Mailbox<StampedReport>()
    /// True as for a diff log: a tail that records keeps checksums anyway, and its replay must report the same.
    var needsChecksums: Bool { true }

    func write(_ reports: [StampedReport]) throws(OutletError) { self.reports.put(reports) }
    func finish() throws(OutletError) {}
}

extension [StampedReport] {
    /// Returns the names of the rooms with this change.
    func rooms(_ change: RoomReport.Change) -> [String] {
        compactMap { if case .room(let room) = $0.report, room.change == change { room.room } else { nil } }
    }

    var events: [EventReport] { compactMap { if case .event(let event) = $0.report { event } else { nil } } }
    /// The losses, without the later reports of how many messages each missed.
    var gaps: [GapReport] {
        compactMap { if case .gap(let gap) = $0.report, gap.isLoss { gap } else { nil } }
    }
    var notices: [Notice] { compactMap { if case .notice(let notice) = $0.report { notice } else { nil } } }
    var diffs: [DiffReport] { compactMap { if case .diff(let diff) = $0.report { diff } else { nil } } }
}

/// Creates a tail of a Twake server on a loopback port, with these rooms and a valid token.
func tail(
    port: UInt16, rooms: [String], watcher: Watcher, _ change: (inout TailConfiguration) -> Void = { _ in }
) throws -> Tail {
    var configuration = TailConfiguration(
        server: URLParts(scheme: "http", host: "127.0.0.1", port: port),
        session: Configuration(
            backend: .twake, rooms: rooms, reconnect: Backoff(base: .milliseconds(50), cap: .milliseconds(200))),
        token: .provider { () throws(TokenError) in .init("a-token-of-the-test") }, seed: 7)
    change(&configuration)
    return Tail(configuration, outlets: [watcher])
}

extension Tail {
    /// Performs an action with an id of the test's choice, without waiting for its outcome. Ignored while the tail does not run.
    func act(_ action: Action) {
        guard let engine else { return }
        engine.loop.run { engine.assumeIsolated { $0.feed(.act(action)) } }
    }
}

/// Replays these files. Returns the reports and the summary.
func played(
    _ paths: [String], _ change: (inout ReplayConfiguration) -> Void = { _ in }
) throws -> (reports: [StampedReport], summary: TailSummary) {
    var configuration = ReplayConfiguration(paths)
    change(&configuration)
    let watcher = Watcher()
    let summary = try Replay(configuration, outlets: [watcher]).play()
    return (watcher.reports.all, summary)
}

/// Starts a replay that follows a file on a thread of its own. Its outcome goes into the mailbox.
func followed(_ path: String) -> (replay: Replay, watcher: Watcher, outcomes: Mailbox<TailOutcome>) {
    var configuration = ReplayConfiguration([path])
    configuration.follows = true
    let watcher = Watcher()
    let replay = Replay(configuration, outlets: [watcher])
    let outcomes = Mailbox<TailOutcome>()
    runOnThread(named: "replay") { outcomes.put((try? replay.play().outcome) ?? .timedOut) }
    return (replay, watcher, outcomes)
}
