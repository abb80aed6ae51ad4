import Glibc

/// Where this user's state is kept: `$XDG_STATE_HOME/weir`, or `~/.local/state/weir` (XDG Base Directory Specification).
enum StateFolder {
    /// The path of the store; nil for a user without a home.
    static var storePath: String? {
        // The specification has relative paths passed over.
        if let state = getenv("XDG_STATE_HOME").map({ String(cString: $0) }), state.hasPrefix("/") {
            return state + "/weir/store.sqlite"
        }
        guard let home = getenv("HOME").map({ String(cString: $0) }), home.hasPrefix("/") else { return nil }
        return home + "/.local/state/weir/store.sqlite"
    }

    /// The folder where recordings wait for a cluster that is away: that of the store, or the temporary one.
    static var spoolPath: String {
        guard let store = storePath, let slash = store.lastIndex(of: "/") else { return "/tmp" }
        let folder = String(store[..<slash])
        // Its own are made with the store: here, where there is none, its folder is enough.
        _ = mkdir(String(folder.prefix(upTo: folder.lastIndex(of: "/") ?? folder.endIndex)), 0o700)
        _ = mkdir(folder, 0o700)
        return folder
    }
}
