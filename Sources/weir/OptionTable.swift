import Pipeline
import Terminal

/// The only table of options. To add an option, add its case, in the order of the help, and its row; the compiler asks
/// for both. Help, manual pages, completions, variables and settings are generated from it.
enum Option: Int, CaseIterable {
    case backend, profile, against, path, namespace, query, eio, transport, token, auth, header, ca, cert, key, keyPass,
        pin,
        proxy,
        proxyAuth, company, workspace, join, autoAdopt, maxRooms, emit, emitAck, noAck, ack, history, catchUp,
        members, framing, format, template, fields, schema, time, zone, roomWidth, ids, spacer, summary, view, noStatus,
        report, hook, hookSh, notify, notifyBy, forward, filter, messages, eventsOnly, noChanges, kind, notKind, room,
        notRoom,
        from, notFrom, grep, exclude,
        highlight,
        sample, tail,
        explainFilter, count, untilMatch, failOn, duration, idleTimeout, maxAttempts, maxRetryAfter, reconnect,
        maxMessage, maxBody, maxBinary, maxAttachments, maxDepth, record, share, lease, events, metrics, otlp, rotate,
        keep,
        compress, fsync,
        recordFilter,
        onWriteError, noStates, keepSecrets, flightRecorder, store, diffLog, diffLogReversible, speed, rate,
        idleLimit, span, loop, follow, durable, step, refetch, verify, serve, listen, scenario, seed, tokenLife,
        tokenFile, env,
        strictRooms, roomLimit, pingInterval,
        pingTimeout, connectTimeout, recovery, era, maxPayload, thread, draft, image, file, visibility, icon,
        description,
        rename, member, language, status, statusIcon, user, password, save, json, output, force, secrets, event,
        notEvent, direction, connection,
        notConnection, start, end, ripple, fixedStrings, ignoreCase, invertMatch, countOnly, filesWithMatches,
        onlyMatching, raw, after, before,
        context, around, set, at, size, every, records, marks, connections, rule, replace, keepLength, to, decompress,
        on, name, all, since, older, noControl, allowEmit, dynamicPins, recordDir, timeout, quiet, ctx, yes, label,
        shell,
        unset, guarded, replicas, maxSize, maxAge, memory, nats, natsCreds, natsUser, natsPassword, natsNkey, natsTLS,
        natsCA,
        natsCert, natsKey, color, theme, style, config, help

    /// The option's row of the table.
    var row: Row { Self.rows[rawValue] }

    private static let rows = allCases.map(\.entry)
    private static let usual = Configuration.BackendKind.usual.rawValue
    private static let backends = Configuration.BackendKind.allCases.map(\.rawValue).joined(separator: "|")
    private static let knownBackends = KnownBackend.allCases.map(\.rawValue).joined(separator: "|")
    private static let worlds = EmbeddedService.worlds.map(\.name).joined(separator: "|")
    private static let servers = EmbeddedService.all.dropFirst().map(\.name).joined(separator: ", ")

    private static let refusing = EmbeddedService.all.filter(\.refusesRooms).map(\.name).joined(separator: ", ")

