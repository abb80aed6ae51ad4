import Glibc
import WeirLive
import WeirPipeline
import WeirTerminal

/// A named server with its options.
struct Context {
    var name: String
    /// The file with its displayed path and its content.
    var source: Settings.File
    /// The choice that selected the context; `nil` for a context that was named otherwise.
    var choice: ContextChoice?

    /// The server's address, as written.
    var url: String? { source.file.entries.last { $0.key == .url }?.value }
    /// The file and line of `url`, for error messages.
    var urlLabel: String { "\(source.path):\(source.file.entries.last { $0.key == .url }?.line ?? 1): url" }
    /// Whether actions that others would see need `--yes`.
    var isGuarded: Bool { values(of: .guarded).last.flatMap(Arguments.truth) ?? false }
    /// The labels of the context.
    var labels: [String] { values(of: .label) }

    /// The badge in front of lines about the context.
    var badge: String { isGuarded ? "[\(name), guarded]" : "[\(name)]" }

    private func values(of option: Option) -> [String] {
        source.file.entries.filter { $0.key == .option(option) && $0.section == nil }.map(\.value)
    }
}

/// The choice of a context.
struct ContextChoice {
    /// The sources of a choice, the strongest first.
    enum Origin: Equatable {
        case flag
        case variable
        /// The file `.weir-ctx` in the working folder or in a folder above it.
        case directory(String)
        case selected
    }

    var name: String
    var origin: Origin

    /// The name of the source, for errors and `ctx ls`.
    var label: String {
        switch origin {
        case .flag: Option.ctx.flag
        case .variable: Option.ctx.variable
        case .directory(let path): ConfigFolder.shown(path)
        case .selected: "weir ctx use"
        }
    }

    /// The name that selects no context, overriding weaker choices.
    static let none = "none"

    /// Returns the choice that applies; `nil` for no context. `typed` is the value of `--ctx`.
    static func current(_ typed: String?) -> ContextChoice? {
        let choice: ContextChoice? =
            if let typed {
                ContextChoice(name: typed, origin: .flag)
            } else if let name = Environment.value(Option.ctx.variable) {
                ContextChoice(name: name, origin: .variable)
            } else if let (name, path) = directoryFile() {
                ContextChoice(name: name, origin: .directory(path))
            } else if let name = ContextFolder.selected.current {
                ContextChoice(name: name, origin: .selected)
            } else {
                nil
            }
        return choice?.name == none ? nil : choice
    }

    /// Returns the name in the nearest `.weir-ctx`, in the working folder or above it. The file must belong to the user, and only the user
    /// may write it: a shared folder must not decide where messages go.
    private static func directoryFile() -> (name: String, path: String)? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard getcwd(&buffer, buffer.count) != nil else { return nil }
        var folder = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        while true {
            let path = (folder == "/" ? "" : folder) + "/.weir-ctx"
            switch ConfigFolder.read(path, forEyes: .user) {
            case .success(let text?):
                let name = text.prefix { !$0.isNewline }.filter { $0 != " " && $0 != "\t" }
                if !name.isEmpty { return (name, path) }
            case .success(nil): break
            case .failure(let problem): Console.note("warning: \(ConfigFolder.shown(path)) \(problem.message)")
            }
            guard folder != "/", let slash = folder.lastIndex(of: "/") else { return nil }
            folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
        }
    }
}

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

/// A question for the server, on the terminal, if a command names none and this machine knows some.
enum ServerChoice {
    /// A candidate, with the command and words that select it.
    private struct Candidate {
        var name: String
        var meaning: String
        var command: Command
        var words: [String]
    }

    /// Returns the command and its words as if the chosen server had been typed; unchanged if no question applies.
    /// Blocks.
    static func settle(
        _ command: Command, _ words: [String], _ parsed: Arguments
    ) throws(UsageError) -> (command: Command, words: [String]) {
        guard command == .tail || command == .watch, parsed.positionals.isEmpty, !parsed.has(.on),
            !parsed.has(.explainFilter), parsed[.ctx] == nil, ContextChoice.current(nil) == nil, isatty(0) == 1,
            isatty(2) == 1
        else { return (command, words) }
        let candidates = candidates(command)
        guard !candidates.isEmpty else { return (command, words) }
        let chosen = try ask(candidates, parsed)
        return (chosen.command, chosen.words + words)
    }

    private static func candidates(_ command: Command) -> [Candidate] {
        let contexts = ContextFolder.names.map { name in
            let url = (try? ContextFolder.context(name))?.url ?? "no URL"
            return Candidate(name: name, meaning: "context  \(url)", command: command, words: ["--ctx", name])
        }
        let tails = RunningProcess.all.map { tail in
            Candidate(
                name: tail.name, meaning: "running tail", command: command == .tail ? .attach : .watch,
                words: command == .tail ? [tail.name] : ["--on", tail.name])
        }
        return contexts + tails
    }

    private static func ask(_ candidates: [Candidate], _ parsed: Arguments) throws(UsageError) -> Candidate {
        let width = candidates.map(\.name.utf8.count).max() ?? 0
        var text = "Which server?\n"
        for (index, candidate) in candidates.enumerated() {
            text +=
                "  \(index + 1)  " + candidate.name + String(repeating: " ", count: width - candidate.name.utf8.count)
                + "  \(candidate.meaning)\n"
        }
        text += "Number or name (Enter: none): "
        _ = text.withCString { write(2, $0, strlen($0)) }
        let answer = (readLine() ?? "").filter { !$0.isWhitespace }
        if answer.isEmpty { throw parsed.error("URL is missing") }
        if let number = Int(answer), candidates.indices.contains(number - 1) { return candidates[number - 1] }
        guard let named = candidates.first(where: { $0.name == answer }) else {
            throw parsed.error(
                "no context or tail is named \(UsageError.quoted(answer))"
                    + Suggestion.phrase(for: answer, among: candidates.map(\.name)))
        }
        return named
    }
}
