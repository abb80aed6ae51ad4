/// The one table of options: what each is called, takes, means, and which commands know it.
enum Option: String, CaseIterable {
    case backend, path, namespace, eio, transport, token, header, ca, cert, key
    case keyPass = "key-pass"
    case pin, proxy
    case proxyAuth = "proxy-auth"
    case company, workspace, room, emit, history, members
    case framing
    case format, count, duration
    case idleTimeout = "idle-timeout"
    case maxAttempts = "max-attempts"
    case record, rotate, keep, compress, fsync
    case onWriteError = "on-write-error"
    case noStates = "no-states"
    case flightRecorder = "flight-recorder"
    case store
    case diffLog = "diff-log"
    case diffLogReversible = "diff-log-reversible"
    case speed, rate
    case idleLimit = "idle-limit"
    case span = "for"
    case loop, follow, step
    case untilMatch = "until-match"
    case refetch, verify, serve
    case listen, scenario, seed
    case pingInterval = "ping-interval"
    case pingTimeout = "ping-timeout"
    case connectTimeout = "connect-timeout"
    case recovery, era
    case maxPayload = "max-payload"
    case thread, draft, visibility, icon, description, rename, member
    case user, password, save, json
    case output, force, secrets
    case kind
    case notKind = "not-kind"
    case event
    case notEvent = "not-event"
    case notRoom = "not-room"
    case direction = "dir"
    case connection = "conn"
    case notConnection = "not-conn"
    case start, end, ripple
    case fixedStrings = "fixed-strings"
    case ignoreCase = "ignore-case"
    case invertMatch = "invert-match"
    case countOnly = "count-only"
    case after, before, context, around
    case set, at
    case size, every, records, marks, connections
    case rule, replace
    case keepLength = "keep-length"
    case from, to, decompress
    case on, name
    case noControl = "no-ctl"
    case quiet, help

    /// As typed.
    var flag: String { "--" + rawValue }

    /// What follows the option in a usage line; nil when nothing does.
    var placeholder: String? {
        switch self {
        case .backend: "twake|socketio"
        case .path: "PATH"
        case .namespace: "NAMESPACE"
        case .eio: "3|4|auto"
        case .transport: "auto|websocket|polling|upgrade"
        case .token: "env:NAME|file:PATH|cmd:COMMAND"
        case .keyPass, .proxyAuth: "env:NAME|file:PATH|cmd:COMMAND"
        case .header: "'NAME: VALUE'"
        case .pin: "sha256//HASH"
        case .proxy: "URL|env"
        case .ca, .cert, .key, .record, .diffLog, .save, .output: "FILE"
        case .company, .workspace: "ID"
        case .room: "ROOM"
        case .rotate: "SIZE|D|hup"
        case .keep: "N|SIZE|D"
        case .compress: "closed|live"
        case .fsync: "never|interval|chunk|always"
        case .onWriteError: "stop|continue"
        case .flightRecorder: "D[,SIZE]"
        case .store: "FILE|none"
        case .emit: "'EVENT JSON'"
        case .framing: "auto|own|library"
        case .format: "pretty|compact|json|raw"
        case .count, .maxAttempts, .seed, .history: "N"
        case .maxPayload: "BYTES"
        case .duration, .idleTimeout, .pingInterval, .pingTimeout, .connectTimeout, .recovery: "D"
        case .speed: "N|max"
        case .rate: "N/s"
        case .idleLimit, .span: "D"
        case .loop: "N|forever"
        case .untilMatch: "PATTERN"
        case .refetch: "recorded|stub|off"
        case .listen, .serve: "ADDR:PORT"
        case .scenario: "NAME|FILE"
        case .era: "a|b"
        case .on, .name, .rename, .user: "NAME"
        case .thread: "MESSAGE"
        case .visibility: "public|private|direct"
        case .icon: "EMOJI"
        case .description: "TEXT"
        case .member: "USER"
        case .password: "env:NAME|file:PATH|cmd:COMMAND|stdin|prompt"
        case .kind, .notKind: "KIND"
        case .event, .notEvent: "EVENT"
        case .notRoom: "ROOM"
        case .direction: "in|out"
        case .connection, .notConnection, .after, .before, .context: "N"
        case .start, .end, .at: "POSITION"
        case .around: "D"
        case .set: "NAME"
        case .size: "SIZE"
        case .every: "D"
        case .records: "N"
        case .rule: "RULE"
        case .replace: "fixed|hash|fake"
        case .from: "weir|har|cloudevents|lines"
        case .to: "weir|har|cloudevents|lines|asciicast"
        case .members, .diffLogReversible, .follow, .step, .verify, .noControl, .draft, .json, .force, .noStates,
            .secrets, .ripple,
            .fixedStrings,
            .ignoreCase,
            .invertMatch, .countOnly, .marks, .connections, .keepLength, .decompress, .quiet, .help:
            nil
        }
    }

