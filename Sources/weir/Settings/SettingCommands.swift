import WeirTerminal

/// The commands for contexts and settings, and the commands that explain weir.
extension Command {
    static let ctx = Command(
        "ctx", "", "manage named servers with their options",
        inherits: .nothing,
        details: """
            A context is a file of settings with a URL, $XDG_CONFIG_HOME/weir/contexts/NAME (0600). It is
            selected by --ctx, otherwise by WEIR_CTX, otherwise by a file .weir-ctx of yours in this folder or
            one above it, otherwise by 'weir ctx use'; --ctx none selects none. With a context, commands need no
            URL, and its options apply unless they are typed or set in the environment. It does not apply to the
            URL of another server. In a context with guard = yes, actions that others see (send, emit, --emit,
            …) need --yes. Secrets are references (env:, file:, cmd:).
            """,
        examples: "weir ctx add prod https://chat.example.com --token cmd:'pass show chat' --guard",
        "weir ctx use prod; weir tail",
        "weir tail --ctx stage")

    static let ctxAdd = Command(
        "ctx add", "NAME URL", "create a context",
        run: ContextCommand.verb(ContextEditing.add), inherits: .nothing,
        details: "Also accepts and stores every option of 'weir tail' and 'weir record'.",
        examples: "weir ctx add stage https://stage.example.com --token file:token --format pretty --label team=chat")

    static let ctxEdit = Command(
        "ctx edit", "NAME [URL]", "change a context",
        run: ContextCommand.verb(ContextEditing.edit), inherits: .nothing,
        details: """
            Also accepts every option of 'weir tail' and 'weir record', which replaces the stored one. Without
            any option, opens $VISUAL or $EDITOR; the result is stored if it is valid.
            """,
        examples: "weir ctx edit stage --format json --unset label")

    static let ctxCopy = Command(
        "ctx cp", "NAME NEW", "copy a context",
        run: ContextCommand.verb(ContextCommand.copy), inherits: .nothing,
        examples: "weir ctx cp prod stage")

    static let ctxRename = Command(
        "ctx rename", "NAME NEW", "rename a context",
        run: ContextCommand.verb(ContextCommand.rename), inherits: .nothing,
        examples: "weir ctx rename stage staging")

    static let ctxRemove = Command(
        "ctx rm", "NAME…", "remove contexts",
        run: ContextCommand.verb(ContextCommand.remove), inherits: .nothing,
        examples: "weir ctx rm stage")

    static let ctxList = Command(
        "ctx ls", "", "list the contexts",
        run: ContextCommand.verb(ContextCommand.list), inherits: .nothing,
        details: "The context that applies here has a * in front; what selected it is at the end.",
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
        "ctx prev", "", "select the previous context",
        run: ContextCommand.verb(ContextCommand.usePrevious), inherits: .nothing,
        examples: "weir ctx prev")

    static let ctxShow = Command(
        "ctx show", "[NAME]", "print the settings of a context",
        run: ContextCommand.verb(ContextCommand.show), inherits: .nothing,
        details: "NAME, or the context that applies. Secrets are shown as fingerprints.",
        examples: "weir ctx show prod")

    static let ctxCheck = Command(
        "ctx check", "[NAME]", "test the connection of a context, step by step",
        run: ContextCommand.check, inherits: .nothing,
        details: """
            Resolves the name, connects, performs the TLS and Socket.IO handshakes, authenticates, joins the
            rooms and compares the clocks (a difference of more than 30 s is a failure). Prints a line with the
            duration for each step. Exits with the code of the first step that fails: 5, or 4 if the server
            refuses, 8 if it does not answer in time, 1 for the clock.
            """,
        examples: "weir ctx check prod", "weir ctx check --json")

    static let config = Command(
        "config", "", "show the settings that apply, and their sources",
        inherits: .nothing,
        details: """
            The config file is $XDG_CONFIG_HOME/weir/config, or ~/.config/weir/config. It contains a line
            'option = value' for each option, without its dashes; yes or no for an option without a value; a
            list by repetition. Lines below [tail] or [file grep] apply to that command. A line that begins with
            # is a comment. An environment variable with several values contains one per line. Typed options
            take precedence over the environment, the context and the config file, in this order; --quiet=no
            switches off an option that is on. Secrets are references (env:, file:, cmd:). A file that others
            can write is not read; WEIR_CONFIG=none reads none.

            'theme = dark' selects colours, 'style = ROLE=STYLE' changes one. The roles are
            \(TerminalStyle.Role.allCases.map(\.name).joined(separator: ", ")).
            A style is a colour (0 to 255, #rrggbb, red, bright-red, on red), and bold, dim, underline or
            reverse; with commas, rooms alternate: 'style = room=blue,magenta,bold cyan'.
            """,
        examples: "weir config show tail", "weir config check")