    private var entry: Row {
        switch self {
        case .backend:
            Row(
                "backend", Value(Self.backends),
                "what the server speaks (default \(Self.usual)); socketio has no schema",
                Scope([.demo, .tail, .record, .fileConvert, .explain, .emit], .server).and(.errands),
                otherwise: [
                    Variant(.errands, "what the server speaks (default \(Self.usual))", Self.knownBackends),
                    Variant([.explain], "whose events (default of all)", Self.knownBackends, isInherited: false),
                    Variant([.demo], "whose world is played (default \(Self.usual))", Self.worlds),
                    Variant([.emit], "what the server speaks (default socketio)"),
                    Variant([.fileConvert], "what the server of the messages spoke (default socketio)"),
                ])
        case .profile:
            Row(
                "profile", "FILE", "what the server speaks, declared (weir profile check FILE)",
                Scope([.tail, .record, .replay, .draft, .login, .logout, .whoami], [.server, .recording])
                    .and(.actions).and([.serve, .explain]),
                otherwise: [
                    Variant(
                        [.serve], "backend to play, declared; --scenario is then a FILE or nothing", isInherited: false)
                ])
        case .against:
            Row("against", "FILE", "try it on a recording: what matches, what is missing", [.profileCheck])
        case .path:
            Row(
                "path", "PATH", "endpoint's path (default /socket/; socketio and echo: /socket.io/)",
                Scope([.serve, .tail, .record, .emit], .server))
        case .namespace:
            Row(
                "namespace", "NAMESPACE", "Socket.IO namespace, or several (default the URL's path, or /)",
                Scope([.tail, .record, .fileConvert, .emit], .server), .repeatable,
                otherwise: [
                    Variant(
                        [.fileConvert], "the Socket.IO namespace that a replay hears (default /)", isRepeatable: false)
                ])
        case .query:
            Row(
                "query", "NAME=VALUE", "add this to the URL's query (VALUE as for --header)", .connections,
                [.repeatable, .secret])
        case .eio:
            Row("eio", "3|4|auto", "Engine.IO revision (default auto: 4, or 3 when the server says so)", .connections)
        case .transport:
            Row(
                "transport", "auto|websocket|polling|upgrade",
                "default auto: websocket, else polling; upgrade: polling first", .connections)
        case .token:
            Row(
                "token", .reference, "where the token is, never the token; NAME=… for one service",
                .loggedIn, .repeatable)
        case .auth: Row("auth", "JSON", "auth object of Socket.IO; strings in it as for --token", .connections, .secret)
        case .header:
            Row(
                "header", "'NAME: VALUE'", "header for every request (VALUE as for --token, or plain text)", .requests,
                [.repeatable, .secret])
        case .ca: Row("ca", "FILE", "certificates to trust instead of the system's (PEM)", .requests)
        case .cert: Row("cert", "FILE", "certificate to show the server (PEM, with its chain)", .requests)
        case .key: Row("key", "FILE", "key of --cert (PEM; default the same file)", .requests, needs: .cert)
        case .keyPass: Row("key-pass", .reference, "where the passphrase of --key is", .requests, needs: .cert)
        case .pin:
            Row(
                "pin", "sha256//HASH", "public key the server must have; one of them, when several", .requests,
                .repeatable)
        case .proxy: Row("proxy", "URL|env", "HTTP proxy to go through, or what the environment names", .requests)
        case .proxyAuth: Row("proxy-auth", .reference, "where the proxy's USER:PASSWORD is", .requests, needs: .proxy)
        case .company:
            Row(
                "company", "ID", "company (default the last one looked at, or the first)",
                .live.and(.actions).and([.download]))
        case .workspace:
            Row(
                "workspace", "ID", "workspace (default the last one looked at, or the first)",
                .live.and(.actions).and([.download]))
        case .join:
            Row("join", .pattern, "join these rooms only: names or patterns (weir help rooms)", .live, .repeatable)
        case .autoAdopt:
            Row(
                "auto-adopt", "all|matching|off", "rooms to join by themselves (default all; matching with --join)",
                [.tail, .record])
        case .maxRooms:
            Row("max-rooms", "N", "join no more rooms than these by patterns; say what is left out", [.tail, .record])
        case .emit:
            Row(
                "emit", "'EVENT ARG…'", "send this after each connect; -: each line of standard input", .live,
                .repeatable)
        case .emitAck: Row("emit-ack", .flag, "ask for an answer to what is emitted, and show it", .live)
        case .noAck: Row("no-ack", .flag, "ask for no answer", [.emit])
        case .ack:
            Row(
                "ack", "'EVENT=ARG…'", "answer such events, which ask for it; with --on: 'ARG…' alone", .live,
                .repeatable)
        case .history: Row("history", "N", "show at least N head messages of each channel, page by page", .live)
        case .catchUp: Row("catch-up", "N", "after a gap catch up with N messages a channel (default 1000)", .live)
        case .members: Row("members", .flag, "show who is in each channel, too: a room and a request a channel", .live)
        case .framing:
            Row(
                "framing", "auto|own|library", "who reads frames: weir, or libwebsockets, less strict (auto: weir)",
                .live)
        case .format:
            Row(
                "format", "pretty|compact|chat|table|json|jsonl|raw",
                "how events are printed (default compact); jsonl: payloads only", .printing)
        case .template:
            Row("template", "TEXT", "such a line for each event: '{time} {title:16} {text}'", .printing)
        case .fields: Row("fields", "NAME,…", "print such members of json, as in room_title,text", .printing)
        case .schema: Row("schema", .flag, "print the JSON Schema of json, and end", .views)
        case .time:
            Row(
                "time", "abs|rel|delta|none", "time of an event: wall clock (default), since start, or the last",
                .printing.watching(.all))
        case .zone:
            Row(
                "zone", "utc|local|NAME", "whose wall clock it is (default utc), as Europe/Berlin",
                .printing.watching(.all))
        case .roomWidth: Row("room-width", "N", "columns of a room (default by the terminal: 10 to 20)", .printing)
        case .ids: Row("ids", .flag, "show rooms, people and rows by their ids rather than by names", .printing)
        case .spacer: Row("spacer", "D", "show a pause as long as this by a line of its own", .printing)
        case .summary:
            Row(
                "summary", "text|json|none", "how to tell at the end what was seen (default text)", .runs.watching(.all)
            )
        case .view:
            Row(
                "view", "log|latest|top|graph|model|raw|conn",
                "what is shown: lines (default), raw wire units, or a view in place", .views)
        case .report:
            Row(
                "report", "FILE", "at the end write a page of what passed: HTML (-: standard output)",
                [.demo, .tail, .record, .replay])
        case .noStatus: Row("no-status", .flag, "no status line on a terminal", .runs)
        case .hook:
            Row(
                "hook", "'EXPR=COMMAND'", "run COMMAND, by no shell, for what EXPR holds of; input: JSON",
                .views, .repeatable)
        case .hookSh:
            Row("hook-sh", "'EXPR=COMMAND'", "the same by /bin/sh, for pipes and $WEIR_N", .views, .repeatable)
        case .notify:
            Row(
                "notify", "RULE", "notify of mention, direct, keyword:WORD, or what EXPR holds of", .views,
                .repeatable)
        case .notifyBy:
            Row("notify-by", "terminal|desktop|COMMAND", "by its bell (default), notify-send, a program", .views)
        case .forward: Row("forward", "URL", "post the JSON of each event that is shown to this URL", .views)
        case .filter:
            Row("filter", "EXPR", "show what this holds of, too: kind = message and size > 4K", .filters, .repeatable)
        case .kind:
            Row(
                "kind", .kind, "show what is of such a kind, and what it changed", .filtersOfFiles, .repeatable,
                otherwise: [Variant([.fileFilter], "keep records of such a kind: f, http, sub, gap, mark, …")])
        case .messages: Row("messages", .flag, "show messages and what they changed, nothing else", .filters)
        case .eventsOnly: Row("events-only", .flag, "show events, and no changes of the model", .filters)
        case .noChanges: Row("no-changes", .flag, "leave out the changes of the model", .filters)
        case .notKind:
            Row(
                "not-kind", .kind, "leave out what is of such a kind", .filtersOfFiles, .repeatable,
                otherwise: [Variant([.fileFilter], "leave out records of such a kind")])
        case .room:
            Row(
                "room", .room, "show what is about such a room: a name, a pattern, #TITLE", .filtersOfFiles,
                .repeatable, otherwise: [Variant([.fileFilter], "keep what is about such a room")])
        case .notRoom: Row("not-room", .room, "leave out what is about such a room", .filtersOfFiles, .repeatable)
        case .from:
            Row(
                "from", "USER", "show what is by such a user: a name, an id, a pattern",
                Scope([.demo, .tail, .replay, .fileConvert, .attach], .all), .repeatable,
                otherwise: [Variant([.fileConvert], "what FILE is", "weir|har|cloudevents|lines", isRepeatable: false)])
        case .notFrom: Row("not-from", "USER", "leave out what is by such a user", .filters, .repeatable)
        case .grep: Row("grep", "RE", "show lines that match a regular expression", .filters, .repeatable)
        case .exclude: Row("exclude", "RE", "leave out lines that match a regular expression", .filters, .repeatable)
        case .highlight:
            Row(
                "highlight", "EXPR|/RE/", "point out what this holds of, or lines that match /RE/", .filters,
                .repeatable)
        case .tail:
            Row(
                "tail", "N", "of older messages show the last N of each room; 0: from now on",
                Scope([.demo, .tail], .server))
        case .sample: Row("sample", "N%|1/N", "show so many of the events only, evenly", .filters)
        case .explainFilter: Row("explain-filter", .flag, "print what the options above come to, and end", .filters)
        case .count: Row("count", "N", "end after N events that are shown", .runs)
        case .untilMatch:
            Row("until-match", "EXPR", "end with the first of what this holds of, or /RE/ in a line", .views)
        case .failOn: Row("fail-on", "gap|unknown|denied,…", "end with 3 when this happened, too", .runs, .repeatable)
        case .duration:
            Row("duration", "D", "end after this time, such as 500ms, 15s, 2m (8 if still waiting)", .sessions)
        case .idleTimeout: Row("idle-timeout", "D", "end when no event came for this time (8 if still waiting)", .live)
        case .maxAttempts:
            Row("max-attempts", "N", "give up (5) after N attempts in a row to connect", .live.and(.actions))
        case .maxRetryAfter:
            Row(
                "max-retry-after", "D", "wait no longer when a server says Retry-After (default 5m)",
                .live.and(.actions))
        case .reconnect:
            Row(
                "reconnect", "always|lost|never", "when to connect again; lost: not after the server said goodbye",
                .live)
        case .maxMessage:
            Row("max-message", "SIZE", "refuse a larger message of the socket (default 16M, most 32M)", .live)
        case .maxBody: Row("max-body", "SIZE", "refuse a larger answer to a request (default 16M, most 32M)", .live)
        case .maxBinary:
            Row("max-binary", "SIZE", "refuse larger attachments of one event (default 16M, most 32M)", .live)
        case .maxAttachments:
            Row("max-attachments", "N", "refuse an event with more attachments (default 10, most 1000)", .live)
        case .maxDepth: Row("max-depth", "N", "refuse JSON of the socket nested deeper (default and most 1024)", .live)
        case .record:
            Row(
                "record", "FILE", "write everything received and sent to this new event file",
                Scope([.demo, .tail], .server))
        case .share:
            Row(
                "share", "nats://HOST/GROUP", "divide the rooms with the group's other tails; record there", [.tail],
                excludes: .record)
        case .lease:
            Row(
                "lease", "D", "without a word for so long its rooms go to others (default 10s)", [.tail], needs: .share)
        case .events:
            Row(
                "events", .flag, "publish events and changes as JSON, too, where it records to nats://",
                [.demo, .tail, .record])
        case .metrics:
            Row("metrics", "[ADDR:]PORT", "answer Prometheus at /metrics there (default 127.0.0.1)", .live)
        case .otlp: Row("otlp", "URL", "send metrics and spans there each 10s: OTLP, HTTP, JSON", .live)
        case .rotate:
            Row(
                "rotate", "SIZE|D|hup", "record in segments: a new one at this size, age, or SIGHUP (also)", .live,
                .repeatable, needs: .record)
        case .keep:
            Row("keep", "N|SIZE|D", "segments to keep: so many, so large or so old in all", .live, needs: .rotate)
        case .compress:
            Row(
                "compress", "closed|live", "with zstd: closed segments, or live, as what is called .zst", .live,
                needs: .record)
        case .fsync:
            Row(
                "fsync", "never|interval|chunk|always",
                "when to force it to disk, for power cuts (default interval: 1s)", .live)
        case .recordFilter:
            Row(
                "record-filter", "EXPR", "record of events only what this holds of; the file says so", .sessions,
                needs: .record)
        case .onWriteError:
            Row(
                "on-write-error", "stop|continue", "when it cannot be written: end (7), or go on without it", .live,
                needs: .record)
        case .noStates: Row("no-states", .flag, "record no checksums of the model", .live)
        case .keepSecrets:
            Row("keep-secrets", .flag, "show and record secrets that the server sends as they come", .sessions)
        case .flightRecorder:
            Row("flight-recorder", "D[,SIZE]", "keep the last D in memory; SIGUSR2 writes it to a new file", [.tail])
        case .store:
            Row(
                "store", "FILE|none", "where it is remembered what was seen (tail: ~/.local/state/weir)",
                .live.and([.roomsLs, .roomsJoin, .roomsLeave, .roomsSet, .logout, .download, .draft]).and(.actions),
                otherwise: [
                    Variant(.roomVerbs, "file to look into instead of asking a running tail", isInherited: false)
                ])
        case .diffLog:
            Row(
                "diff-log", "FILE", "every change of the model, a batch a line (- is standard output)",
                .runs.watching([.server, .recording]))
        case .diffLogReversible:
            Row(
                "diff-log-reversible", .flag, "also what each line of the log replaced, to go back by it",
                .runs.watching([.server, .recording]), needs: .diffLog)
        case .speed: Row("speed", "N|max", "times the original speed, 0.01 to 1000 (default 1), or max", .replays)
        case .rate:
            Row(
                "rate", "N/s", "so many events a second, whatever their times", .replays.and([.serve]),
                excludes: .speed,
                otherwise: [Variant([.serve], "about so many things a second happen (default 1)")])
        case .tokenFile:
            Row("token-file", "FILE", "keep the token there; the one that is there is good for ever", [.serve])
        case .env:
            Row("env", .flag, "begin it beside the shell: eval \"$(weir serve --env)\" sets $URL", [.serve])
        case .idleLimit:
            Row("idle-limit", "D", "longest wait for a record (default what the recording advises)", .replays)
        case .span:
            Row(
                "for", "D", "end after so much of the recording's time",
                Scope([.replay, .roomsJoin, .roomsLeave, .roomsMute, .roomsUnmute], .recording),
                otherwise: [Variant(.roomVerbs, "undo it after this time, such as 10m")])
        case .loop: Row("loop", "N|forever", "play so often", [.replay])
        case .follow: Row("follow", .flag, "wait for more where the file has no end yet", .replays, excludes: .loop)
        case .durable:
            Row(
                "durable", "NAME", "of nats://: begin after what earlier replays of this NAME showed", [.replay],
                excludes: .start)
        case .step: Row("step", .flag, "begin paused; each line of standard input is a step", .replays)
        case .refetch:
            Row(
                "refetch", "recorded|stub|off", "answer requests as recorded (default), all others too, or none",
                .replays)
        case .verify:
            Row(
                "verify", .flag,
                "compare checksums, states, requests; tell the verdict (6: differs)", .replays)
        case .serve:
            Row("serve", "ADDR:PORT", "be the recording's server, for other clients; nothing is shown", [.replay])
        case .listen:
            Row("listen", "ADDR:PORT", "where to listen (default 127.0.0.1:0, a port the system chooses)", [.serve])
        case .scenario:
            Row("scenario", "NAME|FILE", "script (default workspace) or \(Self.servers)", [.serve])
        case .seed: Row("seed", "N", "seed of the world; one seed gives one history (default 1)", [.demo, .serve])
        case .tokenLife:
            Row("token-life", "D", "how long tokens are good; a login can renew its own (default 1h)", [.serve])
        case .strictRooms:
            Row("strict-rooms", .flag, "\(Self.refusing): refuse rooms of others and of private channels", [.serve])
        case .roomLimit:
            Row("room-limit", "N", "\(Self.refusing): most rooms a client may be in (default 5000)", [.serve])
        case .pingInterval:
            Row("ping-interval", "D", "time between heartbeats (default 25s; a bare number is ms)", [.serve])
        case .pingTimeout: Row("ping-timeout", "D", "how long a heartbeat may be missing (default 20s)", [.serve])
        case .connectTimeout:
            Row("connect-timeout", "D", "how long a client may join no namespace (default 45s)", [.serve])
        case .recovery: Row("recovery", "D", "echo: a client cut off may come back so late, missing nothing", [.serve])
        case .era: Row("era", "a|b", "REST: a is the mobile proxy alone, b the core, too (default b)", [.serve])
        case .maxPayload:
            Row("max-payload", "BYTES", "most bytes of a message or a polling body (default 1000000)", [.serve])
        case .thread:
            Row(
                "thread", "MESSAGE", "head of the thread the message is in, or is a reply to",
                [.send, .edit, .react, .delete, .draft])
        case .draft:
            Row("draft", .flag, "send the draft of the place in place of TEXT ('weir help draft')", [.send])
        case .image:
            Row("image", "FILE", "picture to send along (GroupMe): JPEG, PNG, GIF or WebP", [.send], .repeatable)
        case .file:
            Row(
                "file", "FILE", "file to send along (Twake): it is uploaded first, and once", [.send, .edit],
                .repeatable)
        case .visibility:
            Row("visibility", "public|private|direct", "who sees the channel (a new one: default public)", [.channel])
        case .icon: Row("icon", "EMOJI|FILE", "the channel's icon; of a GroupMe group the picture", [.channel])
        case .description: Row("description", "TEXT", "what the channel is for", [.channel])
        case .rename: Row("rename", "NAME", "the new name of the channel or workspace", [.channel, .workspace])
        case .member:
            Row(
                "member", "USER", "who is in it, too: a user's id; for a workspace an address", [.channel, .workspace],
                .repeatable)
        case .language: Row("language", "LANGUAGE", "the language of your account, such as fr", [.account])
        case .status:
            Row("status", "TEXT", "what you say about yourself; '' for nothing", [.account])
        case .statusIcon: Row("status-icon", "EMOJI", "an emoji before it", [.account])
        case .user: Row("user", "NAME", "user name or address to log in with", [.login], settings: .all)
        case .password:
            Row(
                "password", .password, "where the password, or GroupMe's token, is (default prompt)", [.login],
                settings: .all)
        case .save:
            Row(
                "save", "FILE", "file for the token (0600); one that is there is replaced",
                [.login, .roomsJoin, .roomsLeave, .roomsOnly, .roomsPin], settings: .all,
                otherwise: [Variant(.roomVerbs, "keep the patterns as a set of this name, too", "SET")])
        case .json:
            Row(
                "json", .flag, "print the result as one JSON object a line", .results,
                otherwise: [
                    Variant(.roomVerbs, "print one JSON object a line"),
                    Variant([.fileInfo], "print one JSON object a file"),
                    Variant([.fileDoctor], "print one JSON object a finding"),
                    Variant([.fileDiff], "print one JSON object"),
                    Variant([.fileGrep], "print the records' lines as they stand in the file"),
                ])
        case .output:
            Row(
                "output", "FILE", "write to this new file (0600) instead of standard output",
                .writingFiles.and([.download]), letter: "o",
                otherwise: [Variant([.fileSplit], "begin the segments' names with this (default FILE's)")])
        case .force:
            Row(
                "force", .flag, "replace a file that is there",
                Scope([.tail, .record, .download], .server).and(.writingFiles).and([.streamRm]),
                otherwise: [Variant([.streamRm], "remove it, for everybody")])
        case .secrets: Row("secrets", .flag, "look for what looks like a secret, too", [.fileDoctor])
        case .event: Row("event", "EVENT", "keep such events, by their name on the wire", [.fileFilter], .repeatable)
        case .notEvent: Row("not-event", "EVENT", "leave out such events", [.fileFilter], .repeatable)
        case .direction: Row("dir", "in|out", "keep messages received, or sent", [.fileFilter])
        case .connection: Row("conn", "N", "keep what belongs to such a connection", [.fileFilter], .repeatable)
        case .notConnection:
            Row("not-conn", "N", "leave out what belongs to such a connection", [.fileFilter], .repeatable)
        case .start:
            Row(
                "start", .position, "show what is from here on; what is before is applied", .parts,
                otherwise: [Variant([.fileFilter, .fileCut], "begin with the first record here")])
        case .end: Row("end", .position, "end before the first record here", .parts)
        case .ripple: Row("ripple", .flag, "close the hole: times begin at 0", [.fileCut])
        case .fixedStrings: Row("fixed-strings", .flag, "PATTERN is text", [.fileGrep], letter: "F")
        case .ignoreCase: Row("ignore-case", .flag, "upper and lower case are the same", [.fileGrep], letter: "i")
        case .invertMatch: Row("invert-match", .flag, "find what does not match", [.fileGrep], letter: "v")
        case .countOnly: Row("count-only", .flag, "print how many match", [.fileGrep], letter: "c")
        case .filesWithMatches:
            Row("files-with-matches", .flag, "print the names of files with a match", [.fileGrep], letter: "l")
        case .onlyMatching: Row("only-matching", .flag, "print what matches, alone", [.fileGrep], letter: "o")
        case .raw: Row("raw", .flag, "search and show bytes: JSON's escapes (\\u00e9) as spelled", [.fileGrep])
        case .after: Row("after", "N", "print N records behind each match, too", [.fileGrep], letter: "A")
        case .before: Row("before", "N", "print N records before each match, too", [.fileGrep], letter: "B")
        case .context:
            Row("context", "N", "print N records before and behind each match, too", [.fileGrep], letter: "C")
        case .around: Row("around", "D", "print what happened within this time of each match, too", [.fileGrep])
        case .set: Row("set", "NAME", "add a mark of this name", [.fileMark])
        case .at: Row("at", .position, "where the mark is to stand", [.fileMark])
        case .size: Row("size", "SIZE", "begin a new segment when one has so many new bytes", [.fileSplit])
        case .every: Row("every", "D", "begin a new segment after so much time", [.fileSplit])
        case .records: Row("records", "N", "begin a new segment after so many records", [.fileSplit])
        case .marks: Row("marks", .flag, "begin a new segment at every mark", [.fileSplit])
        case .connections: Row("connections", .flag, "begin a new segment at every connection", [.fileSplit])
        case .rule: Row("rule", "RULE", "what to take out", [.fileRedact], .repeatable)
        case .replace: Row("replace", "fixed|hash|fake", "what stands in its place (default fixed)", [.fileRedact])
        case .keepLength: Row("keep-length", .flag, "what stands in its place has as many bytes", [.fileRedact])
        case .to: Row("to", "weir|har|cloudevents|lines|asciicast", "what to make of it", [.fileConvert])
        case .decompress: Row("decompress", .flag, "write the text of a compressed file", [.fileCompress], letter: "d")
        case .on:
            Row(
                "on", .tail, "the running tail to speak to",
                .roomVerbs.and(Scope([.ctl, .notify, .tail, .record, .emit], [.server, .running])).and(.actions),
                settings: [.environment, .config],
                otherwise: [
                    Variant([.roomsLs], "running tail, or a group: nats://HOST/GROUP", "NAME|URL"),
                    Variant(
                        [.tail, .record], "do the --emit or --ack behind it for what EXPR holds of", "EXPR",
                        isRepeatable: true, isInherited: false),
                    Variant(
                        [.watch], "running tail to watch; or EXPR, as weir tail has it", "NAME|EXPR", isRepeatable: true
                    ), Variant(Scope.actions.and([.emit]), isInherited: false),
                ])
        case .name: Row("name", "NAME", "name of the control socket (default context, or process id)", .named)
        case .all:
            Row(
                "all", .flag, "also those that nobody wants", [.roomsLs, .man],
                otherwise: [Variant([.man], "write every page into the folder DIR")])
        case .since:
            Row(
                "since", "D|TIME", "leave out what is older, such as 10m or 2026-07-29T08:00:00Z",
                Scope([.demo, .tail, .attach], [.server, .running]).and([.roomsHistory]),
                otherwise: [Variant([.roomsHistory], "only what was said in this time, such as 2h", "D")])
        case .older:
            Row("older", .flag, "the page before the oldest message the tail has", [.roomsHistory], excludes: .since)
        case .noControl: Row("no-ctl", .flag, "open no control socket", .named)
        case .allowEmit:
            Row(
                "allow-emit", .flag, "clients of the control socket may send events to the server",
                [.demo, .tail, .record])
        case .dynamicPins:
            Row(
                "dynamic-pins", .flag, "pin rooms that clients join for good; unpin those they leave", [.tail, .record])
        case .recordDir:
            Row(
                "record-dir", "FOLDER", "where clients of the control socket may begin recordings",
                [.demo, .tail, .record])
        case .timeout:
            Row(
                "timeout", "D", "how long an answer may take (default 5s)",
                Scope([.ctl, .tail, .record, .emit], .server), needs: .emitAck)
        case .quiet:
            Row(
                "quiet", .flag, "print only warnings, errors and losses on standard error",
                Scope([.demo, .serve, .tail, .record, .replay, .attach], .all))
        case .ctx:
            Row(
                "ctx", .context, "context with the URL and options ('weir ctx'); none for none", .contexts,
                settings: .environment)
        case .yes:
            Row(
                "yes", .flag, "do it, though the context is guarded", .actions.and(.connections), settings: .environment
            )
        case .label:
            Row("label", "TEXT", "what to say of it in lists", [.ctxAdd, .ctxEdit], .repeatable, settings: .context)
        case .shell:
            Row("shell", .flag, "print what sets it in this shell, for eval", [.ctxUse, .ctxUnuse], settings: [])
        case .unset: Row("unset", .option, "take this option out of it", [.ctxEdit], .repeatable, settings: [])
        case .guarded:
            Row(
                "guard", .flag, "ask for --yes where others would see what is done", [.ctxAdd, .ctxEdit],
                settings: .context)
        case .replicas:
            Row(
                "replicas", "1|3|5", "nodes that keep each message (default 3 where there are as many)", [.streamCreate]
            )
        case .maxSize: Row("max-size", "SIZE", "the oldest go when there are more bytes than this", [.streamCreate])
        case .maxAge: Row("max-age", "D", "what is older goes, such as 30d", [.streamCreate])
        case .memory: Row("memory", .flag, "keep it in memory only", [.streamCreate])
        case .nats: Row("nats", "URL", "list the tails that publish to this cluster instead", [.ps])
        case .natsCreds: Row("nats-creds", "FILE", "credentials for the cluster, as nsc writes them", .clusters)
        case .natsUser: Row("nats-user", "NAME", "user at the cluster", .clusters)
        case .natsPassword: Row("nats-password", .reference, "where the password of --nats-user is", .clusters)
        case .natsNkey: Row("nats-nkey", .reference, "where the seed of the nkey is", .clusters)
        case .natsTLS: Row("nats-tls", .flag, "ask the cluster for TLS; so do the three below", .clusters)
        case .natsCA: Row("nats-ca", "FILE", "certificates to trust instead of the system's (PEM)", .clusters)
        case .natsCert: Row("nats-cert", "FILE", "certificate to show the cluster (PEM, with its chain)", .clusters)
        case .natsKey: Row("nats-key", "FILE", "key of --nats-cert (PEM; default the same file)", .clusters)
        case .color: Row("color", "auto|always|never", "when to use colours (default auto: on a terminal)", .everywhere)
        case .theme:
            Row(
                "theme", Value(TerminalTheme.Name.allCases.map(\.rawValue).joined(separator: "|")),
                "default auto: readable on dark and light; terminal: its own 16", .coloured)
        case .style:
            Row("style", "ROLE=STYLE", "such a look, as in actor=bold blue (weir help config)", .coloured, .repeatable)
        case .config:
            Row(
                "config", "FILE|none", "file of settings (default ~/.config/weir/config)", .settings,
                settings: .environment)
        case .help: Row("help", .flag, "show this help", .everywhere, settings: [])
        }
    }
}