    /// The short form, where there is one that people know from other programs.
    var letter: Character? { Self.letters[self] }

    private static let letters: [Option: Character] = [
        .output: "o", .fixedStrings: "F", .ignoreCase: "i", .invertMatch: "v", .countOnly: "c", .after: "A",
        .before: "B", .context: "C", .decompress: "d",
    ]

    /// The line of the help of `command`.
    func meaning(for command: CommandName) -> String { command.fileMeaning(of: self) ?? meaning }

    var isRepeatable: Bool {
        switch self {
        case .room, .emit, .header, .pin, .member, .kind, .notKind, .event, .notEvent, .notRoom, .connection,
            .notConnection, .rule, .rotate:
            true
        case .backend, .path, .namespace, .eio, .transport, .token, .ca, .cert, .key, .keyPass, .proxy, .proxyAuth,
            .company,
            .workspace, .framing, .format, .count,
            .duration,
            .idleTimeout,
            .maxAttempts, .history, .members, .record, .keep, .compress, .fsync, .onWriteError,
            .noStates, .flightRecorder, .store, .diffLog, .diffLogReversible, .speed, .rate, .idleLimit,
            .span, .loop, .follow, .step, .untilMatch, .refetch, .verify, .serve, .listen, .scenario,
            .seed,
            .pingInterval,
            .pingTimeout, .connectTimeout, .recovery, .era, .maxPayload, .thread, .visibility, .icon, .description,
            .rename, .draft, .user, .password,
            .save, .json, .output, .force, .secrets, .direction, .start, .end, .ripple, .fixedStrings, .ignoreCase,
            .invertMatch, .countOnly, .after, .before, .context, .around, .set, .at, .size, .every, .records, .marks,
            .connections, .replace, .keepLength, .from, .to,
            .decompress, .on, .name, .noControl, .quiet,
            .help:
            false
        }
    }

