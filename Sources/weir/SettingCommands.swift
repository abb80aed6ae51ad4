import Terminal

/// The commands for contexts and settings, and the commands that explain weir.
extension Command {
    static let ctx = Command(
        "ctx", "", "keep servers under names, each with its options",
        inherits: .nothing,
        details: """
            A context is a file of settings with a URL, $XDG_CONFIG_HOME/weir/contexts/NAME (0600). The one
            that applies is named by --ctx, else by WEIR_CTX, else by a file .weir-ctx of yours in this folder
            or one above, else selected by 'weir ctx use'; --ctx none is none. With it, commands need no URL,
            and its options hold where neither typed nor in the environment. It does not apply to another
            server's URL. Of a context with guard = yes, what others would see (send, emit, --emit, …) needs
            --yes. Secrets are references (env:, file:, cmd:).
            """,
        examples: "weir ctx add prod https://chat.example.com --token cmd:'pass show chat' --guard",
        "weir ctx use prod; weir tail",
        "weir tail --ctx stage")

    static let ctxAdd = Command(
        "ctx add", "NAME URL", "make a context",
        run: ContextCommand.verb(ContextEditing.add), inherits: .nothing,
        details: "Besides these it takes every option of 'weir tail' and 'weir record', and keeps it.",
        examples: "weir ctx add stage https://stage.example.com --token file:token --format pretty --label team=chat")

    static let ctxEdit = Command(
        "ctx edit", "NAME [URL]", "change a context",
        run: ContextCommand.verb(ContextEditing.edit), inherits: .nothing,
        details: """
            Besides these it takes every option of 'weir tail' and 'weir record', and keeps it instead of what
            stands there. Without any, $VISUAL or $EDITOR is opened; what it leaves is taken when nothing is
            wrong in it.
            """,
        examples: "weir ctx edit stage --format json --unset label")

    static let ctxCopy = Command(
        "ctx cp", "NAME NEW", "make a context of another",
        run: ContextCommand.verb(ContextCommand.copy), inherits: .nothing,
        examples: "weir ctx cp prod stage")

    static let ctxRename = Command(
        "ctx rename", "NAME NEW", "give a context another name",
        run: ContextCommand.verb(ContextCommand.rename), inherits: .nothing,
        examples: "weir ctx rename stage staging")

    static let ctxRemove = Command(
        "ctx rm", "NAME…", "remove contexts",
        run: ContextCommand.verb(ContextCommand.remove), inherits: .nothing,
        examples: "weir ctx rm stage")

    static let ctxList = Command(
        "ctx ls", "", "list the contexts",
        run: ContextCommand.verb(ContextCommand.list), inherits: .nothing,
        details: "The one that applies here has a * in front, and behind it how it was chosen.",
        examples: "weir ctx ls", "weir ctx ls --json | jq -r .name")

    static let ctxUse = Command(
        "ctx use", "NAME", "select a context, for all shells or for this one",
        run: ContextCommand.verb(ContextCommand.use), inherits: .nothing,
        examples: "weir ctx use prod", "eval \"$(weir ctx use prod --shell)\"")

    static let ctxUnuse = Command(
        "ctx unuse", "", "select no context",
        run: ContextCommand.verb(ContextCommand.unuse), inherits: .nothing,
        examples: "weir ctx unuse", "eval \"$(weir ctx unuse --shell)\"")

    static let ctxPrevious = Command(
        "ctx prev", "", "select the context that was selected before",
        run: ContextCommand.verb(ContextCommand.usePrevious), inherits: .nothing,
        examples: "weir ctx prev")

    static let ctxShow = Command(
        "ctx show", "[NAME]", "print what is in a context",
        run: ContextCommand.verb(ContextCommand.show), inherits: .nothing,
        details: "In NAME, or the one that applies. Of a secret a fingerprint is shown.",
        examples: "weir ctx show prod")

    static let ctxCheck = Command(
        "ctx check", "[NAME]", "try a context, step by step",
        run: ContextCommand.check, inherits: .nothing,
        details: """
            Resolves the name, connects, shakes hands over TLS and over Socket.IO, authenticates, joins the
            rooms and compares the clocks (more than 30 s apart is a failure): a line each, with its time.
            Exits with the code of the first step that fails: 5, or 4 when the server refuses, 8 when it does
            not answer in time, 1 for the clock.
            """,
        examples: "weir ctx check prod", "weir ctx check --json")

    static let config = Command(
        "config", "", "say which settings apply, and where they come from",
        inherits: .nothing,
        details: """
            The config file is $XDG_CONFIG_HOME/weir/config, or ~/.config/weir/config: a line 'option = value'
            for each option, without its dashes; yes and no where it takes no value; a list by repetition.
            What stands below a line [tail] or [file grep] is for that command. A line that begins with # says
            nothing. An environment variable with several values has one a line. What is typed prevails, then
            the environment, the context, the config file; --quiet=no switches off what is on. Secrets are
            references (env:, file:, cmd:). A file that others can write is not read; WEIR_CONFIG=none reads
            none.

            'theme = dark' chooses colours, 'style = ROLE=STYLE' changes one. The roles are
            \(TerminalStyle.Role.allCases.map(\.name).joined(separator: ", ")).
            A style is a colour (0 to 255, #rrggbb, red, bright-red, on red), and bold, dim, underline or
            reverse; with commas, rooms take turns: 'style = room=blue,magenta,bold cyan'.
            """,
        examples: "weir config show tail", "weir config check")

