extension CommandName {
    /// The verbs of `rooms`.
    static let roomVerbs: [CommandName] = allCases.filter { $0.family == "rooms" && $0 != .rooms }

    /// Whether words that begin with a dash may be patterns: what is left out.
    var takesPatterns: Bool { family == "rooms" }

    private static let patterns = Positional(name: "PATTERN", isRepeatable: true)

    /// What the help says of `weir rooms` and its verbs; of other commands, nothing.
    var roomsText: Text {
        switch self {
        case .rooms:
            Text(
                summary: "list, join and leave the rooms of a running tail",
                details: [
                    "Speaks to the control socket of a running tail; --on may be left out when just one is running.",
                    "Exits with 4 when a room is refused, 5 when no tail is running, 8 when the server does not answer.",
                    "",
                    "A PATTERN is a room's name; #TITLE, where * stands for any characters; a name with * (not across /)",
                    "and **; /EXPRESSION/; conditions such as kind=direct,unread>0 (kind, title, id, unread, company,",
                    "workspace); @SET; @FILE with a / in it, or @- for standard input, with a pattern a line. Patterns",
                    "are put together with + and -, the last one that matches a room decides: @work + @oncall - '#noisy'.",
                    "A name in \"quotation marks\" is just that. A pattern stays wanted: new rooms that match are joined.",
                ],
                examples: ["weir rooms ls", "weir rooms join '#dev*' -'#dev-noise' --for 10m"])
        case .roomsLs:
            Text(
                positionals: [Positional(name: "PATTERN", isRequired: false, isRepeatable: true)],
                summary: "list the rooms: what is wanted, and what is so",
                details: [
                    "ROOM, TITLE, KIND, who wants it (SOURCE: cli, list, ctl, pin), whether it is wanted (WANT: yes, no,",
                    "limit), STATE (wanted, joining, joined, refused, lost, left, listed) and SINCE when, EVENTS, RATE,",
                    "LAST, LAG, GAPS, and why a room was refused. With --store no tail is spoken to: what FILE remembers",
                    "of the account that was tailed last is listed.",
                ],
                examples: ["weir rooms ls --all 'kind=direct'", "weir rooms ls --json | jq .state"])
        case .roomsResolve:
            Text(
                positionals: [Self.patterns], summary: "say what would be joined, and by which pattern",
                details: ["Nothing is joined. Exits with 1 when a pattern means no room that is known."],
                examples: ["weir rooms resolve @work - '#noisy'"])
        case .roomsJoin:
            Text(
                positionals: [Self.patterns], summary: "join rooms, now and whenever new ones match",
                details: ["With --store no tail is spoken to: the rooms are wanted at the next start."],
                examples: [
                    "weir rooms join /companies/C/workspaces/W/channels/CH/feed",
                    "weir rooms join '#incident-*' --for 2h --save incidents",
                ])
        case .roomsLeave:
            Text(
                positionals: [Self.patterns], summary: "leave rooms, and join none that matches",
                details: ["With --store no tail is spoken to: the rooms are not wanted at the next start."],
                examples: ["weir rooms leave 'kind=direct' --for 1h"])
        case .roomsOnly:
            Text(
                positionals: [Self.patterns], summary: "join these rooms and leave all others",
                details: ["Rooms in which the backend tells of new ones stay joined."],
                examples: ["weir rooms only @oncall"])
        case .roomsReset:
            Text(
                summary: "go back to the rooms the tail was started with, and those that are pinned",
                examples: ["weir rooms reset --on day"])
        case .roomsSelect:
            Text(
                positionals: [Positional(name: "ROOM")],
                summary: "look at another workspace",
                details: ["Leaves the tail's workspace for the one whose list of channels ROOM is."],
                examples: ["weir rooms select '/companies/C/workspaces/W/channels?type=public'"])
        case .roomsPin:
            Text(
                positionals: [Self.patterns], summary: "join rooms now and at every start of a tail of the account",
                details: ["With 'weir tail --dynamic-pins' what is joined for good is pinned by itself."],
                examples: ["weir rooms pin '#alerts*'"])
        case .roomsUnpin:
            Text(
                positionals: [Self.patterns], summary: "take back a pin",
                details: ["The pattern is to be the one that was pinned. Rooms that nobody else wants are left."],
                examples: ["weir rooms unpin '#alerts*'"])
        case .roomsMute:
            Text(
                positionals: [Self.patterns], summary: "stay in rooms and record them, but show nothing of them",
                examples: ["weir rooms mute '#build-*' --for 30m"])
        case .roomsUnmute:
            Text(
                positionals: [Self.patterns], summary: "show again what is said in rooms",
                examples: ["weir rooms unmute '**'"])
        case .roomsSet:
            Text(
                positionals: [
                    Positional(name: "save|use|ls|show|rm|diff|edit"), Positional(name: "NAME", isRequired: false),
                    Positional(name: "PATTERN", isRequired: false, isRepeatable: true),
                ],
                summary: "keep named sets of rooms, which patterns name as @NAME",
                details: [
                    "save keeps the patterns, or the rooms that are wanted now when there are none; use joins the rooms",
                    "of the set and leaves all others; ls lists the sets, show prints the patterns of one, a line each;",
                    "rm removes it; diff says what differs from another set, or from what is wanted; edit opens the",
                    "patterns in $EDITOR. Sets are the account's: the tail's, or the one that was tailed last in --store.",
                ],
                examples: ["weir rooms set save work '#dev*' '#ops' -'#dev-noise'", "weir rooms set use work"])
        case .roomsWho:
            Text(
                positionals: [Positional(name: "ROOM")], summary: "say who is in a room",
                details: ["Asks the server, where the backend can say."],
                examples: ["weir rooms who '#general'"])
        case .roomsHistory:
            Text(
                positionals: [Positional(name: "ROOM")], summary: "print what was said in a room last",
                details: ["Asks the server for the newest page, where the backend can say."],
                examples: ["weir rooms history '#general' --since 2h"])
        case .roomsWatch:
            Text(
                positionals: [Positional(name: "PATTERN", isRequired: false, isRepeatable: true)],
                summary: "print what becomes of the rooms of a running tail, as it happens",
                details: [
                    "A line for each room that is wanted, joined, refused (with the reason), left, found, or lost",
                    "with its connection, until the tail ends; with --json the envelope of such a line. A PATTERN",
                    "is a room's name, also with * and **, or /EXPRESSION/. The server is asked for nothing.",
                ],
                examples: ["weir rooms watch", "weir rooms watch --json | jq -r 'select(.change==\"refused\").room'"])
        default: Text(summary: "", examples: [])
        }
    }
}
