import Testing
import TestSupport

@Suite("Filters of the program", .timeLimit(.minutes(2)))
struct FilterRunTests {
    @Test("Check 10: an unknown field is refused with a suggestion and its position, before any connection")
    func unknownField() throws {
        let result = try weir(
            "tail", "http://127.0.0.1:1/", "--token", "env:NOT_SET_ANYWHERE", "--filter", "known and romo = x")
        #expect(result.status == 2)
        #expect(result.output == "")
        #expect(
            result.errors == """
                weir: --filter: unknown field 'romo'; did you mean 'room'? (column 11)
                  known and romo = x
                            ^~~~
                Try 'weir help tail'.

                """)
    }

    @Test(
        "Each filter option is checked before anything is read or connected to",
        arguments: [
            (["--filter", "size > 4x"], "--filter: invalid size '4x'; write bytes, or 64K, 1.5M, 2G (column 8)"),
            (["--kind", "mesage"], "--kind: no kind is named 'mesage'; did you mean 'message'?"),
            (["--not-kind", "x*"], "--not-kind: no kind is like 'x*'; it is one of authenticated"),
            (["--grep", "a("], "--grep: the regular expression is malformed: missing ): a("),
            (["--exclude", "a{9999}"], "--exclude: the regular expression is malformed: invalid repetition size"),
            (["--highlight", "known ="], "--highlight: a value is missing (column 8)"),
            (["--until-match", "kind = mesage"], "--until-match: no kind is named 'mesage'; did you mean 'message'?"),
            (["--until-match", " "], "--until-match: the expression is empty"),
            (["--sample", "2/3"], "--sample: invalid share '2/3'; write it like 10% or 1/40"),
        ])
    func checked(arguments: [String], message: String) throws {
        let result = try weir(["replay", "/no/such/file"] + arguments)
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("weir: " + message))
    }

    @Test("The count includes only events that pass the filter, live and replayed")
    func counted() throws {
        let wanted = ["--kind", "message", "--count", "3", "--format", "json", "--quiet"]
        for source in [["demo", "--no-ctl"], ["replay", packageFolder + "/samples/recordings/twake-day.weir.jsonl"]] {
            let result = try weir(source + wanted + (source[0] == "replay" ? ["--speed", "max"] : []))
            #expect(result.status == 0)
            let events = result.output.split(separator: "\n").filter { $0.hasPrefix(#"{"v":1,"type":"event""#) }
            #expect(events.count == 3)
            #expect(events.allSatisfy { $0.contains(#""kind":"message""#) })
        }
    }

    @Test("A run ends with the first report that matches an expression, and shows its cause")
    func untilMatch() throws {
        let file = packageFolder + "/samples/recordings/twake-day.weir.jsonl"
        let arguments = ["replay", file, "--speed", "max", "--quiet", "--format", "json"]
        let whole = try weir(arguments).output.split(separator: "\n")
        let result = try weir(arguments + ["--until-match", "diff.op = delete"])
        #expect(result.status == 0)
        let lines = result.output.split(separator: "\n")
        #expect(lines.last?.contains(#""op":"delete""#) == true)
        #expect(lines.dropLast().allSatisfy { !$0.contains(#""op":"delete""#) })
        #expect(Array(whole.prefix(lines.count)) == lines)
    }

    @Test(
        "--record-filter limits the recording, which says so and plays without complaint; the output is complete"
    )
    func recordFilter() throws {
        let file = try temporaryFolder() + "/a.weir"
        let printed = ["--format", "json", "--quiet"]
        let live = try weir(
            [
                "demo", "--until-match", "/Bruno Keller: /", "--no-ctl", "--record", file, "--record-filter",
                "kind=message",
            ] + printed)
        #expect(live.status == 0)
        func events(_ text: String, _ kind: String) -> [Substring] {
            text.split(separator: "\n").filter {
                $0.contains(#""type":"event""#) && $0.contains("\"kind\":\"\(kind)\"")
            }
        }
        #expect(!events(live.output, "join").isEmpty)
        let recorded = String(decoding: try readFile(file), as: UTF8.self).split(separator: "\n")
        #expect(recorded[0].contains(#""filter":"kind = message""#))
        #expect(recorded.contains { $0.contains(#""drop":true"#) && $0.contains(#""p":"""#) })
        #expect(recorded.allSatisfy { !$0.contains("realtime:join:success") })
        let played = try weir(["replay", file, "--speed", "max", "--verify", "--no-ctl"] + printed)
        #expect(played.status == 0, "\(played.errors)")
        #expect(events(played.output, "join").isEmpty)
        #expect(events(played.output, "message").count == events(live.output, "message").count)
        #expect(try weir("file", "doctor", file).status == 0)
        #expect(try weir("file", "info", file).output.contains("only events that match: kind = message"))
        let absent = try weir(
            "demo", "--until-match", "type = event", "--no-ctl", "--record", file + ".2", "--record-filter",
            "payload.no_such_key exists")
        #expect(absent.errors.contains("--record-filter: no event had payload.no_such_key"), "\(absent.errors)")
        let needless = try weir("demo", "--record-filter", "kind = message", "--no-ctl")
        #expect(needless.status == 2)
        #expect(needless.errors.hasPrefix("weir: --record-filter needs --record FILE"))
    }

    @Test("--explain-filter prints the combined filter without a connection, and it parses to the same filter")
    func explained() throws {
        let result = try weir(
            "tail", "--explain-filter", "--kind", "message", "--kind", "chan*", "--not-room", "/a", "--filter",
            "size>64K and not known", "--from", "Ann", "--from", "Bo b", "--grep", "a/b", "--exclude", "c",
            "--highlight",
            "/x/", "--sample", "1/10")
        #expect(result.status == 0)
        #expect(result.errors == "")
        let whole =
            #"size > 64K and not known = true and (kind = message or kind like chan*) and not room = /a and "#
            + #"actor in (Ann, "Bo b") and text ~ /a\/b/ and not text ~ /c/"#
        #expect(
            result.output == """
                shown: \(whole)
                  --filter    size > 64K
                  --filter    not known = true
                  --kind      kind = message or kind like chan*
                  --not-room  not room = /a
                  --from      actor in (Ann, "Bo b")
                  --grep      text ~ /a\\/b/
                  --exclude   not text ~ /c/
                highlighted: text ~ /x/
                sampled: 1/10 of the matching events
                always shown: gaps and undecodable messages

                """)
        let again = try weir("demo", "--explain-filter", "--filter", whole)
        #expect(again.output.split(separator: "\n").first == "shown: \(whole)")
    }

    /// Returns the lines, with columns of any width.
    private static func lines(_ text: String) -> Set<String> {
        Set(text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") })
    }

    @Test("Check 4: a tail and a replay show the same with the same filter, and the recording is complete")
    func sameLiveAndReplayed() throws {
        let file = try temporaryFolder() + "/a.weir"
        let filter = ["--kind", "message", "--filter", "not payload.action = deleted"]
        let live = try weir(["demo", "--until-match", "/Bruno Keller: /", "--no-ctl", "--record", file] + filter)
        #expect(live.status == 0)
        let replayed = try weir(["replay", file, "--speed", "max"] + filter)
        #expect(replayed.output == live.output)
        #expect(!live.output.isEmpty)
        #expect(live.output.split(separator: "\n").allSatisfy { $0.contains(" message ") || $0.contains("message") })
        #expect(live.errors.contains(" by --kind: kind = message\n"))
        let all = try weir("replay", file, "--speed", "max")
        #expect(all.output.contains("  join  ") && !live.output.contains("  join  "))
        // The sender has a name, even though the change that contained it is hidden.
        #expect(live.output.contains("Bruno Keller: "))
        #expect(Self.lines(live.output).isSubset(of: Self.lines(all.output)))
    }
}
