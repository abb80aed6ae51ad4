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
}
