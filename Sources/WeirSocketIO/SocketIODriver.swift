import WeirJSON
import WeirNetwork
import WeirThreads
import WeirWire

/// The part of a client that lives on its event loop, from `connect()` to the end of the connection.
///
/// It owns the loop's thread and the thread for polling. When the connection ends, for whatever reason, it finishes the
/// sequences, fails the waiting calls, and ends both threads.
///
/// ```
/// first ──main namespace joined──► joined
///   │                                │
///   └──────► ending ──────► over ◄───┘
/// ```
actor SocketIODriver {
    private enum State {
        /// The main namespace was not joined yet. Follows: joined, ending, over.
        case first
        /// The main namespace was joined at least once. Follows: ending, over.
        case joined
        /// The connection is being closed, after an error or for the application (`nil`). Follows: over.
        case ending(SocketIOError?)
        /// The connection has ended, and nothing more happens.
        case over(SocketIOError?)
    }

    /// A call that waits until a namespace is joined.
    private struct Waiter {
        let id: UInt64
        let namespace: String
        /// Whether the call requests the namespace. When the last such call is cancelled, the client gives it up.
        let isJoining: Bool
        let continuation: CheckedContinuation<Void, any Error>
        let timer: LoopTimer?
    }

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let http: HTTPClient
    private let readers: Readers
    private let plan: ConnectionPlan
    private var state = State.first
    /// The number of attempts that failed since the main namespace was joined.
    private var failed = 0
    private var connection: SocketIOConnection?
    /// The number of the connection. An event can only be acknowledged on its own.
    private var number = 0
    private var wanted: Set<String>
    private var joined: Set<String> = []
    private var waiters: [Waiter] = []
    private var answers: [UInt64: CheckedContinuation<SocketIO.Acknowledgement, any Error>] = [:]
    private var endWaiters: [CheckedContinuation<Void, Never>] = []
    private var lastID: UInt64 = 0
    /// Why the event that is being emitted was not sent.
    private var dropCause: SocketIOClientMachine.DropCause?
    private var isPaused = false

    /// Starts the threads. Nothing is sent before `start()`.
    init(_ plan: ConnectionPlan, readers: Readers) throws(SocketIOError) {
        do throws(NetworkError) {
            loop = try EventLoop(name: "weir-socketio")
        } catch {
            throw .cannotStart(error.description)
        }
        do throws(NetworkError) {
            http = try HTTPClient(answeringOn: loop)
        } catch {
            loop.shutDown()
            throw .cannotStart(error.description)
        }
        self.plan = plan
        self.readers = readers
        wanted = [plan.namespace]
    }

    /// Begins to connect. Call it once.
    nonisolated func start() {
        loop.run { self.assumeIsolated { $0.begin() } }
    }

    /// Ends the connection, soon. Any thread.
    nonisolated func end() {
        loop.run { self.assumeIsolated { $0.end(nil) } }
    }

    private func begin() {
        guard case .first = state else { return }
        connection = SocketIOConnection(
            on: loop, http: http, plan.configuration, transport: plan.transport, maximumMessage: plan.maximumMessage,
            prepare: plan.prepare, handler: { events in self.assumeIsolated { $0.handle(events) } })
    }

    // MARK: What happens on the connection

    private func handle(_ events: [SocketIOReconnection.Event]) {
        var arrivals: [Readers.Arrival] = []
        for event in events {
            if case .event(let event) = event {
                arrivals.append(.init(event: event, connection: number))
                continue
            }
            deliver(&arrivals)
            handle(event)
        }
        deliver(&arrivals)
        followReaders()
    }

    private func deliver(_ arrivals: inout [Readers.Arrival]) {
        if arrivals.isEmpty { return }
        readers.deliver(arrivals)
        arrivals = []
    }

    private func handle(_ event: SocketIOReconnection.Event) {
        switch event {
        case .connecting(let attempt):
            number = readers.nextConnection()
            readers.tell(.connecting(attempt: attempt))
        case .joined(let told): noteJoined(told)
        case .refused(let namespace, let refusal): noteRefused(namespace, refusal)
        case .disconnected(let namespace): noteRemoved(namespace)
        case .malformed(let malformed): readers.tell(.malformed(malformed.message))
        case .lost(let loss, let delay): noteLost(SocketIOError(loss), retryIn: delay)
        case .dropped(let dropped): dropCause = dropped.cause
        case .ended(let ending): finish(ending)
        // Every acknowledgement has a call that waits for it, and goes there. Events come in batches.
        case .event, .acknowledged, .unacknowledged: break
        }
    }

    private func noteJoined(_ told: SocketIOClientMachine.Joined) {
        joined.insert(told.namespace)
        if told.namespace == plan.namespace {
            failed = 0
            if case .first = state { state = .joined }
        }
        readers.tell(.joined(namespace: told.namespace, id: told.id, isRecovered: told.isRecovered))
        settle(told.namespace, nil)
    }

    private func noteRefused(_ namespace: String, _ refusal: SocketIO.Refusal) {
        wanted.remove(namespace)
        joined.remove(namespace)
        readers.tell(.refused(namespace: namespace, message: refusal.message))
        settle(namespace, .refused(refusal, namespace))
        // Without its main namespace, a connection is of no use.
        if namespace == plan.namespace { end(.refused(refusal, namespace)) }
    }

    private func noteRemoved(_ namespace: String) {
        joined.remove(namespace)
        readers.tell(.removed(namespace: namespace))
        if plan.configuration.returnsAfterKick { return }
        wanted.remove(namespace)
        settle(namespace, .removed)
        if namespace == plan.namespace { end(.removed) }
    }

    private func noteLost(_ error: SocketIOError, retryIn delay: Duration) {
        let wasJoined = joined.contains(plan.namespace)
        joined = []
        // An attempt that follows at once is the same one with another revision.
        if !wasJoined, delay > .zero { failed += 1 }
        let most: Int? =
            switch state {
            case .first: plan.connectAttempts
            case .joined: plan.reconnectAttempts
            case .ending, .over: nil
            }
        if let most, failed >= most, most == 0 || !wasJoined && delay > .zero { return end(error) }
        readers.tell(.waiting(retryIn: delay, error))
    }

    private func end(_ error: SocketIOError?) {
        switch state {
        case .first, .joined:
            state = .ending(error)
            if let connection { connection.disconnect() } else { finish(.requested) }
        case .ending, .over: break
        }
    }

    private func finish(_ ending: SocketIOReconnection.Ending) {
        var error = SocketIOError.error(for: ending, namespace: plan.namespace)
        if case .ending(let reason) = state { error = reason }
        state = .over(error)
        connection = nil
        joined = []
        for waiter in waiters { waiter.timer?.cancel() }
        for waiter in waiters { waiter.continuation.resume(throwing: error ?? .disconnected) }
        for answer in answers.values { answer.resume(throwing: error ?? .disconnected) }
        let ended = endWaiters
        (waiters, answers, endWaiters) = ([], [:], [])
        readers.finish(error)
        // The loop cannot wait for its own end.
        runOnThread(named: "weir-socketio-x") { [loop, http] in
            http.shutDown()
            loop.shutDown()
            for continuation in ended { continuation.resume() }
        }
    }

    // MARK: Back-pressure

    /// Pauses or resumes reading, depending on the slowest reader. An answer for which a call waits could never
    /// arrive on a paused socket, so reading goes on meanwhile, up to the hard bound.
    func followReaders() {
        guard let connection else { return }
        let mustPause = readers.areFull(hard: !answers.isEmpty || !waiters.isEmpty)
        guard mustPause != isPaused else { return }
        isPaused = mustPause
        connection.setReading(!mustPause)
    }

    /// Whether the connection is being closed.
    var isEnding: Bool {
        switch state {
        case .ending: true
        case .first, .joined, .over: false
        }
    }

    /// Whether the socket is not read now.
    var isReadingPaused: Bool { isPaused }
}