    static let configShow = Command(
        "config show", "[COMMAND] [VERB]", "print the settings that apply, with their sources",
        run: atOnce(ConfigCommand.show), inherits: .nothing,
        details: "For COMMAND, or for all. Secrets are shown as fingerprints.",
        examples: "weir config show tail", "WEIR_FORMAT=json weir config show --json")

    static let configPath = Command(
        "config path", "", "print the path of the config file",
        run: atOnce(ConfigCommand.path), inherits: .nothing,
        details: "The file need not exist.",
        examples: "$EDITOR \"$(weir config path)\"")

    static let configCheck = Command(
        "config check", "", "check the settings and list their problems",
        run: atOnce(ConfigCommand.check), inherits: .nothing,
        details: """
            Reports invalid lines of the config file, and variables WEIR_… that belong to no option. Exits with
            2 if there are problems.
            """,
        examples: "weir config check")

    static let profile = Command(
        "profile", "", "manage profiles, which declare the protocol of a server", inherits: .nothing,
        details: """
            A profile is a YAML file that declares the events, rooms, rows and REST reads of a chat backend.
            With --profile FILE its server is tailed, recorded and replayed like a built-in backend.
            """,
        examples: "weir profile check samples/profiles/socketio-chat.yaml")

    static let profileCheck = Command(
        "profile check", "FILE", "check a profile and list all problems",
        run: atOnce(ProfileCommand.check), inherits: .nothing,
        details: """
            Prints each problem with its line and column. Exits with 2 if there is one. With --against the
            profile plays a recording: it prints the number of events of each kind, the events that match no
            rule, the unreadable ones, and the unused rules.
            """,
        examples: "weir profile check samples/profiles/socketio-chat.yaml",
        "weir profile check chat.yaml --against incident.weir.jsonl")

    static let profileInfer = Command(
        "profile infer", "FILE", "infer a first profile from a recording",
        run: atOnce(ProfileCommand.infer), inherits: .nothing,
        details: """
            For an unknown server: lists its events by name, with guesses for the room, the user, the text and
            the time, and for the stored rows. Each guess has a comment with its reason. Check it, correct it,
            and try it with weir profile check --against FILE.
            """,
        examples: "weir profile infer first.weir.jsonl > chat.yaml")

    static let profileFromAsyncAPI = Command(
        "profile from-asyncapi", "FILE", "create a first profile from an AsyncAPI document",
        run: atOnce(ProfileCommand.fromAsyncAPI), inherits: .nothing,
        details: """
            Reads version 2 or 3, YAML or JSON, for a server that speaks Socket.IO or a WebSocket of JSON: its
            events, rows and rooms, how a room is joined, and where the token goes. Missing information is
            guessed; each guess has a comment with its reason. Parts that a profile cannot express are also
            listed on standard error. Check it, correct it, and try it with weir profile check --against FILE.
            """,
        examples: "weir profile from-asyncapi samples/asyncapi/socketio-chat-3.yaml > chat.yaml")

    static let profileSchema = Command(
        "profile schema", "", "print the JSON Schema of profiles, for editors",
        run: atOnce(ProfileCommand.schema), inherits: .nothing,
        examples: "weir profile schema")

    static let completion = Command(
        "completion", "bash|zsh|fish", "print a completion script for a shell",
        run: atOnce(CompletionCommand.run), inherits: .nothing,
        details: """
            Completes commands, options and their values, stored rooms and channels, contexts, running tails,
            kinds of events and marks. Does not use the network.
            """,
        examples: "eval \"$(weir completion bash)\"",
        "weir completion zsh > ~/.zfunc/_weir",
        "weir completion fish > ~/.config/fish/completions/weir.fish")

    static let man = Command(
        "man", "[COMMAND] [VERB]", "print the manual page of a command",
        run: atOnce(ManualCommand.man), inherits: .nothing,
        details: """
            weir man [COMMAND [VERB]]
            weir man --all DIR
            """,
        examples: "weir man tail | man -l -", "weir man --all ~/.local/share/man/man1")

    static let cheat = Command(
        "cheat", "[TOPIC]", "print commands to copy",
        run: atOnce(ManualCommand.cheat), inherits: .nothing,
        details: "For TOPIC, or for all topics.",
        examples: "weir cheat", "weir cheat replay")

    static let explain = Command(
        "explain", "[EVENT]", "show the fields of an event and its effects",
        run: atOnce(ExplainCommand.run), inherits: .context,
        details: """
            Prints the names of an event on the wire, its fields, its handlers, and what they apply and fetch,
            by comparison with the model. EVENT is a kind as printed, or a name on the wire. Without it, lists
            the kinds. With --profile, or in a context with a profile, the events are those of the profile.
            """,
        examples: "weir explain channel_activity", "weir explain membership.announce.added",
        "weir explain message --profile samples/profiles/gateway.yaml")

    static let help = Command(
        "help", "[COMMAND] [VERB]", "explain a command",
        run: atOnce(ManualCommand.help), inherits: .nothing,
        examples: "weir help tail", "weir help file repair")
}
