import WeirPipeline
import WeirTerminal

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
                "protocol of the server (default \(Self.usual)); socketio has no schema",
                Scope([.demo, .tail, .record, .fileConvert, .explain, .emit], .server).and(.oneShots),
                otherwise: [
                    Variant(.oneShots, "protocol of the server (default \(Self.usual))", Self.knownBackends),
                    Variant([.explain], "backend of the events (default all)", Self.knownBackends, isInherited: false),
                    Variant([.demo], "world to play (default \(Self.usual))", Self.worlds),
                    Variant([.emit], "protocol of the server (default socketio)"),
                    Variant([.fileConvert], "protocol of the recorded server (default socketio)"),
                ])
        case .profile:
            Row(
                "profile", "FILE", "profile of the server (weir profile check FILE)",
                Scope([.tail, .record, .replay, .draft, .login, .logout, .whoami], [.server, .recording])
                    .and(.actions).and([.serve, .explain]),
                otherwise: [
                    Variant(
                        [.serve], "profile of the backend to play; --scenario is then a FILE or none",
                        isInherited: false)
                ])
        case .against:
            Row("against", "FILE", "test it with a recording: matches and missing rules", [.profileCheck])
        case .path:
            Row(
                "path", "PATH", "endpoint path (default /socket/; socketio and echo: /socket.io/)",
                Scope([.serve, .tail, .record, .emit], .server))
        case .namespace:
            Row(
                "namespace", "NAMESPACE", "Socket.IO namespace, or several (default the URL's path, or /)",
                Scope([.tail, .record, .fileConvert, .emit], .server), .repeatable,
                otherwise: [
                    Variant(
                        [.fileConvert], "the Socket.IO namespace that a replay plays (default /)", isRepeatable: false)
                ])
        case .query:
            Row(
                "query", "NAME=VALUE", "query parameter added to the URL (VALUE as for --header)", .connections,
                [.repeatable, .secret])
        case .eio:
            Row("eio", "3|4|auto", "Engine.IO revision (default auto: 4, or 3 if the server says so)", .connections)
        case .transport:
            Row(
                "transport", "auto|websocket|polling|upgrade",
                "default auto: websocket, else polling; upgrade: polling first", .connections)
        case .token:
            Row(
                "token", .reference, "reference to the token, never the token; NAME=… for one service",
                .loggedIn, .repeatable)
        case .auth:
            Row(
                "auth", "JSON", "auth object of Socket.IO; strings may be references, as in --token", .connections,
                .secret)
        case .header:
            Row(
                "header", "'NAME: VALUE'", "header for every request (VALUE as for --token, or plain text)", .requests,
                [.repeatable, .secret])
        case .ca: Row("ca", "FILE", "certificates to trust instead of the system's (PEM)", .requests)
        case .cert: Row("cert", "FILE", "certificate to show the server (PEM, with its chain)", .requests)
        case .key: Row("key", "FILE", "key of --cert (PEM; default the same file)", .requests, needs: .cert)
        case .keyPass: Row("key-pass", .reference, "reference to the passphrase of --key", .requests, needs: .cert)
        case .pin:
            Row(
                "pin", "sha256//HASH", "public key of the server; if repeated, one must match", .requests,
                .repeatable)
        case .proxy: Row("proxy", "URL|env", "HTTP proxy, or env for the proxy of the environment", .requests)
        case .proxyAuth:
            Row("proxy-auth", .reference, "reference to the proxy's USER:PASSWORD", .requests, needs: .proxy)
        case .company:
            Row(
                "company", "ID", "company (default the last selected one, or the first)",
                .live.and(.actions).and([.download]))
        case .workspace:
            Row(
                "workspace", "ID", "workspace (default the last selected one, or the first)",
                .live.and(.actions).and([.download]))
        case .join:
            Row("join", .pattern, "join only these rooms: names or patterns (weir help rooms)", .live, .repeatable)
        case .autoAdopt:
            Row(
                "auto-adopt", "all|matching|off", "rooms to join automatically (default all; matching with --join)",
                [.tail, .record])
        case .maxRooms:
            Row("max-rooms", "N", "join at most N rooms by patterns; report the rooms left out", [.tail, .record])
        case .emit:
            Row(
                "emit", "'EVENT ARG…'", "send this event after each connect; -: each line of standard input", .live,
                .repeatable)
        case .emitAck: Row("emit-ack", .flag, "request acknowledgements of emitted events and show them", .live)
        case .noAck: Row("no-ack", .flag, "request no acknowledgement", [.emit])
        case .ack:
            Row(
                "ack", "'EVENT=ARG…'", "acknowledge such events; with --on only 'ARG…'", .live,
                .repeatable)
        case .history: Row("history", "N", "show at least N head messages of each channel, page by page", .live)
        case .catchUp: Row("catch-up", "N", "messages to fetch per channel after a gap (default 1000)", .live)
        case .members: Row("members", .flag, "also show channel members: one more room and request per channel", .live)
        case .framing:
            Row(
                "framing", "auto|own|library", "frame parser: weir, or libwebsockets, less strict (auto: weir)",
                .live)
        case .format:
            Row(
                "format", "pretty|compact|chat|table|json|jsonl|raw",
                "output format (default compact); jsonl: payloads only", .printing)
        case .template:
            Row("template", "TEXT", "line for each event, such as '{time} {title:16} {text}'", .printing)
        case .fields: Row("fields", "NAME,…", "print only these members of json, such as room_title,text", .printing)
        case .schema: Row("schema", .flag, "print the JSON Schema of json and exit", .views)
        case .time:
            Row(
                "time", "abs|rel|delta|none", "time of an event: wall clock (default), since start, or previous",
                .printing.watching(.all))
        case .zone:
            Row(
                "zone", "utc|local|NAME", "time zone (default utc), such as Europe/Berlin",
                .printing.watching(.all))
        case .roomWidth:
            Row("room-width", "N", "width of the room column (default by the terminal: 10 to 20)", .printing)
        case .ids: Row("ids", .flag, "show ids of rooms, people and rows instead of names", .printing)
        case .spacer: Row("spacer", "D", "show pauses of at least D on a separate line", .printing)
        case .summary:
            Row(
                "summary", "text|json|none", "format of the final summary (default text)", .runs.watching(.all)
            )
        case .view:
            Row(
                "view", "log|latest|top|graph|model|raw|conn",
                "view: lines (default), raw wire units, or one drawn in place", .views)
        case .report:
            Row(
                "report", "FILE", "write a page about the run at the end: HTML (-: standard output)",
                [.demo, .tail, .record, .replay])
        case .noStatus: Row("no-status", .flag, "no status line on a terminal", .runs)
        case .hook:
            Row(
                "hook", "'EXPR=COMMAND'", "run COMMAND without a shell for what matches EXPR; input: JSON",
                .views, .repeatable)
        case .hookSh:
            Row("hook-sh", "'EXPR=COMMAND'", "the same with /bin/sh, for pipes and $WEIR_N", .views, .repeatable)
        case .notify:
            Row(
                "notify", "RULE", "notify of mention, direct, keyword:WORD, or matches of EXPR", .views,
                .repeatable)
        case .notifyBy:
            Row(
                "notify-by", "terminal|desktop|COMMAND", "notify by terminal bell (default), notify-send, or a program",
                .views)
        case .forward: Row("forward", "URL", "post the JSON of each shown event to this URL", .views)
        case .filter:
            Row("filter", "EXPR", "show only matches, such as: kind = message and size > 4K", .filters, .repeatable)
        case .kind:
            Row(
                "kind", .kind, "show events of this kind, and their changes", .filtersOfFiles, .repeatable,
                otherwise: [Variant([.fileFilter], "keep records of this kind: f, http, sub, gap, mark, …")])
        case .messages: Row("messages", .flag, "show only messages and their changes", .filters)
        case .eventsOnly: Row("events-only", .flag, "show events without changes of the model", .filters)
        case .noChanges: Row("no-changes", .flag, "hide changes of the model", .filters)
        case .notKind:
            Row(
                "not-kind", .kind, "leave out events of this kind, and their changes", .filtersOfFiles, .repeatable,
                otherwise: [Variant([.fileFilter], "leave out records of this kind")])
        case .room:
            Row(
                "room", .room, "show events of this room: a name, a pattern, #TITLE", .filtersOfFiles,
                .repeatable, otherwise: [Variant([.fileFilter], "keep records about this room")])
        case .notRoom: Row("not-room", .room, "leave out events or records of this room", .filtersOfFiles, .repeatable)
        case .from:
            Row(
                "from", "USER", "show events by this user: a name, an id, a pattern",
                Scope([.demo, .tail, .replay, .fileConvert, .attach], .all), .repeatable,
                otherwise: [
                    Variant(
                        [.fileConvert], "format of FILE (default detected)", "weir|har|cloudevents|lines",
                        isRepeatable: false)
                ])
        case .notFrom: Row("not-from", "USER", "hide events by this user", .filters, .repeatable)
        case .grep: Row("grep", "RE", "show lines that match a regular expression", .filters, .repeatable)
        case .exclude: Row("exclude", "RE", "hide lines that match a regular expression", .filters, .repeatable)
        case .highlight:
            Row(
                "highlight", "EXPR|/RE/", "highlight what matches, or lines that match /RE/", .filters,
                .repeatable)
        case .tail:
            Row(
                "tail", "N", "show the last N older messages of each room; 0: from now on",
                Scope([.demo, .tail], .server))
        case .sample: Row("sample", "N%|1/N", "show only this share of the events, evenly spread", .filters)
        case .explainFilter:
            Row("explain-filter", .flag, "print the combined filter of these options and exit", .filters)
        case .count: Row("count", "N", "end after N shown events", .runs)
        case .untilMatch:
            Row("until-match", "EXPR", "end at the first match, or at the first line that matches /RE/", .views)
        case .failOn: Row("fail-on", "gap|unknown|denied,…", "also exit with 3 if this happened", .runs, .repeatable)
        case .duration:
            Row("duration", "D", "end after this time, such as 500ms, 15s, 2m (8 if still waiting)", .sessions)
        case .idleTimeout: Row("idle-timeout", "D", "end if no event arrives for this time (8 if still waiting)", .live)
        case .maxAttempts:
            Row("max-attempts", "N", "give up (5) after N consecutive failed attempts to connect", .live.and(.actions))
        case .maxRetryAfter:
            Row(
                "max-retry-after", "D", "longest wait for a Retry-After of a server (default 5m)",
                .live.and(.actions))
        case .reconnect:
            Row(
                "reconnect", "always|lost|never", "when to reconnect; lost: not after an orderly close by the server",
                .live)
        case .maxMessage:
            Row("max-message", "SIZE", "largest message of the socket (default 16M, at most 32M)", .live)
        case .maxBody: Row("max-body", "SIZE", "largest answer to a request (default 16M, at most 32M)", .live)
        case .maxBinary:
            Row("max-binary", "SIZE", "largest attachments of one event (default 16M, at most 32M)", .live)
        case .maxAttachments:
            Row("max-attachments", "N", "most attachments of one event (default 10, at most 1000)", .live)
        case .maxDepth: Row("max-depth", "N", "deepest nesting of JSON from the socket (default and most 1024)", .live)
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
                "events", .flag, "also publish events and changes as JSON if it records to nats://",
                [.demo, .tail, .record])
        case .metrics:
            Row("metrics", "[ADDR:]PORT", "serve metrics to Prometheus at /metrics (default 127.0.0.1)", .live)
        case .otlp: Row("otlp", "URL", "send metrics and spans to a collector every 10s (OTLP/HTTP JSON)", .live)
        case .rotate:
            Row(
                "rotate", "SIZE|D|hup", "record in segments: a new one at this size, age, or SIGHUP", .live,
                .repeatable, needs: .record)
        case .keep:
            Row("keep", "N|SIZE|D", "segments to keep: a number, a total size or an age", .live, needs: .rotate)
        case .compress:
            Row(
                "compress", "closed|live", "use zstd for closed segments, or live, like a FILE named .zst", .live,
                needs: .record)
        case .fsync:
            Row(
                "fsync", "never|interval|chunk|always",
                "when to sync to disk, for power cuts (default interval: 1s)", .live)
        case .recordFilter:
            Row(
                "record-filter", "EXPR", "record only matching events; the file contains the filter", .sessions,
                needs: .record)
        case .onWriteError:
            Row(
                "on-write-error", "stop|continue", "if writing fails: end (7), or continue without it", .live,
                needs: .record)
        case .noStates: Row("no-states", .flag, "record no checksums of the model", .live)
        case .keepSecrets:
            Row("keep-secrets", .flag, "show and record secrets sent by the server unredacted", .sessions)
        case .flightRecorder:
            Row("flight-recorder", "D[,SIZE]", "keep the last D in memory; SIGUSR2 writes it to a new file", [.tail])
        case .store:
            Row(
                "store", "FILE|none", "store of rows, rooms and drafts (tail: ~/.local/state/weir)",
                .live.and([.roomsLs, .roomsJoin, .roomsLeave, .roomsSet, .logout, .download, .draft]).and(.actions),
                otherwise: [
                    Variant(.roomVerbs, "store to use instead of a running tail", isInherited: false)
                ])
        case .diffLog:
            Row(
                "diff-log", "FILE", "log of model changes, a batch per line (-: standard output)",
                .runs.watching([.server, .recording]))
        case .diffLogReversible:
            Row(
                "diff-log-reversible", .flag, "include replaced values in the log, so that it can be undone",
                .runs.watching([.server, .recording]), needs: .diffLog)
        case .speed: Row("speed", "N|max", "speed factor, 0.01 to 1000 (default 1), or max", .replays)
        case .rate:
            Row(
                "rate", "N/s", "events per second, regardless of their times", .replays.and([.serve]),
                excludes: .speed,
                otherwise: [Variant([.serve], "approximate events per second (default 1)")])
        case .tokenFile:
            Row("token-file", "FILE", "file for the token; an existing one in it never expires", [.serve])
        case .env:
            Row("env", .flag, "run in the background: eval \"$(weir serve --env)\" sets $URL", [.serve])
        case .idleLimit:
            Row("idle-limit", "D", "longest wait for a record (default from the recording)", .replays)
        case .span:
            Row(
                "for", "D", "end after this much of the recording's time",
                Scope([.replay, .roomsJoin, .roomsLeave, .roomsMute, .roomsUnmute], .recording),
                otherwise: [Variant(.roomVerbs, "undo it after this time, such as 10m")])
        case .loop: Row("loop", "N|forever", "number of times to play", [.replay])
        case .follow: Row("follow", .flag, "wait for more if the file has no end yet", .replays, excludes: .loop)
        case .durable:
            Row(
                "durable", "NAME", "for nats://: continue where the last replay of this NAME ended", [.replay],
                excludes: .start)
        case .step: Row("step", .flag, "start paused; each line of standard input is a step", .replays)
        case .refetch:
            Row(
                "refetch", "recorded|stub|off", "answer recorded requests (default), unrecorded ones too, or none",
                .replays)
        case .verify:
            Row(
                "verify", .flag,
                "compare checksums, states and requests (6: differs)", .replays)
        case .serve:
            Row("serve", "ADDR:PORT", "serve the recording to other clients instead of showing it", [.replay])
        case .listen:
            Row("listen", "ADDR:PORT", "address to listen on (default 127.0.0.1:0, any free port)", [.serve])
        case .scenario:
            Row("scenario", "NAME|FILE", "script (default workspace) or \(Self.servers)", [.serve])
        case .seed: Row("seed", "N", "seed of the world; one seed gives one history (default 1)", [.demo, .serve])
        case .tokenLife:
            Row("token-life", "D", "lifetime of tokens; a login can renew its own (default 1h)", [.serve])
        case .strictRooms:
            Row("strict-rooms", .flag, "\(Self.refusing): refuse rooms of other users and private channels", [.serve])
        case .roomLimit:
            Row("room-limit", "N", "\(Self.refusing): most rooms a client may be in (default 5000)", [.serve])
        case .pingInterval:
            Row("ping-interval", "D", "time between heartbeats (default 25s; a bare number is ms)", [.serve])
        case .pingTimeout: Row("ping-timeout", "D", "how long a heartbeat may be late (default 20s)", [.serve])
        case .connectTimeout:
            Row("connect-timeout", "D", "time for a client to join a namespace (default 45s)", [.serve])
        case .recovery:
            Row("recovery", "D", "echo: time in which a disconnected client can resume without loss", [.serve])
        case .era: Row("era", "a|b", "REST: a is only the mobile proxy, b also the core (default b)", [.serve])
        case .maxPayload:
            Row("max-payload", "BYTES", "largest message or polling body in bytes (default 1000000)", [.serve])
        case .thread:
            Row(
                "thread", "MESSAGE", "first message of the thread of the message or reply",
                [.send, .edit, .react, .delete, .draft])
        case .draft:
            Row("draft", .flag, "send the draft instead of TEXT ('weir help draft')", [.send])
        case .image:
            Row("image", "FILE", "picture to attach (GroupMe): JPEG, PNG, GIF or WebP", [.send], .repeatable)
        case .file:
            Row(
                "file", "FILE", "file to attach (Twake); it is uploaded first, and once", [.send, .edit],
                .repeatable)
        case .visibility:
            Row(
                "visibility", "public|private|direct", "visibility of the channel (default for a new one: public)",
                [.channel])
        case .icon: Row("icon", "EMOJI|FILE", "icon of the channel; for a GroupMe group its picture", [.channel])
        case .description: Row("description", "TEXT", "purpose of the channel", [.channel])
        case .rename: Row("rename", "NAME", "the new name of the channel or workspace", [.channel, .workspace])
        case .member:
            Row(
                "member", "USER", "further member: a user's id, or for a workspace an e-mail address",
                [.channel, .workspace],
                .repeatable)
        case .language: Row("language", "LANGUAGE", "the language of your account, such as fr", [.account])
        case .status:
            Row("status", "TEXT", "your status text; '' for none", [.account])
        case .statusIcon: Row("status-icon", "EMOJI", "emoji before your status text", [.account])
        case .user: Row("user", "NAME", "user name or address to log in with", [.login], settings: .all)
        case .password:
            Row(
                "password", .password, "reference to the password or GroupMe token (default prompt)", [.login],
                settings: .all)
        case .save:
            Row(
                "save", "FILE", "file for the token (0600); an existing one is replaced",
                [.login, .roomsJoin, .roomsLeave, .roomsOnly, .roomsPin], settings: .all,
                otherwise: [Variant(.roomVerbs, "also save the patterns as a set with this name", "SET")])
        case .json:
            Row(
                "json", .flag, "print the result as one JSON object per line", .results,
                otherwise: [
                    Variant(.roomVerbs, "print one JSON object per line"),
                    Variant([.fileInfo], "print one JSON object per file"),
                    Variant([.fileDoctor], "print one JSON object per problem"),
                    Variant([.fileDiff], "print one JSON object"),
                    Variant([.fileGrep], "print the records' lines unchanged"),
                ])
        case .output:
            Row(
                "output", "FILE", "write to this new file (0600) instead of standard output",
                .writingFiles.and([.download]), letter: "o",
                otherwise: [Variant([.fileSplit], "prefix of the segments' names (default that of FILE)")])
        case .force:
            Row(
                "force", .flag, "replace an existing file",
                Scope([.tail, .record, .download], .server).and(.writingFiles).and([.streamRm]),
                otherwise: [Variant([.streamRm], "confirm the removal, which affects all users")])
        case .secrets: Row("secrets", .flag, "also search for values that look like secrets", [.fileDoctor])
        case .event: Row("event", "EVENT", "keep events with this name on the wire", [.fileFilter], .repeatable)
        case .notEvent: Row("not-event", "EVENT", "leave out events with this name", [.fileFilter], .repeatable)
        case .direction: Row("dir", "in|out", "keep messages received, or sent", [.fileFilter])
        case .connection: Row("conn", "N", "keep records of this connection", [.fileFilter], .repeatable)
        case .notConnection:
            Row("not-conn", "N", "leave out records of this connection", [.fileFilter], .repeatable)
        case .start:
            Row(
                "start", .position, "show events from here on; earlier ones are only applied", .parts,
                otherwise: [Variant([.fileFilter, .fileCut], "begin with the first record at this position")])
        case .end: Row("end", .position, "end before the first record at this position", .parts)
        case .ripple: Row("ripple", .flag, "close the gap before the part: times begin at 0", [.fileCut])
        case .fixedStrings: Row("fixed-strings", .flag, "PATTERN is plain text", [.fileGrep], letter: "F")
        case .ignoreCase: Row("ignore-case", .flag, "ignore case", [.fileGrep], letter: "i")
        case .invertMatch: Row("invert-match", .flag, "find records that do not match", [.fileGrep], letter: "v")
        case .countOnly: Row("count-only", .flag, "print only the number of matches", [.fileGrep], letter: "c")
        case .filesWithMatches:
            Row("files-with-matches", .flag, "print the names of files with a match", [.fileGrep], letter: "l")
        case .onlyMatching: Row("only-matching", .flag, "print only the matching text", [.fileGrep], letter: "o")
        case .raw: Row("raw", .flag, "search and show raw bytes, with JSON escapes (\\u00e9)", [.fileGrep])
        case .after: Row("after", "N", "also print N records after each match", [.fileGrep], letter: "A")
        case .before: Row("before", "N", "also print N records before each match", [.fileGrep], letter: "B")
        case .context:
            Row("context", "N", "also print N records before and after each match", [.fileGrep], letter: "C")
        case .around: Row("around", "D", "also print records within this time of each match", [.fileGrep])
        case .set: Row("set", "NAME", "add a mark with this name", [.fileMark])
        case .at: Row("at", .position, "position of the new mark", [.fileMark])
        case .size: Row("size", "SIZE", "begin a new segment after this many new bytes", [.fileSplit])
        case .every: Row("every", "D", "begin a new segment after this time", [.fileSplit])
        case .records: Row("records", "N", "begin a new segment after N records", [.fileSplit])
        case .marks: Row("marks", .flag, "begin a new segment at every mark", [.fileSplit])
        case .connections: Row("connections", .flag, "begin a new segment at every connection", [.fileSplit])
        case .rule: Row("rule", "RULE", "values to remove", [.fileRedact], .repeatable)
        case .replace: Row("replace", "fixed|hash|fake", "kind of replacement (default fixed)", [.fileRedact])
        case .keepLength: Row("keep-length", .flag, "replacements keep the length in bytes", [.fileRedact])
        case .to: Row("to", "weir|har|cloudevents|lines|asciicast", "format to convert to", [.fileConvert])
        case .decompress: Row("decompress", .flag, "write the text of a compressed file", [.fileCompress], letter: "d")
        case .on:
            Row(
                "on", .tail, "running tail to use",
                .roomVerbs.and(Scope([.ctl, .notify, .tail, .record, .emit], [.server, .running])).and(.actions),
                settings: [.environment, .config],
                otherwise: [
                    Variant([.roomsLs], "running tail, or a group: nats://HOST/GROUP", "NAME|URL"),
                    Variant(
                        [.tail, .record], "condition of the following --emit or --ack", "EXPR",
                        isRepeatable: true, isInherited: false),
                    Variant(
                        [.watch], "running tail to watch; or EXPR, as in weir tail", "NAME|EXPR", isRepeatable: true
                    ), Variant(Scope.actions.and([.emit]), isInherited: false),
                ])
        case .name: Row("name", "NAME", "name of the control socket (default context or process id)", .named)
        case .all:
            Row(
                "all", .flag, "also list rooms that are not wanted", [.roomsLs, .man],
                otherwise: [Variant([.man], "write all pages to the folder DIR")])
        case .since:
            Row(
                "since", "D|TIME", "hide older events, such as 10m or 2026-07-29T08:00:00Z",
                Scope([.demo, .tail, .attach], [.server, .running]).and([.roomsHistory]),
                otherwise: [Variant([.roomsHistory], "only messages of this time, such as 2h", "D")])
        case .older:
            Row("older", .flag, "the page before the tail's oldest message", [.roomsHistory], excludes: .since)
        case .noControl: Row("no-ctl", .flag, "open no control socket", .named)
        case .allowEmit:
            Row(
                "allow-emit", .flag, "let control socket clients send events to the server",
                [.demo, .tail, .record])
        case .dynamicPins:
            Row(
                "dynamic-pins", .flag, "pin and unpin rooms that clients join and leave permanently", [.tail, .record])
        case .recordDir:
            Row(
                "record-dir", "FOLDER", "folder for recordings begun by control socket clients",
                [.demo, .tail, .record])
        case .timeout:
            Row(
                "timeout", "D", "timeout of an answer (default 5s)",
                Scope([.ctl, .tail, .record, .emit], .server), needs: .emitAck)
        case .quiet:
            Row(
                "quiet", .flag, "print only warnings, errors and losses on standard error",
                Scope([.demo, .serve, .tail, .record, .replay, .attach], .all))
        case .ctx:
            Row(
                "ctx", .context, "context with the URL and options ('weir ctx'); or none", .contexts,
                settings: .environment)
        case .yes:
            Row(
                "yes", .flag, "confirm an action in a guarded context", .actions.and(.connections),
                settings: .environment
            )
        case .label:
            Row("label", "TEXT", "label for lists", [.ctxAdd, .ctxEdit], .repeatable, settings: .context)
        case .shell:
            Row("shell", .flag, "print shell code for this shell only, for eval", [.ctxUse, .ctxUnuse], settings: [])
        case .unset: Row("unset", .option, "remove this option from the context", [.ctxEdit], .repeatable, settings: [])
        case .guarded:
            Row(
                "guard", .flag, "require --yes for actions that others can see", [.ctxAdd, .ctxEdit],
                settings: .context)
        case .replicas:
            Row(
                "replicas", "1|3|5", "nodes that store each message (default 3 if available)", [.streamCreate]
            )
        case .maxSize: Row("max-size", "SIZE", "remove the oldest messages above this size", [.streamCreate])
        case .maxAge: Row("max-age", "D", "remove older messages, such as 30d", [.streamCreate])
        case .memory: Row("memory", .flag, "store the stream in memory only", [.streamCreate])
        case .nats: Row("nats", "URL", "list the tails that publish to this cluster instead", [.ps])
        case .natsCreds: Row("nats-creds", "FILE", "credentials for the cluster, as nsc writes them", .clusters)
        case .natsUser: Row("nats-user", "NAME", "user at the cluster", .clusters)
        case .natsPassword: Row("nats-password", .reference, "reference to the password of --nats-user", .clusters)
        case .natsNkey: Row("nats-nkey", .reference, "reference to the seed of the nkey", .clusters)
        case .natsTLS: Row("nats-tls", .flag, "use TLS; implied by the three options below", .clusters)
        case .natsCA: Row("nats-ca", "FILE", "certificates to trust instead of the system's (PEM)", .clusters)
        case .natsCert: Row("nats-cert", "FILE", "certificate to show the cluster (PEM, with its chain)", .clusters)
        case .natsKey: Row("nats-key", "FILE", "key of --nats-cert (PEM; default the same file)", .clusters)
        case .color: Row("color", "auto|always|never", "when to use colours (default auto: on a terminal)", .everywhere)
        case .theme:
            Row(
                "theme", Value(TerminalTheme.Name.allCases.map(\.rawValue).joined(separator: "|")),
                "default auto: readable on dark and light; terminal: its own 16", .coloured)
        case .style:
            Row(
                "style", "ROLE=STYLE", "style of a role, such as actor=bold blue (weir help config)", .coloured,
                .repeatable)
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
    fileprivate static let oneShots = Self(Command.oneShots)
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
    fileprivate static let requests = connections.and(.oneShots)
    fileprivate static let loggedIn = connections.and(Self(Command.oneShots.filter { $0 != .login }))
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
    ]).and(.oneShots).and([.emit])
    fileprivate static let contexts = Self(Command.table.filter(\.takesContext), .server)
    fileprivate static let settings = Self(
        Command.table.filter { $0.takesSettings || $0.family == "config" || $0 == .ctxCheck })
    /// The commands that always use a cluster. Other commands get these options from the settings.
    fileprivate static let clusters: Self = [.filePublish, .streamCreate, .streamLs, .streamInfo, .streamRm]
    fileprivate static let everywhere = Self(Command.table)
}
