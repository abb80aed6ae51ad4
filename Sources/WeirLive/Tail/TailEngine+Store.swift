import WeirEvents
import WeirJSON
import WeirModel
public import WeirNetwork
public import WeirPipeline
import WeirRecording
public import WeirStore
import WeirThreads
import WeirWire

/// The store of a tail, and the writes that were not handed over yet.
struct TailPersistence {
    /// How long to wait after a failed write before the whole model is stored again.
    static let pause: Duration = .seconds(30)

    let store: Store
    /// The server's name in the store's scopes. `view` is the view's name.
    let server: String
    let view: String
    /// The account and view of the model; `nil` until the server has identified the user, and after a logout.
    var scope: StoreScope?
    /// The rows read at the start. They are shown once the server has identified the user; `nil` afterwards.
    var held: Remembered?
    /// The writes to hand over after the current input.
    var pending: [StoreWrite] = []
    /// The number of bytes in the inputs that caused the pending writes.
    var pendingBytes = 0
    /// The outbox, as the store contains it.
    var outbox = OutboxMirror()
    /// The account of the stored outbox; `nil` while unknown.
    var outboxOwner: StoreAccount?
    /// The time of the last failed write. The stored rows lag behind the model since then.
    var brokenSince: Moment?
}

extension TailPersistence {
    /// Restores the selection of the last used account, unless the session names a company or rooms. Blocks.
    func look(into session: inout Configuration) {
        guard session.company == nil, session.rooms.isEmpty,
            let account = try? store.accounts().first(where: { $0.server == server }),
            let selection = (try? store.notes(of: account))?[.globals]
        else { return }
        session.globals = Globals(kept: selection)
    }
}

extension TailEngine {
    /// The consumers that can lag and pause reading.
    enum Consumer: Hashable {
        case outlets, store
    }

    /// Opens the store if one is configured. If a store that the user did not name cannot be opened, the tail runs
    /// without it; the returned notices contain the reason.
    static func openStore(
        _ configuration: TailConfiguration, at now: Int64
    ) throws(StoreError) -> (persistence: TailPersistence?, notices: [Notice]) {
        guard let path = configuration.storePath else { return (nil, []) }
        do {
            let store = try Store(opening: path, now: now)
            let persistence = TailPersistence(
                store: store, server: StoreAccount.name(of: configuration.server), view: configuration.session.view)
            return (persistence, store.opening.notice(path).map { [$0] } ?? [])
        } catch {
            if configuration.requiresStore { throw error }
            return (nil, [Notice(.warning, "no store: \(error)")])
        }
    }

    /// Reads the remembered rows. Must not be called on the loop, since it may wait for the disk.
    nonisolated func readStore(_ store: Store, server: String, view: String) async -> Result<Remembered?, StoreError> {
        await withCheckedContinuation { continuation in
            runOnThread(named: "weir-recall") {
                continuation.resume(
                    returning: Result { () throws(StoreError) in try store.remembered(of: server, view: view) })
            }
        }
    }

    /// Takes the remembered rows. They are not shown until the server has confirmed the user, since the token may be
    /// another user's, or missing.
    func recall(_ read: Result<Remembered?, StoreError>) {
        for notice in storeNotices { tellNotice(notice) }
        switch read {
        case .success(let remembered?): persistence?.held = remembered
        case .success(nil): tellGlobals()
        case .failure(let error):
            tellNotice(Notice(.warning, "the store cannot be read: \(error)"))
            tellGlobals()
        }
    }

    /// Fills the model with the remembered rows once the server has identified the user. Also restores pins, mutes and
    /// the rooms joined by hand.
    func showRemembered() {
        guard let remembered = persistence?.held, let user = session.user else { return }
        persistence?.held = nil
        defer { tellGlobals() }
        guard remembered.scope.account.user == user else {
            feed(.select(""))
            return tellNotice(Notice(.info, "the stored rows belong to another user"))
        }
        let rows = remembered.rows == 1 ? "1 row" : "\(remembered.rows) rows"
        tellNotice(Notice(.info, "\(rows) restored from the store for user \(user)"))
        for memory in remembered.memories { feed(.remembered(memory.read(upTo: remembered.readMarkers))) }
        // From now on the server reports the read state.
        for marker in remembered.readMarkers { keep(.note(.readMarker(channel: marker.channel.description), nil)) }
        recallOutbox(remembered)
        for room in remembered.rooms where room.source == RoomSource.ctl.rawValue {
            feed(.want(rooms: [RoomPattern.exact(room.name).description], source: .ctl))
        }
        for pattern in remembered.pins { feed(.want(rooms: [pattern], source: .pin)) }
        recallMutes(remembered.mutes)
    }

    /// Sets the store's callbacks for a drained queue and for failures.
    func listenToStore() {
        persistence?.store.tell { [self] in
            loop.run { self.assumeIsolated { $0.resumeReading(for: .store) } }
        } onTrouble: { [self] error in
            loop.run { self.assumeIsolated { $0.storeFailed(error) } }
        }
    }

