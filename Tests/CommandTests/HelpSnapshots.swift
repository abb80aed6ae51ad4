// Written by hand once and changed by intent: a change of a help text is a change of what scripts and people rely on.
enum HelpSnapshots {
    static let overview = #"""
        weir: a realtime event pipeline for chat backends

        Usage: weir COMMAND [OPTIONS]
               weir help [COMMAND], weir COMMAND --help, weir --version

        Commands:
          demo      start the embedded backend and tail it
          serve     run the embedded backend, or an echo server, alone; prints its URL and a token
          tail      watch a live backend as events and as changes of a model
          record    write a live backend to an event file, printing no events
          replay    play an event file through the same pipeline
          rooms     list, join and leave the rooms of a running tail
          send      send a message
          edit      replace the text of a message
          react     react to a message
          delete    delete a message
          read      mark a channel as read
          channel   create, edit or delete a channel, add or remove its members
          workspace create a workspace
          login     log in and write the token to a file
          logout    log out and remove the file with the token
          whoami    say whose token it is
          help      explain a command

        Exit codes:
          0         done; also when the reader of the pipe went away
          1         runtime error
          2         wrong usage
          3         finished, but something was lost or could not be read
          4         refused: the token or the rights do not suffice
          5         cannot connect, or gave up connecting again
          6         the replay does not match
          7         cannot write the output or a file
          8         timed out before the expected end
          130       interrupted (SIGINT)
          143       terminated (SIGTERM)

        Colours are used on a terminal only, and not when NO_COLOR is set. Text from a peer is shown with
        control, escape, bidirectional and zero-width characters escaped, except by --format raw.

        """#

    static let commands: [(command: String, text: String)] = [
        (
            "demo",
            #"""
            weir demo: start the embedded backend and tail it

            Usage: weir demo [OPTIONS]

            Starts the embedded backend on a loopback port the system chose, connects the pipeline to it
            over a real WebSocket and real HTTP, and tails a scripted Twake workspace. Ends with a summary
            of the model.

            Options:
              --format pretty|compact|json|raw
                                              how events are printed (default compact)
              --count N                       end after N events
              --duration D                    end after this time, such as 500ms, 15s, 2m (8 before --count)
              --record FILE                   write everything received and sent to this new event file
              --diff-log FILE                 write every change of the model to this file, one batch a line
              --diff-log-reversible           also what each line of the log replaced, to go back by it
              --seed N                        seed of the world; one seed gives one history (default 1)
              --name NAME                     name of this tail's control socket (default the process id)
              --no-ctl                        open no control socket
              --quiet                         print only warnings, errors and losses on standard error
              --help                          show this help

            Example:
              weir demo --duration 5s --format json

            """#
        ),
        (
            "serve",
            #"""
            weir serve: run the embedded backend, or an echo server, alone; prints its URL and a token

            Usage: weir serve [OPTIONS]

            Runs until interrupted. The same seed gives the same history. Engine.IO 3 and 4, over polling,
            WebSocket and the upgrade between them, with the answers of the JavaScript server. A client that
            does not read is cut off when 8 MiB, or four of the largest messages, wait for it; at most 3000
            sessions are served at once.

            --scenario echo is a Socket.IO server without a token: it says `auth` and the auth payload to who
            joins / or /custom, answers `message` by `message-back` with the same arguments, and acknowledges
            `message-with-ack` with them. --scenario engine-echo is a bare Engine.IO server at /engine.io/ that
            sends every message back as it came.

            Options:
              --path PATH                     endpoint's path (default /socket/; socketio and echo: /socket.io/)
              --listen ADDR:PORT              where to listen (default 127.0.0.1:0, a port the system chooses)
              --scenario NAME|FILE            script of the world (default workspace); or echo, engine-echo
              --seed N                        seed of the world; one seed gives one history (default 1)
              --ping-interval D               time between heartbeats (default 25s; a bare number is ms)
              --ping-timeout D                how long a heartbeat may be missing (default 20s)
              --connect-timeout D             how long a client may join no namespace (default 45s)
              --recovery D                    echo: a client cut off may come back so late, missing nothing
              --era a|b                       REST: a is the mobile proxy alone, b the core, too (default b)
              --max-payload BYTES             most bytes of a message or a polling body (default 1000000)
              --quiet                         print only warnings, errors and losses on standard error
              --help                          show this help