    /// The line of the help, where all commands mean the same.
    private var meaning: String {
        switch self {
        case .backend: "what the server speaks (default twake); socketio has no schema"
        case .path: "endpoint's path (default /socket/; socketio and echo: /socket.io/)"
        case .namespace: "Socket.IO namespace (default /)"
        case .eio: "Engine.IO revision (default auto: 4, or 3 when the server says so)"
        case .transport: "default auto: websocket, else polling; upgrade: polling first"
        case .token: "where the token is, never the token itself"
        case .ca: "certificates to trust instead of the system's (PEM)"
        case .header: "header for every request (VALUE as for --token, or plain text)"
        case .cert: "certificate to show the server (PEM, with its chain)"
        case .key: "key of --cert (PEM; default the same file)"
        case .keyPass: "where the passphrase of --key is"
        case .pin: "public key the server must have; one of them, when several"
        case .proxy: "HTTP proxy to go through, or what the environment names"
        case .proxyAuth: "where the proxy's USER:PASSWORD is"
        case .company: "company (default the last one looked at, or the first)"
        case .workspace: "workspace (default the last one looked at, or the first)"
        case .room: "join just this room and ask the backend for no list"
        case .emit: "send this event after each connect"
        case .history: "show at least N head messages of each channel, page by page"
        case .members: "show who is in each channel, too: a room and a request a channel"
        case .framing: "who reads frames: weir or libwebsockets (default auto: weir)"
        case .format: "how events are printed (default compact)"
        case .count: "end after N events"
        case .duration: "end after this time, such as 500ms, 15s, 2m (8 before --count)"
        case .idleTimeout: "end when no event came for this time (8 before --count)"
        case .maxAttempts: "give up (5) after N attempts in a row to connect"
        case .record: "write everything received and sent to this new event file"
        case .rotate: "record in segments: a new one at this size, age, or SIGHUP (also)"
        case .keep: "segments to keep: so many, so large or so old in all"
        case .compress: "with zstd: closed segments, or live, by the chunk"
        case .fsync: "when the recording is forced to the disk (default interval: 1s)"
        case .onWriteError: "when it cannot be written: end (7), or go on without it"
        case .noStates: "record no checksums of the model"
        case .flightRecorder: "keep the last D in memory; SIGUSR2 writes it to a new file"
        case .store: "where it is remembered what was seen (tail: ~/.local/state/weir)"
        case .diffLog: "write every change of the model to this file, one batch a line"
        case .diffLogReversible: "also what each line of the log replaced, to go back by it"
        case .speed: "times the original speed, 0.01 to 1000 (default 1), or max"
        case .rate: "so many events a second, whatever their times"
        case .idleLimit: "longest wait for a record (default what the recording advises)"
        case .span: "end after so much of the recording's time"
        case .loop: "play so often"
        case .follow: "wait for more where the file has no end yet"
        case .step: "begin paused; each line of standard input is a step"
        case .untilMatch: "end with the first compact line that matches (8 when none does)"
        case .refetch: "answer requests as recorded (default), all others too, or none"
        case .verify: "compare states and checksums; end with 6 at the first that differs"
        case .serve: "be the recording's server, for other clients; nothing is shown"
        case .listen: "where to listen (default 127.0.0.1:0, a port the system chooses)"
        case .scenario: "script of the world (default workspace); or echo, engine-echo"
        case .pingInterval: "time between heartbeats (default 25s; a bare number is ms)"
        case .pingTimeout: "how long a heartbeat may be missing (default 20s)"
        case .connectTimeout: "how long a client may join no namespace (default 45s)"
        case .recovery: "echo: a client cut off may come back so late, missing nothing"
        case .era: "REST: a is the mobile proxy alone, b the core, too (default b)"
        case .maxPayload: "most bytes of a message or a polling body (default 1000000)"
        case .seed: "seed of the world; one seed gives one history (default 1)"
        case .thread: "head of the thread the message is in, or is a reply to"
        case .draft: "send the draft of the place: a text that was refused"
        case .visibility: "who sees the channel (default public)"
        case .icon: "the channel's icon"
        case .description: "what the channel is for"
        case .rename: "the channel's new name"
        case .member: "who is in it, too: a user's id; for a workspace an address"
        case .user: "user name or address to log in with"
        case .password: "where the password is (default prompt)"
        case .save: "file for the token (0600); one that is there is replaced"
        case .json: "print the result as one JSON object a line"
        case .output: "write to this new file (0600) instead of standard output"
        case .force: "replace a file that is there"
        case .secrets: "look for what looks like a secret, too"
        case .kind: "keep records of such a kind: f, http, sub, gap, mark, …"
        case .notKind: "leave out records of such a kind"
        case .event: "keep such events, by their name on the wire"
        case .notEvent: "leave out such events"
        case .notRoom: "leave out what is about such a room"
        case .direction: "keep messages received, or sent"
        case .connection: "keep what belongs to such a connection"
        case .notConnection: "leave out what belongs to such a connection"
        case .start: "show what is from here on; what is before is applied"
        case .end: "end before the first record here"
        case .ripple: "close the hole: times begin at 0"
        case .fixedStrings: "PATTERN is text"
        case .ignoreCase: "upper and lower case are the same"
        case .invertMatch: "find what does not match"
        case .countOnly: "print how many match"
        case .after: "print N records behind each match, too"
        case .before: "print N records before each match, too"
        case .context: "print N records before and behind each match, too"
        case .around: "print what happened within this time of each match, too"
        case .set: "add a mark of this name"
        case .at: "where the mark is to stand"
        case .size: "begin a new segment when one has so many bytes"
        case .every: "begin a new segment after so much time"
        case .records: "begin a new segment after so many records"
        case .marks: "begin a new segment at every mark"
        case .connections: "begin a new segment at every connection"
        case .rule: "what to take out"
        case .replace: "what stands in its place (default fixed)"
        case .keepLength: "what stands in its place has as many bytes"
        case .from: "what FILE is"
        case .to: "what to make of it"
        case .decompress: "write the text of a compressed file"
        case .on: "the running tail to speak to"
        case .name: "name of this tail's control socket (default the process id)"
        case .noControl: "open no control socket"
        case .quiet: "print only warnings, errors and losses on standard error"
        case .help: "show this help"
        }
    }

