import Live
import Pipeline
import Store
import Terminal

/// The command `weir rooms --store FILE`: the rooms of the last tailed account, in the state that the next start uses.
enum RememberedRooms {
    static func run(_ options: RoomsOptions, store path: String) throws(CommandError) -> ExitCode {
        let file = RoomStore(path: path)
        let expanded = try RoomStore.expanding(options.words) { file }
        return try file.use { store, account in
            guard let remembered = try RoomStore.remembered(in: store, of: account) else {
                throw CommandError("\(path) contains no account")
            }
            return try act(options, expanded, on: store, remembered)
        }
    }

    private static func act(
        _ options: RoomsOptions, _ expanded: RoomStore.Expanded, on store: Store, _ remembered: Remembered
    ) throws -> ExitCode {
        let names = expanded.typed.terms.compactMap(\.pattern.exactName)
        switch options.command {
        case .roomsJoin, .roomsLeave:
            guard names.count == expanded.typed.terms.count, !expanded.typed.terms.contains(where: \.isExcluded) else {
                throw CommandError("--store accepts only the names of rooms; pin a pattern in a running tail", .usage)
            }
        default: return list(remembered, expanded, asJSON: options.json)
        }
        if options.command == .roomsJoin {
            let rooms = names.map { StoreWrite.room(name: $0, source: RoomSource.ctl.rawValue) }
            try store.commit(rooms, of: remembered.scope, at: WallTime.milliseconds)
            for room in names { Console.note("+ room \(room) at the next start") }
        } else {
            if let other = names.first(where: { room in !remembered.rooms.contains { $0.name == room } }) {
                let near = Suggestion.phrase(for: other, among: remembered.rooms.map(\.name))
                throw CommandError("\(other) is not a stored room" + near)
            }
            try store.commit(names.map { .roomLeft(name: $0) }, of: remembered.scope, at: WallTime.milliseconds)
            for room in names { Console.note("- room \(room)") }
        }
        return .done
    }

    private static func list(_ remembered: Remembered, _ expanded: RoomStore.Expanded, asJSON: Bool) -> ExitCode {
        var rows = remembered.rooms.map { room in
            RoomRow(room: room.name, source: room.source, state: "remembered")
        }
        let pins = remembered.notes.keys.compactMap { if case .pin(let pattern) = $0 { pattern } else { nil } }
        rows += pins.sorted().map { RoomRow(room: $0, source: RoomSource.pin.rawValue, state: "pinned") }
        if !expanded.typed.terms.isEmpty {
            rows = rows.filter { expanded.typed.matches(RoomFacts(name: $0.room)) }
        }
        return RoomTable.print(rows, asJSON: asJSON)
    }
}
