extension CommandName {
    /// What the help says of `weir ctx` and its verbs; of other commands, nothing.
    var contextText: Text {
        switch self {
        case .ctx:
            Text(
                summary: "keep servers under names, each with its options",
                details: [
                    "A context is a file of settings with a URL, $XDG_CONFIG_HOME/weir/contexts/NAME (0600). The one",
                    "that applies is named by --ctx, else by WEIR_CTX, else by a file .weir-ctx of yours in this folder",
                    "or one above, else selected by 'weir ctx use'; --ctx none is none. With it, commands need no URL,",
                    "and its options hold where neither typed nor in the environment. It does not apply to another",
                    "server's URL. Of a context with guard = yes, what others would see (send, emit, --emit, …) needs",
                    "--yes. Secrets are references (env:, file:, cmd:).",
                ],
                examples: [
                    "weir ctx add prod https://chat.example.com --token cmd:'pass show chat' --guard",
                    "weir ctx use prod; weir tail", "weir tail --ctx stage",
                ])
        case .ctxAdd:
            Text(
                positionals: [Positional(name: "NAME"), Positional(name: "URL")],
                summary: "make a context",
                details: [
                    "Besides these it takes every option of 'weir tail' and 'weir record', and keeps it."
                ],
                examples: [
                    "weir ctx add stage https://stage.example.com --token file:token --format pretty --label team=chat"
                ]
            )
        case .ctxEdit:
            Text(
                positionals: [Positional(name: "NAME"), Positional(name: "URL", isRequired: false)],
                summary: "change a context",
                details: [
                    "Besides these it takes every option of 'weir tail' and 'weir record', and keeps it instead of what",
                    "stands there. Without any, $VISUAL or $EDITOR is opened; what it leaves is taken when nothing is",
                    "wrong in it.",
                ],
                examples: ["weir ctx edit stage --format json --unset label"])
        case .ctxCopy: pair("make a context of another", "weir ctx cp prod stage")
        case .ctxRename: pair("give a context another name", "weir ctx rename stage staging")
        case .ctxRemove:
            Text(
                positionals: [Positional(name: "NAME", isRepeatable: true)],
                summary: "remove contexts", examples: ["weir ctx rm stage"])
        case .ctxList:
            Text(
                summary: "list the contexts",
                details: [
                    "The one that applies here has a * in front, and behind it how it was chosen."
                ],
                examples: ["weir ctx ls", "weir ctx ls --json | jq -r .name"])
        case .ctxUse:
            Text(
                positionals: [Positional(name: "NAME")],
                summary: "select a context, for all shells or for this one",
                examples: ["weir ctx use prod", "eval \"$(weir ctx use prod --shell)\""])
        case .ctxUnuse:
            Text(
                summary: "select no context", examples: ["weir ctx unuse", "eval \"$(weir ctx unuse --shell)\""])
        case .ctxPrevious: Text(summary: "select the context that was selected before", examples: ["weir ctx prev"])
        case .ctxShow:
            Text(
                positionals: [Positional(name: "NAME", isRequired: false)],
                summary: "print what is in a context",
                details: [
                    "In NAME, or the one that applies. Of a secret a fingerprint is shown."
                ],
                examples: ["weir ctx show prod"])
        case .ctxCheck:
            Text(
                positionals: [Positional(name: "NAME", isRequired: false)],
                summary: "try a context, step by step",
                details: [
                    "Resolves the name, connects, shakes hands over TLS and over Socket.IO, authenticates, joins the",
                    "rooms and compares the clocks (more than 30 s apart is a failure): a line each, with its time.",
                    "Exits with the code of the first step that fails: 5, or 4 when the server refuses, 8 when it does",
                    "not answer in time, 1 for the clock.",
                ],
                examples: ["weir ctx check prod", "weir ctx check --json"])
        default: Text(summary: "", examples: [])
        }
    }

    private func pair(_ summary: String, _ example: String) -> Text {
        Text(positionals: [Positional(name: "NAME"), Positional(name: "NEW")], summary: summary, examples: [example])
    }
}
