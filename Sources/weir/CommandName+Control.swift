extension CommandName {
    /// What the help says of the commands that speak to running tails; of other commands, nothing.
    var controlText: Text {
        switch self {
        case .ps:
            Text(
                summary: "list the tails and replays that run",
                details: [
                    "Name, context, process, state, rooms joined of wanted, events, events a second, lag, the",
                    "recording and the URL, of each that answers at its control socket. Sockets of processes that",
                    "ended are removed.",
                ],
                examples: ["weir ps", "weir ps --json | jq .rooms"])
        case .attach:
            Text(
                positionals: [Positional(name: "NAME", isRequired: false)],
                summary: "look on at a running tail, with a view of one's own",
                details: [
                    "The tail sends the recording from here on, redacted as a recording is, and it is played as a",
                    "file is: with any format and filter. The server is asked for nothing. A viewer that does not",
                    "keep up is told of a gap, and goes on behind it. NAME may be left out when just one tail runs.",
                ],
                examples: ["weir attach work --format json"])
        case .ctl:
            Text(
                positionals: [
                    Positional(name: "NAME", isRequired: false), Positional(name: "METHOD"),
                    Positional(name: "KEY=VALUE", isRequired: false, isRepeatable: true),
                ],
                summary: "call a method of a running tail or replay, and print what it gives",
                details: [
                    "JSON-RPC 2.0 over the control socket; 'weir ctl hello' lists the methods. A list is values with",
                    "commas between them. observe prints each change, attach the lines of the recording, to the end.",
                ],
                examples: [
                    "weir ctl work mark label=deploy", "weir ctl work record.start name=incident",
                    "weir ctl work observe properties=state,rooms once=true timeout=10s",
                    "weir ctl day seek to=mark:outage",
                ])
        case .emit:
            Text(
                positionals: [
                    Positional(name: "URL", isRequired: false), Positional(name: "EVENT"),
                    Positional(name: "ARG", isRequired: false, isRepeatable: true),
                ],
                summary: "send one event, and print what it is acknowledged with",
                details: [
                    "An ARG is any JSON value, or @FILE for the bytes of a file. With --on a running tail sends it, which",
                    "needs its --allow-emit. The answer is printed as a JSON array. 8 when none comes in time, 4 when it",
                    "cannot be sent there, 5 when there is no connection. On a channel (--backend groupme) one value is",
                    "published.",
                ],
                examples: [
                    "weir emit http://127.0.0.1:3000 join '\"lobby\"' '{\"as\":\"guest\"}'",
                    "weir emit --on work upload '\"plan.png\"' @plan.png --timeout 30s",
                ])
        default: Text(summary: "", examples: [])
        }
    }
}
