import WeirJSON
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirStore
import WeirTerminal
import WeirWire

/// The options of `weir rooms`.
struct RoomsOptions {
    /// The verb, as a command.
    var command: Command
    /// The words after the verb, with pattern files replaced by their patterns.
    var words: [String]
    /// The name of the tail; `nil` if only one runs.
    var name: String?
    /// The group whose rooms are listed; `nil` for the rooms of a tail.
    var group: SharingGroup.Asked?
    /// The store to read instead of asking a running tail.
    var store: String?
    /// How long the change lasts; `nil` for no limit.
    var lasting: Duration?
    /// The name of the set to store the patterns in.
    var save: String?
    var json: Bool
    var all: Bool
    /// The time of the oldest message to print, in milliseconds since 1970.
    var since: Int64?
    /// Whether to fetch the page before the oldest known message.
    var older: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        command = arguments.command
        words = try arguments.patternWords(arguments.positionals)
        group = command == .roomsLs ? try SharingGroup.named(arguments).map { SharingGroup.Asked($0, arguments) } : nil
        name = group == nil ? try arguments.name(.on) : nil
        store = arguments[.store] == "none" ? nil : arguments[.store]
        if store != nil, name != nil || group != nil { throw arguments.error("--store and --on exclude each other") }
        lasting = try arguments.duration(.span)
        json = arguments.has(.json)
        all = arguments.has(.all)
        save = arguments[.save]
        older = arguments.has(.older)
        since = try arguments.duration(.since).map { WallTime.milliseconds - $0.microseconds / 1000 }
        if let save {
            do { _ = try RoomPattern.setName(save) } catch { throw arguments.error("--save: " + error.message) }
        }
        let storeVerbs: [Command] = [.roomsLs, .roomsJoin, .roomsLeave, .roomsSet]
        if store != nil, !storeVerbs.contains(command) {
            throw arguments.error("\(command.verb) needs a running tail")
        }
        // Report invalid patterns before contacting a tail.
        if command != .roomsSet { _ = try arguments.expression(of: words) }
    }
}

extension Arguments {
    /// Parses typed patterns. The names of sets are not expanded.
    func expression(of words: [String]) throws(UsageError) -> RoomExpression {
        do throws(RoomPatternError) {
            return try RoomExpression(words: words)
        } catch {
            throw self.error(error.sentence)
        }
    }

    /// Replaces the names of pattern files by their lines: `@-`, and `@` with a path that contains a slash.
    func patternWords(_ words: [String]) throws(UsageError) -> [String] {
        var result: [String] = []
        for word in words {
            guard word == "@-" || (word.hasPrefix("@") && word.contains("/")) else {
                result.append(word)
                continue
            }
            let text: String
            if word == "@-" {
                switch StandardInput.text() {
                case .success(let read): text = read
                case .failure(let problem): throw error("@-: " + problem.message)
                }
            } else {
                do throws(TextFile.Problem) {
                    text = try TextFile.read(String(word.dropFirst()))
                } catch {
                    throw self.error("\(UsageError.quoted(word)): \(error.message)")
                }
            }
            let lines = text.split(whereSeparator: \.isNewline).map(String.init).filter {
                !$0.allSatisfy(\.isWhitespace)
            }
            if lines.isEmpty { throw error("\(UsageError.quoted(word)) contains no pattern") }
            // The lines form one operand, so that a minus sign excludes all of them.
            result.append(lines.count == 1 ? lines[0] : "(" + lines.map { "(\($0))" }.joined(separator: " + ") + ")")
        }
        return result
    }
}

extension RoomPatternError {
    /// The message with a suggestion for the unknown word, if any.
    var sentence: String {
        message + (unknown.map { Suggestion.phrase(for: $0.word, among: $0.candidates) } ?? "")
    }
}