    func storeFailed(_ error: StoreError) {
        guard persistence != nil else { return }
        if case .loggedOut = error {
            guard persistence?.scope != nil else { return }
            persistence?.scope = nil
            tellNotice(Notice(.warning, "\(error)"))
        } else {
            // Report each outage only once.
            if persistence?.brokenSince == nil { tellNotice(Notice(.warning, "not stored: \(error)")) }
            persistence?.brokenSince = loop.now
        }
        handOver()
    }

    // MARK: What is kept

    /// Queues a write if the account is known.
    func keep(_ write: @autoclosure () -> StoreWrite) {
        if persistence?.scope != nil { persistence?.pending.append(write()) }
    }

    /// Queues the changes of the model.
    func keep(_ diff: DiffReport) { keep(.batch(diff.batch)) }

    /// Queues the changes of the wanted rooms.
    func keep(_ room: RoomReport) {
        switch room.change {
        case .wanted: keep(.room(name: room.room, source: room.source))
        case .leaving: keep(.roomLeft(name: room.room))
        case .joining, .joined, .refused, .left, .lost, .found: break
        }
    }

    /// Queues a fact that the session found out.
    func remember(_ fact: Fact, at now: Moment) {
        if case .globals = fact { configuration.view?.note(selection: globalsValue) }
        guard persistence != nil else { return }
        switch fact {
        case .account(let user): beginKeeping(StoreAccount(server: persistence?.server ?? "", user: user))
        case .globals(let globals):
            keep(.note(.globals, globals.kept))
        case .checkpoint(let resource): keep(.checkpoint(resource: resource, at: milliseconds(at: now)))
        }
    }

    /// Begins to store everything for an account, starting with the whole current model.
    private func beginKeeping(_ account: StoreAccount) {
        guard let persistence else { return }
        if let owner = persistence.outboxOwner, owner != account { self.persistence?.outbox = OutboxMirror() }
        self.persistence?.outboxOwner = account
        self.persistence?.scope = StoreScope(account, view: persistence.view)
        self.persistence?.pending = [.model(session.model.snapshot)]
        keepMutes()
        for room in session.subscriptions.entries { keep(.room(name: room.name, source: room.source.rawValue)) }
        takeUpOutbox()
    }

    /// Returns the wall-clock time of a session time, in milliseconds since 1970.
    func milliseconds(at now: Moment) -> Int64 { (journal.wallStart + now.microseconds) / 1000 }

    /// Hands the queued writes to the store. After a failed write it hands over nothing for a while, and then the whole
    /// model.
    func handOverToStore() {
        guard let persistence else { return }
        self.persistence?.pendingBytes = 0
        guard let scope = persistence.scope, !persistence.pending.isEmpty else { return }
        let now = loop.now
        var writes = persistence.pending
        self.persistence?.pending.removeAll(keepingCapacity: true)
        if let since = persistence.brokenSince {
            guard now - since > TailPersistence.pause else { return }
            self.persistence?.brokenSince = nil
            writes = [.model(session.model.snapshot)]
        }
        if persistence.store.keep(writes, of: scope, at: milliseconds(at: now), bytes: persistence.pendingBytes) {
            pauseReading(for: .store, "the store is too slow")
        }
    }
}

extension Store.Opening {
    /// Returns the notice about a rebuilt store; `nil` if the store was created or found intact.
    fileprivate func notice(_ path: String) -> Notice? {
        switch self {
        case .created, .found: nil
        case .rebuilt(let aside, let why):
            Notice(
                .warning,
                "\(path) was damaged (\(why)) and was moved to \(aside); everything is fetched from the server again")
        }
    }
}

extension Globals {
    /// Creates a selection from its stored form.
    init(kept text: String) { self.init(selection: RawJSON(unchecked: Array(text.utf8)[...])) }

