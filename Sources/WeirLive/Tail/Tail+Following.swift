import WeirEvents
import WeirJSON
import WeirNetwork
public import WeirPipeline

// The states that a program can follow while a tail runs. The control socket offers them as the properties `sync` and
// `actions`.
extension Tail {
    /// The synchronisation state: the current one, then each change. A slow reader gets only the newest. The stream
    /// ends with the tail.
    public nonisolated var syncStates: AsyncStream<SyncState> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            loop.run { [self] in
                assumeIsolated { tail in
                    tail.followers.syncs.append(continuation)
                    continuation.yield(tail.session.sync)
                    tail.endFollowersIfOver()
                }
            }
        }
    }

    /// The progress of each action from now on: queued, sending, done, refused, delayed, dropped. At most 10,000
    /// reports wait for a slow reader; the stream ends if more would. It also ends with the tail.
    public nonisolated var actionReports: AsyncStream<ActionReport> {
        AsyncStream(bufferingPolicy: .bufferingOldest(10_000)) { continuation in
            loop.run { [self] in
                assumeIsolated { tail in
                    tail.followers.actions.append(continuation)
                    tail.endFollowersIfOver()
                }
            }
        }
    }

    /// Sends a changed synchronisation state to the followers, after an input was handled.
    func tellFollowers() {
        let sync = session.sync
        guard sync != followers.sync else { return }
        followers.sync = sync
        if sync.phase == .success, !followers.isLive {
            followers.isLive = true
            tellNotice(Notice(.info, "live from here"))
        }
        followers.syncs.removeAll { $0.yield(sync).isOver }
    }

    func tellFollowers(of report: ActionReport) {
        switch report.change {
        case .done, .refused, .dropped: followers.last = report
        case .queued, .sending, .delayed: break
        }
        answerCall(of: report)
        followers.actions.removeAll { continuation in
            switch continuation.yield(report) {
            case .dropped: continuation.finish()
            case .enqueued: return false
            default: break
            }
            return true
        }
    }

    /// Ends all streams and answers the waiting clients, at the end of the tail.
    func endFollowers() {
        for continuation in followers.syncs { continuation.finish() }
        for continuation in followers.actions { continuation.finish() }
        for call in followers.calls.values { call.answer(.failure(ControlError(.failed, "the tail is ending"))) }
        followers = Followers()
    }

    private func endFollowersIfOver() { if case .over = phase { endFollowers() } }

    /// The value of the property `sync`.
    var syncValue: JSONValue {
        let sync = session.sync
        return .object([
            .init("state", .string(sync.phase.rawValue)), .init("open", .integer(Int64(sync.open))),
            .init("failing", .integer(Int64(sync.failing))),
        ])
    }

    /// The value of the property `actions`: the pending actions in order, and the outcome of the last finished one.
    var actionsValue: JSONValue {
        func value(_ action: Action, _ state: String, _ why: String?) -> JSONValue {
            .object([
                .init("id", .string(action.id.description)), .init("action", .string(action.operation.name)),
                .init("state", .string(state)), .init("why", why.map { .string($0) } ?? .null),
            ])
        }
        let open = session.pendingActions.map { entry in
            value(
                entry.action, entry.failure != nil ? "failure" : entry.attempts > 0 ? "in_progress" : "initial",
                entry.failure)
        }
        let last = followers.last.flatMap { report -> JSONValue? in
            switch report.change {
            case .done: value(report.action, "success", nil)
            case .refused(let why, _): value(report.action, "failure", why)
            case .dropped: value(report.action, "failure", "withdrawn")
            case .queued, .sending, .delayed: nil
            }
        }
        return .object([.init("open", .array(open)), .init("last", last ?? .null)])
    }
}

/// The programs and clients that follow a tail.
struct Followers {
    var sync: SyncState?
    /// Whether the model was in sync with the server once.
    var isLive = false
    var syncs: [AsyncStream<SyncState>.Continuation] = []
    var actions: [AsyncStream<ActionReport>.Continuation] = []
    /// The control socket clients that wait for the end of an action, by the action's id.
    var calls: [EntityID: ControlCall] = [:]
    /// The report on the action that ended last.
    var last: ActionReport?
}

extension AsyncStream.Continuation.YieldResult {
    fileprivate var isOver: Bool { if case .terminated = self { true } else { false } }
}