            Examples:
              weir serve --listen 127.0.0.1:8080 --seed 7
              weir serve --scenario echo --ping-interval 300 --ping-timeout 200 --connect-timeout 1s

            """#
        ),
        (
            "tail",
            #"""
            weir tail: watch a live backend as events and as changes of a model

            Usage: weir tail URL [OPTIONS]

            Events, changes of the model and gaps go to standard output, everything else to standard error.
            After a lost connection the tail connects again, joins every room and fetches again what it may
            have missed. A reader that closes the pipe ends it quietly.

            Options:
              --backend twake|socketio        what the server speaks (default twake); socketio has no schema
              --path PATH                     endpoint's path (default /socket/; socketio and echo: /socket.io/)
              --namespace NAMESPACE           Socket.IO namespace (default /)
              --eio 3|4|auto                  Engine.IO revision (default auto: 4, or 3 when the server says so)
              --transport auto|websocket|polling|upgrade
                                              default auto: websocket, else polling; upgrade: polling first
              --token env:NAME|file:PATH|cmd:COMMAND
                                              where the token is, never the token itself
              --header 'NAME: VALUE' …        header for every request (VALUE as for --token, or plain text)
              --ca FILE                       certificates to trust instead of the system's (PEM)
              --cert FILE                     certificate to show the server (PEM, with its chain)
              --key FILE                      key of --cert (PEM; default the same file)
              --key-pass env:NAME|file:PATH|cmd:COMMAND
                                              where the passphrase of --key is
              --pin sha256//HASH …            public key the server must have; one of them, when several
              --proxy URL|env                 HTTP proxy to go through, or what the environment names
              --proxy-auth env:NAME|file:PATH|cmd:COMMAND
                                              where the proxy's USER:PASSWORD is
              --company ID                    company (default the first one)
              --workspace ID                  workspace (default the first one)
              --room ROOM …                   join just this room and ask the backend for no list
              --emit 'EVENT JSON' …           send this event after each connect
              --history N                     show at least N head messages of each channel, page by page
              --members                       show who is in each channel, too: a room and a request a channel
              --framing auto|own|library      who reads frames: weir or libwebsockets (default auto: weir)
              --format pretty|compact|json|raw
                                              how events are printed (default compact)
              --count N                       end after N events
              --duration D                    end after this time, such as 500ms, 15s, 2m (8 before --count)
              --idle-timeout D                end when no event came for this time (8 before --count)
              --max-attempts N                give up (5) after N attempts in a row to connect
              --record FILE                   write everything received and sent to this new event file
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --diff-log FILE                 write every change of the model to this file, one batch a line
              --diff-log-reversible           also what each line of the log replaced, to go back by it
              --name NAME                     name of this tail's control socket (default the process id)
              --no-ctl                        open no control socket
              --quiet                         print only warnings, errors and losses on standard error
              --help                          show this help

            Examples:
              weir tail https://chat.example.com --token env:TOKEN
              weir tail http://127.0.0.1:3000 --backend socketio --emit 'join "lobby"' --format json --count 100

            """#
        ),
        (
            "record",
            #"""
            weir record: write a live backend to an event file, printing no events

            Usage: weir record URL FILE [OPTIONS]

            The recording is complete: every message in both directions, every REST exchange, never a token.