    /// The stored form of the selection.
    var kept: String {
        var json = JSONWriter()
        encodeSelection(into: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension StoreAccount {
    /// Returns the store's name for the server at an address.
    public static func name(of server: URLParts) -> String {
        URLParts(scheme: server.isSecure ? "https" : "http", host: server.host, port: server.port).description
    }
}

extension Configuration.BackendKind {
    /// The store's name for the view of sessions of this backend without further settings.
    public var usualView: String { Configuration(backend: self).view }
}

extension Configuration {
    /// The name of the session's view. Sessions with the same settings share their stored rows.
    fileprivate var view: String {
        var parts: [String] = []
        if backend != .usual || namespaces != ["/"] {
            parts.append("\(backend.rawValue) \(namespaces.joined(separator: " "))")
        }
        if let company { parts.append("company \(company)") }
        if let workspace { parts.append("workspace \(workspace)") }
        parts += rooms.map { "room \($0)" }
        return parts.joined(separator: "\n")
    }
}

extension Remembered {
    /// The pinned patterns, sorted by their text.
    fileprivate var pins: [String] {
        notes.keys.compactMap { if case .pin(let pattern) = $0 { pattern } else { nil } }.sorted()
    }

    /// The muted patterns, in order.
    fileprivate var mutes: [String] {
        let places = notes.compactMap { note, place -> (pattern: String, place: Int)? in
            guard case .mute(let pattern) = note else { return nil }
            return (pattern, Int(place) ?? 0)
        }
        return places.sorted { ($0.place, $0.pattern) < ($1.place, $1.pattern) }.map(\.pattern)
    }

    /// The times up to which a command marked channels as read since the rows were stored, sorted by channel.
    fileprivate var readMarkers: [(channel: EntityID, at: Timestamp)] {
        let marks = notes.compactMap { note, value -> (channel: EntityID, at: Timestamp)? in
            guard case .readMarker(let channel) = note, let time = Int64(value) else { return nil }
            return (EntityID(channel), Timestamp(milliseconds: time))
        }
        return marks.sorted { $0.channel < $1.channel }
    }
}

// The outbox: the actions stored for sending to the server. Only one process sends them, once the server has identified
// the session's user. Each step is stored before it is performed.
extension TailEngine {
    /// Restores stored actions at each connection, since other programs may have added some meanwhile.
    func takeUpOutbox() {
        guard let persistence, let scope = persistence.scope, persistence.store.takeOutbox() else { return }
        persistence.store.readOutbox(of: scope.account) { [weak self] waiting in
            guard let self, !waiting.isEmpty else { return }
            loop.run { self.assumeIsolated { $0.restore(waiting, of: scope.account) } }
        }
    }

    /// Restores the actions that were stored at the start.
    func recallOutbox(_ remembered: Remembered) {
        guard !remembered.outbox.isEmpty, let persistence, persistence.store.takeOutbox() else { return }
        self.persistence?.outboxOwner = remembered.scope.account
        let entries = self.persistence?.outbox.take(remembered.outbox) ?? []
        if !entries.isEmpty { feed(.restoreOutbox(entries)) }
    }

    private func restore(_ waiting: [(id: String, entry: [UInt8])], of account: StoreAccount) {
        guard persistence?.scope?.account == account else { return }
        let entries = persistence?.outbox.take(waiting) ?? []
        if !entries.isEmpty { feed(.restoreOutbox(entries)) }
    }

    /// Stores the progress of all actions. A writing request is sent only after that is stored. If the process ends in
    /// between, the action is in doubt: the session checks the server before it repeats the action.
    func keepOutbox(thenSend requests: [FetchRequest], _ stamp: Stamp) {
        guard let persistence, let scope = persistence.scope, let writes = self.persistence?.outbox.writes(of: session)
        else {
            for request in requests { send(request, stamp) }
            return
        }
        let now = milliseconds(at: stamp.time)
        persistence.store.commit(writes, of: scope, at: now) { [weak self] error in
            guard let self else { return }
            loop.run {
                self.assumeIsolated { tail in
                    if let error { tail.storeFailed(error) }
                    guard case .running = tail.phase else { return }
                    for request in requests { tail.send(request, tail.journal.unnumbered(at: tail.loop.now)) }
                }
            }
        }
        // After the commit, take up actions that others added after ours meanwhile, without waiting for the next
        // connection.
        if self.persistence?.outbox.isEmpty == true { takeUpOutbox() }
    }
}

/// A copy of an account's outbox in the store, so that only changes are written.
struct OutboxMirror {
    /// The stored entries by action id.
    private var entries: [String: [UInt8]] = [:]
    /// The session's version of the outbox at the last write.
    private var version = 0

    var isEmpty: Bool { entries.isEmpty }

    /// Adds the entries that the store contains. Returns those that were not known.
    mutating func take(_ waiting: [(id: String, entry: [UInt8])]) -> [OutboxEntry] {
        var news: [OutboxEntry] = []
        for (id, text) in waiting where entries[id] == nil {
            guard let value = try? JSONValue(parsing: text[...]), let entry = OutboxEntry(value) else { continue }
            entries[id] = text
            news.append(entry)
        }
        return news
    }

    /// Returns the writes that make the store match the session's actions, limited to those that `isKept` selects.
    /// Returns `nil` if there are none.
    mutating func writes(of session: Session, where isKept: (OutboxEntry) -> Bool = { _ in true }) -> [StoreWrite]? {
        guard version != session.pendingActionsVersion else { return nil }
        version = session.pendingActionsVersion
        var writes: [StoreWrite] = []
        var present: [String: [UInt8]] = [:]
        for entry in session.pendingActions where isKept(entry) {
            let id = entry.action.id.description
            let text = entry.kept(in: session.actionPlace)
            present[id] = text
            if entries[id] != text { writes.append(.enqueue(id: id, entry: text)) }
        }
        for id in entries.keys.sorted() where present[id] == nil { writes.append(.dequeue(id: id)) }
        entries = present
        return writes.isEmpty ? nil : writes
    }
}

extension OutboxEntry {
    /// Returns the entry as it is stored. It includes the place, since the session that reads it may have another
    /// selection.
    func kept(in place: Action.Place?) -> [UInt8] {
        var writer = JSONWriter()
        encode(into: &writer, in: place)
        return writer.bytes
    }
}
