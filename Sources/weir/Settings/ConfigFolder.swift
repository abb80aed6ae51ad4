import Glibc
import WeirNetwork

/// The folder of the user's settings: `$XDG_CONFIG_HOME/weir`, or `~/.config/weir` (XDG Base Directory Specification).
enum ConfigFolder {
    /// The path of the folder; `nil` for a user without a home folder.
    static var path: String? {
        // The specification requires relative paths to be ignored.
        if let folder = Environment.value("XDG_CONFIG_HOME"), folder.hasPrefix("/") { return folder + "/weir" }
        guard let home = Environment.value("HOME"), home.hasPrefix("/") else { return nil }
        return home + "/.config/weir"
    }

    /// The path of the config file.
    static var config: String? { path.map { $0 + "/config" } }

    /// Returns a path with `~` for the home folder.
    static func shown(_ path: String) -> String {
        guard let home = Environment.value("HOME"), home != "/", path.hasPrefix(home + "/") else { return path }
        return "~" + path.dropFirst(home.utf8.count)
    }

    /// Returns the names of a folder's entries, unordered; empty if the folder cannot be read.
    static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
                })
        }
        return names
    }

    /// The permissions that a file may have.
    enum Eyes {
        /// Anybody may read it, and it may belong to root.
        case anybody
        /// Anybody may read it, and it belongs to the user.
        case user
        /// Only the user may read it.
        case owner
    }

    /// The reason why a file is not read.
    struct Problem: Error {
        var message: String
    }

    /// Reads a file that other users cannot write; the text is `nil` if the file does not exist. A command in a file
    /// that others can write would be their command, run as the user.
    static func read(_ path: String, forEyes eyes: Eyes) -> Result<String?, Problem> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return .success(nil) }
            return .failure(Problem(message: "cannot be read: \(String(cString: strerror(errno)))"))
        }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            return .failure(Problem(message: "is not a file"))
        }
        if let problem = problem(facts, eyes) { return .failure(problem) }
        do throws(TextFile.Problem) {
            return .success(try TextFile.read(descriptor))
        } catch {
            return .failure(Problem(message: "is not used: \(error.message)"))
        }
    }

    private static func problem(_ facts: stat, _ eyes: Eyes) -> Problem? {
        guard facts.st_uid == getuid() || (eyes == .anybody && facts.st_uid == 0) else {
            return Problem(message: "belongs to another user and is not read")
        }
        let refused: mode_t = eyes == .owner ? 0o077 : 0o022
        guard facts.st_mode & refused == 0 else {
            let what = eyes == .owner ? "read or write it" : "write it"
            return Problem(
                message: "is not read: others can \(what); chmod \(eyes == .owner ? "600" : "go-w") it first")
        }
        return nil
    }
}

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