/// The commands `weir rooms VERB`.
enum RoomsCommand {
    static func run(_ options: RoomsOptions) async -> ExitCode {
        do {
            if options.command == .roomsSet { return try RoomSetCommand.run(options) }
            if let group = options.group { return try SharingGroup.list(group, options) }
            if let store = options.store { return try RememberedRooms.run(options, store: store) }
            return try wish(options)
        } catch {
            return Console.fail(error)
        }
    }

    /// Sends the request to a running tail.
    static func wish(_ options: RoomsOptions) throws(CommandError) -> ExitCode {
        let client = try RoomsClient(options.name)
        if options.command == .roomsSelect { return try select(options, client) }
        let rooms = try RoomStore.expanding(options.words, for: client)
        if let set = options.save { try RoomStore(of: client).save(rooms.typed, as: set) }
        return try run(options, client, rooms)
    }

    private static func run(
        _ options: RoomsOptions, _ client: RoomsClient, _ rooms: RoomStore.Expanded
    ) throws(CommandError) -> ExitCode {
        var params = RoomsClient.Params(rooms: rooms.terms, all: options.all, lasting: options.lasting)
        (params.since, params.older) = (options.since, options.older)
        switch options.command {
        case .roomsLs:
            if params.rooms?.isEmpty == true { params.rooms = nil }
            return RoomTable.print(try client.rows("rooms.list", params), asJSON: options.json)
        case .roomsResolve: return try resolve(client, params, asJSON: options.json)
        case .roomsMute, .roomsUnmute, .roomsUnpin:
            let rows = try client.rows("rooms.\(options.command.verb)", params)
            return report(rows, nothing: rooms, client, wants: nil, options)
        case .roomsWho, .roomsHistory:
            params.wait = RoomsClient.patience
            return try RoomTable.printItems(try client.ask("rooms.\(options.command.verb)", params), options)
        case .roomsReset:
            params.rooms = nil
            params.wait = RoomsClient.patience
            return report(try client.rows("rooms.reset", params), nothing: nil, client, wants: true, options)
        default:
            params.wait = RoomsClient.patience
            let wants = options.command != .roomsLeave
            let rows = try client.rows("rooms.\(options.command.verb)", params)
            return report(rows, nothing: rooms, client, wants: wants, options)
        }
    }

    /// Changes the selection and prints the new one.
    private static func select(_ options: RoomsOptions, _ client: RoomsClient) throws(CommandError) -> ExitCode {
        let globals = try client.ask("rooms.select", RoomsClient.Params(rooms: options.words))
        if options.json { return Console.print(globals.raw.description + "\n") }
        return Console.print(TerminalText.escaped(Globals.selection(in: globals)) + "\n")
    }

    private static func resolve(
        _ client: RoomsClient, _ params: RoomsClient.Params, asJSON: Bool
    ) throws(CommandError) -> ExitCode {
        let answer = try client.ask("rooms.resolve", params)
        guard let resolution = RoomResolution(answer) else { throw CommandError("the tail's answer cannot be read") }
        if asJSON {
            let code = Console.print(answer.raw.description + "\n")
            return code == .done && !resolution.unmatched.isEmpty ? .runtimeError : code
        }
        let code = RoomTable.print(resolution)
        tell(resolution.unmatched)
        return resolution.unmatched.isEmpty ? code : .runtimeError
    }

    private static func tell(_ unmatched: [RoomResolution.Unmatched]) {
        for one in unmatched {
            let near = one.suggestion.map { "; did you mean '\($0)'?" } ?? ""
            Console.note("no room matches \(one.pattern)\(near)")
        }
    }

