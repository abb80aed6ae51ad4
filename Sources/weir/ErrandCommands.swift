/// The commands that perform one operation at a server and end.
extension Command {
    static let emit = Command(
        "emit", "[URL] EVENT [ARG…]", "send one event, and print what it is acknowledged with",
        run: reading(EmitOptions.init, EmitCommand.run), inherits: .context,
        details: """
            An ARG is any JSON value, or @FILE for the bytes of a file. With --on a running tail sends it, which
            needs its --allow-emit. The answer is printed as a JSON array. 8 when none comes in time, 4 when it
            cannot be sent there, 5 when there is no connection. On a channel (--backend groupme) one value is
            published.
            """,
        examples: "weir emit http://127.0.0.1:3000 message-with-ack '\"hello\"' '{\"as\":\"guest\"}'",
        "weir emit --on work message-with-ack '\"plan.png\"' @plan.png --timeout 30s")

    static let send = Command(
        "send", "URL CHANNEL [TEXT]", "send a message",
        run: reading(ActionOptions.init, ActionCommand.run), inherits: .context,
        details: """
            CHANNEL is an id, or '#' and a name. Without TEXT, or with -, the text is read from standard input.
            The message is sent once: when no answer comes, it is looked for before it is sent again. Prints the
            new message's id. Exits with 4 when the server refuses: then the text is kept as a draft. Exits with
            5 when the server cannot be reached: then the message waits in the store, and the next command or
            tail of the account sends it: first what waits, in its order, then what is new.

            With --on a running tail sends it, and shows it at once: 'weir send --on NAME CHANNEL [TEXT]'. So it
            is with edit, react, delete, read, do, channel, workspace and account.

            Each --file is uploaded first, one after the other, and TEXT may be left out. An upload is not done
            twice: when no answer comes to it, or it is interrupted, nothing is sent. A Twake server of era A
            takes files of 50000000 bytes at most.

            With --backend groupme CHANNEL is a group's id, LOW+HIGH of a direct's users, or '#' and a name.
            With --image the picture, of 8 MiB at most, is uploaded first, and TEXT may be left out; when it
            cannot be uploaded, nothing is sent.
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
            messages needs --thread. The files of the message stay; each --file is uploaded first, and added.
            """,
        examples: "weir edit https://chat.example.com '#general' MESSAGE 'Good evening' --token file:token")

    static let react = Command(
        "react", "URL CHANNEL MESSAGE [EMOJI…]", "react to a message",
        run: reading(ActionOptions.init, ActionCommand.run), inherits: .context,
        details: "The reactions given replace yours; without one they are taken away. Era A servers take one.",
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
        "do", "URL ACTION [NAME=VALUE…]", "do an action that the profile declares",
        run: reading(ActionOptions.init, ActionCommand.run), inherits: .context,
        details: """
            The profile (--profile FILE) says which actions there are, what they are told and which steps they
            take. How far one is, is kept in the store: when it is killed, or the server cannot be reached, the
            next command or tail of the account goes on with the next step, and does none twice. Prints the id
            of what the last step found or made. A parameter that the profile has under files is the path of a
            file, whose content is sent.
            """,
        examples: "weir do URL create-account --profile finish.yaml --token env:TOKEN --token twitter=env:TWITTER")

