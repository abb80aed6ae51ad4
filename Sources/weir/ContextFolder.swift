import Glibc
import Live
import Pipeline
import Terminal

/// The folder of the contexts, with one file for each, and the selected context. The folder has mode 0700 and the files
/// have mode 0600. Files are written atomically.
enum ContextFolder {
    /// The reason why an operation on contexts fails.
    struct Problem: Error {
        var message: String
        /// The exit code: a usage error, or an error of the disk.
        var code = ExitCode.usage
    }

    /// Returns the path of a context's file; `nil` for a user without a home folder.
    static func path(of name: String) -> String? { folder.map { $0 + "/" + name } }

    private static var folder: String? { ConfigFolder.path.map { $0 + "/contexts" } }

    /// Whether a text can be the name of a context and of its file.
    static func isName(_ text: String) -> Bool {
        text.isPlainName && text.utf8.count <= 64 && !text.hasPrefix(".") && !text.hasPrefix("-")
            && text != ContextChoice.none
    }

    /// The names of the contexts, sorted.
    static var names: [String] {
        folder.map { ConfigFolder.names(in: $0).filter(isName).sorted() } ?? []
    }

    /// Reads and returns the context with a name.
    static func context(_ name: String, choice: ContextChoice? = nil) throws(Problem) -> Context {
        let (path, text) = try text(of: name)
        let file = SettingsFile(text, kind: .context)
        if let problem = file.problems.first { throw Problem(message: "\(path):\(problem.line): \(problem.message)") }
        return Context(name: name, source: Settings.File(path: path, file: file), choice: choice)
    }

    /// Returns the text of a context's file, and its displayed path.
    static func text(of name: String) throws(Problem) -> (path: String, text: String) {
        guard isName(name), let path = path(of: name) else { throw missing(name) }
        let shown = ConfigFolder.shown(path)
        switch ConfigFolder.read(path, forEyes: .owner) {
        case .success(let text?): return (shown, text)
        case .success(nil): throw missing(name)
        case .failure(let problem): throw Problem(message: "\(shown) \(problem.message)")
        }
    }

    private static func missing(_ name: String) -> Problem {
        Problem(
            message: "there is no context \(UsageError.quoted(name))" + Suggestion.phrase(for: name, among: names))
    }

    /// Whether a context with that name exists.
    static func has(_ name: String) -> Bool { path(of: name).map { access($0, F_OK) == 0 } ?? false }

    /// Writes a context's file atomically.
    static func write(_ text: String, to name: String) throws(Problem) {
        guard let path = path(of: name) else { throw noHome }
        try makeFolders()
        if let problem = WholeFile.write(Array(text.utf8), to: path) {
            throw Problem(message: "\(ConfigFolder.shown(path)) cannot be written: \(problem)", code: .cannotWrite)
        }
    }

    /// Removes the file of a context.
    static func remove(_ name: String) throws(Problem) {
        guard let path = path(of: name), has(name) else { throw missing(name) }
        guard unlink(path) == 0 else {
            let reason = String(cString: strerror(errno))
            throw Problem(message: "\(ConfigFolder.shown(path)) cannot be removed: \(reason)", code: .cannotWrite)
        }
    }

    private static let noHome = Problem(
        message: "no folder for contexts: neither HOME nor XDG_CONFIG_HOME is set")

    private static func makeFolders() throws(Problem) {
        guard let config = ConfigFolder.path, let folder else { throw noHome }
        var path = ""
        for part in config.split(separator: "/") {
            path += "/" + part
            mkdir(path, 0o700)
        }
        mkdir(folder, 0o700)
        var facts = stat()
        guard lstat(folder, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else {
            throw Problem(message: "cannot create \(ConfigFolder.shown(folder))", code: .cannotWrite)
        }
        guard facts.st_uid == getuid(), facts.st_mode & 0o022 == 0 else {
            throw Problem(message: "\(ConfigFolder.shown(folder)) belongs to another user, or others can write to it")
        }
    }
}

// The selected context.
extension ContextFolder {
    /// The selected context and the previous one.
    struct Selection {
        var current: String?
        var previous: String?
    }

    /// The selection by `ctx use`. Its file contains a line for each name, empty for none.
    static var selected: Selection {
        guard let path = selectionPath, case .success(let text?) = ConfigFolder.read(path, forEyes: .user) else {
            return Selection()
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let name = { (index: Int) in lines.count > index && isName(lines[index]) ? lines[index] : nil }
        return Selection(current: name(0), previous: name(1))
    }

    /// Selects a context, or none. The selected context becomes the previous one.
    static func select(_ name: String?) throws(Problem) {
        let before = selected
        guard before.current != name else { return }
        try keep(Selection(current: name, previous: before.current ?? before.previous))
    }

    /// Updates the selection after a context was renamed or removed.
    static func rename(_ old: String, to new: String?) throws(Problem) {
        var selection = selected
        if selection.current == old { selection.current = new }
        if selection.previous == old { selection.previous = new }
        try keep(selection)
    }

    private static func keep(_ selection: Selection) throws(Problem) {
        guard let path = selectionPath else { throw noHome }
        try makeFolders()
        let text = (selection.current ?? "") + "\n" + (selection.previous ?? "") + "\n"
        if let problem = WholeFile.write(Array(text.utf8), to: path) {
            throw Problem(message: "\(ConfigFolder.shown(path)) cannot be written: \(problem)", code: .cannotWrite)
        }
    }

    private static var selectionPath: String? { ConfigFolder.path.map { $0 + "/selected" } }
}
