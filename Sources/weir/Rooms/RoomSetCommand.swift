import Glibc
import WeirJSON
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirTerminal

/// The command `weir rooms set`: named sets of patterns, kept in the store.
enum RoomSetCommand {
    /// The verbs of `weir rooms set`.
    enum Action: String, CaseIterable {
        case save, use, ls, show, rm, diff, edit
    }

    static func run(_ options: RoomsOptions) throws(CommandError) -> ExitCode {
        guard let word = options.words.first else { throw usage("the verb is missing") }
        guard let action = Action(rawValue: word) else {
            let words = Action.allCases.map(\.rawValue)
            throw usage(
                "'\(word)' is not one of \(words.joined(separator: ", "))" + Suggestion.phrase(for: word, among: words))
        }
        let store = try RoomStore(options)
        if action == .ls { return list(try store.sets(), asJSON: options.json) }
        guard let given = options.words.dropFirst().first else { throw usage("\(word) needs the name of a set") }
        let name: String
        do throws(RoomPatternError) {
            name = try RoomPattern.setName(given.hasPrefix("@") ? String(given.dropFirst()) : given)
        } catch {
            throw usage(error.sentence)
        }
        let rest = Array(options.words.dropFirst(2))
        switch action {
        case .ls: return .done
        case .save: return try save(name, rest, in: store, options)
        case .use:
            guard rest.isEmpty else { throw usage("use accepts exactly one set") }
            var joining = options
            joining.command = .roomsOnly
            return try use(name, joining)
        case .show: return Console.print(lines(of: try set(name, in: store)))
        case .rm:
            _ = try set(name, in: store)
            try store.save(nil, as: name)
            Console.note("- set @\(name)")
            return .done
        case .diff: return try diff(name, rest, in: store, options)
        case .edit: return try edit(name, in: store)
        }
    }

    private static func usage(_ sentence: String) -> CommandError { CommandError("rooms set: " + sentence, .usage) }

    private static func set(_ name: String, in store: RoomStore) throws(CommandError) -> RoomExpression {
        let sets = try store.sets()
        guard let set = sets[name] else {
            throw CommandError("there is no set @\(name)" + Suggestion.phrase(for: name, among: sets.keys.sorted()))
        }
        return set
    }

    private static func list(_ sets: [String: RoomExpression], asJSON: Bool) -> ExitCode {
        var text = ""
        for (name, set) in sets.sorted(by: { $0.key < $1.key }) {
            text += asJSON ? json(name, set) : "@\(name)  \(TerminalText.escaped(set.description))\n"
        }
        return text.isEmpty ? .done : Console.print(text)
    }

    /// Returns the patterns of a set, one on each line.
    private static func lines(of set: RoomExpression) -> String {
        set.terms.map { ($0.isExcluded ? "-" : "") + TerminalText.escaped($0.pattern.description) + "\n" }.joined()
    }

    private static func save(
        _ name: String, _ words: [String], in store: RoomStore, _ options: RoomsOptions
    ) throws(CommandError) -> ExitCode {
        let expression: RoomExpression
        if words.isEmpty {
            let rows = try RoomsClient(options.name).rows("rooms.list", RoomsClient.Params())
            expression = RoomExpression(rows.map { .init(.exact($0.room)) })
        } else {
            expression = try read(words)
        }
        var sets = try store.sets()
        sets[name] = expression
        // A set that cannot be expanded, because it contains itself or an unknown set, is not stored.
        do throws(RoomPatternError) {
            _ = try RoomExpression([.init(.set(name))]).expanding(sets)
        } catch {
            throw CommandError(error.sentence, .usage)
        }
        try store.save(expression, as: name)
        Console.note(
            "+ set @\(name): \(expression.terms.count == 1 ? "1 pattern" : "\(expression.terms.count) patterns")")
        return .done
    }

    private static func read(_ words: [String]) throws(CommandError) -> RoomExpression {
        do throws(RoomPatternError) { return try RoomExpression(words: words) } catch {
            throw usage(error.sentence)
        }
    }

    private static func use(_ name: String, _ options: RoomsOptions) throws(CommandError) -> ExitCode {
        guard options.store == nil else { throw usage("use needs a running tail") }
        var options = options
        options.words = ["@" + name]
        return try RoomsCommand.wish(options)
    }

