import Live
import Pipeline
import Store
import Terminal

/// `weir rooms --store FILE`: the rooms of the account that was tailed last, as the next start will find them.
enum RememberedRooms {
    static func run(_ options: RoomsOptions, store path: String) throws(Trouble) -> ExitCode {
        let store: Store
        do { store = try Store(opening: path, now: WallTime.milliseconds) } catch { throw Trouble("\(error)") }
        defer { store.close() }
        do {
            guard let account = try store.accounts().first,
                let remembered = try store.remembered(of: account.server, user: account.user)
            else { throw Trouble("\(path) remembers no account") }
            return try act(options, on: store, remembered)
        } catch let error as Trouble {
            throw error
        } catch {
            throw Trouble("\(error)")
        }
    }

    private static func act(_ options: RoomsOptions, on store: Store, _ remembered: Remembered) throws -> ExitCode {
        switch options.verb {
        case .ls:
            let lines = remembered.rooms.map { "remembered  \($0.source)  \(TerminalText.escaped($0.name))\n" }
            return lines.isEmpty ? .done : Console.print(lines.joined())
        case .join:
            let rooms = options.rooms.map { StoreWrite.room(name: $0, source: RoomSource.ctl.rawValue) }
            try store.commit(rooms, of: remembered.scope, at: WallTime.milliseconds)
            for room in options.rooms { Console.note("+ room \(room) at the next start") }
        case .leave:
            if let other = options.rooms.first(where: { room in !remembered.rooms.contains { $0.name == room } }) {
                throw Trouble("\(other) is not remembered")
            }
            try store.commit(options.rooms.map { .roomLeft(name: $0) }, of: remembered.scope, at: WallTime.milliseconds)
            for room in options.rooms { Console.note("- room \(room)") }
        case .select: throw Trouble("select needs a running tail", .usage)
        }
        return .done
    }
}
