extension Option {
    /// What follows the option in a usage line of that command.
    func placeholder(for command: CommandName) -> String? {
        switch (command, self) {
        case (.demo, .backend), (.explain, .backend): "twake|groupme"
        case (_, .backend) where CommandName.actions.contains(command): "twake|groupme"
        case (.fileConvert, .from): "weir|har|cloudevents|lines"
        case (_, .on) where command == .tail || command == .record: "EXPR"
        case (.watch, .on): "NAME|EXPR"
        case (_, .save) where command.family == "rooms": "SET"
        default: placeholder
        }
    }

    /// Whether the name of a file may follow the option.
    func takesFile(for command: CommandName) -> Bool {
        placeholder(for: command)?.split(separator: "|").contains("FILE") ?? false
    }

    /// What follows the option in a usage line; nil when nothing does.
    var placeholder: String? {
        switch self {
        case .backend: "twake|groupme|socketio"
        case .path: "PATH"
        case .namespace: "NAMESPACE"
        case .eio: "3|4|auto"
        case .reconnect: "always|lost|never"
        case .transport: "auto|websocket|polling|upgrade"
        case .query: "NAME=VALUE"
        case .auth: "JSON"
        case .token: "env:NAME|file:PATH|cmd:COMMAND"
        case .keyPass, .proxyAuth: "env:NAME|file:PATH|cmd:COMMAND"
        case .header: "'NAME: VALUE'"
        case .pin: "sha256//HASH"
        case .proxy: "URL|env"
        case .ca, .cert, .key, .record, .diffLog, .save, .output, .image: "FILE"
        case .autoAdopt: "all|matching|off"
        case .ctx: "NAME|none"
        case .label: "TEXT"
        case .unset: "OPTION"
        case .yes, .shell, .guarded, .all: nil
        case .color: "auto|always|never"
        case .config: "FILE|none"
        case .company, .workspace: "ID"
        case .join: "PATTERN"
        case .rotate: "SIZE|D|hup"
        case .keep: "N|SIZE|D"
        case .compress: "closed|live"
        case .fsync: "never|interval|chunk|always"
        case .onWriteError: "stop|continue"
        case .flightRecorder: "D[,SIZE]"
        case .store: "FILE|none"
        case .emit: "'EVENT ARG…'"
        case .ack: "'EVENT=ARG…'"
        case .framing: "auto|own|library"
        case .format: "pretty|compact|table|json|jsonl|raw"
        case .template: "TEXT"
        case .fields: "NAME,…"
        case .hook: "'EXPR=COMMAND'"
        case .notify: "EXPR"
        case .forward: "URL"
        case .view: "log|latest|top|graph|model|raw|conn"
        case .summary: "text|json|none"
        case .time: "abs|rel|delta|none"
        case .zone: "utc|local"
        case .spacer: "D"
        case .roomWidth: "N"
        case .since: "D"
        case .failOn: "gap|unknown|denied,…"
        case .count, .maxAttempts, .maxRooms, .seed, .history, .catchUp: "N"
        case .maxPayload: "BYTES"
        case .duration, .idleTimeout, .pingInterval, .pingTimeout, .connectTimeout, .recovery, .maxRetryAfter: "D"
        case .speed: "N|max"
        case .rate: "N/s"
        case .idleLimit, .span: "D"
        case .loop: "N|forever"
        case .refetch: "recorded|stub|off"
        case .listen, .serve: "ADDR:PORT"
        case .scenario: "NAME|FILE"
        case .era: "a|b"
        case .recordDir: "FOLDER"
        case .timeout: "D"
        case .on, .name, .rename, .user: "NAME"
        case .thread: "MESSAGE"
        case .visibility: "public|private|direct"
        case .icon: "EMOJI"
        case .description: "TEXT"
        case .member: "USER"
        case .password: "env:NAME|file:PATH|cmd:COMMAND|stdin|prompt"
        case .kind, .notKind: "KIND"
        case .event, .notEvent: "EVENT"
        case .room, .notRoom: "ROOM"
        case .direction: "in|out"
        case .connection, .notConnection, .after, .before, .context, .maxAttachments, .maxDepth: "N"
        case .start, .end, .at: "POSITION"
        case .around: "D"
        case .set: "NAME"
        case .size, .maxMessage, .maxBody, .maxBinary: "SIZE"
        case .every: "D"
        case .records: "N"
        case .rule: "RULE"
        case .replace: "fixed|hash|fake"
        case .filter, .untilMatch, .recordFilter: "EXPR"
        case .highlight: "EXPR|/RE/"
        case .grep, .exclude: "RE"
        case .sample: "N%|1/N"
        case .from, .notFrom: "USER"
        case .to: "weir|har|cloudevents|lines|asciicast"
        case .schema, .emitAck, .noAck, .noStatus, .members, .diffLogReversible, .follow, .step, .verify, .noControl,
            .allowEmit,
            .dynamicPins, .draft,
            .json,
            .force,
            .noStates, .keepSecrets,
            .secrets, .ripple,
            .fixedStrings,
            .ignoreCase, .raw,
            .invertMatch, .countOnly, .marks, .connections, .explainFilter, .keepLength, .decompress, .quiet, .help:
            nil
        }
    }
}