            Options:
              --backend twake|socketio        what the server speaks (default twake); socketio has no schema
              --path PATH                     endpoint's path (default /socket/; socketio and echo: /socket.io/)
              --namespace NAMESPACE           Socket.IO namespace (default /)
              --eio 3|4|auto                  Engine.IO revision (default auto: 4, or 3 when the server says so)
              --transport auto|websocket|polling|upgrade
                                              default auto: websocket, else polling; upgrade: polling first
              --token env:NAME|file:PATH|cmd:COMMAND
                                              where the token is, never the token itself
              --header 'NAME: VALUE' …        header for every request (VALUE as for --token, or plain text)
              --ca FILE                       certificates to trust instead of the system's (PEM)
              --cert FILE                     certificate to show the server (PEM, with its chain)
              --key FILE                      key of --cert (PEM; default the same file)
              --key-pass env:NAME|file:PATH|cmd:COMMAND
                                              where the passphrase of --key is
              --pin sha256//HASH …            public key the server must have; one of them, when several
              --proxy URL|env                 HTTP proxy to go through, or what the environment names
              --proxy-auth env:NAME|file:PATH|cmd:COMMAND
                                              where the proxy's USER:PASSWORD is
              --company ID                    company (default the first one)
              --workspace ID                  workspace (default the first one)
              --room ROOM …                   join just this room and ask the backend for no list
              --emit 'EVENT JSON' …           send this event after each connect
              --history N                     show at least N head messages of each channel, page by page
              --members                       show who is in each channel, too: a room and a request a channel
              --framing auto|own|library      who reads frames: weir or libwebsockets (default auto: weir)
              --count N                       end after N events
              --duration D                    end after this time, such as 500ms, 15s, 2m (8 before --count)
              --idle-timeout D                end when no event came for this time (8 before --count)
              --max-attempts N                give up (5) after N attempts in a row to connect
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --diff-log FILE                 write every change of the model to this file, one batch a line
              --diff-log-reversible           also what each line of the log replaced, to go back by it
              --name NAME                     name of this tail's control socket (default the process id)
              --no-ctl                        open no control socket
              --quiet                         print only warnings, errors and losses on standard error
              --help                          show this help

            Example:
              weir record https://chat.example.com day.weir --token file:token --duration 1h

            """#
        ),
        (
            "replay",
            #"""
            weir replay: play an event file through the same pipeline

            Usage: weir replay FILE [OPTIONS]

            FILE may be - for standard input. The diff log of a replay is that of the live run, byte for byte.

            Options:
              --format pretty|compact|json|raw
                                              how events are printed (default compact)
              --count N                       end after N events
              --diff-log FILE                 write every change of the model to this file, one batch a line
              --diff-log-reversible           also what each line of the log replaced, to go back by it
              --speed N|max                   times the original speed (default 1), or max for no waiting
              --quiet                         print only warnings, errors and losses on standard error
              --help                          show this help

            Example:
              weir replay day.weir --speed max --diff-log day.diff

            """#
        ),
        (
            "rooms",
            #"""
            weir rooms: list, join and leave the rooms of a running tail

            Usage: weir rooms ls|join|leave|select [ROOM…] [OPTIONS]

            Speaks to the control socket of a running tail. --on may be left out when just one is running.
            select leaves the tail's workspace for the one whose list of channels ROOM is.
            With --store no tail is spoken to: what FILE remembers of the account that was tailed last is
            listed, and changed for the next start.

            Options:
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --on NAME                       the running tail to speak to
              --help                          show this help

            Example:
              weir rooms join /companies/C/workspaces/W/channels/CH/feed

            """#
        ),
        (
            "send",
            #"""
            weir send: send a message

            Usage: weir send URL CHANNEL [TEXT] [OPTIONS]

            CHANNEL is an id, or '#' and a name. Without TEXT, or with -, the text is read from standard input.
            The message is sent once: when no answer comes, it is looked for before it is sent again. Prints the
            new message's id. Exits with 4 when the server refuses, with 5 when it cannot be reached.

            Options:
              --token env:NAME|file:PATH|cmd:COMMAND
                                              where the token is, never the token itself
              --header 'NAME: VALUE' …        header for every request (VALUE as for --token, or plain text)
              --ca FILE                       certificates to trust instead of the system's (PEM)
              --cert FILE                     certificate to show the server (PEM, with its chain)
              --key FILE                      key of --cert (PEM; default the same file)
              --key-pass env:NAME|file:PATH|cmd:COMMAND
                                              where the passphrase of --key is
              --pin sha256//HASH …            public key the server must have; one of them, when several
              --proxy URL|env                 HTTP proxy to go through, or what the environment names
              --proxy-auth env:NAME|file:PATH|cmd:COMMAND
                                              where the proxy's USER:PASSWORD is
              --company ID                    company (default the first one)
              --workspace ID                  workspace (default the first one)
              --max-attempts N                give up (5) after N attempts in a row to connect
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --thread MESSAGE                head of the thread the message is in, or is a reply to
              --json                          print the result as one JSON object a line
              --help                          show this help

            Examples:
              weir send https://chat.example.com '#general' 'Good morning' --token file:token
              uptime | weir send https://chat.example.com 2982dc0a-65aa-47ae-a13c-082b2e3cc2a9 --token env:TOKEN