    static let channel = Command(
        "channel", "create|edit|delete|rejoin|members WORD…",
        "create, edit, delete or rejoin a channel, list, add or remove its members",
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

            CHANNEL is an id, or '#' and a name; USER is an id. A direct is made without a NAME, and found
            again when there is one. Prints the ids of what was made or changed, one a line; of each member the
            id, the name, and what the user is in the channel. Only the owner of a channel and a moderator of
            its workspace change its --visibility; era A servers have no call that does.

            With --backend groupme a channel is a group, which others can join by its address when it is public,
            and --icon its picture: the FILE of one, of 8 MiB at
            most, which is uploaded first, or the address of one that was. Members are added once the group is
            made, by the names that a direct or a known group has for them, else by their ids. A GROUP that
            you left, an id or '#' and its name, takes you back with rejoin; 'weir rooms ls --all' lists it.
            """,
        examples: "weir channel create https://chat.example.com Releases --icon 🚀 --token file:token",
        "weir channel create https://push.groupme.com Picnic --icon cake.png --member USER --ctx groupme",
        "weir channel members add https://chat.example.com '#releases' USER --token file:token")

    static let workspace = Command(
        "workspace", "create|edit|delete|members URL [WORD…]",
        "create, rename or delete a workspace, list, add or remove its members",
        run: lookOrAct, inherits: .context,
        details: """
            weir workspace create URL NAME [--member ADDRESS …]
            weir workspace edit URL WORKSPACE --rename NAME
            weir workspace delete URL WORKSPACE
            weir workspace members URL [WORKSPACE]
            weir workspace members add|remove URL WORKSPACE USER…

            WORKSPACE is an id or a name; the members are of the first one where none is named. Prints the
            workspace's id; of each member the id, the name, and what the user is there, where the server says
            it. Era A servers have no call that renames a workspace, those of era B make one without members.

            A USER to add is an address; era B servers take an id, too. A USER to remove is an id. Only a
            moderator of the workspace may do it.
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

            USER is an id, a user name, or '@' and a name: '@Ana Lima'. Without it the account is your own. A
            status takes the place of the one before, emoji and all. Era A servers have no call that sets one.
            """,
        examples: "weir account show https://chat.example.com '@Ana Lima' --token file:token",
        "weir account set https://chat.example.com --status 'at lunch' --status-icon 🍜 --token file:token")

    static let draft = Command(
        "draft", "ls|show|set|drop URL [CHANNEL] [TEXT]",
        "keep texts that are to be sent later, each for a channel or thread",
        run: reading(DraftOptions.init, DraftCommand.run), inherits: .context,
        details: """
            weir draft ls URL
            weir draft show URL CHANNEL [--thread MESSAGE]
            weir draft set URL CHANNEL [TEXT] [--thread MESSAGE]
            weir draft drop URL CHANNEL [--thread MESSAGE]

            The drafts are in the store, and of the account that was used last at the server; no connection is
            needed. A place has one: set replaces it. Without TEXT, or with -, the text is read from standard
            input. weir send --draft sends it, and drops it when it was sent; a message that is refused is kept
            as a draft, too.
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

            FILE is a file's id: its external_id where a message has one. Without USER the picture is your own.
            The bytes go to standard output, or to the file that --output names, which is there whole or not at
            all. They are kept in the store: what is kept is not downloaded again, and a file that is kept needs
            no server. 64 MiB at most.
            """,
        examples: "weir download file https://chat.example.com FILE --output plan.pdf --token file:token",
        "weir download picture https://chat.example.com --token file:token > me.png")

    static let login = Command(
        "login", "URL", "log in and write the token to a file",
        run: reading(LoginOptions.init, AccountCommand.login), inherits: .context,
        details: """
            The password is never an argument: it is asked for on the terminal, or read from where --password
            says. The file is readable by you only; its first line is the token, for --token file:FILE.

            A command that uses the file renews the token in it, before it ends or when the server refuses
            it. Once the server does not renew it any more, the command ends with 4: log in again.

            GroupMe hands out no token for a password: copy yours from https://dev.groupme.com. It goes where
            the password would, without --user; the service says whose it is, and only then it is written.
            """,
        examples: "weir login https://chat.example.com --user ana.lima --password cmd:'pass show chat' --save token",
        "weir login https://push.groupme.com --backend groupme --save token")

    static let logout = Command(
        "logout", "URL", "log out and remove the file with the token",
        run: reading(AccountOptions.init, AccountCommand.logout), inherits: .context,
        details: """
            Removes the FILE of --token file:FILE, once the server was told where it wants to be, and what the
            store remembers of the account. GroupMe is told nothing: there the token stays good.
            """,
        examples: "weir logout https://chat.example.com --token file:token")

    static let whoami = Command(
        "whoami", "URL", "say whose token it is",
        run: reading(AccountOptions.init, AccountCommand.whoami), inherits: .context,
        details: "Prints the id and the name of the user, and, of Twake, whether the server is of era a or b.",
        examples: "weir whoami https://chat.example.com --token file:token --json")
}
