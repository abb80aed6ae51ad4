/// The commands that watch a server, play a recording, or talk to a running tail.
extension Command {
    static let demo = Command(
        "demo", "", "start the embedded backend and tail it",
        run: reading(DemoOptions.init, DemoCommand.run),
        details: """
            Starts the embedded backend on a loopback port the system chose, connects the pipeline to it
            over a real WebSocket and real HTTP, and tails a scripted Twake workspace; with --backend groupme
            scripted people who talk in groups and directs, by Bayeux. Ends with a summary of the model.
            """,
        examples: "weir demo --duration 5s --format json", "weir demo --backend groupme")

    static let serve = Command(
        "serve", "", "run the embedded backend, or an echo server, alone; prints its URL and a token",
        run: reading(ServeOptions.init, ServeCommand.run),
        details: """
            Runs until interrupted. The same seed gives the same history. Engine.IO 3 and 4, over polling,
            WebSocket and the upgrade between them, with the answers of the JavaScript server. A client that
            does not read is cut off when 8 MiB, or four of the largest messages, wait for it; at most 3000
            sessions are served at once.

            --scenario echo is a Socket.IO server without a token: it says `auth` and the auth payload to who
            joins / or /custom, answers `message` by `message-back` with the same arguments, and acknowledges
            `message-with-ack` with them. --scenario engine-echo is a bare Engine.IO server at /engine.io/ that
            sends every message back as it came. --scenario groupme is a GroupMe backend: pushes by Bayeux at
            /faye, REST at /v3, and people who talk in groups and directs.

            --profile plays the backend that a profile declares: its realtime connection, rooms, reads and
            writes, with rows in memory. --scenario FILE says which rows, tokens and forbidden rooms there are
            and what happens when; without it they are made up, and something happens about once a second.

            --env prints what sets URL, WEIR_TOKEN and SERVER, its process ('kill "$SERVER"' ends it).
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
            After a lost connection the tail connects again, joins every room and fetches again what it may
            have missed. A reader that closes the pipe ends it quietly.

            An EXPR is made of FIELD OPERATOR VALUE, and, or, not and parentheses. Fields: type, kind, room,
            actor, event, namespace, dir, size, lag, known, is_user (it is yours), mentions (an id or a name;
            me, all), text, payload.KEY, diff.op, diff.section, diff.kind, diff.id, diff.field. Operators: = !=
            < <= > >=, ~ and !~ with a /regular expression/ as RE2 and Go have it, like with *, ? and […],
            in (…), not in (…), exists. /RE/ alone looks in the line. A change has the fields of the event that
            caused it. Gaps are always shown, and what is recorded is complete, whatever is shown.

            A message that mentions you is highlighted; without colours an @ stands before it. --notify notifies
            of a message once; mention, direct and keyword:WORD are about what others have said since the start.
            A COMMAND of --notify-by gets JSON, of the state raised, and cleared when the message is read.

            Without --company, --workspace and --join it looks where the account looked last, if that is still
            there; 'weir rooms select' looks elsewhere. What is remembered is shown once the server has said
            who you are. Its messages are not asked for again page by page; the full look, every five minutes,
            finds what changed in them.

            --emit sends 'EVENT ARG ARG…': JSON values, @FILE for the bytes of a file, quotes around a name with
            spaces. An event marked #5? asks for an acknowledgement; --ack 'EVENT=ARG…' answers each of them.
            --on EXPR --emit … sends when an event comes that EXPR holds of, at most 20 a second; --on EXPR
            --ack 'ARG…' answers such events. A recording has what was sent, and a replay sends nothing.

            With --share the tails of a group divide the rooms: each room is in one of them. One that ends or is
            silent for --lease loses its rooms to the others; what was missed is fetched, and told as a gap. Each
            records into the group's stream, and 'weir replay nats://HOST/GROUP' plays them as one.
            """,
        examples: "weir tail https://chat.example.com --token env:TOKEN",
        "weir tail https://chat.example.com --token env:TOKEN --kind message --not-from 'bot*'",
        "weir tail https://chat.example.com --token env:TOKEN --share nats://localhost/team",
        "weir tail http://127.0.0.1:3000 --backend socketio --emit 'message 1' --format json --count 100",
        "weir tail URL --backend socketio --emit 'message-with-ack \"hello\"' --emit-ack --ack 'ask=1'"
    )

    static let watch = Command(
        "watch", "[URL|FILE]", "watch a live backend, a running tail or a recording on the whole screen",
        run: reading(WatchOptions.init, WatchCommand.run), inherits: .context,
        details: """
            The sections of the model on the left, the log, and below it what is selected: its fields, its raw
            frame, what it changed. ? tells the keys: space pauses, / searches, f filters by an expression as
            it is typed ('weir help tail' tells of EXPR), r lists the rooms (join, leave, hide), > emits, a
            answers an event that asks for it, m marks, y copies, q ends. A recording has a bar to go through
            it. The mouse selects, scrolls and goes.

            With --on it is the view of a tail that runs: what it keeps is not asked of the server again, rooms
            are joined, left and hidden by the tail, for all who look on, and q ends the view alone.

            It needs a terminal (2 without one). However it ends the terminal is as it was; the summary follows.
            """,
        examples: "weir watch https://chat.example.com --token env:TOKEN --record day.weir",
        "weir watch --on work --kind message",
        "weir watch day.weir --idle-limit 2s")

