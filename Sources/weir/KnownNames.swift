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

    /// The payloads' members of the events that are known, as filters ask for them.
    var payloadFields: [String] {
        Set(KnownBackend.allCases.flatMap(\.kinds).flatMap(\.fields).map(\.path)).sorted()
    }

    /// The sets of rooms of the account that was used last.
    var roomSets: [String] {
        guard let path = storePath else { return [] }
        return (try? RoomStore(path: path).sets().keys.sorted()) ?? []
    }

    /// The names by which texts address the people that are remembered.
    var people: [String] { Set(items.compactMap(\.entity.value.handle)).sorted() }

    /// The rooms the account tailed last is in.
    var rooms: [String] { remembered?.rooms.map(\.name).sorted() ?? [] }

    /// Its channels, groups and directs, by name.
    var channels: [String] {
        Set(items.filter { !$0.isFormerChannel }.compactMap(\.channelName)).sorted().map { "#" + $0 }
    }

    private var items: [Item] {
        (remembered?.memories ?? []).flatMap { memory in
            memory.rows.split(separator: UInt8(ascii: "\n")).compactMap { Item(decoding: $0) }
        }
    }

    /// The store that is used, if it is there.
    private var storePath: String? {
        let path = Environment.value(Option.store.variable) ?? StateFolder.storePath
        return path.flatMap { $0 != "none" && access($0, R_OK) == 0 ? $0 : nil }
    }

    /// What the store remembers of the account that was used last; nothing is made where there is no store.
    private var remembered: Remembered? {
        guard let path = storePath else { return nil }
        let found = try? RoomStore(path: path).use { store, account in
            try RoomStore.remembered(in: store, of: account)
        }
        return found ?? nil
    }
}
