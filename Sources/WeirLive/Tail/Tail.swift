public import WeirModel
public import WeirNetwork
public import WeirPipeline
public import WeirRecording
public import WeirStore
import WeirThreads

/// A live session with a server: joins rooms, refetches what events report as changed, and keeps a model.
///
/// ```swift
/// let tail = Tail(configuration)
/// let events = tail.events
/// try await withThrowingTaskGroup(of: Void.self) { group in
///     group.addTask { _ = try await tail.run() }
///     for await event in events.prefix(10) { print(event) }
///     group.cancelAll()
/// }
/// ```
///
/// ```
/// new ──run()──► running ──stop(), cancellation, or an ending──► over
/// ```
///
/// `run()` owns everything: it starts the threads, and returns after they have ended. Before it, nothing is opened and
/// no file is written. All methods may be called on any thread, in any state and order. Actions wait until the tail
/// runs, and throw after it has ended.
public final class Tail: ReportSource {
    private enum Life {
        /// `run()` was not called. Follows: opening.
        case new
        /// The engine is being created. Follows: opened, over.
        case opening
        /// The engine exists, and has not begun. Follows: running.
        case opened(TailEngine)
        /// The session has begun. Follows: over.
        case running(TailEngine)
        /// The tail has ended with this model.
        case over(SectionedCollection<Item>)

        var engine: TailEngine? {
            switch self {
            case .opened(let engine), .running(let engine): engine
            case .new, .opening, .over: nil
            }
        }
    }

    private struct State {
        var life = Life.new
        /// Whether `run()` was called, so that a second call fails.
        var isRun = false
        /// The calls that wait until the tail runs.
        var waiting: [ReaderQueue<TailEngine>] = []
        /// The signal of the first request to stop.
        var stop: Int32?
    }

    private let configuration: TailConfiguration
    private let outlets: [any Outlet]
    private let readers = ReportReaders()
    private let state = Monitor(State())

    /// Creates a tail that does nothing until `run()`.
    public init(_ configuration: TailConfiguration, outlets: [any Outlet] = []) {
        self.configuration = configuration
        self.outlets = outlets
    }

    deinit { readers.finish() }

    /// Runs until something ends the tail, then closes everything in order. Cancelling the task ends the tail, as
    /// `stop()` does: the summary is returned, with the outcome ``TailOutcome/interrupted(signal:)``.
    ///
    /// - Throws: `TailError` if the tail cannot begin, or was run before. Nothing was sent then.
    public func run() async throws(TailError) -> TailSummary {
        let isFirst = state.change { state in
            defer { state.isRun = true }
            return !state.isRun
        }
        guard isFirst else { throw .alreadyRun }
        let engine = try open()
        let summary = await withTaskCancellationHandler {
            await engine.run { [self] in begun(engine) }
        } onCancel: {
            stop()
        }
        state.change { $0.life = .over(summary.model) }
        readers.finish()
        return summary
    }

    private func begun(_ engine: TailEngine) {
        let (waiting, stop) = state.change { state in
            state.life = .running(engine)
            defer { state.waiting = [] }
            return (state.waiting, state.stop)
        }
        for queue in waiting {
            queue.push([engine])
            queue.finish()
        }
        if readers.isSyncRead { engine.followSync() }
        if let stop { engine.stop(signal: stop) }
    }

    /// Opens the files and starts the threads, so that an error is known before anything is announced. Does nothing the
    /// second time. `run()` must follow.
    @discardableResult
    package func open() throws(TailError) -> TailEngine {
        let (isNew, known) = state.change { state -> (Bool, TailEngine?) in
            guard case .new = state.life else { return (false, state.life.engine) }
            state.life = .opening
            return (true, nil)
        }
        if let known { return known }
        guard isNew else { throw .alreadyRun }
        do throws(TailError) {
            let engine = try TailEngine(configuration, outlets: outlets, readers: readers)
            state.change { $0.life = .opened(engine) }
            return engine
        } catch {
            let waiting = state.change { state in
                state.life = .over(SectionedCollection())
                defer { state.waiting = [] }
                return state.waiting
            }
            for queue in waiting { queue.finish() }
            readers.finish()
            throw error
        }
    }

    /// Ends the tail in order, with the outcome ``TailOutcome/interrupted(signal:)`` and the signal 0. Before `run()`,
    /// the tail ends as soon as it runs.
    public func stop() { stop(signal: 0) }

    package func stop(signal: Int32) {
        let running = state.change { state -> TailEngine? in
            state.stop = state.stop ?? signal
            return if case .running(let engine) = state.life { engine } else { nil }
        }
        running?.stop(signal: signal)
    }

    /// The current model: empty before the run, and the last one after it.
    public var model: SectionedCollection<Item> {
        get async {
            switch state.look({ $0.life }) {
            case .new, .opening: SectionedCollection()
            case .opened(let engine), .running(let engine): await engine.model
            case .over(let model): model
            }
        }
    }

    /// Returns a sequence of chosen reports; see `ReportSource`.
    public func sequence<Value: Sendable>(
        _ policy: ReaderPolicy, _ choose: @escaping @Sendable (StampedReport) -> Value?
    ) -> ReportSequence<Value> {
        readers.sequence(policy, choose)
    }

    /// The synchronization with the server: the current state, then each change. A slow reader gets only the newest.
    public var syncStates: ReportSequence<SyncState> {
        defer { engine?.followSync() }
        return readers.syncStates
    }

    /// The progress of the user's actions: queued, sending, done, refused, delayed, dropped.
    public var actionReports: ReportSequence<ActionReport> {
        sequence(.usual) { if case .action(let report) = $0.report { report } else { nil } }
    }

    /// Begins a new segment of the recording. Does nothing without a recording, or while the tail does not run.
    public func rotateRecording() { engine?.rotateRecording() }

    /// Writes the flight recorder's content to a new file. Does nothing without a flight recorder, or while the tail
    /// does not run.
    public func dumpFlight() { engine?.dumpFlight() }

    /// The engine, from `open()` to the end of the run.
    package var engine: TailEngine? { state.look { $0.life.engine } }

    /// Returns the engine once the tail runs.
    ///
    /// - Throws: `TailActionError.ended`, or `CancellationError`.
    func running() async throws -> TailEngine {
        let queue = ReaderQueue<TailEngine>(bound: 1, .keepNewest)
        let (engine, isOver) = state.change { state -> (TailEngine?, Bool) in
            switch state.life {
            case .running(let engine): return (engine, false)
            case .over: return (nil, true)
            case .new, .opening, .opened:
                state.waiting.append(queue)
                return (nil, false)
            }
        }
        if let engine { return engine }
        if !isOver, let engine = await queue.next() { return engine }
        try Task.checkCancellation()
        throw TailActionError.ended
    }
}

/// The reasons for which a tail cannot begin.
public enum TailError: Error, Hashable, Sendable {
    /// The event loop or the HTTP client could not be started.
    case network(NetworkError)
    /// The recording cannot be written or read.
    case recording(RecordingError)
    /// The requested store cannot be used.
    case store(StoreError)
    /// `run()` was called a second time. Create another tail.
    case alreadyRun
}

extension TailError: CustomStringConvertible {
    /// The error as one line for people.
    public var description: String {
        switch self {
        case .network(let error): "\(error)"
        case .recording(let error): "\(error)"
        case .store(let error): "\(error)"
        case .alreadyRun: "the tail was run before: create another one"
        }
    }
}