// MARK: - Calls that wait

extension SocketIODriver {
    /// Returns the error with which the connection ended, or the reason why a call cannot wait for it.
    private func check(_ namespace: String) throws(SocketIOError) {
        switch state {
        case .over(let error?), .ending(let error?): throw error
        case .over(nil), .ending(nil): throw .notConnected
        case .first, .joined: if !wanted.contains(namespace) { throw .notConnected }
        }
    }

    /// Joins a namespace, and waits for the server's answer.
    func join(_ namespace: String, auth: RawJSON?) async throws {
        if !wanted.contains(namespace) {
            switch state {
            case .first, .joined:
                wanted.insert(namespace)
                connection?.join(.init(namespace, auth: auth))
            case .ending, .over: break
            }
        }
        try await untilJoined(namespace, isJoining: true)
    }

    /// Leaves a namespace. The connection ends with the last one.
    func leave(_ namespace: String) {
        wanted.remove(namespace)
        joined.remove(namespace)
        settle(namespace, .notConnected)
        connection?.leave(namespace)
    }

    /// Ends the connection, and waits until the threads have ended.
    func disconnect() async {
        if case .over = state { return }
        await withCheckedContinuation { continuation in
            endWaiters.append(continuation)
            end(nil)
        }
    }

    /// Waits until a namespace is joined, at the latest until `deadline`.
    func untilJoined(_ namespace: String, isJoining: Bool = false, deadline: Moment? = nil) async throws {
        try check(namespace)
        if joined.contains(namespace) { return }
        lastID += 1
        let id = lastID
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // A task that was cancelled before this finds no waiter to remove.
                let timer = deadline.map { loop.schedule(at: $0) { self.assumeIsolated { $0.expire(id) } } }
                waiters.append(
                    Waiter(
                        id: id, namespace: namespace, isJoining: isJoining, continuation: continuation, timer: timer))
                if Task.isCancelled { cancel(id) } else { followReaders() }
            }
        } onCancel: {
            loop.run { self.assumeIsolated { $0.cancel(id) } }
        }
    }

    private func expire(_ id: UInt64) { removeWaiter(id)?.continuation.resume(throwing: SocketIOError.timeout) }

    private func removeWaiter(_ id: UInt64) -> Waiter? {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
        let waiter = waiters.remove(at: index)
        waiter.timer?.cancel()
        return waiter
    }

    /// Handles the cancellation of a call.
    private func cancel(_ id: UInt64) {
        answers.removeValue(forKey: id)?.resume(throwing: CancellationError())
        guard let waiter = removeWaiter(id) else { return followReaders() }
        waiter.continuation.resume(throwing: CancellationError())
        let name = waiter.namespace
        let isGivenUp = waiter.isJoining && !waiters.contains { $0.isJoining && $0.namespace == name }
        guard isGivenUp, !joined.contains(name) else { return followReaders() }
        if name != plan.namespace { return leave(name) }
        // A connection that was established before goes on without the call.
        if case .first = state { end(nil) }
    }

    /// Ends the calls that wait for a namespace.
    private func settle(_ namespace: String, _ error: SocketIOError?) {
        let settled = waiters.filter { $0.namespace == namespace }
        waiters.removeAll { $0.namespace == namespace }
        for waiter in settled {
            waiter.timer?.cancel()
            if let error { waiter.continuation.resume(throwing: error) } else { waiter.continuation.resume() }
        }
    }
}

