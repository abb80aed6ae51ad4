import Glibc
import WeirNetwork
import WeirPipeline
import WeirThreads
import WeirWire

/// A store: one SQLite file that a thread of its own writes.
///
/// Each call of `keep` is atomic. The calls that accumulate while the thread is busy share one transaction.
///
/// Any thread may use a store. Only methods documented as blocking wait. `close` ends the thread.
package final class Store: Sendable {
    /// The state of the file when the store was opened.
    package enum Opening: Hashable, Sendable {
        /// The file did not exist.
        case created
        /// The file existed and was sound.
        case found
        /// The file was damaged. It was moved to `asideAt`, and the store began again with an empty file.
        case rebuilt(asideAt: String, why: String)
    }

    /// The writes of one call of `keep`.
    struct Keeping: Sendable {
        var writes: [StoreWrite]
        var scope: StoreScope
        /// The time of the call, in milliseconds since 1970.
        var now: Int64
        /// The approximate size of the writes, in bytes.
        var bytes = 0
    }

    /// A job for the store's thread.
    enum Job: Sendable {
        case keep(Keeping)
        case work(@Sendable (inout Database) -> Void)
    }

    /// The callbacks of the store's user, called on the store's thread.
    struct Handlers: Sendable {
        var onDrained: @Sendable () -> Void = {}
        var onTrouble: @Sendable (StoreError) -> Void = { _ in }
    }

    struct State: Sendable {
        var isClosed = false
        var handlers = Handlers()
        /// The file descriptor that holds the lock on the outboxes; `nil` when this process does not own them.
        var outboxLock: Int32?
    }

    /// The number of waiting jobs above which `keep` asks the caller to slow down.
    static let highWater = 4096

    /// The divisor that gives the share of the store for immutable things: a quarter of `maximumBytes`.
    private static let thingShare = 4

    /// The path of the SQLite file.
    package let path: String
    /// The state of the file when the store was opened.
    package let opening: Opening
    let state: Monitor<State>
    let thread: BatchThread<Job>
    /// The downloads in progress, with their callers.
    let downloads = Monitor(DownloadDesk())

    /// Opens the store at `path`, or creates it together with the missing parent folders.
    ///
    /// Blocks while another process holds a lock on the file, for `patience` at most.
    ///
    /// - Parameters:
    ///   - now: The current time in milliseconds since 1970.
    ///   - maximumBytes: The maximum size of the file.
    package init(
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
                // Only this thread takes this lock, so it never waits.
                database.change { database in Self.work(jobs, on: &database, telling: state) }
                return true
            } atEnd: {
                database.change { $0 = nil }
            }
        } catch {
            throw .database(operation: "start a thread", path: path, message: "\(error)")
        }
    }

    /// Sets the callbacks. Both are called on the store's thread.
    ///
    /// - Parameters:
    ///   - onDrained: Called when the queue has room again after `keep` returned `true`.
    ///   - onTrouble: Called with the error when a write could not be stored.
    package func tell(
        onDrained: @escaping @Sendable () -> Void, onTrouble: @escaping @Sendable (StoreError) -> Void
    ) {
        state.change { $0.handlers = Handlers(onDrained: onDrained, onTrouble: onTrouble) }
    }

    /// Submits the writes of a scope, which are stored in order and atomically. Never blocks.
    ///
    /// - Parameters:
    ///   - now: The current time in milliseconds since 1970.
    ///   - bytes: The approximate size of the writes.
    /// - Returns: Whether the queue is deep. If so, the caller should pause until `onDrained` is called.
    @discardableResult
    package func keep(_ writes: [StoreWrite], of scope: StoreScope, at now: Int64, bytes: Int = 0) -> Bool {
        thread.push([.keep(Keeping(writes: writes, scope: scope, now: now, bytes: bytes))])
    }

    /// Writes everything submitted so far and ends the thread. Blocks. The store accepts nothing afterwards.
    package func close() {
        let wasClosed = state.change { state in
            defer { state.isClosed = true }
            return state.isClosed
        }
        guard !wasClosed else { return }
        thread.finish()
        releaseOutbox()
    }

    /// Runs `work` on the store's thread after everything submitted before, and waits for its result.
    ///
    /// Do not call this on the store's thread: it would deadlock.
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

    /// Runs `work` on the store's thread after everything submitted before, without waiting.
    ///
    /// - Throws: `StoreError.closed` when the store is closed.
    func start(_ work: @escaping @Sendable (inout Database) -> Void) throws(StoreError) {
        // The push happens under the lock, so no job can enter the queue after the store is closed and then never run.
        let isClosed = state.change { state in
            if !state.isClosed { thread.push([.work(work)]) }
            return state.isClosed
        }
        if isClosed { throw .closed(path: path) }
    }
}

