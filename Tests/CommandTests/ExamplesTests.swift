import Glibc
import Testing
import TestSupport

/// Runs the examples of the README, of the help (and thus of the manual pages) and of the cheat sheet as a reader
/// copies them, against our own servers, tails and recordings under the names that the examples use. `DocumentedSteps`
/// covers those of the documentation.
@Suite(.timeLimit(.minutes(5))) struct `The examples` {
    /// The special treatment of examples with a given prefix. Every other example must end with 0 or at its time limit,
    /// and print something.
    private struct Special {
        /// The commands to run before and after the example.
        var before = ""
        var after = ""
        /// The exit codes other than 0, as documented.
        var codes: Set<Int32> = []
    }

    private static let special: KeyValuePairs<String, Special> = [
        // Their output is for the shell.
        #"eval "$(weir completion"#: Special(after: "complete -p weir"),
        #"eval "$(weir ctx use"#: Special(after: "echo $WEIR_CTX"),
        #"eval "$(weir ctx unuse"#: Special(before: "weir ctx use prod", after: "echo $WEIR_CTX"),
        #"eval "$(weir serve"#: Special(after: #"kill "$SERVER""#),
        "weir ctx add": Special(before: "weir ctx rm prod stage"), "weir ctx cp": Special(before: "weir ctx rm stage"),
        "weir ctx check --json": Special(before: "weir ctx use prod"),
        "weir ctx prev": Special(before: "weir ctx use prod; weir ctx use stage"),
        // Uses the context that the previous line selects.
        "weir tail --": Special(before: "weir ctx use prod; rm -f day.weir*", codes: [8]),
        "weir replay mon.weir.jsonl --start mark:deploy": Special(codes: [3]),
        "weir tail https://web.twake.app --token file:token --record mon": Special(before: "rm mon.weir.jsonl"),
        "weir watch https://chat.example.com": Special(before: "rm day.weir"),
        "weir record": Special(before: "rm day.*"), "ssh host weir record": Special(before: "rm day.weir*"),
        "weir file compress -d": Special(before: "weir file compress day.weir.jsonl; rm day.weir.jsonl"),
        "weir file convert chat.har": Special(before: "rm -f chat.weir.jsonl"),
        "weir file diff": Special(codes: [6]), "weir file merge": Special(before: "rm day.weir.jsonl"),
        "weir file repair": Special(codes: [3]), "weir file split": Special(before: "rm day.0*"),
        "weir ctl work record.start": Special(before: "weir ctl work record.stop; rm -f $STAGE/incident*"),
        "weir send https://chat.example.com '#general' --draft": Special(
            before: "weir draft set $TWAKE '#general' 'Good morning' --token file:token"),
        // Asks for the password on a terminal.
        "weir login https://push.groupme.com": Special(codes: [2]),
        "weir login https://web.twake.app": Special(codes: [2]), "weir login URL": Special(codes: [2]),
        "weir rooms watch": Special(
            before: "(sleep 1; weir rooms leave '#random'; weir rooms join '#random') &", after: "echo no more"),
        "weir rooms only": Special(before: "weir rooms set save oncall '#general'", after: "weir rooms reset"),
        "weir rooms resolve": Special(
            before: "weir rooms set save work '#general' '#random'; weir rooms join '#noisy'", codes: [1]),
        "weir rooms set use": Special(before: "weir rooms set save work '#general'", after: "weir rooms reset"),
        // Everybody is a member already.
        "weir channel members add": Special(
            before: "weir channel create $TWAKE Releases --token file:token", codes: [4]),
        // No tail publishes there yet.
        "weir ps --nats": Special(
            before: """
                weir stream create $NATS/seen; weir demo --record $NATS/seen --quiet --no-ctl &
                until weir ps --nats $NATS | grep -q seen; do :; done
                """),
        "weir notify": Special(after: "echo handed over"),
        "echo '{": Special(after: "echo handed over"),
        "weir serve --listen": Special(codes: [5]), "weir serve --scenario echo --listen": Special(codes: [5]),
    ]

    /// The names in the examples, and their replacements here.
    private static let places: KeyValuePairs<String, String> = [
        "https://web.twake.app": "$TWAKE", "https://chat.example.com": "$TWAKE", "https://stage.example.com": "$TWAKE",
        "https://push.groupme.com": "$GROUPME", "https://store.example.com": "$FINISH",
        "http://127.0.0.1:3000": "$ECHO", "http://localhost:3000": "$ECHO", " USER": " $USER_ID",
        // This channel is renamed soon.
        "'#Family'": "10000001",
        " MESSAGE": " $MESSAGE_ID", " FILE ": " $FILE_ID ",
    ]

    /// The commands that produce the ids in the examples.
    private static let ids: KeyValuePairs<String, String> = [
        "$USER_ID": "weir channel members ls $TWAKE '#general' --token file:token | sed -n '2s/ .*//p'",
        "$MESSAGE_ID": "weir send $TWAKE '#general' 'Good morning' --token file:token --json | jq -r .subject",
        "$FILE_ID": """
        weir send $TWAKE '#general' 'As agreed' --file plan.pdf --token file:token >/dev/null; \
        XDG_RUNTIME_DIR=$STAGE/work weir rooms history '#general' --json | jq -r '.entity.files[]?.id' | tail -1; rm plan.pdf
        """,
    ]

    /// The commands that run until they are stopped.
    private static let endless = ["tail", "watch", "attach", "serve", "demo", "record", "replay", "observe"]

    /// Returns the examples with their places.
    private static func examples() throws -> [(place: String, text: String)] {
        var all: [(place: String, text: String)] = []
        let readme = String(decoding: try readFile(packageFolder + "/README.md"), as: UTF8.self)
        for line in readme.split(separator: "\n") where line.hasPrefix("weir ") { all.append(("README", first(line))) }
        for (command, text) in HelpSnapshots.commands {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            let start = lines.lastIndex { $0 == "Examples:" || $0 == "Example:" } ?? lines.endIndex
            for line in lines[start...].dropFirst() where line.hasPrefix("  ") {
                all.append(("help \(command)", String(line.dropFirst(2))))
            }
        }
        for line in try weir("cheat").output.split(separator: "\n") where line.hasPrefix("  ") {
            all.append(("cheat", first(line.dropFirst(2))))
        }
        // The rooms of other workspaces do not exist if another workspace is selected.
        let last = "weir rooms select Sales"
        if !hasNATSServer { all.removeAll { $0.text.contains("nats://") } }
        return all.filter { $0.text != last } + all.filter { $0.text == last }
    }

    /// Returns the text before two spaces.
    private static func first(_ line: Substring) -> String {
        line.firstRange(of: "  ").map { String(line[..<$0.lowerBound]) } ?? String(line)
    }

    /// Returns the script of an example, in a folder of its own.
    private static func script(_ text: String, _ number: Int, _ special: Special) -> String {
        var words = text
        for (name, value) in places { words.replace(name, with: value) }
        let isOfEcho = words.contains("--backend socketio") || words.hasPrefix("weir emit")
        words.replace(" URL", with: isOfEcho ? " $ECHO" : " $TWAKE")
        words.replace("samples/profiles/finish.yaml", with: "finish.yaml")
        var before = special.before
        if words.contains("nats://") {
            // Each example gets a stream of its own with the recordings that it reads. Two streams cannot contain
            // recordings of the same name.
            words.replace("nats://localhost", with: "$NATS")
            words.replace("/team/mon", with: "/team\(number)/mon\(number)")
            words.replace("/team ", with: "/team\(number) ")
            if words.hasSuffix("/team") { words += String(number) }
            if !words.contains("create") { before += "\nweir stream create $NATS/team\(number)" }
            if !words.contains("publish") {
                before += "\nweir file publish mon.weir.jsonl $NATS/team\(number)/mon\(number)"
            }
            if words.contains("create") { before = "" }
        }
        for (file, name) in [("gateway.yaml", "GATEWAY"), ("finish.yaml", "FINISH")] where words.contains(file) {
            words.replace("$TWAKE", with: "$" + name)
            words.replace("--token env:TOKEN", with: "--token env:TOKEN_OF_" + name)
        }
        if words.contains("$GROUPME") || words.contains("--ctx groupme") {
            words.replace("env:TOKEN", with: "file:groupme")
            // Uses the embedded GroupMe server.
            words.replace("$USER_ID", with: "20000002")
        }
        for (name, script) in ids where words.contains(name) { before += "\n\(name.dropFirst())=$(\(script))" }
        if words.hasPrefix("weir watch") { words = "script -qec \"\(words)\" /dev/null" }
        // The tail of the workspace and the tail of the echo server are both called work.
        let runtime =
            words.hasPrefix("weir emit --on")
            ? "echo" : words.contains("ctl day") ? "day" : ofTail(text) ? "work" : "own/\(number)"
        return """
            (
            cp -a stage own/\(number); cd own/\(number)
            export HOME=$PWD XDG_STATE_HOME=$PWD/.state XDG_CONFIG_HOME=$PWD/.config XDG_RUNTIME_DIR=$STAGE/\(runtime)
            for name in prod stage; do weir ctx add $name $TWAKE --token file:$PWD/token --label x; done >/dev/null 2>&1
            weir ctx add groupme $GROUPME --backend groupme --token file:$PWD/groupme >/dev/null 2>&1
            { :; \(before)
            } >/dev/null 2>&1 </dev/null
            touch ../\(number).stamp
            { \(words)
            code=$?; \(special.after)
            } >../\(number).out 2>../\(number).err </dev/null
            echo $code >../\(number).code
            find . -newer ../\(number).stamp -type f -not -path './.state/*' >../\(number).left
            )

            """
    }

    /// Whether an example uses the running tail, which handles one command after the other.
    private static func ofTail(_ text: String) -> Bool {
        ["weir rooms", "weir ps", "weir notify", "--on work", "ctl work", "attach work"].contains { text.contains($0) }
    }

    @Test func `each example ends as documented, and prints something or leaves a file`() throws {
        let stage = try Stage()
        defer { stage.stop() }
        let examples = try Self.examples()
        #expect(examples.count > 200)
        // One lane is for the running tail, the others share the rest.
        var lanes = Array(repeating: "", count: 6)
        for (number, example) in examples.enumerated() {
            let special = Self.special.filter { example.text.hasPrefix($0.key) }.max { $0.key.count < $1.key.count }
            lanes[Self.ofTail(example.text) ? 0 : 1 + number % 5] += Self.script(
                example.text, number, special?.value ?? Special())
        }
        try stage.run(lanes)
        for (number, example) in examples.enumerated() {
            let special = Self.special.filter { example.text.hasPrefix($0.key) }.max { $0.key.count < $1.key.count }
            let (code, printed, told, left) = try stage.result(of: number)
            let isEndless = Self.endless.contains { example.text.contains($0) }
            let codes = (special?.value.codes ?? []).union(isEndless ? [0, 124, 143] : [0])
            let name = "\(example.place): \(example.text)"
            #expect(codes.contains(code), "\(name) ends with \(code): \(told.suffix(600))")
            #expect(!printed.isEmpty || !told.isEmpty || !left.isEmpty, "\(name) does nothing")
            // An example that shows events must print some.
            let shows = ["weir tail", "weir replay", "weir demo", "weir attach", "weir file cat", "weir file grep"]
            if shows.contains(where: example.text.hasPrefix),
                !["--verify", "--step", "--diff-log"].contains(where: example.text.contains)
            {
                #expect(!printed.isEmpty, "\(name) shows nothing: \(told.suffix(600))")
            }
            if example.text.contains("--verify") { #expect(told.hasPrefix("weir: verified, "), "\(told)") }
            if example.text.contains("--hook") { #expect(told.contains("notified of lunch\n"), "\(told)") }
            if example.text.contains("{text}") {
                #expect(printed.split(separator: "\n").contains { !$0.hasSuffix(" ") }, "\(name) shows no text")
            }
        }
    }

    /// The servers, the tails and the files, under the names that the examples use.
    private final class Stage {
        let folder: String
        private var peers: [Peer] = []
        private var environment: [String: String]
        private let nats = hasNATSServer ? try? NATSServer() : nil

        init() throws {
            folder = try temporaryFolder()
            let weir = try pathOfWeir()
            for name in ["bin", "work", "day", "echo", "own", "stage"] { mkdir("\(folder)/\(name)", 0o700) }
            environment = [
                "STAGE": folder, "PATH": "\(folder)/bin:/usr/local/bin:/usr/bin:/bin", "WEIR_NO_STATUS": "yes",
                "EDITOR": "echo", "TERM": "xterm", "HOME": folder,
            ]
            // Stops examples that do not end on their own.
            try program("weir", "exec timeout --foreground 4 \(weir) \"$@\"")
            try program("ssh", "shift; exec \"$@\"")
            try program("man", "exec cat")
            try program("pass", "echo weir")
            try program("notify-send", "echo \"notified of $*\"")
            for (name, words) in [
                ("TWAKE", ["--rate", "30"]), ("ECHO", ["--scenario", "echo"]), ("GROUPME", ["--scenario", "groupme"]),
                ("GATEWAY", ["--profile", Self.sample("profiles/gateway.yaml")]),
                (
                    "FINISH",
                    [
                        "--profile", Self.sample("profiles/finish.yaml"), "--scenario",
                        Self.sample("profiles/finish.scenario.yaml"),
                    ]
                ),
            ] {
                let server = try Peer([weir, "serve", "--quiet", "--listen", "127.0.0.1:0"] + words)
                peers.append(server)
                environment[name] = String(try server.readLine(startingWith: "url ").dropFirst(4))
                if name == "ECHO" { continue }
                let token = String(try server.readLine(startingWith: "token ").dropFirst(6))
                environment["TOKEN_OF_" + name] = token
            }
            environment["TOKEN"] = environment["TOKEN_OF_TWAKE"]
            environment["TWAKE_TOKEN"] = environment["TOKEN"]
            environment["TWITTER"] = "twitter-token"
            environment["NATS"] = nats?.url
            try shell(Self.files)
            try follow("work", "tail $TWAKE --token env:TOKEN --name work --allow-emit --record-dir .")
            try follow("echo", "tail $ECHO --backend socketio --name work --allow-emit")
            try follow("day", "replay stage/day.weir.jsonl --loop forever --name day")
        }

        private static func sample(_ name: String) -> String { packageFolder + "/samples/" + name }

        private func program(_ name: String, _ script: String) throws {
            try writeFile("\(folder)/bin/\(name)", "#!/bin/sh\n\(script)\n")
            chmod("\(folder)/bin/\(name)", 0o700)
        }

        /// Creates the files that the examples use.
        private static let files = """
            set -e
            ln -s \(packageFolder)/samples stage/samples
            cd stage
            mkdir -p parts .zfunc .config/fish/completions .local/share/man/man1
            (umask 077; echo "$TOKEN" >token; echo "$TOKEN_OF_GROUPME" >groupme)
            sed "s|https://api.twitter.example|$FINISH|" samples/profiles/finish.yaml >finish.yaml
            cp samples/recordings/twake-day.weir.jsonl day.weir.jsonl
            weir file mark day.weir.jsonl --set deploy --at +2s
            weir file mark day.weir.jsonl --set outage --at +4s
            for name in mon before a; do
                cp day.weir.jsonl $name.weir.jsonl; cp day.weir.jsonl.marks $name.weir.jsonl.marks
            done
            cp day.weir.jsonl day.weir
            weir file cut day.weir.jsonl --end +5s -o after.weir.jsonl
            cp after.weir.jsonl b.weir.jsonl
            weir file split day.weir.jsonl --size 100K
            head -c 100000 day.weir.jsonl >torn.weir.jsonl
            cp samples/conversions/chrome.har chat.har
            cp samples/recordings/socketio-chat.weir.jsonl incident.weir.jsonl
            cp samples/profiles/socketio-chat.yaml chat.yaml
            cp samples/recordings/hello.weir.jsonl first.weir.jsonl
            echo 'a plan' >plan.pdf
            echo iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg== | base64 -d >cake.png
            cp cake.png cake.jpg; cp cake.png plan.png
            echo '{"notification":{"title":"Sales","body":"Ana: hello"},"channel_id":"ID"}' >push.json
            export XDG_STATE_HOME=$PWD/.state
            weir workspace create $TWAKE Sales --token file:token
            """

        /// Runs a script in the folder and waits for its end.
        private func shell(_ script: String) throws {
            let output = try temporaryFile()
            defer { close(output) }
            let process = try start(
                ["/bin/bash", "-c", "cd \(folder)\n" + script], environment: environment,
                descriptors: [1: output, 2: output])
            let status = try waitForExit(of: process)
            let text = try contents(of: output)
            guard status == 0 else { throw CannotRun(operation: "set the stage: \(text)", code: status) }
        }

        /// Starts a tail or a replay and waits until its control socket answers.
        private func follow(_ runtime: String, _ words: String) throws {
            var own = environment
            own["XDG_RUNTIME_DIR"] = "\(folder)/\(runtime)"
            own["XDG_STATE_HOME"] = "\(folder)/\(runtime)"
            let peer = try Peer(
                ["/bin/bash", "-c", "cd \(folder); exec \(try pathOfWeir()) \(words) --format json --quiet"],
                environment: own)
            peers.append(peer)
            while let line = peer.readLine(), !line.contains(#""type":"event""#), !line.contains(#""state":"ready""#) {}
            peer.drain()
        }

        /// Runs scripts concurrently and waits for their ends.
        func run(_ lanes: [String]) throws {
            let output = try temporaryFile()
            defer { close(output) }
            let shells = try lanes.map { lane in
                try start(
                    ["/bin/bash", "-c", "cd \(folder)\n" + lane], environment: environment,
                    descriptors: [1: output, 2: output])
            }
            for shell in shells { _ = try waitForExit(of: shell) }
            #expect(try contents(of: output) == "")
        }

        func result(of number: Int) throws -> (code: Int32, printed: String, told: String, left: String) {
            let texts = try ["code", "out", "err", "left"].map {
                String(decoding: try readFile("\(folder)/own/\(number).\($0)"), as: UTF8.self)
            }
            return (Int32(texts[0].filter(\.isNumber)) ?? -1, texts[1], texts[2], texts[3])
        }

        func stop() { for peer in peers { peer.stop() } }
    }
}
