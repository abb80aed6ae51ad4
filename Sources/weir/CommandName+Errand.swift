extension CommandName {
    /// What the help says of the commands that do something by REST; of other commands, nothing.
    var errandText: Text {
        switch self {
        case .send:
            Text(
                positionals: [url, Positional(name: "CHANNEL"), Positional(name: "TEXT", isRequired: false)],
                summary: "send a message",
                details: [
                    "CHANNEL is an id, or '#' and a name. Without TEXT, or with -, the text is read from standard input.",
                    "The message is sent once: when no answer comes, it is looked for before it is sent again. Prints the",
                    "new message's id. Exits with 4 when the server refuses: then the text is kept as a draft. Exits with",
                    "5 when the server cannot be reached: then the message waits in the store, and the next command or",
                    "tail of the account sends it: first what waits, in its order, then what is new.",
                    "",
                    "With --backend groupme CHANNEL is a group's id, LOW+HIGH of a direct's users, or '#' and a name.",
                    "With --image the picture, of 8 MiB at most, is uploaded first, and TEXT may be left out; when it",
                    "cannot be uploaded, nothing is sent.",
                ],
                examples: [
                    "weir send https://chat.example.com '#general' 'Good morning' --token file:token",
                    "weir send '#Family' 'Who is hungry?' --image cake.jpg --ctx groupme",
                    "uptime | weir send https://chat.example.com 2982dc0a-65aa-47ae-a13c-082b2e3cc2a9 --token env:TOKEN",
                ])
        case .edit:
            Text(
                positionals: [
                    url, Positional(name: "CHANNEL"), Positional(name: "MESSAGE"),
                    Positional(name: "TEXT", isRequired: false),
                ],
                summary: "replace the text of a message",
                details: [
                    "Without TEXT, or with -, the text is read from standard input. A reply that is not among the newest",
                    "messages needs --thread.",
                ],
                examples: ["weir edit https://chat.example.com '#general' MESSAGE 'Good evening' --token file:token"])
        case .react:
            Text(
                positionals: [
                    url, Positional(name: "CHANNEL"), Positional(name: "MESSAGE"),
                    Positional(name: "EMOJI", isRequired: false, isRepeatable: true),
                ],
                summary: "react to a message",
                details: [
                    "The reactions given replace yours; without one they are taken away. Era A servers take one."
                ],
                examples: ["weir react https://chat.example.com '#general' MESSAGE 👍 --token file:token"])
        case .delete:
            Text(
                positionals: [url, Positional(name: "CHANNEL"), Positional(name: "MESSAGE")],
                summary: "delete a message",
                details: ["A reply that is not among the newest messages needs --thread."],
                examples: ["weir delete https://chat.example.com '#general' MESSAGE --token file:token"])
        case .read:
            Text(
                positionals: [url, Positional(name: "CHANNEL")],
                summary: "mark a channel as read",
                details: ["CHANNEL is an id, or '#' and a name."],
                examples: ["weir read https://chat.example.com '#general' --token file:token"])
        case .channel:
            Text(
                positionals: [
                    Positional(name: "create|edit|delete|members"), Positional(name: "WORD", isRepeatable: true),
                ],
                summary: "create, edit or delete a channel, add or remove its members",
                details: [
                    "weir channel create URL NAME [--visibility public|private|direct] [--icon EMOJI]",
                    "                             [--description TEXT] [--member USER …]",
                    "weir channel edit URL CHANNEL [--rename NAME] [--icon EMOJI] [--description TEXT]",
                    "weir channel delete URL CHANNEL",
                    "weir channel members add|remove URL CHANNEL USER…",
                    "",
                    "CHANNEL is an id, or '#' and a name; USER is an id. A direct is made without a NAME, and found",
                    "again when there is one. Prints the ids of what was made or changed, one a line.",
                ],
                examples: [
                    "weir channel create https://chat.example.com Releases --icon 🚀 --token file:token",
                    "weir channel members add https://chat.example.com '#releases' USER --token file:token",
                ])
        case .workspace:
            Text(
                positionals: [Positional(name: "create"), url, Positional(name: "NAME")],
                summary: "create a workspace",
                details: ["Prints the new workspace's id."],
                examples: ["weir workspace create https://chat.example.com Sales --token file:token"])
        case .download:
            Text(
                positionals: [Positional(name: "file|picture"), url, Positional(name: "ID", isRequired: false)],
                summary: "download a file of a message, or a user's picture, once",
                details: [
                    "weir download file URL FILE",
                    "weir download picture URL [USER]",
                    "",
                    "FILE is a file's id: its external_id where a message has one. Without USER the picture is your own.",
                    "The bytes go to standard output, or to the file that --output names, which is there whole or not at",
                    "all. They are kept in the store: what is kept is not downloaded again, and a file that is kept needs",
                    "no server. 64 MiB at most.",
                ],
                examples: [
                    "weir download file https://chat.example.com FILE --output plan.pdf --token file:token",
                    "weir download picture https://chat.example.com --token file:token > me.png",
                ])
        case .login:
            Text(
                positionals: [url],
                summary: "log in and write the token to a file",
                details: [
                    "The password is never an argument: it is asked for on the terminal, or read from where --password",
                    "says. The file is readable by you only; its first line is the token, for --token file:FILE.",
                ],
                examples: [
                    "weir login https://chat.example.com --user ann --password cmd:'pass show chat' --save token"
                ])
        case .logout:
            Text(
                positionals: [url],
                summary: "log out and remove the file with the token",
                details: ["Removes the FILE of --token file:FILE, once the server was told where it wants to be."],
                examples: ["weir logout https://chat.example.com --token file:token"])
        case .whoami:
            Text(
                positionals: [url],
                summary: "say whose token it is",
                details: ["Prints the id and the name of the user, and whether the server is of era a or b."],
                examples: ["weir whoami https://chat.example.com --token file:token --json"])
        default: Text(summary: "", examples: [])
        }
    }

    private var url: Positional { Positional(name: "URL") }
}
