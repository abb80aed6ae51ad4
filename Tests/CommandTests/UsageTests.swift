import Testing

@Suite("Wrong arguments")
struct UsageTests {
    @Test(
        "Wrong usage ends with code 2, one sentence on standard error, and no output",
        arguments: [
            (
                [],
                """
                weir: a command is missing; try one of these:
                  weir demo                          a demo chat: nothing to set up
                  weir tail URL --token env:TOKEN    your server, live
                  weir cheat                         commands to copy
                Try 'weir help'.

                """
            ),
            (["tial"], "weir: unknown command 'tial'; did you mean 'tail'?\nTry 'weir help'.\n"),
            (["zzzzzz"], "weir: unknown command 'zzzzzz'\nTry 'weir help'.\n"),
            (["--verison"], "weir: unknown option '--verison'; did you mean '--version'?\nTry 'weir help'.\n"),
            (["help", "replya"], "weir: unknown command 'replya'; did you mean 'replay'?\nTry 'weir help'.\n"),
            (
                ["file"],
                "weir: a verb is missing: one of info, doctor, repair, index, cat, grep, filter, cut, merge, split, mark, "
                    + "redact, compress, convert, diff, report, publish\n"
                    + "Try 'weir help file'.\n"
            ),
            (
                ["rooms", "jion", "r"],
                "weir: unknown verb 'jion'; did you mean 'join'?\nTry 'weir help rooms'.\n"
            ),
            (["rooms", "join"], "weir: PATTERN is missing\nTry 'weir help rooms join'.\n"),
            (
                ["rooms", "join", "kin=direct"],
                "weir: rooms have no field kin: one of kind, title, id, unread, company, workspace; did you mean "
                    + "'kind'?\nTry 'weir help rooms join'.\n"
            ),
            (
                ["rooms", "join", "/(/", "--on", "t"],
                "weir: invalid regular expression /(/: missing ): (\nTry 'weir help rooms join'.\n"
            ),
            (
                ["rooms", "mute", "#a", "--store", "f"],
                "weir: '--store' is not an option of 'weir rooms mute' (it belongs to: tail, record, rooms ls, "
                    + "rooms join, rooms leave, rooms set, logout, download, draft, send, edit, react, delete, read, do, "
                    + "channel, workspace, account)\nTry 'weir help rooms mute'.\n"
            ),
            (
                ["rooms", "ls", "--on", "../x"],
                "weir: --on: invalid name '../x'; use up to 64 letters, digits, '.', '_' and '-'\n"
                    + "Try 'weir help rooms ls'.\n"
            ),
            (
                ["rooms", "ls", "--on", "a\u{1B}[2J"],
                "weir: --on: invalid name 'a\\u{1B}[2J'; use up to 64 letters, digits, '.', '_' and '-'\n"
                    + "Try 'weir help rooms ls'.\n"
            ),
            (
                ["tail", "http://127.0.0.1:1", "--join", "#"],
                "weir: # needs a title: #general\nTry 'weir help tail'.\n"
            ),
            (["file", "inof"], "weir: unknown verb 'inof'; did you mean 'info'?\nTry 'weir help file'.\n"),
            (["file", "repair"], "weir: FILE is missing\nTry 'weir help file repair'.\n"),
            (["file", "repair", "a", "-x"], "weir: unknown option '-x'\nTry 'weir help file repair'.\n"),
            (
                ["file", "info", "a", "--secrets"],
                "weir: '--secrets' is not an option of 'weir file info' (it belongs to: file doctor)\n"
                    + "Try 'weir help file info'.\n"
            ),
            (["tail"], "weir: URL is missing\nTry 'weir help tail'.\n"),
            (["record", "http://a/"], "weir: FILE is missing\nTry 'weir help record'.\n"),
            (["tail", "http://a/", "b"], "weir: unexpected argument 'b'\nTry 'weir help tail'.\n"),
            (
                ["tail", "http://a/", "--fromat", "json"],
                "weir: unknown option '--fromat'; did you mean '--format'?\nTry 'weir help tail'.\n"
            ),
            (
                ["tail", "http://a/", "--format"],
                "weir: --format needs a value: --format pretty|compact|chat|table|json|jsonl|raw\nTry 'weir help tail'.\n"
            ),
            (
                ["tail", "http://a/", "--format", "--quiet"],
                "weir: --format needs a value: --format pretty|compact|chat|table|json|jsonl|raw\nTry 'weir help tail'.\n"
            ),
            (
                ["tail", "http://a/", "--quiet=please"],
                "weir: --quiet accepts only yes or no as a value\nTry 'weir help tail'.\n"
            ),
            (
                ["replay", "a.weir", "--diff-log-reversible"],
                "weir: --diff-log-reversible needs --diff-log FILE\nTry 'weir help replay'.\n"
            ),
            (
                ["tail", "http://a/", "--count", "1", "--count", "2"],
                "weir: --count is given twice\nTry 'weir help tail'.\n"
            ),
            (
                ["tail", "http://a/", "--speed", "2"],
                "weir: '--speed' is not an option of 'weir tail' (it belongs to: replay)\nTry 'weir help tail'.\n"
            ),
        ] as [([String], String)])
    func refuses(arguments: [String], message: String) throws {
        let result = try weir(arguments)
        #expect(result.status == 2)
        #expect(result.errors == message)
        #expect(result.output == "")
    }

    @Test("The error for an option of other commands lists each of them once")
    func namesOnce() throws {
        let errors = try weir("man", "--config", "x").errors
        let list = try #require(errors.firstRange(of: "(it belongs to: ")).upperBound
        let names = errors[list...].prefix { $0 != ")" }.split(separator: ", ")
        #expect(names.count > 50 && Set(names).count == names.count, "\(names)")
    }
}
