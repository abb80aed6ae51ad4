import JSONText
import Live
import Network
import Pipeline
import Store
import Terminal
import Wire

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