            """#
        ),
        (
            "edit",
            #"""
            weir edit: replace the text of a message

            Usage: weir edit URL CHANNEL MESSAGE [TEXT] [OPTIONS]

            Without TEXT, or with -, the text is read from standard input. A reply that is not among the newest
            messages needs --thread.

            Options:
              --token env:NAME|file:PATH|cmd:COMMAND
                                              where the token is, never the token itself
              --header 'NAME: VALUE' …        header for every request (VALUE as for --token, or plain text)
              --ca FILE                       certificates to trust instead of the system's (PEM)
              --cert FILE                     certificate to show the server (PEM, with its chain)
              --key FILE                      key of --cert (PEM; default the same file)
              --key-pass env:NAME|file:PATH|cmd:COMMAND
                                              where the passphrase of --key is
              --pin sha256//HASH …            public key the server must have; one of them, when several
              --proxy URL|env                 HTTP proxy to go through, or what the environment names
              --proxy-auth env:NAME|file:PATH|cmd:COMMAND
                                              where the proxy's USER:PASSWORD is
              --company ID                    company (default the first one)
              --workspace ID                  workspace (default the first one)
              --max-attempts N                give up (5) after N attempts in a row to connect
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --thread MESSAGE                head of the thread the message is in, or is a reply to
              --json                          print the result as one JSON object a line
              --help                          show this help

            Example:
              weir edit https://chat.example.com '#general' MESSAGE 'Good evening' --token file:token

            """#
        ),
        (
            "react",
            #"""
            weir react: react to a message

            Usage: weir react URL CHANNEL MESSAGE [EMOJI…] [OPTIONS]

            The reactions given replace yours; without one they are taken away. Era A servers take one.

            Options:
              --token env:NAME|file:PATH|cmd:COMMAND
                                              where the token is, never the token itself
              --header 'NAME: VALUE' …        header for every request (VALUE as for --token, or plain text)
              --ca FILE                       certificates to trust instead of the system's (PEM)
              --cert FILE                     certificate to show the server (PEM, with its chain)
              --key FILE                      key of --cert (PEM; default the same file)
              --key-pass env:NAME|file:PATH|cmd:COMMAND
                                              where the passphrase of --key is
              --pin sha256//HASH …            public key the server must have; one of them, when several
              --proxy URL|env                 HTTP proxy to go through, or what the environment names
              --proxy-auth env:NAME|file:PATH|cmd:COMMAND
                                              where the proxy's USER:PASSWORD is
              --company ID                    company (default the first one)
              --workspace ID                  workspace (default the first one)
              --max-attempts N                give up (5) after N attempts in a row to connect
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --thread MESSAGE                head of the thread the message is in, or is a reply to
              --json                          print the result as one JSON object a line
              --help                          show this help

            Example:
              weir react https://chat.example.com '#general' MESSAGE 👍 --token file:token

            """#
        ),
        (
            "delete",
            #"""
            weir delete: delete a message

            Usage: weir delete URL CHANNEL MESSAGE [OPTIONS]

            A reply that is not among the newest messages needs --thread.

            Options:
              --token env:NAME|file:PATH|cmd:COMMAND
                                              where the token is, never the token itself
              --header 'NAME: VALUE' …        header for every request (VALUE as for --token, or plain text)
              --ca FILE                       certificates to trust instead of the system's (PEM)
              --cert FILE                     certificate to show the server (PEM, with its chain)
              --key FILE                      key of --cert (PEM; default the same file)
              --key-pass env:NAME|file:PATH|cmd:COMMAND
                                              where the passphrase of --key is
              --pin sha256//HASH …            public key the server must have; one of them, when several
              --proxy URL|env                 HTTP proxy to go through, or what the environment names
              --proxy-auth env:NAME|file:PATH|cmd:COMMAND
                                              where the proxy's USER:PASSWORD is
              --company ID                    company (default the first one)
              --workspace ID                  workspace (default the first one)
              --max-attempts N                give up (5) after N attempts in a row to connect
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --thread MESSAGE                head of the thread the message is in, or is a reply to
              --json                          print the result as one JSON object a line
              --help                          show this help