extension Store {
    /// Opens the file. Renames a damaged file and creates a new one.
    private static func open(
        _ path: String, now: Int64, patience: Duration, maximumBytes: Int
    ) throws(StoreError) -> (database: Monitor<Database?>, opening: Opening) {
        func attempt() throws(StoreError) -> (database: Monitor<Database?>, opening: Opening) {
            var database = try Database(opening: path, patience: patience)
            let opening = try database.settle(patience: patience, maximumBytes: maximumBytes)
            database.thingBudget = maximumBytes / thingShare
            return (Monitor<Database?>(database), opening)
        }
        let file = try StoreFile(preparing: path)
        do {
            return try attempt()
        } catch {
            guard case .damaged(_, let why) = error else { throw error }
            let aside = try file.setAside(at: now / 1000)
            _ = try StoreFile(preparing: path)
            let (database, opening) = try attempt()
            return (database, aside.map { .rebuilt(asideAt: $0, why: why) } ?? opening)
        }
    }

    /// Runs a batch of jobs. Consecutive `keep` jobs share one transaction.
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
            // One write that fails must not take the others down: store each on its own.
            for keeping in gathered { keep([keeping], on: &database, telling: state) }
        }
    }
}

// The functions of this extension block until the store's thread has answered.
extension Store {
    /// Returns what the store remembers of an account, or `nil` when the account is unknown. Blocks.
    ///
    /// When `user` is `nil`, the result describes the account of the server that was used last.
    package func remembered(of server: String, user: String? = nil, view: String = "") throws(StoreError) -> Remembered?
    {
        try perform { (database) throws(StoreError) in
            try database.remembered(server: server, user: user, view: view)
        }
    }

    /// Returns the accounts that the store knows, the most recently used first. Blocks.
    package func accounts() throws(StoreError) -> [StoreAccount] {
        try perform { (database) throws(StoreError) in try database.accountList() }
    }

    /// Returns the outbox of an account, oldest entry first. Blocks.
    package func outbox(of account: StoreAccount) throws(StoreError) -> [(id: String, entry: [UInt8])] {
        try perform { (database) throws(StoreError) in
            guard let number = try database.number(of: account) else { return [] }
            return try database.outbox(of: number)
        }
    }

    /// Returns all notes of an account. Blocks.
    package func notes(of account: StoreAccount) throws(StoreError) -> [StoreNote: String] {
        try perform { (database) throws(StoreError) in
            guard let number = try database.number(of: account) else { return [:] }
            return try database.notes(of: number)
        }
    }

    /// Removes all data of an account. Blocks.
    ///
    /// Another process that still writes to the account gets `StoreError.loggedOut`, so it cannot bring the data back.
    ///
    /// - Returns: Whether the account was known.
    @discardableResult
    package func forget(_ account: StoreAccount) throws(StoreError) -> Bool {
        try perform { (database) throws(StoreError) in try database.forget(account) }
    }

    /// Writes `writes` after everything submitted before, and returns once they are committed. Blocks.
    ///
    /// - Parameter now: The current time in milliseconds since 1970.
    package func commit(_ writes: [StoreWrite], of scope: StoreScope, at now: Int64) throws(StoreError) {
        try perform { (database) throws(StoreError) in
            try database.commit([Store.Keeping(writes: writes, scope: scope, now: now)])
        }
    }
}

