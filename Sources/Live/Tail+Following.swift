import Events
import JSONText
import Network
public import Pipeline

// States that a program follows while a tail runs. The control socket has the same as the properties `sync` and `actions`.
extension Tail {
    /// How far the synchronisation is: the state now, then each change. A slow reader gets the newest only. Ends with the tail.
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

    /// What becomes of each action from now on: queued, sending, done, refused, delayed, dropped. At most 10,000 changes wait for a slow
    /// reader; the stream ends when more would. Ends with the tail.
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

    /// An input was handled.
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

    /// The tail is over.
    func endFollowers() {
        for continuation in followers.syncs { continuation.finish() }
        for continuation in followers.actions { continuation.finish() }
        for call in followers.calls.values { call.answer(.failure(ControlError(.failed, "it is ending"))) }
        followers = Followers()
    }

    private func endFollowersIfOver() { if case .over = phase { endFollowers() } }

    /// The property `sync`.
    var syncValue: JSONValue {
        let sync = session.sync
        return .object([
            .init("state", .string(sync.phase.rawValue)), .init("open", .integer(Int64(sync.open))),
            .init("failing", .integer(Int64(sync.failing))),
        ])
    }

    /// The property `actions`: those that are not done, in their order, and what became of the last one.
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
            case .dropped: value(report.action, "failure", "taken back")
            case .queued, .sending, .delayed: nil
            }
        }
        return .object([.init("open", .array(open)), .init("last", last ?? .null)])
    }
}

/// The programs that follow a tail.
struct Followers {
    var sync: SyncState?
    /// Whether the model was once as the server has it.
    var isLive = false
    var syncs: [AsyncStream<SyncState>.Continuation] = []
    var actions: [AsyncStream<ActionReport>.Continuation] = []
    /// The clients of the control socket that wait for the end of an action.
    var calls: [EntityID: ControlCall] = [:]
    /// What became of the action that ended last.
    var last: ActionReport?
}

extension AsyncStream.Continuation.YieldResult {
    fileprivate var isOver: Bool { if case .terminated = self { true } else { false } }
}
