/// The commands that watch a server, play a recording, or talk to a running tail.
extension Command {
    static let demo = Command(
        "demo", "", "start the embedded backend and tail it",
        run: reading(DemoOptions.init, DemoCommand.run),
        details: """
            Starts the embedded backend on a loopback port that the system chooses, connects the pipeline to it
            over a real WebSocket and real HTTP, and tails a scripted Twake workspace; with --backend groupme
            scripted people who talk in groups and direct conversations, over Bayeux. Ends with a summary of the
            model.
            """,
        examples: "weir demo --duration 5s --format json", "weir demo --backend groupme")

    static let serve = Command(
        "serve", "", "run the embedded backend or an echo server; print its URL and a token",
        run: reading(ServeOptions.init, ServeCommand.run),
        details: """
            Runs until interrupted. The same seed gives the same history. Supports Engine.IO 3 and 4 over
            polling, WebSocket and the upgrade between them, with the answers of the JavaScript server. A client
            that does not read is disconnected when 8 MiB, or four of the largest messages, wait for it; at most
            3000 sessions are served at once.

            --scenario echo is a Socket.IO server without a token: it sends `auth` with the auth payload to
            clients that join / or /custom, answers `message` with `message-back` and the same arguments, and
            acknowledges `message-with-ack` with them. --scenario engine-echo is a bare Engine.IO server at
            /engine.io/ that sends every message back unchanged. --scenario groupme is a GroupMe backend: pushes
            over Bayeux at /faye, REST at /v3, and people who talk in groups and direct conversations.

            --profile runs the backend that a profile declares: its realtime connection, rooms, reads and
            writes, with rows in memory. --scenario FILE defines the rows, the tokens, the forbidden rooms and
            the events; without it they are generated, with about one event a second.

            --env prints assignments of URL, WEIR_TOKEN and SERVER, its process ('kill "$SERVER"' ends it).
            """,
        examples: "weir serve --listen 127.0.0.1:8080 --seed 7",
        "eval \"$(weir serve --env)\"; weir tail \"$URL\"", "weir serve --token-file token --rate 100",
        "weir serve --profile samples/profiles/gateway.yaml",
        "weir serve --scenario echo --ping-interval 300 --ping-timeout 200 --connect-timeout 1s")

    static let tail = Command(
        "tail", "URL", "watch a live backend as events and as changes of a model",
        run: reading(TailOptions.init, TailCommand.run), inherits: .context,
        details: """
            Events, changes of the model and gaps go to standard output, everything else to standard error.
            After a lost connection the tail reconnects, joins every room again and refetches what it may have
            missed. A reader that closes the pipe ends the tail quietly.

            An EXPR consists of FIELD OPERATOR VALUE, and, or, not and parentheses. Fields: type, kind, room,
            actor, event, namespace, dir, size, lag, known, is_user (your own), mentions (an id or a name; me,
            all), text, payload.KEY, diff.op, diff.section, diff.kind, diff.id, diff.field. Operators: = != < <=
            > >=, ~ and !~ with a /regular expression/ in the syntax of RE2 and Go, like with *, ? and […], in
            (…), not in (…), exists. /RE/ alone searches the line. A change has the fields of the event that
            caused it. Gaps are always shown, and a recording is complete, whatever is shown.

            A message that mentions you is highlighted; without colours an @ precedes it. --notify notifies of
            each message once; mention, direct and keyword:WORD apply to messages of others since the start. A
            COMMAND of --notify-by receives JSON with the state raised, and cleared once the message is read.

            Without --company, --workspace and --join the tail shows the last selection of the account, if it
            still exists; 'weir rooms select' changes it. Stored rows are shown once the server has identified
            you. Stored messages are not fetched again page by page; the full refetch, every five minutes, finds
            their changes.

            --emit sends 'EVENT ARG ARG…': JSON values, @FILE for the bytes of a file, quotes around a name with
            spaces. An event marked #5? requests an acknowledgement; --ack 'EVENT=ARG…' answers each such event.
            --on EXPR --emit … sends whenever an event matches EXPR, at most 20 a second; --on EXPR --ack 'ARG…'
            answers such events. A recording contains what was sent; a replay sends nothing.

            With --share the tails of a group divide the rooms, so that each room is in one of them. A tail that
            ends, or is silent for --lease, loses its rooms to the others, which fetch what was missed and
            record a gap. Each tail records into the group's stream; 'weir replay nats://HOST/GROUP' plays them
            as one.
            """,
        examples: "weir tail https://chat.example.com --token env:TOKEN",
        "weir tail https://chat.example.com --token env:TOKEN --kind message --not-from 'bot*'",
        "weir tail https://chat.example.com --token env:TOKEN --share nats://localhost/team",
        "weir tail http://127.0.0.1:3000 --backend socketio --emit 'message 1' --format json --count 100",
        "weir tail URL --backend socketio --emit 'message-with-ack \"hello\"' --emit-ack --ack 'ask=1'"
    )

