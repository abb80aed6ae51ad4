import Testing
import TestSupport

@Suite("Replays on a terminal", .timeLimit(.minutes(3)))
struct ReplayKeysTests {
    private static let sample = packageFolder + "/samples/recordings/hello.weir.jsonl"

    /// Runs the steps of `pty_keys.py` and returns its output.
    private func type(_ steps: String..., options: [String] = []) throws -> [String] {
        let program = [try pathOfWeir(), "replay", Self.sample, "--step"] + options
        return try run(["python3", peersFolder + "/pty_keys.py"] + program + ["--"] + steps)
            .split(separator: "\n").map(String.init)
    }

    @Test("Keys navigate a recording, and the terminal is restored at the end")
    func keys() throws {
        let told = try type(
            "expect:⏸", "mode", "press:.", "expect:Grüß dich", "press:.", "expect:mallory", "press:.", "expect:12.5",
            "press:,", "expect:mallory", "press:,", "expect:Grüß dich", "press:/are you\\r", "expect:are you back",
            "press:g+1s\\r", "expect:mallory", "press:?", "expect:one event back", "press:q")
        #expect(told == ["raw", "cooked", "3"])
    }

    @Test(
        "A drawn view has a line with the progress below it, and keys navigate the recording")
    func view() throws {
        let told = try type(
            "expect:ROOM", "expect:⏸", "expect:? keys", "press:.", "expect:Grüß dich", "expect:⏸", "press:g",
            "expect:go to (", "press:+1s\\r", "expect:mallory", "press: ", "expect:▶", "press:?",
            "expect:one event back", "press:q", options: ["--view", "latest"])
        #expect(told == ["cooked", "0"] || told == ["cooked", "3"])
    }

    @Test(
        "The terminal is restored after every kind of end",
        arguments: [
            ("press:\\x03", 130), ("signal:SIGTERM", 143), ("press:\\x1c", -3), ("signal:SIGHUP", 129),
            ("signal:SIGSEGV", -11), ("signal:SIGABRT", -6),
        ])
    func endings(step: String, status: Int) throws {
        #expect(try type("expect:⏸", "mode", step) == ["raw", "cooked", "\(status)"])
    }

    @Test("During a suspension the terminal is restored, and afterwards it accepts keys again")
    func suspended() throws {
        let told = try type(
            "expect:⏸", "mode", "press:\\x1a", "stopped", "mode", "signal:SIGCONT", "expect:⏸", "mode", "press:.",
            "expect:Grüß dich", "press:q")
        #expect(told == ["raw", "cooked", "raw", "cooked", "0"])
    }

    @Test("Without a terminal each line of standard input is a step, and its end ends the replay")
    func linesAsSteps() throws {
        let result = try run([
            "sh", "-c",
            "printf '\\n\\n' | '\(try pathOfWeir())' replay '\(Self.sample)' --step --format raw --quiet",
        ])
        #expect(result.split(separator: "\n").count == 2)
    }

    @Test("A pipe is played like a file")
    func pipe() throws {
        let weir = "'\(try pathOfWeir())' replay --speed max --format raw --quiet"
        let played = try run(["bash", "-c", "\(weir) <(cat '\(Self.sample)'); true"])
        #expect(try played == run(["bash", "-c", "\(weir) '\(Self.sample)'; true"]))
        #expect(played.split(separator: "\n").count == 4)
    }
}
