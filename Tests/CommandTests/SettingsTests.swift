import Glibc
import Testing
import TestSupport

@Suite("Settings of the environment and the config file")
struct SettingsTests {
    /// A home folder with a config file.
    private struct Home {
        let folder: String
        var config: String { folder + "/.config/weir/config" }

        init(_ text: String? = nil) throws {
            folder = try temporaryFolder()
            mkdir(folder + "/.config", 0o700)
            mkdir(folder + "/.config/weir", 0o700)
            if let text { try writeFile(config, text) }
        }

        func weir(_ arguments: String..., environment: [String: String] = [:]) throws -> CommandResult {
            try weir(arguments, environment: environment)
        }

        func weir(_ arguments: [String], environment: [String: String] = [:]) throws -> CommandResult {
            try CommandTests.weir(
                arguments,
                environment: environment.merging(["HOME": folder, "XDG_STATE_HOME": folder]) { own, _ in own })
        }
    }

    @Test(
        "Precedence is arguments, environment, the command's section, its family's section, then the global section"
    )
    func precedence() throws {
        let home = try Home("seed = x-all\n[demo]\nseed = x-section\n")
        let typed = try home.weir("demo", "--seed", "x-typed", environment: ["WEIR_SEED": "x-env"])
        #expect(typed.errors.hasPrefix("weir: --seed: invalid number 'x-typed'"))
        let variable = try home.weir("demo", environment: ["WEIR_SEED": "x-env"])
        #expect(variable.errors.hasPrefix("weir: WEIR_SEED: invalid number 'x-env'"))
        let section = try home.weir("demo")
        #expect(section.errors.hasPrefix("weir: ~/.config/weir/config:3: seed: invalid number 'x-section'"))
        let all = try home.weir("serve")
        #expect(all.errors.hasPrefix("weir: ~/.config/weir/config:1: seed: invalid number 'x-all'"))
        for result in [typed, variable, section, all] { #expect(result.status == 2) }
        let family = try Home("[file]\nformat = x\n[file cat]\nformat = y\n").weir("file", "cat", "f")
        #expect(family.errors.hasPrefix("weir: ~/.config/weir/config:4: format: 'y' is not one of"))
    }

    @Test("Every option of every command has its variable, which 'config show' prints")
    func everyOption() throws {
        let home = try Home()
        // In these commands --on is a setting. Elsewhere, visible actions go to a running tail only if --on is typed.
        let speakers = ["rooms", "ctl", "notify", "watch"]
        for snapshot in HelpSnapshots.commands
        where snapshot.text.contains("An environment variable or the config file") {
            let flags = snapshot.text.split(separator: "\n").compactMap { line -> String? in
                guard line.hasPrefix("  -"), let dashes = line.firstRange(of: "--") else { return nil }
                return String(line[dashes.upperBound...].prefix { $0.isLetter || $0 == "-" })
            }
            #expect(flags.contains("color"), "\(snapshot.command)")
            var environment: [String: String] = [:]
            let mine = flags.filter { $0 != "help" && $0 != "config" }
            for flag in mine {
                environment[variable(flag)] = flag == "color" ? "never" : flag == "ctx" ? "none" : "yes"
            }
            let shown = try CommandTests.weir(
                ["config", "show"] + snapshot.command.split(separator: " ").map(String.init) + ["--json"],
                environment: environment.merging(["HOME": home.folder]) { own, _ in own })
            #expect(shown.status == 0, "\(snapshot.command): \(shown.errors)")
            for flag in mine
            where !(snapshot.command.hasPrefix("rooms") && flag == "store")
                && !(flag == "on" && !speakers.contains { snapshot.command.hasPrefix($0) })
                && !(snapshot.command == "serve" && flag == "profile")
                && !(snapshot.command == "explain" && flag == "backend")
            {
                #expect(
                    shown.output.contains(#""option":"\#(flag)""#)
                        && shown.output.contains(#""source":"\#(variable(flag))""#),
                    "\(snapshot.command) --\(flag)")
            }
        }
    }

    private func variable(_ flag: String) -> String {
        "WEIR_" + String(flag.map { $0 == "-" ? "_" : $0 }).uppercased()
    }

    @Test("A list is repeated lines in the file, and one value per line in a variable")
    func lists() throws {
        let home = try Home("[file filter]\nkind = head\nkind = gap\n")
        let file = try home.weir("config", "show", "file", "filter")
        #expect(file.output == "kind = head  ~/.config/weir/config:3\nkind = gap   ~/.config/weir/config:3\n")
        let variable = try home.weir("config", "show", "file", "filter", environment: ["WEIR_KIND": "mark\nf"])
        #expect(variable.output == "kind = mark  WEIR_KIND\nkind = f     WEIR_KIND\n")
    }

    @Test("Switches are yes and no in files and variables, and =no in arguments")
    func switches() throws {
        let home = try Home("quiet = on\ncount = 1\nduration = 20s\n")
        #expect(try home.weir("demo", "--no-ctl").errors == "")
        let loud = try home.weir("demo", "--no-ctl", "--quiet=no")
        #expect(loud.errors.contains("summary: "))
        #expect(try home.weir("demo", "--no-ctl", environment: ["WEIR_QUIET": "0"]).errors.contains("summary: "))
        let wrong = try home.weir("demo", environment: ["WEIR_QUIET": "maybe"])
        #expect(wrong.errors.hasPrefix("weir: WEIR_QUIET: invalid value 'maybe'; write yes or no"))
    }

    @Test(
        "An invalid line is refused with its number and a suggestion",
        arguments: [
            ("\n# all is well\nfromat = json\n", "3: unknown option 'fromat'; did you mean 'format'?"),
            ("format json\n", "1: unknown option 'format json'"),
            ("format\n", "1: expected format = VALUE"),
            ("format =\n", "1: format: the value is missing"),
            ("format = json\nformat = raw\n", "2: format is given twice, first in line 1"),
            ("quiet = perhaps\n", "1: quiet: invalid value 'perhaps'; write yes or no"),
            ("[tial]\nformat = json\n", "1: there is no command 'tial'; did you mean 'tail'?"),
            ("[tail\n", "1: a section ends with ]: [tail]"),
            ("[serve]\nformat = json\n", "2: format is not an option of 'weir serve'"),
            ("help = yes\n", "1: help cannot be set in a config file"),
            ("url = http://h/\n", "1: unknown option 'url'"),
        ])
    func refuses(text: String, message: String) throws {
        let home = try Home(text)
        let run = try home.weir("demo")
        #expect(run.errors == "weir: ~/.config/weir/config:\(message)\nTry 'weir help demo'.\n")
        #expect(run.status == 2)
        #expect(run.output == "")
        let check = try home.weir("config", "check")
        #expect(check.errors.hasPrefix("weir: ~/.config/weir/config:\(message)\n"))
        #expect(check.status == 2)
    }

    @Test("'config check' reports every problem: invalid lines and values, and variables of no option")
    func check() throws {
        let home = try Home("fromat = json\nfsync = nevre\n[demo]\ncont = 1\n")
        let result = try home.weir("config", "check", environment: ["WEIR_FROMAT": "json"])
        #expect(
            result.errors == """
                weir: ~/.config/weir/config:1: unknown option 'fromat'; did you mean 'format'?
                weir: ~/.config/weir/config:4: unknown option 'cont'; did you mean 'count'?
                weir: ~/.config/weir/config:2: fsync: 'nevre' is not one of never, interval, chunk, always; did you mean 'never'?
                weir: WEIR_FROMAT: no option has this variable; did you mean 'WEIR_FORMAT'?

                """)
        #expect(result.status == 2)
        let fine = try Home("format = json\n").weir("config", "check")
        #expect(fine.output == "~/.config/weir/config: 1 settings\n")
        #expect(fine.status == 0)
    }

    @Test("A file that others can write is not read, and WEIR_CONFIG names another or none")
    func whoseFile() throws {
        let home = try Home("format = jsno\n")
        chmod(home.config, 0o666)
        let refused = try home.weir("demo")
        #expect(
            refused.errors.hasPrefix(
                "weir: ~/.config/weir/config: is not read: others can write it; chmod go-w it first\n"))
        #expect(refused.status == 2)
        #expect(try home.weir("config", "show", "demo", environment: ["WEIR_CONFIG": "none"]).status == 0)
        try writeFile(home.folder + "/other", "seed = x\n")
        let other = try home.weir("demo", "--config", home.folder + "/other")
        #expect(other.errors.hasPrefix("weir: ~/other:1: seed: invalid number 'x'"))
        let missing = try home.weir("demo", environment: ["WEIR_CONFIG": "/nowhere"])
        #expect(missing.errors.hasPrefix("weir: WEIR_CONFIG: the file '/nowhere' does not exist\n"))
    }