    static let configShow = Command(
        "config show", "[COMMAND] [VERB]", "print the settings that apply, with where each comes from",
        run: atOnce(ConfigCommand.show), inherits: .nothing,
        details: "Of COMMAND, or of all. Of a secret a fingerprint is shown.",
        examples: "weir config show tail", "WEIR_FORMAT=json weir config show --json")

    static let configPath = Command(
        "config path", "", "print where the config file is",
        run: atOnce(ConfigCommand.path), inherits: .nothing,
        details: "Whether it is there or not.",
        examples: "$EDITOR \"$(weir config path)\"")

    static let configCheck = Command(
        "config check", "", "say what is wrong with the settings",
        run: atOnce(ConfigCommand.check), inherits: .nothing,
        details: """
            Every line of the config file that says nothing, and variables WEIR_… that no option has. Exits
            with 2 when something was found.
            """,
        examples: "weir config check")

    static let profile = Command(
        "profile", "", "look after profiles, which declare what a server speaks", inherits: .nothing,
        details: """
            A profile is a YAML file that says what a chat backend's events, rooms, rows and REST reads are.
            With --profile FILE its server is tailed, recorded and replayed as one that Weir knows.
            """,
        examples: "weir profile check samples/profiles/socketio-chat.yaml")

    static let profileCheck = Command(
        "profile check", "FILE", "say all that is wrong with a profile",
        run: atOnce(ProfileCommand.check), inherits: .nothing,
        details: """
            Each problem with its line and column. Exits with 2 when there is one. With --against a recording is
            played by the profile: how many events of each kind, which events no rule matches, which cannot be
            read, and which rules nothing met.
            """,
        examples: "weir profile check samples/profiles/socketio-chat.yaml",
        "weir profile check chat.yaml --against incident.weir.jsonl")

    static let profileInfer = Command(
        "profile infer", "FILE", "make a first profile of what a recording holds",
        run: atOnce(ProfileCommand.infer), inherits: .nothing,
        details: """
            For a server that Weir does not know: its events by name, with guesses about where the room,
            the user, the text and the time are, and what is kept. Each guess has a comment that says why.
            Check it, correct it, and try it with weir profile check --against FILE.
            """,
        examples: "weir profile infer first.weir.jsonl > chat.yaml")

    static let profileFromAsyncAPI = Command(
        "profile from-asyncapi", "FILE", "make a first profile of an AsyncAPI document",
        run: atOnce(ProfileCommand.fromAsyncAPI), inherits: .nothing,
        details: """
            Of version 2 or 3, YAML or JSON, of a server that speaks Socket.IO or a WebSocket of JSON: its
            events, rows and rooms, how a room is joined, and where the token goes. What the document does
            not say is guessed; each guess has a comment that says why. What a profile cannot say is listed on
            standard error, too. Check it, correct it, and try it with weir profile check --against FILE.
            """,
        examples: "weir profile from-asyncapi samples/asyncapi/socketio-chat-3.yaml > chat.yaml")

    static let profileSchema = Command(
        "profile schema", "", "print the JSON Schema of profiles, for editors",
        run: atOnce(ProfileCommand.schema), inherits: .nothing,
        examples: "weir profile schema")

    static let completion = Command(
        "completion", "bash|zsh|fish", "print what makes a shell complete weir's words",
        run: atOnce(CompletionCommand.run), inherits: .nothing,
        details: """
            Commands, options, their values, rooms and channels the store remembers, contexts, running tails,
            kinds of events and marks. No network is asked.
            """,
        examples: "eval \"$(weir completion bash)\"",
        "weir completion zsh > ~/.zfunc/_weir",
        "weir completion fish > ~/.config/fish/completions/weir.fish")

    static let man = Command(
        "man", "[COMMAND] [VERB]", "print the manual page of a command, for man",
        run: atOnce(ManualCommand.man), inherits: .nothing,
        details: """
            weir man [COMMAND [VERB]]
            weir man --all DIR
            """,
        examples: "weir man tail | man -l -", "weir man --all ~/.local/share/man/man1")

    static let cheat = Command(
        "cheat", "[TOPIC]", "print commands to copy",
        run: atOnce(ManualCommand.cheat), inherits: .nothing,
        details: "Of TOPIC, or all.",
        examples: "weir cheat", "weir cheat replay")

    static let explain = Command(
        "explain", "[EVENT]", "say what an event holds, and what it sets off",
        run: atOnce(ExplainCommand.run), inherits: .context,
        details: """
            Its names on the wire, its fields, who handles it, and what is applied and fetched, by how it
            stands to what is known. EVENT is a kind as printed, or a name of the wire. Without it, the kinds
            are listed. With --profile, or in a context that has one, the events are those that it declares.
            """,
        examples: "weir explain channel_activity", "weir explain membership.announce.added",
        "weir explain message --profile samples/profiles/gateway.yaml")

    static let help = Command(
        "help", "[COMMAND] [VERB]", "explain a command",
        run: atOnce(ManualCommand.help), inherits: .nothing,
        examples: "weir help tail", "weir help file repair")
}