    static let record = Command(
        "record", "URL FILE", "write a live backend to an event file, printing no events",
        run: reading(TailOptions.init, TailCommand.run), inherits: .context,
        details: """
            The recording is complete: every message in both directions, every REST exchange, never a token.
            A process that is killed loses what came in its last milliseconds, and the last two seconds with
            --compress live. What a power cut may cost, --fsync says: two seconds (interval), one (chunk), as
            much as a kill (always), or what the system has not written yet (never).
            FILE may be - for standard output: it ends in order when its reader goes away.
            """,
        examples: "weir record https://chat.example.com day.weir --token file:token --duration 1h",
        "ssh host weir record URL - --token file:token --compress live >day.weir.zst")

    static let replay = Command(
        "replay", "FILE…", "play an event file through the same pipeline",
        run: reading(ReplayOptions.init, ReplayCommand.run),
        details: """
            FILE may be - for standard input. The diff log of a replay is that of the live run, byte for byte.
            What passes a filter is shown as the tail would have shown it; 'weir help tail' tells of EXPR.
            Files of one recording are its segments; others are merged by their wall clocks, each with a session
            and a model of its own. A POSITION is +90s (since the recording began), n:812 (a record's number),
            mark:NAME, or a time such as 2026-01-02T03:04:05Z.

            On a terminal keys go through the recording: space pauses, . and , step on and back, left and right
            move by 5 s (with shift by 60 s), up and down change the speed, [ and ] go to the marks before and
            behind, / searches, g goes to a POSITION, m marks the place (in FILE.marks), ? tells these keys, q
            ends. From another shell 'weir ctl NAME' does the same: seek, step, speed, loop, pause, mark.
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
        "attach", "[NAME]", "look on at a running tail, with a view of one's own",
        run: AttachCommand.run,
        details: """
            The tail sends the recording from here on, redacted as a recording is, and it is played as a
            file is: with any format and filter. The server is asked for nothing. A viewer that does not
            keep up is told of a gap, and goes on behind it. NAME may be left out when just one tail runs.
            """,
        examples: "weir attach work --format json")

    static let ctl = Command(
        "ctl", "[NAME] METHOD [KEY=VALUE…]", "call a method of a running tail or replay, and print what it gives",
        run: reading(ControlOptions.init, ControlCommand.run),
        details: """
            JSON-RPC 2.0 over the control socket; 'weir ctl hello' lists the methods. A list is values with
            commas between them. observe prints each change, attach the lines of the recording, to the end.
            """,
        examples: "weir ctl work mark label=deploy",
        "weir ctl work act do=send channel='#general' text='Good morning'",
        "weir ctl work record.start name=incident",
        "weir ctl work observe properties=state,rooms once=true timeout=10s",
        "weir ctl day seek to=mark:outage")

    static let notify = Command(
        "notify", "[FILE]", "hand notifications of a push service to a running tail",
        run: reading(NotifyOptions.init, NotifyCommand.run),
        details: """
            FILE has JSON objects, as a push service takes or delivers them. Without FILE, or with -, they are
            read from standard input. Each becomes an event of the tail. With Twake its kind is notification, it
            is in its channel's room, and when that is joined the channel's messages are fetched. A profile says
            what the event 'push' means. --on may be left out when just one tail runs.
            """,
        examples: "weir notify push.json --on work",
        #"echo '{"notification":{"title":"Sales","body":"Ana: hello"},"channel_id":"ID"}' | weir notify"#)

    static let rooms = Command(
        "rooms", "", "list, join and leave the rooms of a running tail",
        details: """
            Speaks to the control socket of a running tail; --on may be left out when just one is running.
            Exits with 4 when a room is refused, 5 when no tail is running, 8 when the server does not answer.

            A PATTERN is a room's name; #TITLE, where * stands for any characters; a name with * (not across /)
            and **; /EXPRESSION/; conditions such as kind=direct,unread>0 (kind, title, id, unread, company,
            workspace); @SET; @FILE with a / in it, or @- for standard input, with a pattern a line. Patterns
            are put together with + and -, the last one that matches a room decides: @work + @oncall - '#noisy'.
            A name in "quotation marks" is just that. A pattern stays wanted: new rooms that match are joined.
            """,
        examples: "weir rooms ls", "weir rooms join '#dev*' -'#dev-noise' --for 10m")

    static let roomsLs = Command(
        "rooms ls", "[PATTERN…]", "list the rooms: what is wanted, and what is so",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: """
            ROOM, TITLE, KIND, who wants it (SOURCE: cli, list, ctl, pin), whether it is wanted (WANT: yes, no,
            limit), STATE (wanted, joining, joined, refused, lost, left, listed; former for a group that you
            left) and SINCE when, UNREAD messages as far as is known (of a list the workspace's, of badges the
            company's), EVENTS, RATE, LAST, LAG, GAPS, and why a room was refused. With --store no tail is
            spoken to: what FILE remembers of the account that was tailed last is listed. With --on and the URL
            of a group the rooms of all its tails are, each with the MEMBER that holds it; or with --on GROUP
            where a context or the config file has 'share = nats://HOST/GROUP'.
            """,
        examples: "weir rooms ls --all 'kind=direct'", "weir rooms ls --json | jq .state")

    static let roomsResolve = Command(
        "rooms resolve", "PATTERN…", "say what would be joined, and by which pattern",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: "Nothing is joined. Exits with 1 when a pattern means no room that is known.",
        examples: "weir rooms resolve @work - '#noisy'")

    static let roomsJoin = Command(
        "rooms join", "PATTERN…", "join rooms, now and whenever new ones match",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: "With --store no tail is spoken to: the rooms are wanted at the next start.",
        examples: "weir rooms join /companies/C/workspaces/W/channels/CH/feed",
        "weir rooms join '#incident-*' --for 2h --save incidents")

    static let roomsLeave = Command(
        "rooms leave", "PATTERN…", "leave rooms, and join none that matches",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: "With --store no tail is spoken to: the rooms are not wanted at the next start.",
        examples: "weir rooms leave 'kind=direct' --for 1h")

    static let roomsOnly = Command(
        "rooms only", "PATTERN…", "join these rooms and leave all others",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: "Rooms in which the backend tells of new ones stay joined.",
        examples: "weir rooms only @oncall")

    static let roomsReset = Command(
        "rooms reset", "", "go back to the rooms the tail was started with, and those that are pinned",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        examples: "weir rooms reset --on work")

    static let roomsSelect = Command(
        "rooms select", "ROOM", "select a company, workspace, channel or thread",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: """
            ROOM is the title or the room of a channel, a workspace or a company, the id of a message for its
            thread, or 'none' for no channel. A workspace or company replaces the one before: the tail leaves
            its rooms and joins the new one's. Each company keeps its workspace. The selection is stored, and
            the next tail of the account begins with it. 'weir ctl globals' shows it.
            """,
        examples: "weir rooms select '#general'", "weir rooms select Sales")

    static let roomsPin = Command(
        "rooms pin", "PATTERN…", "join rooms now and at every start of a tail of the account",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: "With 'weir tail --dynamic-pins' what is joined for good is pinned by itself.",
        examples: "weir rooms pin '#alerts*'")

    static let roomsUnpin = Command(
        "rooms unpin", "PATTERN…", "take back a pin",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: "The pattern is to be the one that was pinned. Rooms that nobody else wants are left.",
        examples: "weir rooms unpin '#alerts*'")

    static let roomsMute = Command(
        "rooms mute", "PATTERN…", "stay in rooms and record them, but show nothing of them",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        examples: "weir rooms mute '#build-*' --for 30m")

    static let roomsUnmute = Command(
        "rooms unmute", "PATTERN…", "show again what is said in rooms",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        examples: "weir rooms unmute '**'")

    static let roomsSet = Command(
        "rooms set", "save|use|ls|show|rm|diff|edit [NAME] [PATTERN…]",
        "keep named sets of rooms, which patterns name as @NAME",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: """
            save keeps the patterns, or the rooms that are wanted now when there are none; use joins the rooms
            of the set and leaves all others; ls lists the sets, show prints the patterns of one, a line each;
            rm removes it; diff says what differs from another set, or from what is wanted; edit opens the
            patterns in $EDITOR. Sets are the account's: the tail's, or the one that was tailed last in --store.
            """,
        examples: "weir rooms set save work '#dev*' '#ops' -'#dev-noise'", "weir rooms set use work")

    static let roomsWho = Command(
        "rooms who", "ROOM", "say who is in a room",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: "Asks the server, where the backend can say.",
        examples: "weir rooms who '#general'")

    static let roomsHistory = Command(
        "rooms history", "ROOM", "print what was said in a room last",
        run: reading(RoomsOptions.init, RoomsCommand.run),
        details: """
            Asks the server for the newest page, where the backend can say. With --older the tail fetches the
            page before the oldest message that it has, and prints that.
            """,
        examples: "weir rooms history '#general' --since 2h", "weir rooms history '#general' --older")

    static let roomsWatch = Command(
        "rooms watch", "[PATTERN…]", "print what becomes of the rooms of a running tail, as it happens",
        run: reading(RoomsOptions.init, RoomsWatch.run),
        details: """
            A line for each room that is wanted, joined, refused (with the reason), left, found, or lost
            with its connection, until the tail ends; with --json the envelope of such a line. A PATTERN
            is a room's name, also with * and **, or /EXPRESSION/. The server is asked for nothing.
            """,
        examples: "weir rooms watch", "weir rooms watch --json | jq -r 'select(.change==\"refused\").room'")
}