    /// Prints the differences between two sets, or between a set and the wanted rooms.
    private static func diff(
        _ name: String, _ words: [String], in store: RoomStore, _ options: RoomsOptions
    ) throws(CommandError) -> ExitCode {
        let mine = try set(name, in: store)
        var text = ""
        if let other = words.first {
            let theirs = try set(other.hasPrefix("@") ? String(other.dropFirst()) : other, in: store)
            for term in mine.terms where !theirs.terms.contains(term) { text += "- " + lines(of: .init([term])) }
            for term in theirs.terms where !mine.terms.contains(term) { text += "+ " + lines(of: .init([term])) }
        } else {
            let client = try RoomsClient(options.name)
            let expanded = try RoomStore.expanding(["@" + name], for: client)
            let wanted = try client.rows("rooms.list", RoomsClient.Params()).filter { $0.want == "yes" }.map(\.room)
            let meant = try client.rows("rooms.list", RoomsClient.Params(rooms: expanded.terms, all: true)).map(\.room)
            for room in meant where !wanted.contains(room) { text += "+ \(TerminalText.escaped(room))\n" }
            for room in wanted where !meant.contains(room) { text += "- \(TerminalText.escaped(room))\n" }
        }
        return text.isEmpty ? .done : Console.print(text)
    }

    private static func json(_ name: String, _ set: RoomExpression) -> String {
        JSONValue.fields(["name": .string(name), "patterns": .string(set.description)]).raw.description + "\n"
    }

    /// Opens the patterns in the user's editor. Invalid patterns leave the set unchanged.
    private static func edit(_ name: String, in store: RoomStore) throws(CommandError) -> ExitCode {
        let before = try store.sets()[name]
        let lines: [String]
        do {
            lines = try Editor.edit(before.map { self.lines(of: $0) } ?? "")
        } catch {
            throw CommandError(error.message)
        }
        let words = lines.filter { !$0.allSatisfy(\.isWhitespace) }
        guard !words.isEmpty else { throw CommandError("no patterns: the set is unchanged") }
        let expression = try read(words)
        if expression == before {
            Console.note("@\(name) is unchanged")
            return .done
        }
        try store.save(expression, as: name)
        Console.note("+ set @\(name)")
        return .done
    }
}

/// The user's editor: `$VISUAL`, otherwise `$EDITOR`, otherwise vi.
enum Editor {
    /// The reason for a failed edit.
    struct Problem: Error {
        var message: String
    }

    /// Lets the user edit a text in a private temporary file. Returns the lines of the result. Blocks.
    static func edit(_ text: String) throws(Problem) -> [String] {
        var path = Array("/tmp/weir-edit-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else {
            throw Problem(message: "cannot create a temporary file: \(String(cString: strerror(errno)))")
        }
        defer {
            close(descriptor)
            unlink(path)
        }
        let bytes = Array(text.utf8)
        guard bytes.isEmpty || Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw Problem(message: "cannot write the temporary file: \(String(cString: strerror(errno)))")
        }
        let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try run(name)
        return try read(name)
    }

    private static func run(_ path: String) throws(Problem) {
        let names: [String] = ["VISUAL", "EDITOR"]
        let command = names.compactMap { name in getenv(name).map { String(cString: $0) } }.first { !$0.isEmpty }
        // The editor may contain arguments, separated by spaces. No shell interprets them.
        let words = (command ?? "vi").split(separator: " ").map(String.init) + [path]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let failure = posix_spawnp(&process, words[0], nil, nil, &arguments, environ)
        guard failure == 0 else {
            throw Problem(message: "\(words[0]) cannot be run: \(String(cString: strerror(failure)))")
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw Problem(message: "cannot wait for \(words[0])") }
        }
        guard status == 0 else { throw Problem(message: "\(words[0]) failed: nothing changed") }
    }

    private static func read(_ path: String) throws(Problem) -> [String] {
        // The editor may have replaced the file.
        do throws(TextFile.Problem) {
            return try TextFile.read(path).split(separator: "\n").map(String.init)
        } catch {
            throw Problem(message: "the edited text: " + error.message)
        }
    }
}
