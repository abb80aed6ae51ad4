import Glibc

/// The folder of the user's state: `$XDG_STATE_HOME/weir`, or `~/.local/state/weir` (XDG Base Directory Specification).
enum StateFolder {
    /// The path of the store; `nil` for a user without a home folder.
    static var storePath: String? {
        // The specification requires relative paths to be ignored.
        if let state = getenv("XDG_STATE_HOME").map({ String(cString: $0) }), state.hasPrefix("/") {
            return state + "/weir/store.sqlite"
        }
        guard let home = getenv("HOME").map({ String(cString: $0) }), home.hasPrefix("/") else { return nil }
        return home + "/.local/state/weir/store.sqlite"
    }

    /// The folder that keeps recordings while a cluster is unreachable: the folder of the store, or the temporary one.
    static var spoolPath: String {
        guard let store = storePath, let slash = store.lastIndex(of: "/") else { return "/tmp" }
        let folder = String(store[..<slash])
        // The store normally creates its folders. Without a store, create its folder and the folder above.
        _ = mkdir(String(folder.prefix(upTo: folder.lastIndex(of: "/") ?? folder.endIndex)), 0o700)
        _ = mkdir(folder, 0o700)
        return folder
    }
}
