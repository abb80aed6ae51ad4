public import WeirPipeline
import WeirThreads

/// A ``Tail`` or a ``Replay``: reports as sequences.
///
/// A sequence takes the reports from its creation on. Create it before `run()`, and no report is missed. Each sequence
/// has a queue of its own; it ends with the run, after the reports that wait.
public protocol ReportSource: Sendable {
    /// Returns the values that `choose` selects, in order.
    ///
    /// - Parameters:
    ///   - policy: What happens while the reader is slow.
    ///   - choose: Called with each report on the thread that writes the output; it must not block. `nil` leaves a
    ///     report out.
    func sequence<Value: Sendable>(
        _ policy: ReaderPolicy, _ choose: @escaping @Sendable (StampedReport) -> Value?
    ) -> ReportSequence<Value>
}

/// What happens while a reader of a sequence is slow. A queue also counts as full above 8 MiB.
public enum ReaderPolicy: Hashable, Sendable {
    /// While more than this many elements wait, the source pauses: a tail stops reading its socket, and a replay stops
    /// playing. Nothing is lost, but one reader delays all others. An unread sequence stops the source.
    case pause(above: Int)
    /// At most this many elements wait. The oldest are dropped, and ``ReportSequence/dropped`` counts them.
    case newest(Int)

    /// Pauses the source above 1,000 elements.
    public static var usual: ReaderPolicy { .pause(above: 1000) }
}

extension ReportSource {
    /// All reports, each with the number and the time of its record.
    public var reports: ReportSequence<StampedReport> { sequence(.usual) { $0 } }
    /// The events that the server sent, in the order of their arrival.
    public var events: ReportSequence<EventReport> { events(.usual) }
    /// The changes of the model, one batch for each input that changed it.
    public var changes: ReportSequence<DiffReport> { changes(.usual) }
    /// The gaps: events that were lost, or may have been.
    public var gaps: ReportSequence<GapReport> { gaps(.usual) }

    /// The events, with another policy.
    public func events(_ policy: ReaderPolicy) -> ReportSequence<EventReport> {
        sequence(policy) { if case .event(let event) = $0.report { event } else { nil } }
    }

    /// The changes of the model, with another policy.
    public func changes(_ policy: ReaderPolicy) -> ReportSequence<DiffReport> {
        sequence(policy) { if case .diff(let diff) = $0.report { diff } else { nil } }
    }

    /// The gaps, with another policy.
    public func gaps(_ policy: ReaderPolicy) -> ReportSequence<GapReport> {
        sequence(policy) { if case .gap(let gap) = $0.report { gap } else { nil } }
    }
}

/// The elements for one reader, in order. It does not keep its source alive.
///
/// Several tasks may iterate; each element goes to one of them. To give all elements to each task, create a sequence
/// for each.
public struct ReportSequence<Element: Sendable>: AsyncSequence, Sendable {
    private let reading: ReportReading<Element>

    fileprivate init(_ reading: ReportReading<Element>) { self.reading = reading }

    /// The number of elements that were dropped because of ``ReaderPolicy/newest(_:)``.
    public var dropped: Int { reading.queue.dropped }

    /// Returns an iterator, which shares the elements with all others of this sequence.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reading: reading) }

    /// An iterator over the elements of a sequence.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reading: ReportReading<Element>

        /// Waits for the next element. Returns `nil` after the run, and when the task is cancelled.
        public func next() async -> Element? { await reading.queue.next()?.value }
    }
}

/// A value that waits, with the bytes that it holds.
private struct Waiting<Value: Sendable>: Sendable {
    let value: Value
    let weight: Int
}

/// A place in a source's list of readers, which ends with its last reference.
private final class ReportReading<Value: Sendable>: Sendable {
    let queue: ReaderQueue<Waiting<Value>>
    private let readers: ReportReaders
    private let id: UInt64

    init(_ id: UInt64, _ queue: ReaderQueue<Waiting<Value>>, _ readers: ReportReaders) {
        (self.id, self.queue, self.readers) = (id, queue, readers)
    }

    deinit {
        readers.remove(id)
        queue.finish()
    }
}

/// The readers of a tail or a replay, as an outlet. A full reader blocks the thread that writes the output, so that the
/// source pauses as for any slow outlet.
final class ReportReaders: Outlet {
    /// A reader, with the type of its elements erased.
    private struct Reader: Sendable {
        let push: @Sendable (ArraySlice<StampedReport>) -> Void
        let isFull: @Sendable () -> Bool
        let finish: @Sendable () -> Void
    }

