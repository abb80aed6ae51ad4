import Network
import Pipeline
import Wire

/// A store: one SQLite file, written by one thread of its own. What is handed over in one go is one transaction, and so is what gathered
/// while the one before was written.
///
/// Any thread may use it; only what says so waits. `close` ends the thread.
public final class Store: Sendable {
    /// What was found when the store was opened.
    public enum Opening: Hashable, Sendable {
        /// There was none.
        case created
        /// It was there.
        case found
        /// It was damaged. It was put there, nothing of it is remembered, and a new one was begun.
        case rebuilt(asideAt: String, why: String)
    }

    /// What is handed over in one go.
    struct Keeping: Sendable {
        var writes: [StoreWrite]
        var scope: StoreScope
        /// Milliseconds since 1970.
        var now: Int64
        /// What the writes hold, about.
        var bytes = 0
    }

    /// What the thread does.
    enum Job: Sendable {
        case keep(Keeping)
        case work(@Sendable (inout Database) -> Void)
    }

    /// Whom it tells; called on the store's thread.
    struct Handlers: Sendable {
        var onDrained: @Sendable () -> Void = {}
        var onTrouble: @Sendable (StoreError) -> Void = { _ in }
    }

    struct State: Sendable {
        var isClosed = false
        var handlers = Handlers()
        /// The descriptor of the lock on the outboxes, while this process has it.
        var outboxLock: Int32?
    }

    /// Jobs that wait at most before whoever hands over more is told to slow down.
    static let highWater = 4096

    /// What part of the store immutable things may take.
    private static let thingShare = 4

    /// Where it is.
    public let path: String
    /// What was found when it was opened.
    public let opening: Opening
    let state: Monitor<State>
    let thread: BatchThread<Job>
    /// What is being downloaded.
    let downloads = Monitor(DownloadDesk())

    /// Opens the store at `path`, or creates it, with the folders above it. `now` is in milliseconds since 1970. Blocks for as long as
    /// another process keeps the file locked, `patience` at most.
    public init(
        opening path: String, now: Int64, patience: Duration = .seconds(5), maximumBytes: Int = 1 << 30
    ) throws(StoreError) {
        self.path = path
        let opened = try Self.open(path, now: now, patience: patience, maximumBytes: maximumBytes)
        opening = opened.opening
        let database = opened.database
        let state = Monitor(State())
        self.state = state
        do {
            thread = try BatchThread(
                name: "weir-store", highWater: Self.highWater, mostBytes: Limits.waiting,
                weigh: { if case .keep(let keeping) = $0 { keeping.bytes } else { 0 } }
            ) {
                state.change { $0.handlers.onDrained }()
            } body: { jobs in
                // Only this thread asks for it: the lock is never waited for.
                database.change { database in Self.work(jobs, on: &database, telling: state) }
                return true
            } atEnd: {
                database.change { $0 = nil }
            }
        } catch {
            throw .database(operation: "start a thread", path: path, message: "\(error)")
        }
    }

    /// Whom the store tells: `onDrained` when there is room again after `keep` said that the queue was deep, `onTrouble` when something
    /// that was handed over could not be kept. Both are called on the store's thread.
    public func tell(
        onDrained: @escaping @Sendable () -> Void, onTrouble: @escaping @Sendable (StoreError) -> Void
    ) {
        state.change { $0.handlers = Handlers(onDrained: onDrained, onTrouble: onTrouble) }
    }

    /// Hands over what is to be kept of a scope, in order; all of it is kept or nothing. Never waits. True when the queue is deep: then
    /// whoever hands over slows down until `onDrained` is called. `now` is in milliseconds since 1970; the writes hold about so many bytes.
    @discardableResult
    public func keep(_ writes: [StoreWrite], of scope: StoreScope, at now: Int64, bytes: Int = 0) -> Bool {
        thread.push([.keep(Keeping(writes: writes, scope: scope, now: now, bytes: bytes))])
    }

    /// Writes what was handed over, and ends the thread. Waits; nothing is kept afterwards.
    public func close() {
        let wasClosed = state.change { state in
            defer { state.isClosed = true }
            return state.isClosed
        }
        guard !wasClosed else { return }
        thread.finish()
        releaseOutbox()
    }

    /// Has the thread do `work` behind all that was handed over, and waits for its result. Not from the store's thread.
    func perform<Result: Sendable>(
        _ work: @escaping @Sendable (inout Database) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let answer = Monitor<Swift.Result<Result, StoreError>?>(nil)
        try start { database in
            let result = Swift.Result { () throws(StoreError) in try work(&database) }
            answer.change { $0 = result }
        }
        return try answer.wait { $0 }.get()
    }

    /// Has the thread do `work`, behind all that was handed over.
    func start(_ work: @escaping @Sendable (inout Database) -> Void) throws(StoreError) {
        // Under the lock: once it is closed nothing is pushed that would never be done.
        let isClosed = state.change { state in
            if !state.isClosed { thread.push([.work(work)]) }
            return state.isClosed
        }
        if isClosed { throw .closed(path: path) }
    }
}

extension Store {
    /// Opens the file, which is set aside and begun anew when it is damaged.
    private static func open(
        _ path: String, now: Int64, patience: Duration, maximumBytes: Int
    ) throws(StoreError) -> (database: Monitor<Database?>, opening: Opening) {
        let file = try StoreFile(preparing: path)
        do {
            var database = try Database(opening: path, patience: patience)
            let opening = try database.settle(patience: patience, maximumBytes: maximumBytes)
            database.thingBudget = maximumBytes / thingShare
            return (Monitor<Database?>(database), opening)
        } catch {
            guard case .damaged(_, let why) = error else { throw error }
            let aside = try file.setAside(at: now / 1000)
            _ = try StoreFile(preparing: path)
            var database = try Database(opening: path, patience: patience)
            let opening = try database.settle(patience: patience, maximumBytes: maximumBytes)
            database.thingBudget = maximumBytes / thingShare
            return (Monitor<Database?>(database), aside.map { .rebuilt(asideAt: $0, why: why) } ?? opening)
        }
    }

    /// Works off what has gathered: what is to be kept, up to the next other job, is one transaction.
    private static func work(_ jobs: [Job], on database: inout Database?, telling state: Monitor<State>) {
        var gathered: [Keeping] = []
        for job in jobs {
            switch job {
            case .keep(let keeping): gathered.append(keeping)
            case .work(let work):
                keep(gathered, on: &database, telling: state)
                gathered = []
                if database != nil { work(&database!) }
            }
        }
        keep(gathered, on: &database, telling: state)
    }

    private static func keep(_ gathered: [Keeping], on database: inout Database?, telling state: Monitor<State>) {
        guard !gathered.isEmpty else { return }
        do {
            try database?.commit(gathered)
        } catch {
            guard gathered.count > 1 else { return state.change { $0.handlers.onTrouble }(error) }
            // One that cannot be kept may not take the others with it.
            for keeping in gathered { keep([keeping], on: &database, telling: state) }
        }
    }
}
