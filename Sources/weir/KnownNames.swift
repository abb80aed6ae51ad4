import Events
import Glibc
import Live
import Network
import Pipeline
import Recording
import Store

/// The names that completions offer: of this machine's files, read when they are asked for.
struct KnownNames {
    /// The kinds of a recording's records.
    static let recordKinds = [
        "head", "conn", "f", "http", "sub", "gap", "token", "act", "mem", "mark", "st", "clock", "note", "sync", "idx",
        "end",
    ]

    /// The kinds of events, as printed and filtered on.
    static let eventKinds =
        Set(KnownBackend.allCases.flatMap { $0.kinds.map(\.kind) }).sorted() + ["event"]

    /// The names of events that can be explained, of these backends.
    static func explainedEvents(of backends: [KnownBackend]) -> [String] {
        var known: Set<String> = []
        return (backends.flatMap { $0.kinds.map(\.kind) }.sorted() + backends.flatMap(\.names))
            .filter { known.insert($0).inserted }
    }

    /// The same of the profile that is typed, else of the settings', else of the backends that are known.
    func explainedEvents(_ profile: String?) -> [String] {
        guard let path = Self.path(profile, for: .explain) else {
            return Self.explainedEvents(of: KnownBackend.allCases)
        }
        guard let profile = Self.profile(at: path), let backend = KnownBackend(.declared(profile)) else { return [] }
        return Self.explainedEvents(of: [backend])
    }

    /// The actions of the profile that is typed, else of the settings'.
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

    /// Whether a context says where the server is.
    var hasContext: Bool { ContextChoice.current(nil) != nil }

    /// The addresses of the contexts.
    var urls: [String] {
        contexts.compactMap { name in
            guard let context = try? ContextFolder.context(name) else { return nil }
            return context.url
        }
    }

    var tails: [String] { ControlSocket.names }

    var variables: [String] { Environment.names(startingWith: "") }

    /// The marks kept beside the recordings.
    func marks(of paths: [String]) -> [String] {
        paths.flatMap { path in ((try? MarkFile(beside: path).marks()) ?? []).map(\.label) }
    }

    /// The rooms the account tailed last is in.
    var rooms: [String] { remembered?.rooms.map(\.name).sorted() ?? [] }

    /// Its channels, groups and directs, by name.
    var channels: [String] {
        guard let remembered else { return [] }
        var names: Set<String> = []
        for memory in remembered.memories {
            for row in memory.rows.split(separator: UInt8(ascii: "\n")) {
                guard let item = Item(decoding: row), let name = item.channelName, !item.isFormerChannel else {
                    continue
                }
                names.insert("#" + name)
            }
        }
        return names.sorted()
    }

    /// What the store remembers of the account that was used last; nothing is made where there is no store.
    private var remembered: Remembered? {
        let path = Environment.value(Option.store.variable) ?? StateFolder.storePath
        guard let path, path != "none", access(path, R_OK) == 0 else { return nil }
        let found = try? RoomStore(path: path).use { store, account in
            try RoomStore.remembered(in: store, of: account)
        }
        return found ?? nil
    }
}