// MARK: - Sending

extension SocketIODriver {
    /// Sends an event. Waits while the namespace is not joined.
    func emit(_ emission: SocketIO.Emission, to namespace: String) async throws {
        while true {
            try await untilJoined(namespace)
            guard let cause = send(try checked(emission)) else { return }
            try retry(cause, namespace)
        }
    }

    /// Sends an event and waits for its acknowledgement. `timeout` includes the wait for the namespace.
    func request(
        _ emission: SocketIO.Emission, to namespace: String, timeout: Duration
    ) async throws -> SocketIO.Acknowledgement {
        let deadline = loop.now + timeout
        var emission = emission
        while true {
            try await untilJoined(namespace, deadline: deadline)
            emission.ack = .within(max(deadline - loop.now, .zero))
            do {
                return try await answer(to: checked(emission))
            } catch SocketIOError.notConnected where wanted.contains(namespace) {
                try retry(.notJoined, namespace)
            }
        }
    }

    private func checked(_ emission: SocketIO.Emission) throws(SocketIOError) -> SocketIO.Emission {
        if let connection, connection.pendingBytes > plan.maximumPending { throw .overflow }
        return emission
    }

    /// Returns why the event was not sent, or `nil`.
    private func send(_ emission: SocketIO.Emission) -> SocketIOClientMachine.DropCause? {
        guard let connection else { return .finished }
        dropCause = nil
        connection.emit(emission)
        return dropCause
    }

    /// Returns if another attempt to send makes sense: the namespace was lost, and will be joined again.
    private func retry(_ cause: SocketIOClientMachine.DropCause, _ namespace: String) throws(SocketIOError) {
        switch cause {
        case .notJoined: joined.remove(namespace)
        case .overflow: throw .overflow
        case .timeout: throw .timeout
        case .finished: throw .notConnected
        }
    }

    private func answer(to emission: SocketIO.Emission) async throws -> SocketIO.Acknowledgement {
        lastID += 1
        let id = lastID
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard let connection, !Task.isCancelled else {
                    return continuation.resume(
                        throwing: connection == nil ? SocketIOError.notConnected : CancellationError())
                }
                answers[id] = continuation
                connection.emit(emission) { result in self.assumeIsolated { $0.answered(id, result) } }
                followReaders()
            }
        } onCancel: {
            loop.run { self.assumeIsolated { $0.cancel(id) } }
        }
    }

    private func answered(_ id: UInt64, _ result: Result<SocketIO.Acknowledgement, AcknowledgementFailure>) {
        // A cancelled call does not wait any more.
        guard let continuation = answers.removeValue(forKey: id) else { return }
        switch result {
        case .success(let answer): continuation.resume(returning: answer)
        case .failure(let failure): continuation.resume(throwing: SocketIOError(failure))
        }
        followReaders()
    }

    /// Acknowledges an event of the current connection.
    func acknowledge(_ arrival: Readers.Arrival, with arguments: SocketIO.Arguments) throws(SocketIOError) {
        guard let connection, arrival.connection == number, joined.contains(arrival.event.namespace) else {
            throw .disconnected
        }
        connection.acknowledge(arrival.event, with: arguments)
    }
}
