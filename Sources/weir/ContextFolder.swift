import Glibc
import Live
import Pipeline
import Terminal

/// The folder of the contexts, one file each, and which of them is selected. The folder is 0700, the files 0600; a file is there whole or
/// not at all.
enum ContextFolder {
    /// Why something cannot be done.
    struct Problem: Error {
        var message: String
        /// Whether it is the user's to mend, or the disk's.
        var code = ExitCode.usage
    }

    /// The path of a context's file; nil for a user without a home.
    static func path(of name: String) -> String? { folder.map { $0 + "/" + name } }

    private static var folder: String? { ConfigFolder.path.map { $0 + "/contexts" } }

    /// Whether it can be a context's name: it is a file's, too.
    static func isName(_ text: String) -> Bool {
        text.isPlainName && text.utf8.count <= 64 && !text.hasPrefix(".") && !text.hasPrefix("-")
            && text != ContextChoice.none
    }

    /// The names of the contexts, in order.
    static var names: [String] {
        folder.map { ConfigFolder.names(in: $0).filter(isName).sorted() } ?? []
    }

    /// The context of a name.
    static func context(_ name: String, choice: ContextChoice? = nil) throws(Problem) -> Context {
        let (path, text) = try text(of: name)
        let file = SettingsFile(text, kind: .context)
        if let problem = file.problems.first { throw Problem(message: "\(path):\(problem.line): \(problem.message)") }
        return Context(name: name, source: Settings.File(path: path, file: file), choice: choice)
    }

    /// The text of a context's file, and its path as shown.
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

    /// Whether there is a context of that name.
    static func has(_ name: String) -> Bool { path(of: name).map { access($0, F_OK) == 0 } ?? false }

    /// Writes a context's file, whole or not at all.
    static func write(_ text: String, to name: String) throws(Problem) {
        guard let path = path(of: name) else { throw noHome }
        try makeFolders()
        if let problem = WholeFile.write(Array(text.utf8), to: path) {
            throw Problem(message: "\(ConfigFolder.shown(path)) cannot be written: \(problem)", code: .cannotWrite)
        }
    }

    /// Removes a context's file.
    static func remove(_ name: String) throws(Problem) {
        guard let path = path(of: name), has(name) else { throw missing(name) }
        guard unlink(path) == 0 else {
            let reason = String(cString: strerror(errno))
            throw Problem(message: "\(ConfigFolder.shown(path)) cannot be removed: \(reason)", code: .cannotWrite)
        }
    }

    private static let noHome = Problem(
        message: "there is no home, and so no place for contexts: set HOME or XDG_CONFIG_HOME")

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
            throw Problem(message: "\(ConfigFolder.shown(folder)) cannot be made", code: .cannotWrite)
        }
        guard facts.st_uid == getuid(), facts.st_mode & 0o022 == 0 else {
            throw Problem(message: "\(ConfigFolder.shown(folder)) belongs to others, or they can write in it")
        }
    }
}

// Which one is selected.
extension ContextFolder {
    /// The selected context and the one before it.
    struct Selection {
        var current: String?
        var previous: String?
    }

    /// What `ctx use` selected, as it stands in its file: a line each, empty for none.
    static var selected: Selection {
        guard let path = selectionPath, case .success(let text?) = ConfigFolder.read(path, forEyes: .user) else {
            return Selection()
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let name = { (index: Int) in lines.count > index && isName(lines[index]) ? lines[index] : nil }
        return Selection(current: name(0), previous: name(1))
    }

    /// Selects a context, or none; the one that was selected becomes the previous one.
    static func select(_ name: String?) throws(Problem) {
        let before = selected
        guard before.current != name else { return }
        try keep(Selection(current: name, previous: before.current ?? before.previous))
    }

    /// Lets the selection follow a context that is called something else now, or is gone.
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