            Example:
              weir delete https://chat.example.com '#general' MESSAGE --token file:token

            """#
        ),
        (
            "read",
            #"""
            weir read: mark a channel as read

            Usage: weir read URL CHANNEL [OPTIONS]

            CHANNEL is an id, or '#' and a name.

            Options:
              --token env:NAME|file:PATH|cmd:COMMAND
                                              where the token is, never the token itself
              --header 'NAME: VALUE' …        header for every request (VALUE as for --token, or plain text)
              --ca FILE                       certificates to trust instead of the system's (PEM)
              --cert FILE                     certificate to show the server (PEM, with its chain)
              --key FILE                      key of --cert (PEM; default the same file)
              --key-pass env:NAME|file:PATH|cmd:COMMAND
                                              where the passphrase of --key is
              --pin sha256//HASH …            public key the server must have; one of them, when several
              --proxy URL|env                 HTTP proxy to go through, or what the environment names
              --proxy-auth env:NAME|file:PATH|cmd:COMMAND
                                              where the proxy's USER:PASSWORD is
              --company ID                    company (default the first one)
              --workspace ID                  workspace (default the first one)
              --max-attempts N                give up (5) after N attempts in a row to connect
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --json                          print the result as one JSON object a line
              --help                          show this help

            Example:
              weir read https://chat.example.com '#general' --token file:token

            """#
        ),
        (
            "channel",
            #"""
            weir channel: create, edit or delete a channel, add or remove its members

            Usage: weir channel create|edit|delete|members WORD… [OPTIONS]

            weir channel create URL NAME [--visibility public|private|direct] [--icon EMOJI]
                                         [--description TEXT] [--member USER …]
            weir channel edit URL CHANNEL [--rename NAME] [--icon EMOJI] [--description TEXT]
            weir channel delete URL CHANNEL
            weir channel members add|remove URL CHANNEL USER…

            CHANNEL is an id, or '#' and a name; USER is an id. A direct is made without a NAME, and found
            again when there is one. Prints the ids of what was made or changed, one a line.

            Options:
              --token env:NAME|file:PATH|cmd:COMMAND
                                              where the token is, never the token itself
              --header 'NAME: VALUE' …        header for every request (VALUE as for --token, or plain text)
              --ca FILE                       certificates to trust instead of the system's (PEM)
              --cert FILE                     certificate to show the server (PEM, with its chain)
              --key FILE                      key of --cert (PEM; default the same file)
              --key-pass env:NAME|file:PATH|cmd:COMMAND
                                              where the passphrase of --key is
              --pin sha256//HASH …            public key the server must have; one of them, when several
              --proxy URL|env                 HTTP proxy to go through, or what the environment names
              --proxy-auth env:NAME|file:PATH|cmd:COMMAND
                                              where the proxy's USER:PASSWORD is
              --company ID                    company (default the first one)
              --workspace ID                  workspace (default the first one)
              --max-attempts N                give up (5) after N attempts in a row to connect
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --visibility public|private|direct
                                              who sees the channel (default public)
              --icon EMOJI                    the channel's icon
              --description TEXT              what the channel is for
              --rename NAME                   the channel's new name
              --member USER …                 who is in it, too: a user's id; for a workspace an address
              --json                          print the result as one JSON object a line
              --help                          show this help

            Examples:
              weir channel create https://chat.example.com Releases --icon 🚀 --token file:token
              weir channel members add https://chat.example.com '#releases' USER --token file:token

            """#
        ),
        (
            "workspace",
            #"""
            weir workspace: create a workspace

            Usage: weir workspace create URL NAME [OPTIONS]

            Prints the new workspace's id.

            Options:
              --token env:NAME|file:PATH|cmd:COMMAND
                                              where the token is, never the token itself
              --header 'NAME: VALUE' …        header for every request (VALUE as for --token, or plain text)
              --ca FILE                       certificates to trust instead of the system's (PEM)
              --cert FILE                     certificate to show the server (PEM, with its chain)
              --key FILE                      key of --cert (PEM; default the same file)
              --key-pass env:NAME|file:PATH|cmd:COMMAND
                                              where the passphrase of --key is
              --pin sha256//HASH …            public key the server must have; one of them, when several
              --proxy URL|env                 HTTP proxy to go through, or what the environment names
              --proxy-auth env:NAME|file:PATH|cmd:COMMAND
                                              where the proxy's USER:PASSWORD is
              --company ID                    company (default the first one)
              --workspace ID                  workspace (default the first one)
              --max-attempts N                give up (5) after N attempts in a row to connect
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --member USER …                 who is in it, too: a user's id; for a workspace an address
              --json                          print the result as one JSON object a line
              --help                          show this help

