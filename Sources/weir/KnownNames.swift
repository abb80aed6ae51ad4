import Events
import Glibc
import Live
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

    /// The kinds that can be explained, and what the messages of a backend's own server tell.
    static let explainedEvents =
        eventKinds.filter { $0 != "event" }
        + KnownBackend.allCases.flatMap { $0.guide.names?() ?? [] }
        .flatMap { $0.wireNames.flatMap { $0.split(separator: " ").map(String.init) } }
        .filter { $0.contains(".") && !$0.hasSuffix(",") }

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
