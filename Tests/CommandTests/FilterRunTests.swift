import TestSupport
import Testing

@Suite("Filters of the program", .timeLimit(.minutes(2)))
struct FilterRunTests {
    @Test("Check 10: an unknown field is refused with a suggestion and the place, before anything is connected to")
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
        "Each option that is a filter is checked before anything is read or connected to",
        arguments: [
            (["--filter", "size > 4x"], "--filter: '4x' is no size; write bytes, or 64K, 1.5M, 2G (column 8)"),
            (["--kind", "mesage"], "--kind: no kind is called 'mesage'; did you mean 'message'?"),
            (["--not-kind", "x*"], "--not-kind: no kind is like 'x*'; it is one of authenticated"),
            (["--grep", "a("], "--grep: the regular expression is malformed: Unmatched ( or \\("),
            (["--exclude", "a{9999}{9999}"], "--exclude: the regular expression repeats too much"),
            (["--highlight", "known ="], "--highlight: a value is missing (column 8)"),
            (["--sample", "2/3"], "--sample: '2/3' is no share; write it like 10% or 1/40"),
        ])
    func checked(arguments: [String], message: String) throws {
        let result = try weir(["replay", "/no/such/file"] + arguments)
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("weir: " + message))
    }

    @Test("What the options come to is explained without connecting, and reads as the same filter")
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
                shown is: \(whole)
                  --filter    size > 64K
                  --filter    not known = true
                  --kind      kind = message or kind like chan*
                  --not-room  not room = /a
                  --from      actor in (Ann, "Bo b")
                  --grep      text ~ /a\\/b/
                  --exclude   not text ~ /c/
                highlighted is: text ~ /x/
                of the events that pass is shown: 1/10
                always shown are gaps and what cannot be decoded

                """)
        let again = try weir("demo", "--explain-filter", "--filter", whole)
        #expect(again.output.split(separator: "\n").first == "shown is: \(whole)")
    }

    /// The lines, whatever the columns are as wide as.
    private static func lines(_ text: String) -> Set<String> {
        Set(text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") })
    }

    @Test("A tail and a replay of its recording show the same through the same filter, and the recording is complete")
    func sameLiveAndReplayed() throws {
        let file = try temporaryFolder() + "/a.weir"
        let filter = ["--kind", "message", "--filter", "not payload.action = deleted"]
        let live = try weir(["demo", "--duration", "1500ms", "--no-ctl", "--record", file] + filter)
        #expect(live.status == 0)
        let replayed = try weir(["replay", file, "--speed", "max"] + filter)
        #expect(replayed.output == live.output)
        #expect(!live.output.isEmpty)
        #expect(live.output.split(separator: "\n").allSatisfy { $0.contains(" message ") || $0.contains("message") })
        #expect(live.errors.contains(" by --kind: kind = message\n"))
        let all = try weir("replay", file, "--speed", "max")
        #expect(all.output.contains("  join  ") && !live.output.contains("  join  "))
        // Who wrote is called by name though the change that said it is hidden.
        #expect(live.output.contains("Bruno Keller: "))
        #expect(Self.lines(live.output).isSubset(of: Self.lines(all.output)))
    }
}
