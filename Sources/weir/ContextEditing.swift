import Glibc
import Live
import Network
import Terminal

/// The commands `weir ctx add` and `weir ctx edit`. They write typed options as lines of a context's file, after
/// checking them.
enum ContextEditing {
    static func add(_ arguments: Arguments) throws(ContextFolder.Problem) -> ExitCode {
        let (name, url) = (arguments.positionals[0], arguments.positionals[1])
        try checkNew(name)
        try check(arguments, url: url)
        try ContextFolder.write((["url = \(url)"] + lines(arguments)).joined(separator: "\n") + "\n", to: name)
        Console.note("context \(name); 'weir ctx use \(name)' selects it")
        return .done
    }

    static func edit(_ arguments: Arguments) throws(ContextFolder.Problem) -> ExitCode {
        let name = arguments.positionals[0]
        let url = arguments.positionals.count > 1 ? arguments.positionals[1] : nil
        let (path, text) = try ContextFolder.text(of: name)
        let new = lines(arguments)
        let unset = try keys(arguments)
        guard url != nil || !new.isEmpty || !unset.isEmpty else { return try editByHand(name, text) }
        try check(arguments, url: url)
        let replaced = Set(Option.of(arguments.command).filter { arguments.has($0) }.map(\.name) + unset)
        var kept = withoutLines(of: url == nil ? replaced : replaced.union(["url"]), in: text)
        let place = kept.firstIndex { $0.drop { $0 == " " }.hasPrefix("[") } ?? kept.endIndex
        kept.insert(contentsOf: (url.map { ["url = \($0)"] } ?? []) + new, at: place)
        let result = kept.joined(separator: "\n") + "\n"
        try checkText(result, path)
        try ContextFolder.write(result, to: name)
        Console.note("context \(name)")
        return .done
    }

    /// Checks that a name is valid and not in use.
    static func checkNew(_ name: String) throws(ContextFolder.Problem) {
        guard ContextFolder.isName(name) else {
            throw ContextFolder.Problem(
                message: "invalid name \(UsageError.quoted(name)); use up to 64 letters, digits, '.', '_' and '-'")
        }
        if ContextFolder.has(name) {
            throw ContextFolder.Problem(message: "the context '\(name)' already exists; change it with 'weir ctx edit'")
        }
    }

    /// Returns the typed options as lines of the file.
    private static func lines(_ arguments: Arguments) -> [String] {
        Option.of(arguments.command).filter { $0.isSetting(in: .context) && arguments.has($0) }.flatMap { option in
            option.placeholder == nil
                ? ["\(option.name) = yes"] : arguments.all(option).map { "\(option.name) = \($0)" }
        }
    }

    /// Returns the names of the options to remove.
    private static func keys(_ arguments: Arguments) throws(ContextFolder.Problem) -> [String] {
        let known = Option.allCases.filter { $0.isSetting(in: .context) }.map(\.name)
        for word in arguments.all(.unset) where !known.contains(word) {
            throw ContextFolder.Problem(
                message: "--unset: unknown option \(UsageError.quoted(word))"
                    + Suggestion.phrase(for: word, among: known))
        }
        return arguments.all(.unset)
    }

    /// Refuses values that every use would refuse: an invalid URL, a secret that is not a reference, an unlisted
    /// choice.
    private static func check(_ arguments: Arguments, url: String?) throws(ContextFolder.Problem) {
        do throws(UsageError) {
            if let url {
                let parts = try arguments.url(url)
                _ = try arguments.access(to: parts)
                _ = try arguments.query(of: parts)
            }
            _ = try arguments.auth()
            for option in [Option.token, .keyPass, .proxyAuth] { _ = try arguments.secret(option, option.name) }
            for option in Option.allCases where arguments.has(option) && !option.choices.isEmpty {
                let value = arguments[option] ?? ""
                guard option.choices.contains(value) else {
                    throw arguments.error("\(option.flag): " + UsageError.unlisted(value, among: option.choices))
                }
            }
        } catch {
            throw ContextFolder.Problem(message: error.message)
        }
        for option in Option.of(arguments.command) {
            if arguments.all(option).contains(where: { $0.contains(where: \.isNewline) || $0.isEmpty }) {
                throw ContextFolder.Problem(message: "\(option.flag): the value is empty or has several lines")
            }
        }
    }

    private static func checkText(_ text: String, _ path: String) throws(ContextFolder.Problem) {
        let file = SettingsFile(text, kind: .context)
        if let problem = file.problems.first {
            throw ContextFolder.Problem(message: "\(path):\(problem.line): \(problem.message)")
        }
    }

    /// Returns the lines of a text without those that set the given options for all commands. Comments and sections
    /// stay.
    private static func withoutLines(of names: Set<String>, in text: String) -> [String] {
        let file = SettingsFile(text, kind: .context)
        let gone = Set(file.entries.filter { $0.section == nil && names.contains($0.key.name) }.map(\.line))
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .filter { !gone.contains($0.offset + 1) }.map { String($0.element) }
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    /// Opens the user's editor on a copy. A valid copy replaces the file; an invalid one is kept for the user.
    private static func editByHand(_ name: String, _ text: String) throws(ContextFolder.Problem) -> ExitCode {
        guard let editor = Environment.value("VISUAL") ?? Environment.value("EDITOR") else {
            throw ContextFolder.Problem(message: "nothing to change: give an option, or set EDITOR")
        }
        guard let path = ContextFolder.path(of: name).map({ $0 + ".edited~" }) else { return .runtimeError }
        if let problem = WholeFile.write(Array(text.utf8), to: path) {
            throw ContextFolder.Problem(message: "\(path) cannot be written: \(problem)", code: .cannotWrite)
        }
        // The editor may contain arguments. The path is passed as a parameter, so that the shell does not interpret it.
        guard Subprocess.run(["/bin/sh", "-c", editor + " \"$1\"", "sh", path]) == 0 else {
            unlink(path)
            throw ContextFolder.Problem(message: "the editor failed; the context is unchanged", code: .runtimeError)
        }
        let edited: String
        switch ConfigFolder.read(path, forEyes: .owner) {
        case .success(let text?): edited = text
        case .success(nil): throw ContextFolder.Problem(message: "\(path) no longer exists", code: .runtimeError)
        case .failure(let problem): throw ContextFolder.Problem(message: "\(path): \(problem.message)")
        }
        try checkText(edited, path)
        try ContextFolder.write(edited, to: name)
        unlink(path)
        Console.note("context \(name)")
        return .done
    }
}

/// Runs another program in this program's terminal.
enum Subprocess {
    /// Runs a program and returns its exit status; `nil` if it could not be started or was killed.
    static func run(_ words: [String]) -> Int32? {
        var argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for pointer in argv { free(pointer) } }
        var process: pid_t = 0
        guard posix_spawn(&process, words[0], nil, nil, &argv, environ) == 0 else { return nil }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return nil } }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
    }
}
