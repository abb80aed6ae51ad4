import JSONText
import Live
import Network
import Pipeline
import Recording

#if NATS
    import Streams
#endif

/// The group in a NATS cluster whose tails divide the rooms: `weir tail --share`, `weir rooms ls --on`.
enum SharingGroup {
    /// Without a word for so long a member's rooms go to others.
    static let usualLease: Duration = .seconds(10)
    /// Members look at each other three times in a lease.
    static let shortestLease: Duration = .seconds(1)

    /// What a tail is told of its group; nil for none.
    static func plan(_ arguments: Arguments) throws(UsageError) -> (url: String, lease: Duration)? {
        guard let url = arguments[.share] else { return nil }
        try check(url, arguments, .share)
        let lease = try arguments.duration(.lease) ?? usualLease
        guard lease >= shortestLease else { throw arguments.error("--lease: 1s is the shortest") }
        return (url, lease)
    }

    private static func check(_ url: String, _ arguments: Arguments, _ option: Option) throws(UsageError) {
        let address: StreamAddress
        do throws(StreamAddress.Malformed) {
            address = try StreamAddress(parsing: url)
        } catch {
            throw arguments.error("\(option.flag): \(error.message)")
        }
        guard let name = address.name, !name.contains("."), name.utf8.count <= 48 else {
            throw arguments.error("\(option.flag): write nats://HOST:PORT/GROUP, with a name of 48 letters at most")
        }
    }

    /// The group that `--on` names: by its URL, or by its name where the settings have that URL; nil for a running tail.
    static func named(_ arguments: Arguments) throws(UsageError) -> String? {
        guard let name = arguments[.on] else { return nil }
        if RemoteRecordings.isOne(name) {
            try check(name, arguments, .on)
            return name
        }
        guard let url = try Settings.read(for: arguments).find(.share, for: .tail)?.values.last,
            let address = try? StreamAddress(parsing: url), address.name == name
        else { return nil }
        return url
    }

    /// A group, and how its cluster is reached.
    struct Asked {
        var url: String
        var arguments: Arguments

        init(_ url: String, _ arguments: Arguments) { (self.url, self.arguments) = (url, arguments) }
    }

    /// Prints the rooms of a group, each with the member that holds it.
    static func list(_ group: Asked, _ options: RoomsOptions) throws(Trouble) -> ExitCode {
        var rows: [RoomRow] = []
        let pattern = options.words.isEmpty ? nil : try? RoomExpression(words: options.words)
        for (member, text) in try StreamCommand.held(in: group.url, group.arguments) {
            guard let text, case .array(let elements)? = try? JSONValue(parsing: text[...]) else { continue }
            for element in elements {
                guard var row = RoomRow(element) else {
                    Console.note("\(member) holds more rooms than it tells of")
                    continue
                }
                var facts = RoomFacts(name: row.room, kind: row.kind, unread: row.unread)
                facts.title = row.title
                guard pattern?.matches(facts) ?? true else { continue }
                row.member = member
                rows.append(row)
            }
        }
        // A room in which others are told of is joined by all: one of them tells of it.
        rows.sort { ($0.room, $0.member ?? "") < ($1.room, $1.member ?? "") }
        return RoomTable.print(rows, asJSON: options.json)
    }
}
