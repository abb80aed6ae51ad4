import Events
import JSONText
public import Network
public import Pipeline
import Recording
import SectionedModel
public import Store
import Wire

/// What a tail keeps in its store, and what it has not handed over yet.
struct Keeper {
    /// How long after something could not be kept the whole model is kept anew, in microseconds of the session.
    static let pause: Duration = .seconds(30)

    let store: Store
    /// What a scope of this tail is called.
    let server: String
    let view: String
    /// Whose model it is; nil until the server has said so, and again after a logout.
    var scope: StoreScope?
    /// What was read at the start; shown once the server has said who the user is. Nil when that is over.
    var held: Remembered?
    /// Handed over once per input.
    var pending: [StoreWrite] = []
    /// Bytes of the inputs that these came of.
    var pendingBytes = 0
    /// The outbox as it is in the store.
    var outbox = OutboxMirror()
    /// Whose that is, once there is one.
    var outboxOwner: StoreAccount?
    /// When something could not be kept: what is in the store is behind the model since.
    var brokenSince: Moment?
}

extension Keeper {
    /// Restores the selection of the account that was used last, unless the session names a company or rooms. Waits.
    func look(into session: inout Configuration) {
        guard session.company == nil, session.rooms.isEmpty,
            let account = try? store.accounts().first(where: { $0.server == server }),
            let selection = (try? store.notes(of: account))?[.globals]
        else { return }
        session.globals = Globals(kept: selection)
    }
}

extension Tail {
    /// Who may be behind.
    enum Consumer: Hashable {
        case outlets, store
    }

    /// Opens the store, unless none is wanted. One that was not asked for by name is done without when it cannot be opened; why, is told
    /// when the tail runs.
    static func openStore(
        _ configuration: TailConfiguration, at now: Int64
    ) throws(StoreError) -> (keeper: Keeper?, notices: [Notice]) {
        guard let path = configuration.storePath else { return (nil, []) }
        do {
            let store = try Store(opening: path, now: now)
            let keeper = Keeper(
                store: store, server: StoreAccount.name(of: configuration.server), view: configuration.session.view)
            return (keeper, store.opening.notice(path).map { [$0] } ?? [])
        } catch {
            if configuration.requiresStore { throw error }
            return (nil, [Notice(.warning, "nothing is remembered: \(error)")])
        }
    }

    /// Reads what is remembered. Not on the loop: it may wait for the disk.
    nonisolated func readStore(_ store: Store, server: String, view: String) async -> Result<Remembered?, StoreError> {
        await withCheckedContinuation { continuation in
            runOnThread(named: "weir-recall") {
                continuation.resume(
                    returning: Result { () throws(StoreError) in try store.remembered(of: server, view: view) })
            }
        }
    }

    /// Takes in what is remembered. Nothing of it is shown before the server has said that it is this user's: the token may be another
    /// one's, or none.
    func recall(_ read: Result<Remembered?, StoreError>) {
        for notice in storeNotices { tellNotice(notice) }
        switch read {
        case .success(let remembered?): keeper?.held = remembered
        case .success(nil): tellGlobals()
        case .failure(let error):
            tellNotice(Notice(.warning, "nothing is remembered: \(error)"))
            tellGlobals()
        }
    }

    /// The server has said who the user is: fills the model with what is remembered of that user, and wants the rooms that were joined by
    /// hand again.
    func showRemembered() {
        guard let remembered = keeper?.held, let user = session.user else { return }
        keeper?.held = nil
        defer { tellGlobals() }
        guard remembered.scope.account.user == user else {
            feed(.select(""))
            return tellNotice(Notice(.info, "what is remembered is another user's"))
        }
        let rows = remembered.rows == 1 ? "1 row" : "\(remembered.rows) rows"
        tellNotice(Notice(.info, "\(rows) remembered of user \(user)"))
        for memory in remembered.memories { feed(.remembered(memory.read(upTo: remembered.readMarkers))) }
        // The server says from now on what is read.
        for marker in remembered.readMarkers { keep(.note(.readMarker(channel: marker.channel.description), nil)) }
        recallOutbox(remembered)
        for room in remembered.rooms where room.source == RoomSource.ctl.rawValue {
            feed(.want(rooms: [RoomPattern.exact(room.name).description], source: .ctl))
        }
        for pattern in remembered.pins { feed(.want(rooms: [pattern], source: .pin)) }
        recallMutes(remembered.mutes)
    }

    /// Sets out who is told what by the store.
    func listenToStore() {
        keeper?.store.tell { [self] in
            loop.run { self.assumeIsolated { $0.resumeReading(for: .store) } }
        } onTrouble: { [self] error in
            loop.run { self.assumeIsolated { $0.storeFailed(error) } }
        }
    }

    func storeFailed(_ error: StoreError) {
        guard keeper != nil else { return }
        if case .loggedOut = error {
            guard keeper?.scope != nil else { return }
            keeper?.scope = nil
            tellNotice(Notice(.warning, "\(error)"))
        } else {
            // Said once for each time it goes wrong.
            if keeper?.brokenSince == nil { tellNotice(Notice(.warning, "not remembered: \(error)")) }
            keeper?.brokenSince = loop.now
        }
        handOver()
    }