            Example:
              weir workspace create https://chat.example.com Sales --token file:token

            """#
        ),
        (
            "login",
            #"""
            weir login: log in and write the token to a file

            Usage: weir login URL [OPTIONS]

            The password is never an argument: it is asked for on the terminal, or read from where --password
            says. The file is readable by you only; its first line is the token, for --token file:FILE.

            Options:
              --header 'NAME: VALUE' …        header for every request (VALUE as for --token, or plain text)
              --ca FILE                       certificates to trust instead of the system's (PEM)
              --cert FILE                     certificate to show the server (PEM, with its chain)
              --key FILE                      key of --cert (PEM; default the same file)
              --key-pass env:NAME|file:PATH|cmd:COMMAND
                                              where the passphrase of --key is
              --pin sha256//HASH …            public key the server must have; one of them, when several
              --proxy URL|env                 HTTP proxy to go through, or what the environment names
              --proxy-auth env:NAME|file:PATH|cmd:COMMAND
                                              where the proxy's USER:PASSWORD is
              --user NAME                     user name or address to log in with
              --password env:NAME|file:PATH|cmd:COMMAND|stdin|prompt
                                              where the password is (default prompt)
              --save FILE                     file for the token (0600); one that is there is replaced
              --json                          print the result as one JSON object a line
              --help                          show this help

            Example:
              weir login https://chat.example.com --user ann --password cmd:'pass show chat' --save token

            """#
        ),
        (
            "logout",
            #"""
            weir logout: log out and remove the file with the token

            Usage: weir logout URL [OPTIONS]

            Removes the FILE of --token file:FILE, once the server was told where it wants to be.

            Options:
              --token env:NAME|file:PATH|cmd:COMMAND
                                              where the token is, never the token itself
              --header 'NAME: VALUE' …        header for every request (VALUE as for --token, or plain text)
              --ca FILE                       certificates to trust instead of the system's (PEM)
              --cert FILE                     certificate to show the server (PEM, with its chain)
              --key FILE                      key of --cert (PEM; default the same file)
              --key-pass env:NAME|file:PATH|cmd:COMMAND
                                              where the passphrase of --key is
              --pin sha256//HASH …            public key the server must have; one of them, when several
              --proxy URL|env                 HTTP proxy to go through, or what the environment names
              --proxy-auth env:NAME|file:PATH|cmd:COMMAND
                                              where the proxy's USER:PASSWORD is
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --json                          print the result as one JSON object a line
              --help                          show this help

            Example:
              weir logout https://chat.example.com --token file:token

            """#
        ),
        (
            "whoami",
            #"""
            weir whoami: say whose token it is

            Usage: weir whoami URL [OPTIONS]

            Prints the id and the name of the user, and whether the server is of era a or b.

            Options:
              --token env:NAME|file:PATH|cmd:COMMAND
                                              where the token is, never the token itself
              --header 'NAME: VALUE' …        header for every request (VALUE as for --token, or plain text)
              --ca FILE                       certificates to trust instead of the system's (PEM)
              --cert FILE                     certificate to show the server (PEM, with its chain)
              --key FILE                      key of --cert (PEM; default the same file)
              --key-pass env:NAME|file:PATH|cmd:COMMAND
                                              where the passphrase of --key is
              --pin sha256//HASH …            public key the server must have; one of them, when several
              --proxy URL|env                 HTTP proxy to go through, or what the environment names
              --proxy-auth env:NAME|file:PATH|cmd:COMMAND
                                              where the proxy's USER:PASSWORD is
              --json                          print the result as one JSON object a line
              --help                          show this help

            Example:
              weir whoami https://chat.example.com --token file:token --json

            """#
        ),
        (
            "help",
            #"""
            weir help: explain a command

            Usage: weir help [COMMAND] [OPTIONS]

            Options:
              --help                          show this help

            Example:
              weir help tail

            """#
        ),
    ]
}