    @Test("A secret is a reference in every setting, and is shown only as a fingerprint")
    func secrets() throws {
        let home = try Home(
            "[tail]\ntoken = s3cr3t-of-ann\nheader = X-Key: s3cr3t-of-ann\nproxy-auth = cmd:echo s3cr3t-of-ann\n")
        let refused = try home.weir("tail", "http://127.0.0.1:9")
        #expect(refused.status == 2)
        #expect(refused.errors.hasPrefix("weir: ~/.config/weir/config:2: token: --token takes a reference"))
        let environment = ["TOKEN": "s3cr3t-of-bob", "WEIR_KEY_PASS": "env:TOKEN"]
        let shown = try home.weir("config", "show", "tail", environment: environment)
        #expect(shown.status == 0)
        #expect(shown.output.contains("token = (fingerprint "))
        #expect(shown.output.contains("header = (fingerprint "))
        #expect(shown.output.contains("proxy-auth = cmd:echo …"))
        #expect(shown.output.contains("key-pass = env:TOKEN (fingerprint "))
        for text in [refused.errors, shown.output, shown.errors] { #expect(!text.contains("s3cr3t")) }
    }

    @Test("A setting is ignored if the option it depends on is missing or an argument excludes it")
    func needless() throws {
        let home = try Home("rotate = 1h\nkeep = 3\nspeed = 2\nca = /nowhere.pem\nstore = none\nproxy-auth = env:P\n")
        let tail = try home.weir("tail", "http://127.0.0.1:9", "--max-attempts", "1", "--no-ctl")
        #expect(tail.status == 5, "\(tail.errors)")
        let replay = try home.weir("replay", "/nowhere", "--rate", "10/s")
        #expect(replay.status == 1, "\(replay.errors)")
        #expect(try home.weir("rooms", "ls", environment: ["XDG_RUNTIME_DIR": home.folder]).status == 5)
    }

    @Test(
        "Colours follow the option, then NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE and CLICOLOR",
        arguments: [
            ([], [:], false), (["--color", "always"], ["NO_COLOR": "1"], true),
            (["--color", "never"], ["FORCE_COLOR": "1"], false), ([], ["FORCE_COLOR": "1"], true),
            ([], ["CLICOLOR_FORCE": "1"], true), ([], ["FORCE_COLOR": "0"], false),
            ([], ["NO_COLOR": "1", "FORCE_COLOR": "1"], false), ([], ["WEIR_COLOR": "always"], true),
        ] as [([String], [String: String], Bool)])
    func colours(arguments: [String], environment: [String: String], isColoured: Bool) throws {
        let result = try weir(
            ["demo", "--count", "1", "--quiet", "--no-ctl"] + arguments, environment: environment)
        #expect(result.status == 0)
        #expect(result.output.contains("\u{1B}[") == isColoured)
    }

    @Test func `a theme and the styles of roles can be options, variables and settings`() throws {
        let home = try Home("theme = none\n[replay]\nstyle = actor=bold 200\nstyle = time=underline\n")
        let words = [
            "replay", packageFolder + "/samples/recordings/twake-day.weir.jsonl", "--speed", "max", "--no-ctl",
        ]
        let more = ["--count", "60", "--quiet", "--color", "always"]
        let set = try home.weir(words + more)
        #expect(set.output.contains("\u{1B}[1;38;5;200m") && set.output.contains("\u{1B}[4m"), "\(set.errors)")
        let typed = try home.weir(words + more + ["--theme", "dark"], environment: ["WEIR_STYLE": "time=17\nkind=18"])
        for code in ["[38;5;17m", "[38;5;18m"] { #expect(typed.output.contains("\u{1B}" + code)) }
        #expect(!set.output.contains("38;5;245m") && !typed.output.contains("38;5;200m"))
        let wrong = try home.weir(words + ["--style", "actors=red"])
        #expect(wrong.status == 2 && wrong.errors.contains("--style: there is no role 'actors'; did you mean 'actor'?"))
        #expect(try home.weir(words + ["--theme", "neon"]).errors.contains("--theme: 'neon' is not one of"))
    }
}
