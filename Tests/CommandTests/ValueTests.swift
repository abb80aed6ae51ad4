import Testing

@Suite("Values of options that are wrong")
struct ValueTests {
    @Test(
        "Each is refused before anything is connected to, with what was expected",
        arguments: [
            (["demo", "--duration", "15"], "--duration: '15' is no time; write it like 500ms, 15s, 2m or 1h"),
            (["demo", "--duration", "-1s"], "--duration: '-1s' is no time; write it like 500ms, 15s, 2m or 1h"),
            (["demo", "--duration", "0s"], "--duration: '0s' is no time; write it like 500ms, 15s, 2m or 1h"),
            (
                ["demo", "--duration", "9999999999999h"],
                "--duration: '9999999999999h' is no time; write it like 500ms, 15s, 2m or 1h"
            ),
            (
                ["demo", "--format", "jsno"],
                "--format: 'jsno' is none of pretty, compact, json, raw; did you mean 'json'?"
            ),
            (["tail", "http://h/", "--framing", "ours"], "--framing: 'ours' is none of auto, own, library"),
            (["demo", "--seed", "x"], "--seed: 'x' is no number from 0 on"),
            (["replay", "f", "--count", "0"], "--count: '0' is no number from 1 on"),
            (
                ["replay", "f", "--count", "99999999999999999999"],
                "--count: '99999999999999999999' is no number from 1 on"
            ),
            (["replay", "f", "--speed", "fast"], "--speed: 'fast' is neither a number above 0 nor max"),
            (["replay", "f", "--speed=nan"], "--speed: 'nan' is neither a number above 0 nor max"),
            (["serve", "--listen", "localhost"], "--listen: 'localhost' is not ADDR:PORT"),
            (["serve", "--listen", "127.0.0.1:70000"], "--listen: '127.0.0.1:70000' is not ADDR:PORT"),
            (["serve", "--listen", "::1:80"], "--listen: an IPv6 address stands in brackets: [::1]:80"),
            (["rooms", "jion", "r"], "'jion' is none of ls, join, leave; did you mean 'join'?"),
            (["rooms", "ls", "r"], "ls takes no rooms"),
            (["rooms", "join"], "join needs a room at least"),
            (
                ["rooms", "ls", "--on", "../x"],
                "--on: '../x' is no name; use up to 64 letters, digits, '.', '_' and '-'"
            ),
            (
                ["rooms", "ls", "--on", "a\u{1B}[2J"],
                "--on: 'a\\u{1B}[2J' is no name; use up to 64 letters, digits, '.', '_' and '-'"
            ),
        ] as [([String], String)])
    func refuses(arguments: [String], message: String) throws {
        let result = try weir(arguments)
        #expect(result.status == 2)
        #expect(result.errors == "weir: \(message)\nTry 'weir help \(arguments[0])'.\n")
        #expect(result.output == "")
    }

    @Test(
        "A token in an argument is refused, explained, and never repeated",
        arguments: ["hunter2", "env:", "bearer:hunter2", "--token=hunter2"])
    func refusesTokens(token: String) throws {
        let value = token.hasPrefix("--") ? [token] : ["--token", token]
        let result = try weir(["tail", "http://127.0.0.1:1/"] + value)
        #expect(result.status == 2)
        #expect(result.errors.contains("--token takes a reference, not the token itself"))
        #expect(!result.errors.contains("hunter2"))
    }
}
