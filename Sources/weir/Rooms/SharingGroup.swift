import WeirJSON
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirRecording

#if NATS
    import WeirStreams
#endif

/// The options and commands for a group of tails that divide the rooms through a NATS cluster: `weir tail --share`
/// and `weir rooms ls --on`.
enum SharingGroup {
    /// The default lease. The rooms of a member that is silent for this long move to other members.
    static let usualLease: Duration = .seconds(10)
    /// The shortest lease that `--lease` accepts. Members check on each other three times per lease.
    static let shortestLease: Duration = .seconds(1)

    /// Returns the group's URL and the lease that a tail's arguments name; `nil` if the tail does not share.
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

    /// Returns the URL of the group that `--on` names. The option contains the URL, or the group's name if the
    /// settings contain a URL with that name. Returns `nil` for a running tail.
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

    /// A group's URL, and the arguments with the access to its cluster.
    struct Asked {
        var url: String
        var arguments: Arguments

        init(_ url: String, _ arguments: Arguments) { (self.url, self.arguments) = (url, arguments) }
    }

    /// Prints the rooms of a group, each with the member that holds it.
    static func list(_ group: Asked, _ options: RoomsOptions) throws(CommandError) -> ExitCode {
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
        // All members join a room that announces other rooms, so such a room has several rows.
        rows.sort { ($0.room, $0.member ?? "") < ($1.room, $1.member ?? "") }
        return RoomTable.print(rows, asJSON: options.json)
    }
}
