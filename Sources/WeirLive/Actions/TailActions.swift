public import WeirEvents
public import WeirJSON
public import WeirPipeline
import WeirNetwork
import WeirWire

/// The reasons for which an action of a ``Tail`` has no result.
public enum TailActionError: Error, Hashable, Sendable {
    /// The server refused the action, or it is impossible. The text may contain the server's words, untrusted. `status`
    /// is the HTTP status of the answer, if it has one.
    case refused(why: String, status: Int?)
    /// Another caller withdrew the action.
    case withdrawn
    /// The answer did not arrive in time. The server may have performed the action.
    case timedOut
    /// The connection was lost before the answer. The server may have performed the action.
    case lost(why: String)
    /// The tail has ended, or ended before the answer arrived.
    case ended
}

extension TailActionError: CustomStringConvertible {
    /// The error as one line for people. It may contain the server's words.
    public var description: String {
        switch self {
        case .refused(let why, let status): "refused\(status.map { " (\($0))" } ?? ""): \(why)"
        case .withdrawn: "the action was withdrawn"
        case .timedOut: "timed out: no answer; the server may have performed the action"
        case .lost(let why): "\(why); the server may have performed the action"
        case .ended: "the tail has ended"
        }
    }
}

extension EmitReport.Outcome {
    /// The outcome for a caller who waits for it.
    fileprivate var result: Result<SocketIO.Acknowledgement?, any Error> {
        switch self {
        case .sent: .success(nil)
        case .answered(let answer): .success(answer)
        case .timedOut: .failure(TailActionError.timedOut)
        case .lost(let why): .failure(TailActionError.lost(why: why))
        case .refused(let why): .failure(TailActionError.refused(why: why, status: nil))
        }
    }
}

/// A room of the server, with its state in a tail.
public struct TailRoom: Hashable, Sendable {
    /// The states of a room.
    public enum State: Hashable, Sendable {
        /// The server has not confirmed the join yet.
        case wanted
        /// The server sends the events of the room.
        case joined
        /// The server refused the join. The text is untrusted.
        case refused(why: String)
        /// The room is not wanted.
        case left
    }

    /// The name at the backend.
    public var name: String
    /// The title for people; `nil` if it is unknown. Untrusted text.
    public var title: String?
    /// The state at the time of the call.
    public var state: State

    init(_ row: RoomRow) {
        (name, title) = (row.room, row.title)
        state =
            switch row.state {
            case "joined": .joined
            case "wanted", "joining", "lost": .wanted
            case "refused": .refused(why: row.why ?? "no reason given")
            default: .left
            }
    }
}

// Each call waits until the tail runs, and throws `TailActionError` or `CancellationError`.
extension Tail {
    /// Sends a message to a channel, or a reply to a thread.
    ///
    /// - Parameters:
    ///   - channel: The id of the channel, or `#` and its name.
    ///   - thread: The id of the thread's first message; `nil` for a message of the channel itself.
    ///   - files: Files to add, which are uploaded first.
    /// - Returns: The id of the message, if the server's answer contains it.
    @discardableResult
    public func send(
        _ text: String, to channel: EntityID, thread: EntityID? = nil, files: [Action.File] = []
    ) async throws -> EntityID? {
        try await perform(.send(channel: channel, thread: thread, text: text), files: files)
    }

    /// Performs any action. It waits for a connection if there is none, and the model shows it meanwhile. A cancelled
    /// call withdraws the action, unless its request is already under way.
    ///
    /// - Parameter place: The company and workspace that contain the target; `nil` for the current selection.
    /// - Returns: The id of what the action created or changed, if the server's answer contains it.
    @discardableResult
    public func perform(
        _ operation: Action.Operation, in place: Action.Place? = nil, files: [Action.File] = []
    ) async throws -> EntityID? {
        try await running().perform(operation, in: place, files)
    }

    /// Joins the rooms that match the patterns, and returns their states when the server has answered for each, or
    /// after the timeout (a minute at most). The session joins them again after each reconnect.
    public func join(_ rooms: String..., timeout: Duration = .seconds(10)) async throws -> [TailRoom] {
        try await running().rooms(RoomCall(method: .join, rooms: rooms, wait: timeout))
    }

    /// Leaves the rooms that match the patterns; see `join`.
    public func leave(_ rooms: String..., timeout: Duration = .seconds(10)) async throws -> [TailRoom] {
        try await running().rooms(RoomCall(method: .leave, rooms: rooms, wait: timeout))
    }