extension Store {
    /// Writes `writes` after everything submitted before.
    ///
    /// - Parameters:
    ///   - now: The current time in milliseconds since 1970.
    ///   - completion: Called on the store's thread once the writes are on disk, or with the error that prevented it.
    ///     Called on the caller's thread when the store is closed.
    package func commit(
        _ writes: [StoreWrite], of scope: StoreScope, at now: Int64,
        completion: @escaping @Sendable (StoreError?) -> Void
    ) {
        do throws(StoreError) {
            try start { database in
                do throws(StoreError) {
                    try database.commit([Keeping(writes: writes, scope: scope, now: now)])
                    completion(nil)
                } catch {
                    completion(error)
                }
            }
        } catch {
            completion(error)
        }
    }

    /// Reads the outbox of an account, oldest entry first.
    ///
    /// - Parameter completion: Called on the store's thread, or on the caller's thread when the store is closed. It
    ///   receives an empty array when the outbox cannot be read.
    package func readOutbox(
        of account: StoreAccount, completion: @escaping @Sendable ([(id: String, entry: [UInt8])]) -> Void
    ) {
        do throws(StoreError) {
            try start { database in
                let number = (try? database.number(of: account)) ?? nil
                completion(number.flatMap { try? database.outbox(of: $0) } ?? [])
            }
        } catch {
            completion([])
        }
    }

    /// Makes this process the only one that sends the outbox entries of this file, until it ends or closes the store.
    ///
    /// - Returns: Whether this process owns the outboxes. `false` when another process does: two senders would do
    ///   everything twice.
    package func takeOutbox() -> Bool {
        state.change { state in
            if state.outboxLock != nil { return true }
            let descriptor = Glibc.open(path + ".outbox", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
            guard descriptor >= 0 else { return false }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                Glibc.close(descriptor)
                return false
            }
            state.outboxLock = descriptor
            return true
        }
    }

    /// Releases the lock on the outboxes, so that another process can take it.
    func releaseOutbox() {
        state.change { state in
            if let descriptor = state.outboxLock { Glibc.close(descriptor) }
            state.outboxLock = nil
        }
    }
}

/// The errors of the store.
public enum StoreError: Error, Hashable, Sendable {
    /// A system call failed with `errno` equal to `code`.
    case system(operation: String, path: String, code: Int32)
    /// The file or its folder is not safe for private data; `why` gives the reason.
    case unsafe(path: String, why: String)
    /// The file is a database of another program.
    case foreign(path: String)
    /// A newer version of this program wrote the file; `version` is its schema version.
    case newer(path: String, version: Int)
    /// Another process held its lock on the file for longer than the store's patience.
    case busy(path: String)
    /// The disk is full, or the store has reached its maximum size. Earlier commits are safe.
    case full(path: String)
    /// The file is damaged. The next opening renames it.
    case damaged(path: String, message: String)
    /// Any other error of SQLite.
    case database(operation: String, path: String, message: String)
    /// The account was logged out, so the store accepts no more data for it.
    case loggedOut(server: String, user: String)
    /// The store does not hold the thing, and its download failed for the given reason.
    case notDownloaded(String)
    /// The store was already closed.
    case closed(path: String)
}

extension StoreError: CustomStringConvertible {
    /// One sentence that describes the error to a user.
    public var description: String {
        switch self {
        case .system(let operation, let path, let code):
            "cannot \(operation) \(path): \(String(cString: strerror(code)))"
        case .unsafe(let path, let why): "\(path) cannot hold a store: \(why)"
        case .foreign(let path): "\(path) is a database of another program"
        case .newer(let path, let version): "\(path) was written by a newer weir (version \(version) of the store)"
        case .busy(let path): "\(path) is locked by another process"
        case .full(let path): "\(path) cannot grow: the disk, or the limit of the store, is full"
        case .damaged(let path, let message): "\(path) is damaged: \(message)"
        case .database(let operation, let path, let message): "\(path): \(message) (\(operation))"
        case .loggedOut(let server, let user): "user \(user) of \(server) was logged out: nothing is kept any more"
        case .notDownloaded(let why): "cannot be downloaded: \(why)"
        case .closed(let path): "\(path) is closed"
        }
    }
}