    private struct State {
        var readers: [UInt64: Reader] = [:]
        var syncs: [UInt64: ReaderQueue<Waiting<SyncState>>] = [:]
        var sync: SyncState?
        var lastID: UInt64 = 0
        /// Whether full readers no longer block, because the source ends.
        var isReleased = false
        var isOver = false
    }

    private let state = Monitor(State())
    /// The number of reports after which full readers are noticed.
    private static let share = 64

    func sequence<Value: Sendable>(
        _ policy: ReaderPolicy, _ choose: @escaping @Sendable (StampedReport) -> Value?
    ) -> ReportSequence<Value> {
        let queue = queue(policy) as ReaderQueue<Waiting<Value>>
        let reader = Reader { reports in
            let chosen = reports.compactMap { stamped in
                choose(stamped).map { Waiting(value: $0, weight: stamped.report.heldBytes) }
            }
            if !chosen.isEmpty { queue.push(chosen) }
        } isFull: {
            queue.isFull(hard: false)
        } finish: {
            queue.finish()
        }
        return add(queue) { $0.readers[$1] = reader }
    }

    /// The newest state of the synchronization: the current one, then each change.
    var syncStates: ReportSequence<SyncState> {
        let queue = ReaderQueue<Waiting<SyncState>>(bound: 1, .keepNewest)
        return add(queue) { state, id in
            state.syncs[id] = queue
            if let sync = state.sync { queue.push([Waiting(value: sync, weight: 0)]) }
        }
    }

    private func queue<Value: Sendable>(_ policy: ReaderPolicy) -> ReaderQueue<Waiting<Value>> {
        switch policy {
        case .pause(let bound):
            ReaderQueue(bound: bound, .pause, weigh: \.weight) { [weak self] in self?.state.change { _ in } }
        case .newest(let bound): ReaderQueue(bound: bound, .keepNewest, weigh: \.weight)
        }
    }

    private func add<Value: Sendable>(
        _ queue: ReaderQueue<Waiting<Value>>, _ insert: (inout State, UInt64) -> Void
    ) -> ReportSequence<Value> {
        let (id, isOver) = state.change { state -> (UInt64, Bool) in
            state.lastID += 1
            if !state.isOver { insert(&state, state.lastID) }
            return (state.lastID, state.isOver)
        }
        if isOver { queue.finish() }
        return ReportSequence(ReportReading(id, queue, self))
    }

    fileprivate func remove(_ id: UInt64) {
        // The removed reader may hold the last reference to another sequence, so it is released outside the lock.
        _ = state.change { ($0.readers.removeValue(forKey: id), $0.syncs.removeValue(forKey: id)) }
    }

    // MARK: The source's side

    func write(_ reports: [StampedReport]) throws(OutletError) {
        for start in stride(from: 0, to: reports.count, by: Self.share) {
            let readers = state.look { Array($0.readers.values) }
            if readers.isEmpty { return }
            let part = reports[start..<min(start + Self.share, reports.count)]
            for reader in readers { reader.push(part) }
            state.wait { state in
                state.isReleased || !state.readers.values.contains { $0.isFull() } ? () : nil
            }
        }
    }

    /// Whether a sequence reads reports.
    var isRead: Bool { state.look { !$0.readers.isEmpty } }

    /// Whether a sequence reads the state of the synchronization.
    var isSyncRead: Bool { state.look { !$0.syncs.isEmpty } }

    /// Passes on a state that differs from the last one.
    func tell(_ sync: SyncState) {
        let queues = state.change { state -> [ReaderQueue<Waiting<SyncState>>] in
            if sync == state.sync { return [] }
            state.sync = sync
            return Array(state.syncs.values)
        }
        for queue in queues { queue.push([Waiting(value: sync, weight: 0)]) }
    }

    /// From now on full readers no longer block. Later reports wait in their queues.
    func release() { state.change { $0.isReleased = true } }

    /// Ends all sequences after the elements that wait.
    func finish() {
        let (readers, syncs) = state.change { state in
            (state.isReleased, state.isOver) = (true, true)
            defer { (state.readers, state.syncs) = ([:], [:]) }
            return (Array(state.readers.values), Array(state.syncs.values))
        }
        for reader in readers { reader.finish() }
        for queue in syncs { queue.finish() }
    }
}
