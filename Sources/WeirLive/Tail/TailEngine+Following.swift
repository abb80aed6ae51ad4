import WeirEvents
import WeirJSON
import WeirNetwork
import WeirPipeline

// The states that a program can follow while a tail runs. The control socket offers them as the properties `sync` and
// `actions`.
extension TailEngine {
    /// Computes the state of the synchronization from now on, because a sequence reads it. Any thread.
    nonisolated func followSync() {
        loop.run { [self] in
            assumeIsolated { tail in
                tail.followers.isSyncRead = true
                tail.tellFollowers()
            }
        }
    }

    /// Passes a changed state of the synchronization to the readers, after an input was handled.
    func tellFollowers() {
        guard followers.isSyncRead else { return }
        readers.tell(session.sync)
    }

    func tellFollowers(of report: ActionReport) {
        switch report.change {
        case .done, .refused, .dropped: followers.last = report
        case .queued, .sending, .delayed: break
        }
        answerCall(of: report)
        resumeWaiter(of: report)
    }

    /// Answers the waiting clients and callers, at the end of the tail.
    func endFollowers() {
        waiters.end()
        for call in followers.calls.values { call.answer(.failure(ControlError(.failed, "the tail is ending"))) }
        followers = Followers()
    }

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

/// The clients that follow a tail.
struct Followers {
    /// Whether a sequence reads the state of the synchronization, which takes time to compute.
    var isSyncRead = false
    /// The control socket clients that wait for the end of an action, by the action's id.
    var calls: [EntityID: ControlCall] = [:]
    /// The report on the action that ended last.
    var last: ActionReport?
}