    /// The commands that know the option.
    var commands: [CommandName] {
        switch self {
        case .path: [.serve, .tail, .record]
        case .room: [.tail, .record, .fileFilter]
        case .backend: [.tail, .record, .fileConvert]
        case .namespace, .eio, .transport, .emit, .history, .members, .framing, .idleTimeout:
            [.tail, .record]
        case .header, .ca, .cert, .key, .keyPass, .pin, .proxy, .proxyAuth: [.tail, .record] + CommandName.errands
        case .token: [.tail, .record] + CommandName.errands.filter { $0 != .login }
        case .company, .workspace: [.tail, .record] + CommandName.actions + [.download]
        case .maxAttempts: [.tail, .record] + CommandName.actions
        case .thread: [.send, .edit, .react, .delete]
        case .draft: [.send]
        case .visibility, .icon, .description, .rename: [.channel]
        case .member: [.channel, .workspace]
        case .user, .password, .save: [.login]
        case .json: [.fileInfo, .fileDoctor, .fileGrep, .fileDiff] + CommandName.errands
        case .output: writesFiles + [.download]
        case .force: [.tail, .record, .download] + writesFiles
        case .kind, .notKind, .event, .notEvent, .notRoom, .direction, .connection, .notConnection: [.fileFilter]
        case .start, .end: [.replay, .fileFilter, .fileCut]
        case .ripple: [.fileCut]
        case .fixedStrings, .ignoreCase, .invertMatch, .countOnly, .after, .before, .context, .around: [.fileGrep]
        case .set, .at: [.fileMark]
        case .size, .every, .records, .marks, .connections: [.fileSplit]
        case .rule, .replace, .keepLength: [.fileRedact]
        case .from, .to: [.fileConvert]
        case .decompress: [.fileCompress]
        case .secrets: [.fileDoctor]
        case .store: [.tail, .record, .rooms, .logout, .download] + CommandName.actions
        case .format: [.demo, .tail, .replay, .fileCat]
        case .count: [.demo, .tail, .record, .replay]
        case .duration, .name, .noControl: [.demo, .tail, .record]
        case .record: [.demo, .tail]
        case .rotate, .keep, .compress, .fsync, .onWriteError, .noStates: [.tail, .record]
        case .flightRecorder: [.tail]
        case .diffLog, .diffLogReversible: [.demo, .tail, .record, .replay]
        case .speed, .rate, .idleLimit, .span, .loop, .follow, .step, .untilMatch, .refetch, .verify,
            .serve:
            [.replay]
        case .listen, .scenario, .pingInterval, .pingTimeout, .connectTimeout, .recovery, .era, .maxPayload: [.serve]
        case .seed: [.demo, .serve]
        case .on: [.rooms]
        case .quiet: [.demo, .serve, .tail, .record, .replay]
        case .help: CommandName.allCases
        }
    }

    /// The verbs of `file` that write one.
    private var writesFiles: [CommandName] {
        [
            .fileRepair, .fileIndex, .fileFilter, .fileCut, .fileMerge, .fileSplit, .fileMark, .fileRedact,
            .fileCompress,
            .fileConvert,
        ]
    }

    /// The options of a command, in the order of the table.
    static func of(_ command: CommandName) -> [Option] { allCases.filter { $0.commands.contains(command) } }
}
