import Live
import Network
import Pipeline
import TestSupport
import Wire

/// An outlet that keeps what it is given, so that a test can wait for it.
final class Watcher: Outlet {
    let reports = Mailbox<StampedReport>()
    /// As a diff log does: a tail that records keeps checksums anyway, and its replay is to tell the same.
    var needsChecksums: Bool { true }

    func write(_ reports: [StampedReport]) throws(OutletError) { self.reports.put(reports) }
    func finish() throws(OutletError) {}
}

extension [StampedReport] {
    /// Names of the rooms of which this was reported.
    func rooms(_ change: RoomReport.Change) -> [String] {
        compactMap { if case .room(let room) = $0.report, room.change == change { room.room } else { nil } }
    }

    var events: [EventReport] { compactMap { if case .event(let event) = $0.report { event } else { nil } } }
    /// The losses, without the reports of how many messages each missed.
    var gaps: [GapReport] {
        compactMap { if case .gap(let gap) = $0.report, gap.isLoss { gap } else { nil } }
    }
    var notices: [Notice] { compactMap { if case .notice(let notice) = $0.report { notice } else { nil } } }
    var diffs: [DiffReport] { compactMap { if case .diff(let diff) = $0.report { diff } else { nil } } }
}

/// A tail of a Twake server on a loopback port, of these rooms, with a token that is never refused.
func tail(
    port: UInt16, rooms: [String], watcher: Watcher, _ change: (inout TailConfiguration) -> Void = { _ in }
) throws -> Tail {
    var configuration = TailConfiguration(
        server: URLParts(scheme: "http", host: "127.0.0.1", port: port),
        session: Configuration(
            backend: .twake, rooms: rooms, reconnect: Backoff(base: .milliseconds(50), cap: .milliseconds(200))),
        token: .provider { () throws(TokenError) in .init("a-token-of-the-test") }, seed: 7)
    change(&configuration)
    return try Tail(configuration, outlets: [watcher])
}

/// What a replay of these files tells, and what it comes to.
func played(
    _ paths: [String], _ change: (inout ReplayConfiguration) -> Void = { _ in }
) throws -> (reports: [StampedReport], summary: TailSummary) {
    var configuration = ReplayConfiguration(paths)
    change(&configuration)
    let watcher = Watcher()
    let summary = try Replay(configuration, outlets: [watcher]).run()
    return (watcher.reports.all, summary)
}

/// A replay that follows a file, running on a thread of its own, and how it ended once it has.
func followed(_ path: String) -> (replay: Replay, watcher: Watcher, outcomes: Mailbox<TailOutcome>) {
    var configuration = ReplayConfiguration([path])
    configuration.follows = true
    let watcher = Watcher()
    let replay = Replay(configuration, outlets: [watcher])
    let outcomes = Mailbox<TailOutcome>()
    runOnThread(named: "replay") { outcomes.put((try? replay.run().outcome) ?? .timedOut) }
    return (replay, watcher, outcomes)
}