    /// The rooms that are wanted.
    public var rooms: [TailRoom] {
        get async throws { try await running().rooms(RoomCall(method: .list)) }
    }

    /// Emits an event of Socket.IO, or publishes on a channel of Bayeux.
    ///
    /// - Parameter timeout: How long to wait for the server's acknowledgement; `nil` to request none.
    /// - Returns: The acknowledgement, untrusted; `nil` if none was requested.
    @discardableResult
    public func emit(_ name: String, _ arguments: JSONValue..., timeout: Duration? = nil) async throws -> JSONValue? {
        var given = SocketIO.Arguments()
        for argument in arguments { given.append(argument.raw) }
        let answer = try await running().emit(Emit(name, given, patience: timeout))
        return try answer.map { try JSONValue(parsing: $0.arguments.bytes) }
    }
}

// The same on the loop, with the callers that wait.
extension TailEngine {
    /// The callers that wait for outcomes, by the number of the call.
    struct Waiters {
        var actions: [EntityID: CheckedContinuation<EntityID?, any Error>] = [:]
        var rooms: [Int: CheckedContinuation<[TailRoom], any Error>] = [:]
        var emits: [Int: CheckedContinuation<SocketIO.Acknowledgement?, any Error>] = [:]
        var lastNumber = 0

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }

        mutating func end() {
            for waiter in actions.values { waiter.resume(throwing: TailActionError.ended) }
            for waiter in rooms.values { waiter.resume(throwing: TailActionError.ended) }
            for waiter in emits.values { waiter.resume(throwing: TailActionError.ended) }
            self = Waiters()
        }
    }

    func perform(
        _ operation: Action.Operation, in place: Action.Place?, _ files: [Action.File]
    ) async throws -> EntityID? {
        var action = action(operation, in: place)
        action.files = files
        let id = action.id
        return try await wait(\.actions, id) {
            $0.feed(.act(action))
        } cancelled: {
            $0.feed(.dropAction(id))
        }
    }

    func rooms(_ call: RoomCall) async throws -> [TailRoom] {
        let number = waiters.nextNumber()
        return try await wait(\.rooms, number) { tail in
            tail.perform(call) { [weak tail] result in
                tail?.assumeIsolated { tail in
                    tail.waiters.rooms.removeValue(forKey: number)?.resume(
                        with: result.map { if case .rows(let rows) = $0 { rows.map { TailRoom($0) } } else { [] } }
                            .mapError { TailActionError.refused(why: $0.message, status: nil) })
                }
            }
        }
    }

    func emit(_ emit: Emit) async throws -> SocketIO.Acknowledgement? {
        guard connection.status.state == .ready else {
            throw TailActionError.refused(why: "no connection", status: nil)
        }
        let number = waiters.nextNumber()
        return try await wait(\.emits, number) { tail in
            tail.say(emit) { [weak tail] report in
                tail?.assumeIsolated { $0.waiters.emits.removeValue(forKey: number) }?.resume(
                    with: report.outcome.result)
            }
        }
    }

    /// Registers the caller under a key, begins, and waits until the caller is resumed. A cancelled call ends at once.
    private func wait<Key: Hashable & Sendable, Value: Sendable>(
        _ place: any WritableKeyPath<Waiters, [Key: CheckedContinuation<Value, any Error>]> & Sendable, _ key: Key,
        begin: (isolated TailEngine) -> Void,
        cancelled: @escaping @Sendable (isolated TailEngine) -> Void = { _ in }
    ) async throws -> Value {
        try Task.checkCancellation()
        if case .over = phase { throw TailActionError.ended }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiters[keyPath: place][key] = continuation
                begin(self)
            }
        } onCancel: {
            loop.run { [self] in
                assumeIsolated { tail in
                    guard let waiter = tail.waiters[keyPath: place].removeValue(forKey: key) else { return }
                    cancelled(tail)
                    waiter.resume(throwing: CancellationError())
                }
            }
        }
    }

    /// Resumes the caller that waits for an action, once its outcome is known.
    func resumeWaiter(of report: ActionReport) {
        let result: Result<EntityID?, any Error>
        switch report.change {
        case .queued, .sending, .delayed: return
        case .done(let subject): result = .success(subject)
        case .refused(let why, let status): result = .failure(TailActionError.refused(why: why, status: status))
        case .dropped: result = .failure(TailActionError.withdrawn)
        }
        waiters.actions.removeValue(forKey: report.action.id)?.resume(with: result)
    }
}
