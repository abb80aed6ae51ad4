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
          watch     watch a live backend, a running tail or a recording on the whole screen
          record    write a live backend to an event file, printing no events
          replay    play an event file through the same pipeline
          ps        list the tails and replays that run
          attach    look on at a running tail, with a view of one's own
          ctl       call a method of a running tail or replay, and print what it gives
          rooms     list, join and leave the rooms of a running tail
          file      inspect, mend, cut and convert event files
          send      send a message
          edit      replace the text of a message
          react     react to a message
          delete    delete a message
          read      mark a channel as read
          channel   create, edit or delete a channel, add or remove its members
          workspace create a workspace
          download  download a file of a message, or a user's picture, once
          login     log in and write the token to a file
          logout    log out and remove the file with the token
          whoami    say whose token it is
          ctx       keep servers under names, each with its options
          config    say which settings apply, and where they come from
          completion print what makes a shell complete weir's words
          man       print the manual page of a command, for man
          cheat     print commands to copy
          explain   say what an event holds, and what it sets off
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
          8         timed out, or ended, before what was expected came
          130       interrupted (SIGINT)
          143       terminated (SIGTERM)

        Every option can be given by an environment variable, too (WEIR_MAX_ATTEMPTS is --max-attempts),
        in a context or in the config file: 'weir help ctx', 'weir help config'. What is typed prevails.

        Colours are used on a terminal only, and not when NO_COLOR is set; --color, FORCE_COLOR and
        CLICOLOR say otherwise. Text from a peer is shown with control, escape, bidirectional and
        zero-width characters escaped, except by --format raw into a pipe or file.

        """#

    static let commands: [(command: String, text: String)] = [
        (
            "demo",
            #"""
            weir demo: start the embedded backend and tail it

            Usage: weir demo [OPTIONS]

            Starts the embedded backend on a loopback port the system chose, connects the pipeline to it
            over a real WebSocket and real HTTP, and tails a scripted Twake workspace; with --backend groupme
            scripted people who talk in groups and directs, by Bayeux. Ends with a summary of the model.

            Options:
              --backend twake|groupme         whose world is played (default twake)
              --format pretty|compact|table|json|jsonl|raw
                                              how events are printed (default compact); jsonl: payloads only
              --template TEXT                 such a line for each event: '{time} {room:20} {payload.text}'
              --fields NAME,…                 print such members of json, as in room,payload.text
              --schema                        print the JSON Schema of json, and end
              --time abs|rel|delta|none       time of an event: wall clock (default), since start, or the last
              --zone utc|local                whose wall clock it is (default utc)
              --room-width N                  columns a room's name may take (default 26)
              --spacer D                      show a pause as long as this by a line of its own
              --summary text|json|none        how to tell at the end what was seen (default text)
              --view log|latest|top|graph|model|raw|conn
                                              what is shown: lines (default), raw wire units, or a view in place
              --no-status                     no status line on a terminal
              --hook 'EXPR=COMMAND' …         run COMMAND for what EXPR holds of, its JSON on standard input
              --notify EXPR …                 ring the terminal for what EXPR holds of
              --forward URL                   post the JSON of each event to this URL
              --filter EXPR …                 show what this holds of, too: kind = message and size > 4K
              --kind KIND …                   show what is of such a kind, and what it changed
              --not-kind KIND …               leave out what is of such a kind
              --room ROOM …                   show what is about such a room: a name, a pattern, #TITLE
              --not-room ROOM …               leave out what is about such a room
              --from USER …                   show what is by such a user: a name, an id, a pattern
              --not-from USER …               leave out what is by such a user
              --grep RE …                     show lines that match a regular expression
              --exclude RE …                  leave out lines that match a regular expression
              --highlight EXPR|/RE/ …         point out what this holds of, or lines that match /RE/
              --sample N%|1/N                 show so many of the events only, evenly
              --explain-filter                print what the options above come to, and end
              --count N                       end after N events that are shown
              --until-match EXPR              end with the first of what this holds of, or /RE/ in a line
              --fail-on gap|unknown|denied,… …
                                              end with 3 when this happened, too
              --duration D                    end after this time, such as 500ms, 15s, 2m (8 if still waiting)
              --record FILE                   write everything received and sent to this new event file
              --record-filter EXPR            record of events only what this holds of; the file says so
              --diff-log FILE                 write every change of the model to this file, one batch a line
              --diff-log-reversible           also what each line of the log replaced, to go back by it
              --seed N                        seed of the world; one seed gives one history (default 1)
              --name NAME                     name of the control socket (default context, or process id)
              --no-ctl                        open no control socket
              --allow-emit                    clients of the control socket may send events to the server
              --record-dir FOLDER             where clients of the control socket may begin recordings
              --quiet                         print only warnings, errors and losses on standard error
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --backend is WEIR_BACKEND.

            Examples:
              weir demo --duration 5s --format json
              weir demo --backend groupme

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
            sends every message back as it came. --scenario groupme is a GroupMe backend: pushes by Bayeux at
            /faye, REST at /v3, and people who talk in groups and directs.

            Options:
              --path PATH                     endpoint's path (default /socket/; socketio and echo: /socket.io/)
              --listen ADDR:PORT              where to listen (default 127.0.0.1:0, a port the system chooses)
              --scenario NAME|FILE            world's script (default workspace); or groupme, echo, engine-echo
              --seed N                        seed of the world; one seed gives one history (default 1)
              --ping-interval D               time between heartbeats (default 25s; a bare number is ms)
              --ping-timeout D                how long a heartbeat may be missing (default 20s)
              --connect-timeout D             how long a client may join no namespace (default 45s)
              --recovery D                    echo: a client cut off may come back so late, missing nothing
              --era a|b                       REST: a is the mobile proxy alone, b the core, too (default b)
              --max-payload BYTES             most bytes of a message or a polling body (default 1000000)
              --quiet                         print only warnings, errors and losses on standard error
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --path is WEIR_PATH.

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

            An EXPR is made of FIELD OPERATOR VALUE, and, or, not and parentheses. Fields: type, kind, room,
            actor, event, namespace, dir, size, lag, known, text, payload.KEY, diff.op, diff.section,
            diff.kind, diff.id, diff.field. Operators: = != < <= > >=, ~ and !~ with a /regular expression/,
            like with *, ? and […], in (…), not in (…), exists. /RE/ alone looks in the line. A change has the
            fields of the event that caused it. Gaps are always shown, and what is recorded is complete,
            whatever is shown.

            Without --company, --workspace and --join it looks where the account looked last, if that is still
            there; 'weir rooms select' looks elsewhere. Messages that are remembered are shown at once and not
            asked for again page by page; the full look, every five minutes, finds what changed in them.

            Options:
              --backend twake|groupme|socketio
                                              what the server speaks (default twake); socketio has no schema
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
              --company ID                    company (default the last one looked at, or the first)
              --workspace ID                  workspace (default the last one looked at, or the first)
              --join PATTERN …                join these rooms only: names or patterns (weir help rooms)
              --auto-adopt all|matching|off   rooms to join by themselves (default all; matching with --join)
              --max-rooms N                   join no more rooms than these by patterns; say what is left out
              --emit 'EVENT JSON' …           send this event after each connect
              --history N                     show at least N head messages of each channel, page by page
              --members                       show who is in each channel, too: a room and a request a channel
              --framing auto|own|library      who reads frames: weir or libwebsockets (default auto: weir)
              --format pretty|compact|table|json|jsonl|raw
                                              how events are printed (default compact); jsonl: payloads only
              --template TEXT                 such a line for each event: '{time} {room:20} {payload.text}'
              --fields NAME,…                 print such members of json, as in room,payload.text
              --schema                        print the JSON Schema of json, and end
              --time abs|rel|delta|none       time of an event: wall clock (default), since start, or the last
              --zone utc|local                whose wall clock it is (default utc)
              --room-width N                  columns a room's name may take (default 26)
              --spacer D                      show a pause as long as this by a line of its own
              --summary text|json|none        how to tell at the end what was seen (default text)
              --view log|latest|top|graph|model|raw|conn
                                              what is shown: lines (default), raw wire units, or a view in place
              --no-status                     no status line on a terminal
              --hook 'EXPR=COMMAND' …         run COMMAND for what EXPR holds of, its JSON on standard input
              --notify EXPR …                 ring the terminal for what EXPR holds of
              --forward URL                   post the JSON of each event to this URL
              --filter EXPR …                 show what this holds of, too: kind = message and size > 4K
              --kind KIND …                   show what is of such a kind, and what it changed
              --not-kind KIND …               leave out what is of such a kind
              --room ROOM …                   show what is about such a room: a name, a pattern, #TITLE
              --not-room ROOM …               leave out what is about such a room
              --from USER …                   show what is by such a user: a name, an id, a pattern
              --not-from USER …               leave out what is by such a user
              --grep RE …                     show lines that match a regular expression
              --exclude RE …                  leave out lines that match a regular expression
              --highlight EXPR|/RE/ …         point out what this holds of, or lines that match /RE/
              --sample N%|1/N                 show so many of the events only, evenly
              --explain-filter                print what the options above come to, and end
              --count N                       end after N events that are shown
              --until-match EXPR              end with the first of what this holds of, or /RE/ in a line
              --fail-on gap|unknown|denied,… …
                                              end with 3 when this happened, too
              --duration D                    end after this time, such as 500ms, 15s, 2m (8 if still waiting)
              --idle-timeout D                end when no event came for this time (8 if still waiting)
              --max-attempts N                give up (5) after N attempts in a row to connect
              --record FILE                   write everything received and sent to this new event file
              --rotate SIZE|D|hup …           record in segments: a new one at this size, age, or SIGHUP (also)
              --keep N|SIZE|D                 segments to keep: so many, so large or so old in all
              --compress closed|live          with zstd: closed segments, or live, by the chunk
              --fsync never|interval|chunk|always
                                              when the recording is forced to the disk (default interval: 1s)
              --record-filter EXPR            record of events only what this holds of; the file says so
              --on-write-error stop|continue  when it cannot be written: end (7), or go on without it
              --no-states                     record no checksums of the model
              --flight-recorder D[,SIZE]      keep the last D in memory; SIGUSR2 writes it to a new file
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --diff-log FILE                 write every change of the model to this file, one batch a line
              --diff-log-reversible           also what each line of the log replaced, to go back by it
              --force                         replace a file that is there
              --name NAME                     name of the control socket (default context, or process id)
              --no-ctl                        open no control socket
              --allow-emit                    clients of the control socket may send events to the server
              --dynamic-pins                  pin rooms that clients join for good; unpin those they leave
              --record-dir FOLDER             where clients of the control socket may begin recordings
              --quiet                         print only warnings, errors and losses on standard error
              --ctx NAME|none                 context with the URL and options ('weir ctx'); none for none
              --yes                           do it, though the context is guarded
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --backend is WEIR_BACKEND.

            Examples:
              weir tail https://chat.example.com --token env:TOKEN
              weir tail https://chat.example.com --token env:TOKEN --kind message --not-from 'bot*'
              weir tail http://127.0.0.1:3000 --backend socketio --emit 'join "lobby"' --format json --count 100

            """#
        ),
        (
            "watch",
            #"""
            weir watch: watch a live backend, a running tail or a recording on the whole screen

            Usage: weir watch [URL|FILE] [OPTIONS]

            The sections of the model on the left, the log, and below it what is selected: its fields, its raw
            frame, what it changed. ? tells the keys: space pauses, / searches, f filters by an expression as
            it is typed ('weir help tail' tells of EXPR), r lists the rooms (join, leave, hide), m marks, y
            copies, q ends. A recording has a bar to go through it. The mouse selects, scrolls and goes.

            With --on it is the view of a tail that runs: what it keeps is not asked of the server again, rooms
            are joined, left and hidden by the tail, for all who look on, and q ends the view alone.

            It needs a terminal (2 without one). However it ends the terminal is as it was; the summary follows.

            Options:
              --backend twake|groupme|socketio
                                              what the server speaks (default twake); socketio has no schema
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
              --company ID                    company (default the last one looked at, or the first)
              --workspace ID                  workspace (default the last one looked at, or the first)
              --join PATTERN …                join these rooms only: names or patterns (weir help rooms)
              --emit 'EVENT JSON' …           send this event after each connect
              --history N                     show at least N head messages of each channel, page by page
              --members                       show who is in each channel, too: a room and a request a channel
              --framing auto|own|library      who reads frames: weir or libwebsockets (default auto: weir)
              --time abs|rel|delta|none       time of an event: wall clock (default), since start, or the last
              --zone utc|local                whose wall clock it is (default utc)
              --summary text|json|none        how to tell at the end what was seen (default text)
              --filter EXPR …                 show what this holds of, too: kind = message and size > 4K
              --kind KIND …                   show what is of such a kind, and what it changed
              --not-kind KIND …               leave out what is of such a kind
              --room ROOM …                   show what is about such a room: a name, a pattern, #TITLE
              --not-room ROOM …               leave out what is about such a room
              --from USER …                   show what is by such a user: a name, an id, a pattern
              --not-from USER …               leave out what is by such a user
              --grep RE …                     show lines that match a regular expression
              --exclude RE …                  leave out lines that match a regular expression
              --highlight EXPR|/RE/ …         point out what this holds of, or lines that match /RE/
              --sample N%|1/N                 show so many of the events only, evenly
              --explain-filter                print what the options above come to, and end
              --duration D                    end after this time, such as 500ms, 15s, 2m (8 if still waiting)
              --idle-timeout D                end when no event came for this time (8 if still waiting)
              --max-attempts N                give up (5) after N attempts in a row to connect
              --record FILE                   write everything received and sent to this new event file
              --rotate SIZE|D|hup …           record in segments: a new one at this size, age, or SIGHUP (also)
              --keep N|SIZE|D                 segments to keep: so many, so large or so old in all
              --compress closed|live          with zstd: closed segments, or live, by the chunk
              --fsync never|interval|chunk|always
                                              when the recording is forced to the disk (default interval: 1s)
              --record-filter EXPR            record of events only what this holds of; the file says so
              --on-write-error stop|continue  when it cannot be written: end (7), or go on without it
              --no-states                     record no checksums of the model
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --diff-log FILE                 write every change of the model to this file, one batch a line
              --diff-log-reversible           also what each line of the log replaced, to go back by it
              --speed N|max                   times the original speed, 0.01 to 1000 (default 1), or max
              --rate N/s                      so many events a second, whatever their times
              --idle-limit D                  longest wait for a record (default what the recording advises)
              --for D                         end after so much of the recording's time
              --follow                        wait for more where the file has no end yet
              --step                          begin paused; each line of standard input is a step
              --refetch recorded|stub|off     answer requests as recorded (default), all others too, or none
              --verify                        compare states and checksums; end with 6 at the first that differs
              --force                         replace a file that is there
              --start POSITION                show what is from here on; what is before is applied
              --end POSITION                  end before the first record here
              --on NAME                       the running tail to speak to
              --name NAME                     name of the control socket (default context, or process id)
              --no-ctl                        open no control socket
              --quiet                         print only warnings, errors and losses on standard error
              --ctx NAME|none                 context with the URL and options ('weir ctx'); none for none
              --yes                           do it, though the context is guarded
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --backend is WEIR_BACKEND.

            Examples:
              weir watch https://chat.example.com --token env:TOKEN --record day.weir
              weir watch --on work --kind message
              weir watch day.weir --idle-limit 2s

            """#
        ),
        (
            "record",
            #"""
            weir record: write a live backend to an event file, printing no events

            Usage: weir record URL FILE [OPTIONS]

            The recording is complete: every message in both directions, every REST exchange, never a token.

            Options:
              --backend twake|groupme|socketio
                                              what the server speaks (default twake); socketio has no schema
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
              --company ID                    company (default the last one looked at, or the first)
              --workspace ID                  workspace (default the last one looked at, or the first)
              --join PATTERN …                join these rooms only: names or patterns (weir help rooms)
              --auto-adopt all|matching|off   rooms to join by themselves (default all; matching with --join)
              --max-rooms N                   join no more rooms than these by patterns; say what is left out
              --emit 'EVENT JSON' …           send this event after each connect
              --history N                     show at least N head messages of each channel, page by page
              --members                       show who is in each channel, too: a room and a request a channel
              --framing auto|own|library      who reads frames: weir or libwebsockets (default auto: weir)
              --summary text|json|none        how to tell at the end what was seen (default text)
              --no-status                     no status line on a terminal
              --count N                       end after N events that are shown
              --fail-on gap|unknown|denied,… …
                                              end with 3 when this happened, too
              --duration D                    end after this time, such as 500ms, 15s, 2m (8 if still waiting)
              --idle-timeout D                end when no event came for this time (8 if still waiting)
              --max-attempts N                give up (5) after N attempts in a row to connect
              --rotate SIZE|D|hup …           record in segments: a new one at this size, age, or SIGHUP (also)
              --keep N|SIZE|D                 segments to keep: so many, so large or so old in all
              --compress closed|live          with zstd: closed segments, or live, by the chunk
              --fsync never|interval|chunk|always
                                              when the recording is forced to the disk (default interval: 1s)
              --record-filter EXPR            record of events only what this holds of; the file says so
              --on-write-error stop|continue  when it cannot be written: end (7), or go on without it
              --no-states                     record no checksums of the model
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --diff-log FILE                 write every change of the model to this file, one batch a line
              --diff-log-reversible           also what each line of the log replaced, to go back by it
              --force                         replace a file that is there
              --name NAME                     name of the control socket (default context, or process id)
              --no-ctl                        open no control socket
              --allow-emit                    clients of the control socket may send events to the server
              --dynamic-pins                  pin rooms that clients join for good; unpin those they leave
              --record-dir FOLDER             where clients of the control socket may begin recordings
              --quiet                         print only warnings, errors and losses on standard error
              --ctx NAME|none                 context with the URL and options ('weir ctx'); none for none
              --yes                           do it, though the context is guarded
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --backend is WEIR_BACKEND.

            Example:
              weir record https://chat.example.com day.weir --token file:token --duration 1h

            """#
        ),
        (
            "replay",
            #"""
            weir replay: play an event file through the same pipeline

            Usage: weir replay FILE… [OPTIONS]

            FILE may be - for standard input. The diff log of a replay is that of the live run, byte for byte.
            What passes a filter is shown as the tail would have shown it; 'weir help tail' tells of EXPR.
            Files of one recording are its segments; others are merged by their wall clocks, each with a session
            and a model of its own. A POSITION is +90s (since the recording began), n:812 (a record's number),
            mark:NAME, or a time such as 2026-01-02T03:04:05Z.

            On a terminal keys go through the recording: space pauses, . and , step on and back, left and right
            move by 5 s (with shift by 60 s), up and down change the speed, [ and ] go to the marks before and
            behind, / searches, g goes to a POSITION, m marks the place (in FILE.marks), ? tells these keys, q
            ends. From another shell 'weir ctl NAME' does the same: seek, step, speed, loop, pause, mark.

            Options:
              --format pretty|compact|table|json|jsonl|raw
                                              how events are printed (default compact); jsonl: payloads only
              --template TEXT                 such a line for each event: '{time} {room:20} {payload.text}'
              --fields NAME,…                 print such members of json, as in room,payload.text
              --schema                        print the JSON Schema of json, and end
              --time abs|rel|delta|none       time of an event: wall clock (default), since start, or the last
              --zone utc|local                whose wall clock it is (default utc)
              --room-width N                  columns a room's name may take (default 26)
              --spacer D                      show a pause as long as this by a line of its own
              --summary text|json|none        how to tell at the end what was seen (default text)
              --view log|latest|top|graph|model|raw|conn
                                              what is shown: lines (default), raw wire units, or a view in place
              --no-status                     no status line on a terminal
              --hook 'EXPR=COMMAND' …         run COMMAND for what EXPR holds of, its JSON on standard input
              --notify EXPR …                 ring the terminal for what EXPR holds of
              --forward URL                   post the JSON of each event to this URL
              --filter EXPR …                 show what this holds of, too: kind = message and size > 4K
              --kind KIND …                   show what is of such a kind, and what it changed
              --not-kind KIND …               leave out what is of such a kind
              --room ROOM …                   show what is about such a room: a name, a pattern, #TITLE
              --not-room ROOM …               leave out what is about such a room
              --from USER …                   show what is by such a user: a name, an id, a pattern
              --not-from USER …               leave out what is by such a user
              --grep RE …                     show lines that match a regular expression
              --exclude RE …                  leave out lines that match a regular expression
              --highlight EXPR|/RE/ …         point out what this holds of, or lines that match /RE/
              --sample N%|1/N                 show so many of the events only, evenly
              --explain-filter                print what the options above come to, and end
              --count N                       end after N events that are shown
              --until-match EXPR              end with the first of what this holds of, or /RE/ in a line
              --fail-on gap|unknown|denied,… …
                                              end with 3 when this happened, too
              --diff-log FILE                 write every change of the model to this file, one batch a line
              --diff-log-reversible           also what each line of the log replaced, to go back by it
              --speed N|max                   times the original speed, 0.01 to 1000 (default 1), or max
              --rate N/s                      so many events a second, whatever their times
              --idle-limit D                  longest wait for a record (default what the recording advises)
              --for D                         end after so much of the recording's time
              --loop N|forever                play so often
              --follow                        wait for more where the file has no end yet
              --step                          begin paused; each line of standard input is a step
              --refetch recorded|stub|off     answer requests as recorded (default), all others too, or none
              --verify                        compare states and checksums; end with 6 at the first that differs
              --serve ADDR:PORT               be the recording's server, for other clients; nothing is shown
              --start POSITION                show what is from here on; what is before is applied
              --end POSITION                  end before the first record here
              --name NAME                     name of the control socket (default context, or process id)
              --no-ctl                        open no control socket
              --quiet                         print only warnings, errors and losses on standard error
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --format is WEIR_FORMAT.

            Examples:
              weir replay day.weir --speed max --diff-log day.diff
              weir replay day.weir --name day

            """#
        ),
        (
            "rooms",
            #"""
            weir rooms: list, join and leave the rooms of a running tail

            Usage: weir rooms VERB … [OPTIONS]

            Speaks to the control socket of a running tail; --on may be left out when just one is running.
            Exits with 4 when a room is refused, 5 when no tail is running, 8 when the server does not answer.

            A PATTERN is a room's name; #TITLE, where * stands for any characters; a name with * (not across /)
            and **; /EXPRESSION/; conditions such as kind=direct,unread>0 (kind, title, id, unread, company,
            workspace); @SET; @FILE with a / in it, or @- for standard input, with a pattern a line. Patterns
            are put together with + and -, the last one that matches a room decides: @work + @oncall - '#noisy'.
            A name in "quotation marks" is just that. A pattern stays wanted: new rooms that match are joined.

            Verbs:
              ls        list the rooms: what is wanted, and what is so
              resolve   say what would be joined, and by which pattern
              join      join rooms, now and whenever new ones match
              leave     leave rooms, and join none that matches
              only      join these rooms and leave all others
              reset     go back to the rooms the tail was started with, and those that are pinned
              select    look at another workspace
              pin       join rooms now and at every start of a tail of the account
              unpin     take back a pin
              mute      stay in rooms and record them, but show nothing of them
              unmute    show again what is said in rooms
              set       keep named sets of rooms, which patterns name as @NAME
              who       say who is in a room
              history   print what was said in a room last
              watch     print what becomes of the rooms of a running tail, as it happens

            Each has its own help: weir help rooms VERB

            Examples:
              weir rooms ls
              weir rooms join '#dev*' -'#dev-noise' --for 10m

            """#
        ),
        (
            "rooms ls",
            #"""
            weir rooms ls: list the rooms: what is wanted, and what is so

            Usage: weir rooms ls [PATTERN…] [OPTIONS]

            ROOM, TITLE, KIND, who wants it (SOURCE: cli, list, ctl, pin), whether it is wanted (WANT: yes, no,
            limit), STATE (wanted, joining, joined, refused, lost, left, listed) and SINCE when, EVENTS, RATE,
            LAST, LAG, GAPS, and why a room was refused. With --store no tail is spoken to: what FILE remembers
            of the account that was tailed last is listed.

            Options:
              --store FILE|none               file to look into instead of asking a running tail
              --json                          print one JSON object a line
              --on NAME                       the running tail to speak to
              --all                           also those that nobody wants
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --json is WEIR_JSON.

            Examples:
              weir rooms ls --all 'kind=direct'
              weir rooms ls --json | jq .state

            """#
        ),
        (
            "rooms resolve",
            #"""
            weir rooms resolve: say what would be joined, and by which pattern

            Usage: weir rooms resolve PATTERN… [OPTIONS]

            Nothing is joined. Exits with 1 when a pattern means no room that is known.

            Options:
              --json                          print one JSON object a line
              --on NAME                       the running tail to speak to
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --json is WEIR_JSON.

            Example:
              weir rooms resolve @work - '#noisy'

            """#
        ),
        (
            "rooms join",
            #"""
            weir rooms join: join rooms, now and whenever new ones match

            Usage: weir rooms join PATTERN… [OPTIONS]

            With --store no tail is spoken to: the rooms are wanted at the next start.

            Options:
              --store FILE|none               file to look into instead of asking a running tail
              --for D                         undo it after this time, such as 10m
              --save SET                      keep the patterns as a set of this name, too
              --json                          print one JSON object a line
              --on NAME                       the running tail to speak to
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --for is WEIR_FOR.

            Examples:
              weir rooms join /companies/C/workspaces/W/channels/CH/feed
              weir rooms join '#incident-*' --for 2h --save incidents

            """#
        ),
        (
            "rooms leave",
            #"""
            weir rooms leave: leave rooms, and join none that matches

            Usage: weir rooms leave PATTERN… [OPTIONS]

            With --store no tail is spoken to: the rooms are not wanted at the next start.

            Options:
              --store FILE|none               file to look into instead of asking a running tail
              --for D                         undo it after this time, such as 10m
              --save SET                      keep the patterns as a set of this name, too
              --json                          print one JSON object a line
              --on NAME                       the running tail to speak to
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --for is WEIR_FOR.

            Example:
              weir rooms leave 'kind=direct' --for 1h

            """#
        ),
        (
            "rooms only",
            #"""
            weir rooms only: join these rooms and leave all others

            Usage: weir rooms only PATTERN… [OPTIONS]

            Rooms in which the backend tells of new ones stay joined.

            Options:
              --save SET                      keep the patterns as a set of this name, too
              --json                          print one JSON object a line
              --on NAME                       the running tail to speak to
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --save is WEIR_SAVE.

            Example:
              weir rooms only @oncall

            """#
        ),
        (
            "rooms reset",
            #"""
            weir rooms reset: go back to the rooms the tail was started with, and those that are pinned

            Usage: weir rooms reset [OPTIONS]

            Options:
              --json                          print one JSON object a line
              --on NAME                       the running tail to speak to
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --json is WEIR_JSON.

            Example:
              weir rooms reset --on day

            """#
        ),
        (
            "rooms select",
            #"""
            weir rooms select: look at another workspace

            Usage: weir rooms select ROOM [OPTIONS]

            Leaves the tail's workspace for the one whose list of channels ROOM is.

            Options:
              --json                          print one JSON object a line
              --on NAME                       the running tail to speak to
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --json is WEIR_JSON.

            Example:
              weir rooms select '/companies/C/workspaces/W/channels?type=public'

            """#
        ),
        (
            "rooms pin",
            #"""
            weir rooms pin: join rooms now and at every start of a tail of the account

            Usage: weir rooms pin PATTERN… [OPTIONS]

            With 'weir tail --dynamic-pins' what is joined for good is pinned by itself.

            Options:
              --save SET                      keep the patterns as a set of this name, too
              --json                          print one JSON object a line
              --on NAME                       the running tail to speak to
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --save is WEIR_SAVE.

            Example:
              weir rooms pin '#alerts*'

            """#
        ),
        (
            "rooms unpin",
            #"""
            weir rooms unpin: take back a pin

            Usage: weir rooms unpin PATTERN… [OPTIONS]

            The pattern is to be the one that was pinned. Rooms that nobody else wants are left.

            Options:
              --json                          print one JSON object a line
              --on NAME                       the running tail to speak to
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --json is WEIR_JSON.

            Example:
              weir rooms unpin '#alerts*'

            """#
        ),
        (
            "rooms mute",
            #"""
            weir rooms mute: stay in rooms and record them, but show nothing of them

            Usage: weir rooms mute PATTERN… [OPTIONS]

            Options:
              --for D                         undo it after this time, such as 10m
              --json                          print one JSON object a line
              --on NAME                       the running tail to speak to
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --for is WEIR_FOR.

            Example:
              weir rooms mute '#build-*' --for 30m

            """#
        ),
        (
            "rooms unmute",
            #"""
            weir rooms unmute: show again what is said in rooms

            Usage: weir rooms unmute PATTERN… [OPTIONS]

            Options:
              --for D                         undo it after this time, such as 10m
              --json                          print one JSON object a line
              --on NAME                       the running tail to speak to
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --for is WEIR_FOR.

            Example:
              weir rooms unmute '**'

            """#
        ),
        (
            "rooms set",
            #"""
            weir rooms set: keep named sets of rooms, which patterns name as @NAME

            Usage: weir rooms set save|use|ls|show|rm|diff|edit [NAME] [PATTERN…] [OPTIONS]

            save keeps the patterns, or the rooms that are wanted now when there are none; use joins the rooms
            of the set and leaves all others; ls lists the sets, show prints the patterns of one, a line each;
            rm removes it; diff says what differs from another set, or from what is wanted; edit opens the
            patterns in $EDITOR. Sets are the account's: the tail's, or the one that was tailed last in --store.

            Options:
              --store FILE|none               file to look into instead of asking a running tail
              --json                          print one JSON object a line
              --on NAME                       the running tail to speak to
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --json is WEIR_JSON.

            Examples:
              weir rooms set save work '#dev*' '#ops' -'#dev-noise'
              weir rooms set use work

            """#
        ),
        (
            "rooms who",
            #"""
            weir rooms who: say who is in a room

            Usage: weir rooms who ROOM [OPTIONS]

            Asks the server, where the backend can say.

            Options:
              --json                          print one JSON object a line
              --on NAME                       the running tail to speak to
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --json is WEIR_JSON.

            Example:
              weir rooms who '#general'

            """#
        ),
        (
            "rooms history",
            #"""
            weir rooms history: print what was said in a room last

            Usage: weir rooms history ROOM [OPTIONS]

            Asks the server for the newest page, where the backend can say.

            Options:
              --json                          print one JSON object a line
              --on NAME                       the running tail to speak to
              --since D                       only what was said in this time, such as 2h
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --json is WEIR_JSON.

            Example:
              weir rooms history '#general' --since 2h

            """#
        ),
        (
            "rooms watch",
            #"""
            weir rooms watch: print what becomes of the rooms of a running tail, as it happens

            Usage: weir rooms watch [PATTERN…] [OPTIONS]

            A line for each room that is wanted, joined, refused (with the reason), left, found, or lost
            with its connection, until the tail ends; with --json the envelope of such a line. A PATTERN
            is a room's name, also with * and **, or /EXPRESSION/. The server is asked for nothing.

            Options:
              --json                          print one JSON object a line
              --on NAME                       the running tail to speak to
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --json is WEIR_JSON.

            Examples:
              weir rooms watch
              weir rooms watch --json | jq -r 'select(.change=="refused").room'

            """#
        ),
        (
            "ps",
            #"""
            weir ps: list the tails and replays that run

            Usage: weir ps [OPTIONS]

            Name, context, process, state, rooms joined of wanted, events, events a second, lag, the
            recording and the URL, of each that answers at its control socket. Sockets of processes that
            ended are removed.

            Options:
              --json                          print the result as one JSON object a line
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --json is WEIR_JSON.

            Examples:
              weir ps
              weir ps --json | jq .rooms

            """#
        ),
        (
            "attach",
            #"""
            weir attach: look on at a running tail, with a view of one's own

            Usage: weir attach [NAME] [OPTIONS]

            The tail sends the recording from here on, redacted as a recording is, and it is played as a
            file is: with any format and filter. The server is asked for nothing. A viewer that does not
            keep up is told of a gap, and goes on behind it. NAME may be left out when just one tail runs.

            Options:
              --format pretty|compact|table|json|jsonl|raw
                                              how events are printed (default compact); jsonl: payloads only
              --template TEXT                 such a line for each event: '{time} {room:20} {payload.text}'
              --fields NAME,…                 print such members of json, as in room,payload.text
              --schema                        print the JSON Schema of json, and end
              --time abs|rel|delta|none       time of an event: wall clock (default), since start, or the last
              --zone utc|local                whose wall clock it is (default utc)
              --room-width N                  columns a room's name may take (default 26)
              --spacer D                      show a pause as long as this by a line of its own
              --summary text|json|none        how to tell at the end what was seen (default text)
              --view log|latest|top|graph|model|raw|conn
                                              what is shown: lines (default), raw wire units, or a view in place
              --no-status                     no status line on a terminal
              --hook 'EXPR=COMMAND' …         run COMMAND for what EXPR holds of, its JSON on standard input
              --notify EXPR …                 ring the terminal for what EXPR holds of
              --forward URL                   post the JSON of each event to this URL
              --filter EXPR …                 show what this holds of, too: kind = message and size > 4K
              --kind KIND …                   show what is of such a kind, and what it changed
              --not-kind KIND …               leave out what is of such a kind
              --room ROOM …                   show what is about such a room: a name, a pattern, #TITLE
              --not-room ROOM …               leave out what is about such a room
              --from USER …                   show what is by such a user: a name, an id, a pattern
              --not-from USER …               leave out what is by such a user
              --grep RE …                     show lines that match a regular expression
              --exclude RE …                  leave out lines that match a regular expression
              --highlight EXPR|/RE/ …         point out what this holds of, or lines that match /RE/
              --sample N%|1/N                 show so many of the events only, evenly
              --explain-filter                print what the options above come to, and end
              --count N                       end after N events that are shown
              --until-match EXPR              end with the first of what this holds of, or /RE/ in a line
              --fail-on gap|unknown|denied,… …
                                              end with 3 when this happened, too
              --diff-log FILE                 write every change of the model to this file, one batch a line
              --diff-log-reversible           also what each line of the log replaced, to go back by it
              --quiet                         print only warnings, errors and losses on standard error
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --format is WEIR_FORMAT.

            Example:
              weir attach work --format json

            """#
        ),
        (
            "ctl",
            #"""
            weir ctl: call a method of a running tail or replay, and print what it gives

            Usage: weir ctl [NAME] METHOD [KEY=VALUE…] [OPTIONS]

            JSON-RPC 2.0 over the control socket; 'weir ctl hello' lists the methods. A list is values with
            commas between them. observe prints each change, attach the lines of the recording, to the end.

            Options:
              --on NAME                       the running tail to speak to
              --timeout D                     how long an answer may take (default 5s)
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --on is WEIR_ON.

            Examples:
              weir ctl work mark label=deploy
              weir ctl work record.start name=incident
              weir ctl work observe properties=state,rooms once=true timeout=10s
              weir ctl day seek to=mark:outage

            """#
        ),
        (
            "send",
            #"""
            weir send: send a message

            Usage: weir send URL CHANNEL [TEXT] [OPTIONS]

            CHANNEL is an id, or '#' and a name. Without TEXT, or with -, the text is read from standard input.
            The message is sent once: when no answer comes, it is looked for before it is sent again. Prints the
            new message's id. Exits with 4 when the server refuses: then the text is kept as a draft. Exits with
            5 when the server cannot be reached: then the message waits in the store, and the next command or
            tail of the account sends it: first what waits, in its order, then what is new.

            With --backend groupme CHANNEL is a group's id, LOW+HIGH of a direct's users, or '#' and a name.
            With --image the picture, of 8 MiB at most, is uploaded first, and TEXT may be left out; when it
            cannot be uploaded, nothing is sent.

            Options:
              --backend twake|groupme         what the server speaks (default twake)
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
              --company ID                    company (default the last one looked at, or the first)
              --workspace ID                  workspace (default the last one looked at, or the first)
              --max-attempts N                give up (5) after N attempts in a row to connect
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --thread MESSAGE                head of the thread the message is in, or is a reply to
              --draft                         send the draft of the place: a text that was refused
              --image FILE …                  picture to send along (GroupMe): JPEG, PNG, GIF or WebP
              --json                          print the result as one JSON object a line
              --ctx NAME|none                 context with the URL and options ('weir ctx'); none for none
              --yes                           do it, though the context is guarded
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --backend is WEIR_BACKEND.

            Examples:
              weir send https://chat.example.com '#general' 'Good morning' --token file:token
              weir send '#Family' 'Who is hungry?' --image cake.jpg --ctx groupme
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
              --backend twake|groupme         what the server speaks (default twake)
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
              --company ID                    company (default the last one looked at, or the first)
              --workspace ID                  workspace (default the last one looked at, or the first)
              --max-attempts N                give up (5) after N attempts in a row to connect
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --thread MESSAGE                head of the thread the message is in, or is a reply to
              --json                          print the result as one JSON object a line
              --ctx NAME|none                 context with the URL and options ('weir ctx'); none for none
              --yes                           do it, though the context is guarded
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --backend is WEIR_BACKEND.

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
              --backend twake|groupme         what the server speaks (default twake)
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
              --company ID                    company (default the last one looked at, or the first)
              --workspace ID                  workspace (default the last one looked at, or the first)
              --max-attempts N                give up (5) after N attempts in a row to connect
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --thread MESSAGE                head of the thread the message is in, or is a reply to
              --json                          print the result as one JSON object a line
              --ctx NAME|none                 context with the URL and options ('weir ctx'); none for none
              --yes                           do it, though the context is guarded
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --backend is WEIR_BACKEND.

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
              --backend twake|groupme         what the server speaks (default twake)
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
              --company ID                    company (default the last one looked at, or the first)
              --workspace ID                  workspace (default the last one looked at, or the first)
              --max-attempts N                give up (5) after N attempts in a row to connect
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --thread MESSAGE                head of the thread the message is in, or is a reply to
              --json                          print the result as one JSON object a line
              --ctx NAME|none                 context with the URL and options ('weir ctx'); none for none
              --yes                           do it, though the context is guarded
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --backend is WEIR_BACKEND.

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
              --backend twake|groupme         what the server speaks (default twake)
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
              --company ID                    company (default the last one looked at, or the first)
              --workspace ID                  workspace (default the last one looked at, or the first)
              --max-attempts N                give up (5) after N attempts in a row to connect
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --json                          print the result as one JSON object a line
              --ctx NAME|none                 context with the URL and options ('weir ctx'); none for none
              --yes                           do it, though the context is guarded
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --backend is WEIR_BACKEND.

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
              --backend twake|groupme         what the server speaks (default twake)
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
              --company ID                    company (default the last one looked at, or the first)
              --workspace ID                  workspace (default the last one looked at, or the first)
              --max-attempts N                give up (5) after N attempts in a row to connect
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --visibility public|private|direct
                                              who sees the channel (default public)
              --icon EMOJI                    the channel's icon
              --description TEXT              what the channel is for
              --rename NAME                   the channel's new name
              --member USER …                 who is in it, too: a user's id; for a workspace an address
              --json                          print the result as one JSON object a line
              --ctx NAME|none                 context with the URL and options ('weir ctx'); none for none
              --yes                           do it, though the context is guarded
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --backend is WEIR_BACKEND.

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
              --backend twake|groupme         what the server speaks (default twake)
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
              --company ID                    company (default the last one looked at, or the first)
              --workspace ID                  workspace (default the last one looked at, or the first)
              --max-attempts N                give up (5) after N attempts in a row to connect
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --member USER …                 who is in it, too: a user's id; for a workspace an address
              --json                          print the result as one JSON object a line
              --ctx NAME|none                 context with the URL and options ('weir ctx'); none for none
              --yes                           do it, though the context is guarded
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --backend is WEIR_BACKEND.

            Example:
              weir workspace create https://chat.example.com Sales --token file:token

            """#
        ),
        (
            "download",
            #"""
            weir download: download a file of a message, or a user's picture, once

            Usage: weir download file|picture URL [ID] [OPTIONS]

            weir download file URL FILE
            weir download picture URL [USER]

            FILE is a file's id: its external_id where a message has one. Without USER the picture is your own.
            The bytes go to standard output, or to the file that --output names, which is there whole or not at
            all. They are kept in the store: what is kept is not downloaded again, and a file that is kept needs
            no server. 64 MiB at most.

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
              --company ID                    company (default the last one looked at, or the first)
              --workspace ID                  workspace (default the last one looked at, or the first)
              --store FILE|none               where it is remembered what was seen (tail: ~/.local/state/weir)
              --json                          print the result as one JSON object a line
              -o, --output FILE               write to this new file (0600) instead of standard output
              --force                         replace a file that is there
              --ctx NAME|none                 context with the URL and options ('weir ctx'); none for none
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --token is WEIR_TOKEN.

            Examples:
              weir download file https://chat.example.com FILE --output plan.pdf --token file:token
              weir download picture https://chat.example.com --token file:token > me.png

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
              --ctx NAME|none                 context with the URL and options ('weir ctx'); none for none
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --header is WEIR_HEADER.

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
              --ctx NAME|none                 context with the URL and options ('weir ctx'); none for none
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --token is WEIR_TOKEN.

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
              --ctx NAME|none                 context with the URL and options ('weir ctx'); none for none
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --token is WEIR_TOKEN.

            Example:
              weir whoami https://chat.example.com --token file:token --json

            """#
        ),
        (
            "file",
            #"""
            weir file: inspect, mend, cut and convert event files

            Usage: weir file VERB … [OPTIONS]

            Event files are read plain or compressed, whatever they are called; - is standard input. What is
            damaged is reported on standard error with line and offset, the rest is read, and the exit code
            is 3. Members and records that this version does not know stay as they are. New files are
            readable by you only, and nothing is overwritten without --force.

            Verbs:
              info      say what is in an event file
              doctor    say what is wrong with an event file, and where
              repair    make a whole event file of a damaged one
              index     give an event file an index and an end
              cat       print an event file as 'weir tail' printed it
              grep      find records by their text
              filter    keep some of the records
              cut       keep a part of a recording
              merge     make one recording of several, by their wall clocks
              split     split a recording into segments
              mark      list the marks of a recording, or add one
              redact    take out of a recording what should not be in it
              compress  compress an event file, or undo it
              convert   make an event file of another format, or another format of it
              diff      say where the replays of two event files part

            Each has its own help: weir help file VERB

            Examples:
              weir file info day.weir.jsonl
              weir file repair torn.weir.jsonl -o whole.weir.jsonl

            """#
        ),
        (
            "file info",
            #"""
            weir file info: say what is in an event file

            Usage: weir file info FILE… [OPTIONS]

            Head, times, records by kind, events by name, connections, rooms, gaps, chunks, size and rate.

            Options:
              --json                          print one JSON object a file
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --json is WEIR_JSON.

            Examples:
              weir file info day.weir.jsonl
              weir file info --json *.weir.jsonl | jq .events

            """#
        ),
        (
            "file doctor",
            #"""
            weir file doctor: say what is wrong with an event file, and where

            Usage: weir file doctor FILE… [OPTIONS]

            Lines that cannot be read, numbers and times out of order, checksums that differ, an end that is
            torn or missing, an index that does not say what is there, segments that are missing: with line
            and byte offset. --secrets looks for tokens, cookies, passwords and random text that should not
            be in a recording; it names the place and the rule, never the secret. Several files are the
            segments of a recording, in order. Exits with 3 when something was found.

            Options:
              --json                          print one JSON object a finding
              --secrets                       look for what looks like a secret, too
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --json is WEIR_JSON.

            Examples:
              weir file doctor day.weir.jsonl
              weir file doctor --secrets day.000*.weir.jsonl

            """#
        ),
        (
            "file repair",
            #"""
            weir file repair: make a whole event file of a damaged one

            Usage: weir file repair FILE [OPTIONS]

            Every readable record is kept, in its order; a gap stands where something is missing. What cannot
            be read is kept beside the new file, as FILE.damaged and FILE.torn. Exits with 3 when anything is
            missing in the new file.

            Options:
              -o, --output FILE               write to this new file (0600) instead of standard output
              --force                         replace a file that is there
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --output is WEIR_OUTPUT.

            Example:
              weir file repair torn.weir.jsonl -o whole.weir.jsonl

            """#
        ),
        (
            "file index",
            #"""
            weir file index: give an event file an index and an end

            Usage: weir file index FILE [OPTIONS]

            Its records are written as they are, with checksums, an index and an end made anew.

            Options:
              -o, --output FILE               write to this new file (0600) instead of standard output
              --force                         replace a file that is there
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --output is WEIR_OUTPUT.

            Example:
              weir file index day.weir.jsonl -o day.weir.jsonl --force

            """#
        ),
        (
            "file cat",
            #"""
            weir file cat: print an event file as 'weir tail' printed it

            Usage: weir file cat FILE… [OPTIONS]

            Plays the file through the pipeline, as fast as it goes, and prints nothing else: events, changes of
            the model and gaps; with --format raw the payloads alone.

            Options:
              --format pretty|compact|table|json|jsonl|raw
                                              how events are printed (default compact); jsonl: payloads only
              --template TEXT                 such a line for each event: '{time} {room:20} {payload.text}'
              --fields NAME,…                 print such members of json, as in room,payload.text
              --time abs|rel|delta|none       time of an event: wall clock (default), since start, or the last
              --zone utc|local                whose wall clock it is (default utc)
              --room-width N                  columns a room's name may take (default 26)
              --spacer D                      show a pause as long as this by a line of its own
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --format is WEIR_FORMAT.

            Examples:
              weir file cat day.weir.jsonl
              weir file cat day.weir.jsonl --format json | jq .kind

            """#
        ),
        (
            "file grep",
            #"""
            weir file grep: find records by their text

            Usage: weir file grep PATTERN FILE… [OPTIONS]

            PATTERN is a POSIX extended regular expression. It is looked for in the payloads of messages and
            REST exchanges as they were sent, not in how the file spells them, and in the lines of other
            records. A match is shown with ':' behind its number, context with '-'. Exits with 1 when nothing
            matches.

            Options:
              --json                          print the records' lines as they stand in the file
              -F, --fixed-strings             PATTERN is text
              -i, --ignore-case               upper and lower case are the same
              -v, --invert-match              find what does not match
              -c, --count-only                print how many match
              -A, --after N                   print N records behind each match, too
              -B, --before N                  print N records before each match, too
              -C, --context N                 print N records before and behind each match, too
              --around D                      print what happened within this time of each match, too
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --json is WEIR_JSON.

            Examples:
              weir file grep -i 'deploy.*failed' day.weir.jsonl --around 2s
              weir file grep -F '"type":"badge"' day.weir.jsonl -c

            """#
        ),
        (
            "file filter",
            #"""
            weir file filter: keep some of the records

            Usage: weir file filter FILE [OPTIONS]

            A criterion judges the records it can: --event judges messages that are events, --room what names a
            room. The others are kept, so that what is left can be replayed; --kind alone judges all. Of
            several values of an option one must match; all options must. *, ? and […] stand for other
            characters. A POSITION is +90s (since the recording began), n:812 (a record's number), mark:NAME,
            or a time such as 2026-01-02T03:04:05Z.

            Options:
              --kind KIND …                   keep records of such a kind: f, http, sub, gap, mark, …
              --not-kind KIND …               leave out records of such a kind
              --room ROOM …                   keep what is about such a room
              --not-room ROOM …               leave out what is about such a room
              -o, --output FILE               write to this new file (0600) instead of standard output
              --force                         replace a file that is there
              --event EVENT …                 keep such events, by their name on the wire
              --not-event EVENT …             leave out such events
              --dir in|out                    keep messages received, or sent
              --conn N …                      keep what belongs to such a connection
              --not-conn N …                  leave out what belongs to such a connection
              --start POSITION                begin with the first record here
              --end POSITION                  end before the first record here
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --kind is WEIR_KIND.

            Examples:
              weir file filter day.weir.jsonl --room '/companies/*/channels/*' --not-event 'realtime:event'
              weir file filter day.weir.jsonl --kind head --kind gap --kind mark -o gaps.weir.jsonl

            """#
        ),
        (
            "file cut",
            #"""
            weir file cut: keep a part of a recording

            Usage: weir file cut FILE [OPTIONS]

            From the first record at --start to the last one before --end. In front of it stands what the part
            needs to be replayed alone: the open connections with their handshakes, and the rooms. A POSITION
            is +90s (since the recording began), n:812 (a record's number), mark:NAME, or a time such as
            2026-01-02T03:04:05Z.

            Options:
              -o, --output FILE               write to this new file (0600) instead of standard output
              --force                         replace a file that is there
              --start POSITION                begin with the first record here
              --end POSITION                  end before the first record here
              --ripple                        close the hole: times begin at 0
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --output is WEIR_OUTPUT.

            Example:
              weir file cut day.weir.jsonl --start mark:outage --end +2h --ripple -o outage.weir.jsonl

            """#
        ),
        (
            "file merge",
            #"""
            weir file merge: make one recording of several, by their wall clocks

            Usage: weir file merge FILE… [OPTIONS]

            Records at the same time stay in the order of the files. The segments of one recording become one.
            Connections and requests of other recordings get numbers of their own, so that a replay plays the
            first one's session.

            Options:
              -o, --output FILE               write to this new file (0600) instead of standard output
              --force                         replace a file that is there
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --output is WEIR_OUTPUT.

            Example:
              weir file merge day.0001.weir.jsonl day.0002.weir.jsonl -o day.weir.jsonl

            """#
        ),
        (
            "file mark",
            #"""
            weir file mark: list the marks of a recording, or add one

            Usage: weir file mark FILE [OPTIONS]

            Without --set the marks are listed. With it one more is set, before the first record at --at. It is
            kept beside the recording, in FILE.marks, where weir replay keeps those that are set with its key m
            and everything that looks for marks finds them; with --output a recording is written that has all
            marks in it. A POSITION is +90s (since the recording began), n:812 (a record's number), mark:NAME,
            or a time such as 2026-01-02T03:04:05Z.

            Options:
              -o, --output FILE               write to this new file (0600) instead of standard output
              --force                         replace a file that is there
              --set NAME                      add a mark of this name
              --at POSITION                   where the mark is to stand
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --output is WEIR_OUTPUT.

            Examples:
              weir file mark day.weir.jsonl
              weir file mark day.weir.jsonl --set outage --at 2026-01-02T03:04:05Z

            """#
        ),
        (
            "file redact",
            #"""
            weir file redact: take out of a recording what should not be in it

            Usage: weir file redact FILE [OPTIONS]

            A RULE is secrets (all of the following), jwt, authorization, cookie, password, token, url, session,
            random, path:KEYS for the members whose keys end so (path:user.email, path:user.*), or
            regex:PATTERN for what matches a POSIX extended regular expression. The rules are applied to every
            string, also in the JSON of payloads; binary payloads are not looked into. The head lists the rules.

            Options:
              -o, --output FILE               write to this new file (0600) instead of standard output
              --force                         replace a file that is there
              --rule RULE …                   what to take out
              --replace fixed|hash|fake       what stands in its place (default fixed)
              --keep-length                   what stands in its place has as many bytes
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --output is WEIR_OUTPUT.

            Example:
              weir file redact day.weir.jsonl --rule secrets --rule path:user.email -o clean.weir.jsonl

            """#
        ),
        (
            "file compress",
            #"""
            weir file compress: compress an event file, or undo it

            Usage: weir file compress FILE [OPTIONS]

            With zstd, one frame for each chunk and a table of them at the end: all commands read it as it is,
            and so does zstd -dc. The file is written beside FILE, with .zst behind its name.

            Options:
              -o, --output FILE               write to this new file (0600) instead of standard output
              --force                         replace a file that is there
              -d, --decompress                write the text of a compressed file
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --output is WEIR_OUTPUT.

            Examples:
              weir file compress day.weir.jsonl
              weir file compress -d day.weir.jsonl.zst -o day.weir.jsonl

            """#
        ),
        (
            "file convert",
            #"""
            weir file convert: make an event file of another format, or another format of it

            Usage: weir file convert FILE [OPTIONS]

            har is an HTTP archive with WebSocket messages, as Chrome exports it. cloudevents is JSON Lines,
            one event a line. lines is one message a line as websocat and wscat print them: '< text' was
            received, '> text' was sent, a time may stand before; a line that begins with a tab goes on with
            the one before, '#' begins a comment. asciicast (version 3) is what a tail prints, for players of
            terminal sessions, with the marks. --from is told by the first bytes unless FILE is -.

            Options:
              --backend twake|groupme|socketio
                                              what the server of the messages spoke (default socketio)
              --from weir|har|cloudevents|lines
                                              what FILE is
              -o, --output FILE               write to this new file (0600) instead of standard output
              --force                         replace a file that is there
              --to weir|har|cloudevents|lines|asciicast
                                              what to make of it
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --backend is WEIR_BACKEND.

            Examples:
              weir file convert chat.har --to weir -o chat.weir.jsonl
              weir file convert day.weir.jsonl --to asciicast -o day.cast

            """#
        ),
        (
            "file diff",
            #"""
            weir file diff: say where the replays of two event files part

            Usage: weir file diff A B [OPTIONS]

            Plays both, record by record, and compares the models. Names the first record after which they
            differ, and the rows that do, section by section. Exits with 6 when they differ.

            Options:
              --json                          print one JSON object
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --json is WEIR_JSON.

            Example:
              weir file diff before.weir.jsonl after.weir.jsonl

            """#
        ),
        (
            "file split",
            #"""
            weir file split: split a recording into segments

            Usage: weir file split FILE [OPTIONS]

            Numbers and times go on over the segments; each begins with the open connections and the rooms, said
            again, so that it can be replayed alone. weir file merge makes one of them again. They are called
            PREFIX.0001.weir.jsonl and so on. SIZE is 64K, 100M or 2G.

            Options:
              -o, --output FILE               begin the segments' names with this (default FILE's)
              --force                         replace a file that is there
              --size SIZE                     begin a new segment when one has so many bytes
              --every D                       begin a new segment after so much time
              --records N                     begin a new segment after so many records
              --marks                         begin a new segment at every mark
              --connections                   begin a new segment at every connection
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            An environment variable or the config file can give an option, too: --output is WEIR_OUTPUT.

            Examples:
              weir file split day.weir.jsonl --size 64M
              weir file split day.weir.jsonl --marks -o parts/day

            """#
        ),
        (
            "help",
            #"""
            weir help: explain a command

            Usage: weir help [COMMAND] [VERB] [OPTIONS]

            Options:
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --help                          show this help

            Examples:
              weir help tail
              weir help file repair

            """#
        ),
        (
            "config",
            #"""
            weir config: say which settings apply, and where they come from

            Usage: weir config VERB … [OPTIONS]

            The config file is $XDG_CONFIG_HOME/weir/config, or ~/.config/weir/config: a line 'option = value'
            for each option, without its dashes; yes and no where it takes no value; a list by repetition.
            What stands below a line [tail] or [file grep] is for that command. A line that begins with # says
            nothing. An environment variable with several values has one a line. What is typed prevails, then
            the environment, the context, the config file; --quiet=no switches off what is on. Secrets are
            references (env:, file:, cmd:). A file that others can write is not read; WEIR_CONFIG=none reads
            none.

            Verbs:
              show      print the settings that apply, with where each comes from
              path      print where the config file is
              check     say what is wrong with the settings

            Each has its own help: weir help config VERB

            Examples:
              weir config show tail
              weir config check

            """#
        ),
        (
            "config show",
            #"""
            weir config show: print the settings that apply, with where each comes from

            Usage: weir config show [COMMAND] [VERB] [OPTIONS]

            Of COMMAND, or of all. Of a secret a fingerprint is shown.

            Options:
              --json                          print the result as one JSON object a line
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            Examples:
              weir config show tail
              WEIR_FORMAT=json weir config show --json

            """#
        ),
        (
            "config path",
            #"""
            weir config path: print where the config file is

            Usage: weir config path [OPTIONS]

            Whether it is there or not.

            Options:
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            Example:
              $EDITOR "$(weir config path)"

            """#
        ),
        (
            "config check",
            #"""
            weir config check: say what is wrong with the settings

            Usage: weir config check [OPTIONS]

            Every line of the config file that says nothing, and variables WEIR_… that no option has. Exits
            with 2 when something was found.

            Options:
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            Example:
              weir config check

            """#
        ),
        (
            "ctx",
            #"""
            weir ctx: keep servers under names, each with its options

            Usage: weir ctx VERB … [OPTIONS]

            A context is a file of settings with a URL, $XDG_CONFIG_HOME/weir/contexts/NAME (0600). The one
            that applies is named by --ctx, else by WEIR_CTX, else by a file .weir-ctx of yours in this folder
            or one above, else selected by 'weir ctx use'; --ctx none is none. With it, commands need no URL,
            and its options hold where neither typed nor in the environment. It does not apply to another
            server's URL. Of a context with guard = yes, what others would see (send, edit, --emit, …) needs
            --yes. Secrets are references (env:, file:, cmd:).

            Verbs:
              add       make a context
              edit      change a context
              cp        make a context of another
              rename    give a context another name
              rm        remove contexts
              ls        list the contexts
              use       select a context, for all shells or for this one
              unuse     select no context
              prev      select the context that was selected before
              show      print what is in a context
              check     try a context, step by step

            Each has its own help: weir help ctx VERB

            Examples:
              weir ctx add prod https://chat.example.com --token cmd:'pass show chat' --guard
              weir ctx use prod; weir tail
              weir tail --ctx stage

            """#
        ),
        (
            "ctx add",
            #"""
            weir ctx add: make a context

            Usage: weir ctx add NAME URL [OPTIONS]

            Besides these it takes every option of 'weir tail' and 'weir record', and keeps it.

            Options:
              --label TEXT …                  what to say of it in lists
              --guard                         ask for --yes where others would see what is done
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --help                          show this help

            Example:
              weir ctx add stage https://stage.example.com --token file:token --format pretty --label team=chat

            """#
        ),
        (
            "ctx edit",
            #"""
            weir ctx edit: change a context

            Usage: weir ctx edit NAME [URL] [OPTIONS]

            Besides these it takes every option of 'weir tail' and 'weir record', and keeps it instead of what
            stands there. Without any, $VISUAL or $EDITOR is opened; what it leaves is taken when nothing is
            wrong in it.

            Options:
              --label TEXT …                  what to say of it in lists
              --unset OPTION …                take this option out of it
              --guard                         ask for --yes where others would see what is done
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --help                          show this help

            Example:
              weir ctx edit stage --format json --unset label

            """#
        ),
        (
            "ctx cp",
            #"""
            weir ctx cp: make a context of another

            Usage: weir ctx cp NAME NEW [OPTIONS]

            Options:
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --help                          show this help

            Example:
              weir ctx cp prod stage

            """#
        ),
        (
            "ctx rename",
            #"""
            weir ctx rename: give a context another name

            Usage: weir ctx rename NAME NEW [OPTIONS]

            Options:
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --help                          show this help

            Example:
              weir ctx rename stage staging

            """#
        ),
        (
            "ctx rm",
            #"""
            weir ctx rm: remove contexts

            Usage: weir ctx rm NAME… [OPTIONS]

            Options:
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --help                          show this help

            Example:
              weir ctx rm stage

            """#
        ),
        (
            "ctx ls",
            #"""
            weir ctx ls: list the contexts

            Usage: weir ctx ls [OPTIONS]

            The one that applies here has a * in front, and behind it how it was chosen.

            Options:
              --json                          print the result as one JSON object a line
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --help                          show this help

            Examples:
              weir ctx ls
              weir ctx ls --json | jq -r .name

            """#
        ),
        (
            "ctx use",
            #"""
            weir ctx use: select a context, for all shells or for this one

            Usage: weir ctx use NAME [OPTIONS]

            Options:
              --shell                         print what sets it in this shell, for eval
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --help                          show this help

            Examples:
              weir ctx use prod
              eval "$(weir ctx use prod --shell)"

            """#
        ),
        (
            "ctx unuse",
            #"""
            weir ctx unuse: select no context

            Usage: weir ctx unuse [OPTIONS]

            Options:
              --shell                         print what sets it in this shell, for eval
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --help                          show this help

            Examples:
              weir ctx unuse
              eval "$(weir ctx unuse --shell)"

            """#
        ),
        (
            "ctx prev",
            #"""
            weir ctx prev: select the context that was selected before

            Usage: weir ctx prev [OPTIONS]

            Options:
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --help                          show this help

            Example:
              weir ctx prev

            """#
        ),
        (
            "ctx show",
            #"""
            weir ctx show: print what is in a context

            Usage: weir ctx show [NAME] [OPTIONS]

            In NAME, or the one that applies. Of a secret a fingerprint is shown.

            Options:
              --json                          print the result as one JSON object a line
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --help                          show this help

            Example:
              weir ctx show prod

            """#
        ),
        (
            "ctx check",
            #"""
            weir ctx check: try a context, step by step

            Usage: weir ctx check [NAME] [OPTIONS]

            Resolves the name, connects, shakes hands over TLS and over Socket.IO, authenticates, joins the
            rooms and compares the clocks (more than 30 s apart is a failure): a line each, with its time.
            Exits with the code of the first step that fails: 5, or 4 when the server refuses, 8 when it does
            not answer in time, 1 for the clock.

            Options:
              --json                          print the result as one JSON object a line
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --config FILE|none              file of settings (default ~/.config/weir/config)
              --help                          show this help

            Examples:
              weir ctx check prod
              weir ctx check --json

            """#
        ),
        (
            "completion",
            #"""
            weir completion: print what makes a shell complete weir's words

            Usage: weir completion bash|zsh|fish [OPTIONS]

            Commands, options, their values, rooms and channels the store remembers, contexts, running tails,
            kinds of events and marks. No network is asked.

            Options:
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --help                          show this help

            Examples:
              eval "$(weir completion bash)"
              weir completion zsh > ~/.zfunc/_weir
              weir completion fish > ~/.config/fish/completions/weir.fish

            """#
        ),
        (
            "man",
            #"""
            weir man: print the manual page of a command, for man

            Usage: weir man [COMMAND] [VERB] [OPTIONS]

            weir man [COMMAND [VERB]]
            weir man --all DIR

            Options:
              --all                           write every page into the folder DIR
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --help                          show this help

            Examples:
              weir man tail | man -l -
              weir man --all ~/.local/share/man/man1

            """#
        ),
        (
            "cheat",
            #"""
            weir cheat: print commands to copy

            Usage: weir cheat [TOPIC] [OPTIONS]

            Of TOPIC, or all.

            Options:
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --help                          show this help

            Examples:
              weir cheat
              weir cheat replay

            """#
        ),
        (
            "explain",
            #"""
            weir explain: say what an event holds, and what it sets off

            Usage: weir explain [EVENT] [OPTIONS]

            Its names on the wire, its fields, who handles it, and what is applied and fetched, by how it
            stands to what is known. EVENT is a kind as printed, or a name of the wire. Without it, the kinds
            are listed.

            Options:
              --backend twake|groupme         whose events (default of all)
              --color auto|always|never       when to use colours (default auto: on a terminal)
              --help                          show this help

            Examples:
              weir explain channel_activity
              weir explain membership.announce.added

            """#
        ),
    ]
}
