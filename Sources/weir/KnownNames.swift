import Events
import Glibc
import Live
import Network
import Pipeline
import Recording
import Store

/// The names that completions offer, read from files of this machine on demand.
struct KnownNames {
    /// The kinds of a recording's records.
    static let recordKinds = [
        "head", "conn", "f", "http", "sub", "gap", "token", "act", "mem", "mark", "st", "clock", "note", "sync", "idx",
        "end",
    ]

    /// The kinds of events, as printed and as used in filters.
    static let eventKinds =
        Set(KnownBackend.allCases.flatMap { $0.kinds.map(\.kind) }).sorted() + ["event"]

    /// Returns the names of the events that can be explained for the given backends.
    static func explainedEvents(of backends: [KnownBackend]) -> [String] {
        var known: Set<String> = []
        return (backends.flatMap { $0.kinds.map(\.kind) }.sorted() + backends.flatMap(\.names))
            .filter { known.insert($0).inserted }
    }

    /// Returns the events of the typed profile, otherwise of the profile in the settings, otherwise of all known
    /// backends.
    func explainedEvents(_ profile: String?) -> [String] {
        guard let path = Self.path(profile, for: .explain) else {
            return Self.explainedEvents(of: KnownBackend.allCases)
        }
        guard let profile = Self.profile(at: path), let backend = KnownBackend(.declared(profile)) else { return [] }
        return Self.explainedEvents(of: [backend])
    }

    /// Returns the actions of the typed profile, or of the profile in the settings.
    func actions(_ profile: String?) -> [Profile.Procedure] {
        Self.path(profile, for: .perform).flatMap { Self.profile(at: $0) }?.procedures ?? []
    }

    private static func path(_ typed: String?, for command: Command) -> String? {
        typed ?? (try? Settings.read(for: Arguments(for: command)))?.find(.profile, for: command)?.values.last
    }

    private static func profile(at path: String) -> Profile? {
        (try? TextFile.bytes(path, limit: TextFile.limit)).flatMap { try? Profile(parsing: $0) }
    }

    var contexts: [String] { ContextFolder.names }

    /// Whether a context applies, which may provide the URL.
    var hasContext: Bool { ContextChoice.current(nil) != nil }

    /// The URLs of the contexts.
    var urls: [String] {
        contexts.compactMap { name in
            guard let context = try? ContextFolder.context(name) else { return nil }
            return context.url
        }
    }

    var tails: [String] { ControlSocket.names }

    var variables: [String] { Environment.names(startingWith: "") }

    /// Returns the marks stored next to the recordings.
    func marks(of paths: [String]) -> [String] {
        paths.flatMap { path in ((try? MarkFile(beside: path).marks()) ?? []).map(\.label) }
    }

    /// The members of known events' payloads, in the notation of filters.
    var payloadFields: [String] {
        Set(KnownBackend.allCases.flatMap(\.kinds).flatMap(\.fields).map(\.path)).sorted()
    }

    /// The room sets of the last used account.
    var roomSets: [String] {
        guard let path = storePath else { return [] }
        return (try? RoomStore(path: path).sets().keys.sorted()) ?? []
    }

    /// The names by which messages address the remembered people.
    var people: [String] { Set(items.compactMap(\.entity.value.handle)).sorted() }

    /// The rooms of the account that was tailed last.
    var rooms: [String] { remembered?.rooms.map(\.name).sorted() ?? [] }

    /// The names of its channels, groups and direct conversations.
    var channels: [String] {
        Set(items.filter { !$0.isFormerChannel }.compactMap(\.channelName)).sorted().map { "#" + $0 }
    }

    private var items: [Item] {
        (remembered?.memories ?? []).flatMap { memory in
            memory.rows.split(separator: UInt8(ascii: "\n")).compactMap { Item(decoding: $0) }
        }
    }

    /// The path of the store, if it exists.
    private var storePath: String? {
        let path = Environment.value(Option.store.variable) ?? StateFolder.storePath
        return path.flatMap { $0 != "none" && access($0, R_OK) == 0 ? $0 : nil }
    }

    /// The stored rows of the last used account. No store is created.
    private var remembered: Remembered? {
        guard let path = storePath else { return nil }
        let found = try? RoomStore(path: path).use { store, account in
            try RoomStore.remembered(in: store, of: account)
        }
        return found ?? nil
    }
}
