import Glibc
import Network

/// Where this user's settings are: `$XDG_CONFIG_HOME/weir`, or `~/.config/weir` (XDG Base Directory Specification).
enum ConfigFolder {
    /// The folder; nil for a user without a home.
    static var path: String? {
        // The specification has relative paths passed over.
        if let folder = Environment.value("XDG_CONFIG_HOME"), folder.hasPrefix("/") { return folder + "/weir" }
        guard let home = Environment.value("HOME"), home.hasPrefix("/") else { return nil }
        return home + "/.config/weir"
    }

    /// The config file.
    static var config: String? { path.map { $0 + "/config" } }

    /// A path as people write it.
    static func shown(_ path: String) -> String {
        guard let home = Environment.value("HOME"), home != "/", path.hasPrefix(home + "/") else { return path }
        return "~" + path.dropFirst(home.utf8.count)
    }

    /// The names of what is in a folder, in no order; none when it cannot be read.
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

    /// Who may read a file.
    enum Eyes {
        /// Anybody; it may be root's, too.
        case anybody
        /// Anybody, but it is the user's own.
        case user
        /// The user alone.
        case owner
    }

    /// Why a file is not read.
    struct Problem: Error {
        var message: String
    }

    /// The text of a file that nobody else could have written; nil when there is none. A command in a file that others can write would
    /// be theirs, run as the user.
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