/// Sets of commands that take the same options, in the order in which an error lists them.
extension Option.Scope {
    fileprivate static let actions = Self(Command.actions)
    fileprivate static let errands = Self(Command.errands)
    fileprivate static let roomVerbs = Self(Command.roomVerbs)
    /// The verbs of `file` that write a file.
    fileprivate static let writingFiles: Self = [
        .fileRepair, .fileIndex, .fileFilter, .fileCut, .fileMerge, .fileSplit, .fileMark, .fileRedact, .fileCompress,
        .fileConvert, .fileReport,
    ]
    /// The commands that follow a server.
    fileprivate static let live = Self([.tail, .record], .server)
    fileprivate static let sessions = Self([.demo, .tail, .record], .server)
    /// The commands that open a realtime connection.
    fileprivate static let connections = Self([.tail, .record, .emit], .server)
    /// The commands that send requests. `loggedIn` contains those that need a token.
    fileprivate static let requests = connections.and(.errands)
    fileprivate static let loggedIn = connections.and(Self(Command.errands.filter { $0 != .login }))
    /// The commands that show what they receive. Options that `tail` and `replay` share are about that, and apply to a
    /// viewer as well.
    fileprivate static let views: Self = [.demo, .tail, .replay, .attach]
    fileprivate static let runs: Self = [.demo, .tail, .record, .replay, .attach]
    fileprivate static let printing: Self = [.demo, .tail, .replay, .fileCat, .attach]
    fileprivate static let coloured = printing.and([.record, .fileGrep]).watching(.all)
    fileprivate static let filters = views.watching(.all)
    fileprivate static let filtersOfFiles = Self([.demo, .tail, .replay, .fileFilter, .attach], .all)
    /// The commands with a control socket.
    fileprivate static let named = Self([.demo, .tail, .record, .replay], .server)
    fileprivate static let replays = Self([.replay], .recording)
    fileprivate static let parts = Self([.replay, .fileFilter, .fileCut], .recording)
    /// The commands that print a result.
    fileprivate static let results = roomVerbs.and([
        .ps, .configShow, .ctxList, .ctxShow, .ctxCheck, .fileInfo, .fileDoctor, .fileGrep, .fileDiff, .streamLs,
        .streamInfo,
    ]).and(.errands).and([.emit])
    fileprivate static let contexts = Self(Command.table.filter(\.takesContext), .server)
    fileprivate static let settings = Self(
        Command.table.filter { $0.takesSettings || $0.family == "config" || $0 == .ctxCheck })
    /// The commands that always use a cluster. Other commands get these options from the settings.
    fileprivate static let clusters: Self = [.filePublish, .streamCreate, .streamLs, .streamInfo, .streamRm]
    fileprivate static let everywhere = Self(Command.table)
}