    // MARK: What is kept

    /// Keeps something, once it is known whose it is.
    func keep(_ write: @autoclosure () -> StoreWrite) {
        if keeper?.scope != nil { keeper?.pending.append(write()) }
    }

    /// Keeps what changed in the model.
    func keep(_ diff: DiffReport) { keep(.batch(diff.batch)) }

    /// Keeps which rooms are wanted.
    func keep(_ room: RoomReport) {
        switch room.change {
        case .wanted: keep(.room(name: room.room, source: room.source))
        case .leaving: keep(.roomLeft(name: room.room))
        case .joining, .joined, .refused, .left, .lost, .found: break
        }
    }

    /// Keeps what the session found out.
    func remember(_ fact: Fact, at now: Moment) {
        if case .globals = fact { configuration.view?.note(selection: globalsValue) }
        guard keeper != nil else { return }
        switch fact {
        case .account(let user): beginKeeping(StoreAccount(server: keeper?.server ?? "", user: user))
        case .globals(let globals):
            keep(.note(.globals, globals.kept))
        case .checkpoint(let resource): keep(.checkpoint(resource: resource, at: milliseconds(at: now)))
        }
    }

    /// From here on everything is that account's; what there is already is kept whole.
    private func beginKeeping(_ account: StoreAccount) {
        guard let keeper else { return }
        if let owner = keeper.outboxOwner, owner != account { self.keeper?.outbox = OutboxMirror() }
        self.keeper?.outboxOwner = account
        self.keeper?.scope = StoreScope(account, view: keeper.view)
        self.keeper?.pending = [.model(session.model.snapshot)]
        keepMutes()
        for room in session.roomBook.entries { keep(.room(name: room.name, source: room.source.rawValue)) }
        takeUpOutbox()
    }

    /// The wall clock at a time of the session, in milliseconds since 1970.
    func milliseconds(at now: Moment) -> Int64 { (journal.wallStart + now.microseconds) / 1000 }

    /// Hands over what is to be kept. After something could not be kept nothing is for a while, and then the whole model.
    func handOverToStore() {
        guard let keeper else { return }
        self.keeper?.pendingBytes = 0
        guard let scope = keeper.scope, !keeper.pending.isEmpty else { return }
        let now = loop.now
        var writes = keeper.pending
        self.keeper?.pending.removeAll(keepingCapacity: true)
        if let since = keeper.brokenSince {
            guard now - since > Keeper.pause else { return }
            self.keeper?.brokenSince = nil
            writes = [.model(session.model.snapshot)]
        }
        if keeper.store.keep(writes, of: scope, at: milliseconds(at: now), bytes: keeper.pendingBytes) {
            pauseReading(for: .store, "the store does not keep up")
        }
    }
}

extension Store.Opening {
    /// What the user is told about it.
    fileprivate func notice(_ path: String) -> Notice? {
        switch self {
        case .created, .found: nil
        case .rebuilt(let aside, let why):
            Notice(
                .warning,
                "\(path) was damaged (\(why)) and is now \(aside); everything is fetched from the server again")
        }
    }
}

extension Globals {
    /// Reads a selection of a store.
    init(kept text: String) { self.init(selection: RawJSON(unchecked: Array(text.utf8)[...])) }

    /// The selection as a store has it.
    var kept: String {
        var json = JSONWriter()
        encodeSelection(into: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension StoreAccount {
    /// What a store calls the server at an address.
    public static func name(of server: URLParts) -> String {
        URLParts(scheme: server.isSecure ? "https" : "http", host: server.host, port: server.port).description
    }
}

extension Configuration.BackendKind {
    /// What a store calls the memory of sessions of this backend that were told no more than where the server is.
    public var usualView: String { Configuration(backend: self).view }
}

extension Configuration {
    /// Names what the session was asked to show: sessions that were asked for the same share a memory.
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
    /// What is pinned, in order.
    fileprivate var pins: [String] {
        notes.keys.compactMap { if case .pin(let pattern) = $0 { pattern } else { nil } }.sorted()
    }

    /// What is muted, in order.
    fileprivate var mutes: [String] {
        let places = notes.compactMap { note, place -> (pattern: String, place: Int)? in
            guard case .mute(let pattern) = note else { return nil }
            return (pattern, Int(place) ?? 0)
        }
        return places.sorted { ($0.place, $0.pattern) < ($1.place, $1.pattern) }.map(\.pattern)
    }

    /// Up to when channels were read by a command since the rows were kept, ordered by channel.
    fileprivate var readMarkers: [(channel: EntityID, at: Timestamp)] {
        let marks = notes.compactMap { note, value -> (channel: EntityID, at: Timestamp)? in
            guard case .readMarker(let channel) = note, let time = Int64(value) else { return nil }
            return (EntityID(channel), Timestamp(milliseconds: time))
        }
        return marks.sorted { $0.channel < $1.channel }
    }
}
