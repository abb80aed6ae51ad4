/// The commands that perform one operation at a server and end.
extension Command {
    static let emit = Command(
        "emit", "[URL] EVENT [ARG…]", "send one event and print its acknowledgement",
        run: reading(EmitOptions.init, EmitCommand.run), inherits: .context,
        details: """
            An ARG is any JSON value, or @FILE for the bytes of a file. With --on a running tail sends the
            event, which requires its --allow-emit. The answer is printed as a JSON array. Exits with 8 if no
            answer arrives in time, 4 if the event cannot be sent there, 5 without a connection. On a channel
            (--backend groupme) one value is published.
            """,
        examples: "weir emit http://127.0.0.1:3000 message-with-ack '\"hello\"' '{\"as\":\"guest\"}'",
        "weir emit --on work message-with-ack '\"plan.png\"' @plan.png --timeout 30s")

    static let send = Command(
        "send", "URL CHANNEL [TEXT]", "send a message",
        run: reading(ActionOptions.init, ActionCommand.run), inherits: .context,
        details: """
            CHANNEL is an id, or '#' and a name. Without TEXT, or with -, the text is read from standard input.
            The message is sent once: if no answer arrives, the command checks whether the message exists before
            it sends it again. Prints the new message's id. Exits with 4 if the server refuses the message; the
            text is then saved as a draft. Exits with 5 if the server cannot be reached; the message is then
            queued in the store, and the next command or tail of the account sends the queued messages first, in
            order.

            With --on a running tail sends the message, and shows it at once: 'weir send --on NAME CHANNEL
            [TEXT]'. The same applies to edit, react, delete, read, do, channel, workspace and account.

            Each --file is uploaded first, one after the other, and TEXT is optional. An upload is not repeated:
            if no answer arrives, or the upload is interrupted, nothing is sent. A Twake server of era A accepts
            files of 50000000 bytes at most.

            With --backend groupme CHANNEL is a group's id, LOW+HIGH of the users of a direct conversation, or
            '#' and a name. With --image the picture, of 8 MiB at most, is uploaded first, and TEXT is optional;
            if the upload fails, nothing is sent.
            """,
        examples: "weir send https://chat.example.com '#general' 'Good morning' --token file:token",
        "weir send https://chat.example.com '#general' 'As agreed' --file plan.pdf --token file:token",
        "weir send '#Family' 'Who is hungry?' --image cake.jpg --ctx groupme",
        "weir send --on work '#general' 'Good morning'",
        "uptime | weir send https://chat.example.com '#general' --token env:TOKEN")

    static let edit = Command(
        "edit", "URL CHANNEL MESSAGE [TEXT]", "replace the text of a message",
        run: reading(ActionOptions.init, ActionCommand.run), inherits: .context,
        details: """
            Without TEXT, or with -, the text is read from standard input. A reply that is not among the newest
            messages needs --thread. The message keeps its files; each --file is uploaded first and added.
            """,
        examples: "weir edit https://chat.example.com '#general' MESSAGE 'Good evening' --token file:token")

    static let react = Command(
        "react", "URL CHANNEL MESSAGE [EMOJI…]", "react to a message",
        run: reading(ActionOptions.init, ActionCommand.run), inherits: .context,
        details: "The given reactions replace yours; without any, yours are removed. Era A servers accept one.",
        examples: "weir react https://chat.example.com '#general' MESSAGE 👍 --token file:token")

    static let delete = Command(
        "delete", "URL CHANNEL MESSAGE", "delete a message",
        run: reading(ActionOptions.init, ActionCommand.run), inherits: .context,
        details: "A reply that is not among the newest messages needs --thread.",
        examples: "weir delete https://chat.example.com '#general' MESSAGE --token file:token")

    static let read = Command(
        "read", "URL CHANNEL", "mark a channel as read",
        run: reading(ActionOptions.init, ActionCommand.run), inherits: .context,
        details: "CHANNEL is an id, or '#' and a name.",
        examples: "weir read https://chat.example.com '#general' --token file:token")

    static let perform = Command(
        "do", "URL ACTION [NAME=VALUE…]", "perform an action that the profile declares",
        run: reading(ActionOptions.init, ActionCommand.run), inherits: .context,
        details: """
            The profile (--profile FILE) declares the actions, their parameters and their steps. The progress is
            kept in the store: if the command is killed, or the server cannot be reached, the next command or
            tail of the account continues with the next step and repeats none. Prints the id of the row that the
            last step found or created. A parameter listed under files in the profile is the path of a file,
            whose content is sent.
            """,
        examples: "weir do URL create-account --profile finish.yaml --token env:TOKEN --token twitter=env:TWITTER")

    static let channel = Command(
        "channel", "create|edit|delete|rejoin|members WORD…",
        "create, edit, delete or rejoin a channel; list, add or remove its members",
        run: lookOrAct, inherits: .context,
        details: """
            weir channel create URL NAME [--visibility public|private|direct] [--icon EMOJI|FILE]
                                         [--description TEXT] [--member USER …]
            weir channel edit URL CHANNEL [--rename NAME] [--icon EMOJI|FILE] [--description TEXT]
                                          [--visibility public|private]
            weir channel delete URL CHANNEL
            weir channel rejoin URL GROUP
            weir channel members ls URL CHANNEL
            weir channel members add|remove URL CHANNEL USER…

            CHANNEL is an id, or '#' and a name; USER is an id. A direct conversation has no NAME; an existing
            one is reused. Prints the ids of the created or changed objects, one per line; for each member the
            id, the name and the user's role in the channel. Only the owner of a channel and a moderator of its
            workspace can change its --visibility; era A servers do not support that.

            With --backend groupme a channel is a group. A public group can be joined by its address. --icon is
            the group's picture: a FILE of 8 MiB at most, which is uploaded first, or the address of an uploaded
            picture. Members are added after the group is created, with their names in a direct conversation or
            a known group, otherwise by their ids. rejoin returns you to a GROUP that you left, given by an id
            or '#' and its name; 'weir rooms ls --all' lists it.
            """,
        examples: "weir channel create https://chat.example.com Releases --icon 🚀 --token file:token",
        "weir channel create https://push.groupme.com Picnic --icon cake.png --member USER --ctx groupme",
        "weir channel members add https://chat.example.com '#releases' USER --token file:token")

