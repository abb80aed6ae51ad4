extension CommandName {
    /// What the help says of the commands about settings and the shell; of other commands, nothing.
    var shellText: Text {
        switch self {
        case .config:
            Text(
                summary: "say which settings apply, and where they come from",
                details: [
                    "The config file is $XDG_CONFIG_HOME/weir/config, or ~/.config/weir/config: a line 'option = value'",
                    "for each option, without its dashes; yes and no where it takes no value; a list by repetition.",
                    "What stands below a line [tail] or [file grep] is for that command. A line that begins with # says",
                    "nothing. An environment variable with several values has one a line. What is typed prevails, then",
                    "the environment, the context, the config file; --quiet=no switches off what is on. Secrets are",
                    "references (env:, file:, cmd:). A file that others can write is not read; WEIR_CONFIG=none reads",
                    "none.",
                ],
                examples: ["weir config show tail", "weir config check"])
        case .configShow:
            Text(
                positionals: [
                    Positional(name: "COMMAND", isRequired: false), Positional(name: "VERB", isRequired: false),
                ],
                summary: "print the settings that apply, with where each comes from",
                details: [
                    "Of COMMAND, or of all. Of a secret a fingerprint is shown."
                ],
                examples: ["weir config show tail", "WEIR_FORMAT=json weir config show --json"])
        case .configPath:
            Text(
                summary: "print where the config file is",
                details: [
                    "Whether it is there or not."
                ],
                examples: ["$EDITOR \"$(weir config path)\""])
        case .configCheck:
            Text(
                summary: "say what is wrong with the settings",
                details: [
                    "Every line of the config file that says nothing, and variables WEIR_… that no option has. Exits",
                    "with 2 when something was found.",
                ],
                examples: ["weir config check"])
        case .completion:
            Text(
                positionals: [Positional(name: "bash|zsh|fish")],
                summary: "print what makes a shell complete weir's words",
                details: [
                    "Commands, options, their values, rooms and channels the store remembers, contexts, running tails,",
                    "kinds of events and marks. No network is asked.",
                ],
                examples: [
                    "eval \"$(weir completion bash)\"", "weir completion zsh > ~/.zfunc/_weir",
                    "weir completion fish > ~/.config/fish/completions/weir.fish",
                ])
        case .man:
            Text(
                positionals: [
                    Positional(name: "COMMAND", isRequired: false), Positional(name: "VERB", isRequired: false),
                ],
                summary: "print the manual page of a command, for man",
                details: ["weir man [COMMAND [VERB]]", "weir man --all DIR"],
                examples: ["weir man tail | man -l -", "weir man --all ~/.local/share/man/man1"])
        case .cheat:
            Text(
                positionals: [Positional(name: "TOPIC", isRequired: false)],
                summary: "print commands to copy",
                details: [
                    "Of TOPIC, or all."
                ],
                examples: ["weir cheat", "weir cheat replay"])
        case .explain:
            Text(
                positionals: [Positional(name: "EVENT", isRequired: false)],
                summary: "say what an event holds, and what it sets off",
                details: [
                    "Its names on the wire, its fields, who handles it, and what is applied and fetched, by how it",
                    "stands to what is known. EVENT is a kind as printed, or a name of the wire. Without it, the kinds",
                    "are listed.",
                ],
                examples: ["weir explain channel_activity", "weir explain membership.announce.added"])
        default: Text(summary: "", examples: [])
        }
    }
}