    static let watch = Command(
        "watch", "[URL|FILE]", "watch a live backend, a running tail or a recording in full screen",
        run: reading(WatchOptions.init, WatchCommand.run), inherits: .context,
        details: """
            The sections of the model are on the left, the log on the right, and below it the selected line: its
            fields, its raw frame, its changes. ? shows the keys: space pauses, / searches, f filters by an
            expression as you type ('weir help tail' describes EXPR), r lists the rooms (join, leave, hide), >
            emits, a answers an event that requests it, m marks, y copies, q quits. A recording has a bar for
            moving through it. The mouse selects, scrolls and moves.

            With --on it is the view of a running tail: the tail's stored data is not requested from the server
            again, rooms are joined, left and hidden by the tail for all of its viewers, and q ends only the
            view.

            It requires a terminal (2 without one). The terminal is restored at the end; the summary follows.
            """,
        examples: "weir watch https://chat.example.com --token env:TOKEN --record day.weir",
        "weir watch --on work --kind message",
        "weir watch day.weir --idle-limit 2s")

    static let record = Command(
        "record", "URL FILE", "record a live backend to an event file without printing events",
        run: reading(TailOptions.init, TailCommand.run), inherits: .context,
        details: """
            The recording is complete: every message in both directions, every REST exchange, never a token. A
            process that is killed loses the last milliseconds, or the last two seconds with --compress live.
            --fsync determines the loss in a power cut: two seconds (interval), one (chunk), as much as when
            killed (always), or what the system has not written yet (never).

            FILE may be - for standard output; the recording ends in order when the reader closes it.
            """,
        examples: "weir record https://chat.example.com day.weir --token file:token --duration 1h",
        "ssh host weir record URL - --token file:token --compress live >day.weir.zst")

    static let replay = Command(
        "replay", "FILE…", "play an event file through the same pipeline",
        run: reading(ReplayOptions.init, ReplayCommand.run),
        details: """
            FILE may be - for standard input. The diff log of a replay equals that of the live run, byte for
            byte. Events that pass a filter are shown as by the tail; 'weir help tail' describes EXPR. Files of
            one recording are its segments; other files are merged by their wall clocks, each with its own
            session and model. A POSITION is +90s (since the beginning of the recording), n:812 (a record's
            number), mark:NAME, or a time such as 2026-01-02T03:04:05Z.

            On a terminal, keys move through the recording: space pauses, . and , step forward and back, left
            and right move by 5 s (with shift by 60 s), up and down change the speed, [ and ] go to the previous
            and next mark, / searches, g goes to a POSITION, m marks the place (in FILE.marks), ? shows these
            keys, q quits. From another shell 'weir ctl NAME' does the same: seek, step, speed, loop, pause,
            mark.
            """,
        examples: "weir replay day.weir --speed max --diff-log day.diff", "weir replay day.weir --name day")

    static let ps = Command(
        "ps", "", "list the tails and replays that run",
        run: atOnce(ProcessesCommand.run),
        details: """
            Name, context, process, state, rooms joined of wanted, events, events a second, lag, the
            recording and the URL, of each that answers at its control socket. Sockets of processes that
            ended are removed.

            With --nats the tails of any machine that record into the cluster: recording, host, process, start,
            bytes stored, bytes a second. A tail that was killed is listed for 30 seconds more.
            """,
        examples: "weir ps", "weir ps --json | jq .rooms", "weir ps --nats nats://localhost")