    static let workspace = Command(
        "workspace", "create|edit|delete|members URL [WORD…]",
        "create, rename or delete a workspace; list, add or remove its members",
        run: lookOrAct, inherits: .context,
        details: """
            weir workspace create URL NAME [--member ADDRESS …]
            weir workspace edit URL WORKSPACE --rename NAME
            weir workspace delete URL WORKSPACE
            weir workspace members URL [WORKSPACE]
            weir workspace members add|remove URL WORKSPACE USER…

            WORKSPACE is an id or a name; without one, members lists the first workspace. Prints the workspace's
            id; for each member the id, the name and the role, if the server provides it. Era A servers cannot
            rename a workspace; era B servers create one without members.

            A USER to add is an e-mail address; era B servers accept an id as well. A USER to remove is an id.
            Only a moderator of the workspace can add and remove members.
            """,
        examples: "weir workspace create https://chat.example.com Support --token file:token",
        "weir workspace members https://chat.example.com Sales --token file:token",
        "weir workspace members add https://chat.example.com Sales li.wei@example.org --token file:token")

    static let account = Command(
        "account", "show|set URL [USER]", "show an account, or change your language and status",
        run: lookOrAct, inherits: .context,
        details: """
            weir account show URL [USER]
            weir account set URL [--language LANGUAGE] [--status TEXT] [--status-icon EMOJI]

            USER is an id, a user name, or '@' and a name: '@Ana Lima'. The default is your own account. A new
            status replaces the whole old one, including the emoji. Era A servers cannot set a status.
            """,
        examples: "weir account show https://chat.example.com '@Ana Lima' --token file:token",
        "weir account set https://chat.example.com --status 'at lunch' --status-icon 🍜 --token file:token")

    static let draft = Command(
        "draft", "ls|show|set|drop URL [CHANNEL] [TEXT]",
        "keep drafts for channels and threads",
        run: reading(DraftOptions.init, DraftCommand.run), inherits: .context,
        details: """
            weir draft ls URL
            weir draft show URL CHANNEL [--thread MESSAGE]
            weir draft set URL CHANNEL [TEXT] [--thread MESSAGE]
            weir draft drop URL CHANNEL [--thread MESSAGE]

            The drafts are in the store and belong to the last used account of the server; no connection is
            needed. A channel or thread has one draft: set replaces it. Without TEXT, or with -, the text is
            read from standard input. weir send --draft sends the draft and removes it once it is sent; a
            message that is refused is saved as a draft as well.
            """,
        examples: "weir draft set https://chat.example.com '#general' 'Good morning' --token file:token",
        "weir send https://chat.example.com '#general' --draft --token file:token")

    /// Runs a lookup or an action, depending on the arguments.
    private static let lookOrAct: Run = { arguments throws(UsageError) in
        guard arguments.wantsLook else { return await ActionCommand.run(try ActionOptions(arguments)) }
        return await PeopleCommand.run(try PeopleOptions(arguments))
    }

    static let download = Command(
        "download", "file|picture URL [ID]", "download a file of a message, or a user's picture, once",
        run: reading(DownloadOptions.init, DownloadCommand.run), inherits: .context,
        details: """
            weir download file URL FILE
            weir download picture URL [USER]

            FILE is a file's id: the external_id of a file in a message, if it has one. The default picture is
            your own. The bytes go to standard output, or to the file named by --output, which is written
            atomically. They are cached in the store: a cached file is not downloaded again and needs no server.
            The maximum is 64 MiB.
            """,
        examples: "weir download file https://chat.example.com FILE --output plan.pdf --token file:token",
        "weir download picture https://chat.example.com --token file:token > me.png")

    static let login = Command(
        "login", "URL", "log in and write the token to a file",
        run: reading(LoginOptions.init, AccountCommand.login), inherits: .context,
        details: """
            The password is never an argument: the command asks for it on the terminal, or reads it from the
            source given by --password. Only you can read the file; its first line is the token, for --token
            file:FILE.

            A command that uses the file renews the token in it before the token expires, or when the server
            refuses it. If the server no longer renews the token, the command exits with 4: log in again.

            GroupMe issues no token for a password: copy yours from https://dev.groupme.com. Enter it instead of
            the password, without --user; the service identifies the user, and only then is the file written.
            """,
        examples: "weir login https://chat.example.com --user ana.lima --password cmd:'pass show chat' --save token",
        "weir login https://push.groupme.com --backend groupme --save token")

    static let logout = Command(
        "logout", "URL", "log out and remove the file with the token",
        run: reading(AccountOptions.init, AccountCommand.logout), inherits: .context,
        details: """
            Removes the FILE of --token file:FILE, after notifying the server if it supports logging out, and
            deletes the account's stored data. GroupMe is not notified: the token stays valid there.
            """,
        examples: "weir logout https://chat.example.com --token file:token")

    static let whoami = Command(
        "whoami", "URL", "show the owner of a token",
        run: reading(AccountOptions.init, AccountCommand.whoami), inherits: .context,
        details: "Prints the id and the name of the user and, for Twake, the era of the server (a or b).",
        examples: "weir whoami https://chat.example.com --token file:token --json")
}