    /// Prints the outcome for each room, and returns the most severe exit code.
    private static func report(
        _ rows: [RoomRow], nothing wished: RoomStore.Expanded?, _ client: RoomsClient, wants: Bool?,
        _ options: RoomsOptions
    ) -> ExitCode {
        if options.json { _ = RoomTable.print(rows, asJSON: true) }
        var code = ExitCode.done
        for row in rows {
            let title = row.title.map { "  (\($0))" } ?? ""
            switch row.state {
            case "refused":
                if wants == true { code = .refused }
                Console.note("! room \(row.room) refused: \(row.why ?? "")")
            case "wanted", "joining", "leaving", "lost":
                if wants == nil { continue }
                if code == .done { code = .timeout }
                Console.note("no answer from the server for \(row.room)")
            default:
                if options.json { continue }
                let verb = options.command.verb
                let done = verb.hasSuffix("e") ? verb + "d " : verb + "ned "
                let sign = wants.map { $0 && row.want == "yes" ? "+ room " : "- room " } ?? done
                Console.note(sign + row.room + title)
            }
        }
        if rows.isEmpty, let wished, !wished.terms.isEmpty {
            Console.note(wants == true ? "no room matches yet; rooms that match later are joined" : "no room matches")
            let params = RoomsClient.Params(rooms: wished.terms)
            if let answer = try? client.ask("rooms.resolve", params), let resolution = RoomResolution(answer) {
                tell(resolution.unmatched.filter { $0.suggestion != nil })
            }
        }
        return code
    }
}

/// A client for the control socket of a running tail. The protocol is JSON-RPC 2.0 with one object per line.
struct RoomsClient {
    /// How long to wait until a room is joined or left.
    static let patience: Duration = .seconds(5)

    private let process: RunningProcess

    /// Creates a client for the tail with the given name, or for the only one that answers.
    init(_ name: String?) throws(CommandError) {
        if let name {
            process = RunningProcess(name: name)
            return
        }
        let running = ControlSocket.names.filter {
            (try? LocalSocketClient.ask(path: ControlSocket.path(named: $0), line: Self.request("hello", Params())))
                != nil
        }
        guard let only = running.first else { throw CommandError("no tail is running", .noConnection) }
        guard running.count == 1 else {
            throw CommandError(
                "\(running.count) tails are running; choose one with --on: " + running.joined(separator: ", "), .usage)
        }
        process = RunningProcess(name: only)
    }

    /// The parameters of a room request.
    struct Params {
        var rooms: [String]?
        var all = false
        var lasting: Duration?
        var wait: Duration?
        var since: Int64?
        var older = false
    }

    /// Sends a request and waits for the answer.
    func ask(_ method: String, _ params: Params) throws(CommandError) -> JSONValue {
        let answer: [UInt8]
        do {
            answer = try LocalSocketClient.ask(
                path: process.path, line: Self.request(method, params), timeout: (params.wait ?? .zero) + .seconds(5))
        } catch {
            throw process.unanswered(error)
        }
        guard let value = try? JSONValue(parsing: answer[...]) else {
            throw CommandError("the answer of \(process.name) is not JSON", .runtimeError)
        }
        if case .string(let message)? = value["error"]?["message"] {
            throw CommandError("the tail refused \(method): \(message)", .runtimeError)
        }
        guard let result = value["result"] else {
            throw CommandError("the answer of \(process.name) has no result", .runtimeError)
        }
        return result
    }

    /// Returns the rooms in the answer to a request.
    func rows(_ method: String, _ params: Params) throws(CommandError) -> [RoomRow] {
        guard case .array(let elements) = try ask(method, params) else { return [] }
        return elements.compactMap { RoomRow($0) }
    }

    private static func request(_ method: String, _ params: Params) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("jsonrpc", "2.0")
        writer.member("id", 1)
        writer.member("method", method)
        writer.key("params")
        writer.beginObject()
        if let rooms = params.rooms { writer.member("rooms", names: rooms) }
        if params.all { writer.member("all", true) }
        for (name, span) in [("for", params.lasting), ("wait", params.wait)] {
            guard let span else { continue }
            writer.key(name)
            writer.string("\(max(1, span.microseconds / 1000))ms")
        }
        writer.member("since_ms", params.since)
        if params.older { writer.member("older", true) }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}