    static let attach = Command(
        "attach", "[NAME]", "view a running tail with your own format and filters",
        run: AttachCommand.run,
        details: """
            The tail sends its recording from now on, redacted as in a file, and it is played like a file,
            with any format and filter. The server is not contacted. A viewer that is too slow gets a gap and
            continues after it. NAME is optional if only one tail runs.
            """,
        examples: "weir attach work --format json")

    static let ctl = Command(
        "ctl", "[NAME] METHOD [KEY=VALUE…]", "call a method of a running tail or replay, and print the result",
        run: reading(ControlOptions.init, ControlCommand.run),
        details: """
            Uses JSON-RPC 2.0 over the control socket; 'weir ctl hello' lists the methods. The values of a list
            are separated by commas. observe prints each change, attach the lines of the recording, until the
            end.
            """,
        examples: "weir ctl work mark label=deploy",
        "weir ctl work act do=send channel='#general' text='Good morning'",
        "weir ctl work record.start name=incident",
        "weir ctl work observe properties=state,rooms once=true timeout=10s",
        "weir ctl day seek to=mark:outage")

    static let notify = Command(
        "notify", "[FILE]", "pass notifications of a push service to a running tail",
        run: reading(NotifyOptions.init, NotifyCommand.run),
        details: """
            FILE contains JSON objects in the format that a push service accepts or delivers. Without FILE, or
            with -, they are read from standard input. Each one becomes an event of the tail. With Twake its
            kind is notification and its room is that of its channel; if that room is joined, the channel's
            messages are fetched. A profile defines the event 'push'. --on is optional if only one tail runs.
            """,
        examples: "weir notify push.json --on work",
        #"echo '{"notification":{"title":"Sales","body":"Ana: hello"},"channel_id":"ID"}' | weir notify"#)

    static let rooms = Command(
        "rooms", "", "list, join and leave the rooms of a running tail",
        details: """
            Uses the control socket of a running tail; --on is optional if only one is running. Exits with 4 if
            a room is refused, 5 if no tail is running, 8 if the server does not answer.

            A PATTERN is a room's name; #TITLE, where * matches any characters; a name with * (not across /) and
            **; /EXPRESSION/; conditions such as kind=direct,unread>0 (kind, title, id, unread, company,
            workspace); @SET; @FILE with a / in it, or @- for standard input, with a pattern per line. Patterns
            are combined with + and -; the last one that matches a room decides: @work + @oncall - '#noisy'. A
            name in "quotation marks" is literal. A pattern stays active: new rooms that match are joined.
            """,
        examples: "weir rooms ls", "weir rooms join '#dev*' -'#dev-noise' --for 10m")

    static let roomsLs = Command(
        "rooms ls", "[PATTERN…]", "list the rooms with their wanted and actual states",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: """
            Prints ROOM, TITLE, KIND, the source of the subscription (SOURCE: cli, list, ctl, pin), whether it
            is wanted (WANT: yes, no, limit), STATE (wanted, joining, joined, refused, lost, left, listed;
            former for a group that you left) and its time (SINCE), UNREAD messages if known (for a list the
            workspace's, for badges the company's), EVENTS, RATE, LAST, LAG, GAPS, and the reason for a refusal.
            With --store no tail is contacted: the rooms that FILE contains for the last tailed account are
            listed. With the URL of a group, --on lists the rooms of all its tails, each with the MEMBER
            that holds it; so does --on GROUP if a context or the config file has 'share = nats://HOST/GROUP'.
            """,
        examples: "weir rooms ls --all 'kind=direct'", "weir rooms ls --json | jq .state")

    static let roomsResolve = Command(
        "rooms resolve", "PATTERN…", "show which rooms would be joined, and by which pattern",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: "Nothing is joined. Exits with 1 if a pattern matches no known room.",
        examples: "weir rooms resolve @work - '#noisy'")

    static let roomsJoin = Command(
        "rooms join", "PATTERN…", "join rooms, now and whenever new ones match",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: "With --store no tail is contacted: the next start joins the rooms.",
        examples: "weir rooms join /companies/C/workspaces/W/channels/CH/feed",
        "weir rooms join '#incident-*' --for 2h --save incidents")

    static let roomsLeave = Command(
        "rooms leave", "PATTERN…", "leave rooms, and join no new ones that match",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: "With --store no tail is contacted: the next start does not join the rooms.",
        examples: "weir rooms leave 'kind=direct' --for 1h")

    static let roomsOnly = Command(
        "rooms only", "PATTERN…", "join these rooms and leave all others",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: "Rooms in which the backend announces new ones stay joined.",
        examples: "weir rooms only @oncall")

    static let roomsReset = Command(
        "rooms reset", "", "return to the rooms at the start of the tail, and the pinned ones",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        examples: "weir rooms reset --on work")

    static let roomsSelect = Command(
        "rooms select", "ROOM", "select a company, workspace, channel or thread",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: """
            ROOM is the title or the room of a channel, a workspace or a company, the id of a message for its
            thread, or 'none' for no channel. A workspace or company replaces the previous one: the tail leaves
            its rooms and joins those of the new one. Each company keeps its workspace. The selection is stored,
            and the next tail of the account starts with it. 'weir ctl globals' shows it.
            """,
        examples: "weir rooms select '#general'", "weir rooms select Sales")

    static let roomsPin = Command(
        "rooms pin", "PATTERN…", "join rooms now and at every start of a tail of the account",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: "With 'weir tail --dynamic-pins' permanently joined rooms are pinned automatically.",
        examples: "weir rooms pin '#alerts*'")

    static let roomsUnpin = Command(
        "rooms unpin", "PATTERN…", "remove a pin",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: "Give the pattern that was pinned. Rooms that no other rule joins are left.",
        examples: "weir rooms unpin '#alerts*'")

    static let roomsMute = Command(
        "rooms mute", "PATTERN…", "hide rooms, which stay joined and recorded",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        examples: "weir rooms mute '#build-*' --for 30m")

    static let roomsUnmute = Command(
        "rooms unmute", "PATTERN…", "show hidden rooms again",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        examples: "weir rooms unmute '**'")

    static let roomsSet = Command(
        "rooms set", "save|use|ls|show|rm|diff|edit [NAME] [PATTERN…]",
        "manage named sets of rooms, used in patterns as @NAME",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: """
            save stores the patterns, or without patterns the rooms that are wanted now; use joins the rooms of
            the set and leaves all others; ls lists the sets; show prints the patterns of a set, one per line;
            rm removes it; diff prints the differences to another set, or to the wanted rooms; edit opens the
            patterns in $EDITOR. Sets belong to the account of the tail, or to the last tailed account in
            --store.
            """,
        examples: "weir rooms set save work '#dev*' '#ops' -'#dev-noise'", "weir rooms set use work")

    static let roomsWho = Command(
        "rooms who", "ROOM", "list the members of a room",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: "Asks the server, if the backend supports it.",
        examples: "weir rooms who '#general'")

    static let roomsHistory = Command(
        "rooms history", "ROOM", "print the latest messages of a room",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: """
            Requests the newest page from the server, if the backend supports it. With --older the tail fetches
            the page before its oldest message, and that page is printed.
            """,
        examples: "weir rooms history '#general' --since 2h", "weir rooms history '#general' --older")

    static let roomsWatch = Command(
        "rooms watch", "[PATTERN…]", "print the changes of a running tail's rooms as they happen",
        run: reading(RoomsOptions.init, RoomsWatch.run),
        details: """
            Prints a line for each room that is wanted, joined, refused (with the reason), left, found, or lost
            with its connection, until the tail ends; with --json the envelope of that line. A PATTERN is a
            room's name, also with * and **, or /EXPRESSION/. The server is not contacted.
            """,
        examples: "weir rooms watch", "weir rooms watch --json | jq -r 'select(.change==\"refused\").room'")
}
