import Testing

@Suite("Wrong values of options")
struct ValueTests {
    @Test(
        "A wrong value is refused before any connection, with the expected form",
        arguments: [
            (["demo", "--duration", "15"], "--duration: invalid duration '15'; write it like 500ms, 15s, 2m or 1h"),
            (["demo", "--duration", "-1s"], "--duration: invalid duration '-1s'; write it like 500ms, 15s, 2m or 1h"),
            (["demo", "--duration", "0s"], "--duration: invalid duration '0s'; write it like 500ms, 15s, 2m or 1h"),
            (
                ["demo", "--duration", "9999999999999h"],
                "--duration: invalid duration '9999999999999h'; write it like 500ms, 15s, 2m or 1h"
            ),
            (
                ["demo", "--format", "jsno"],
                "--format: 'jsno' is not one of pretty, compact, chat, json, jsonl, raw, table; did you mean 'json'?"
            ),
            (["tail", "http://h/", "--framing", "ours"], "--framing: 'ours' is not one of auto, own, library"),
            (["demo", "--seed", "x"], "--seed: invalid number 'x'; write 0 or more"),
            (["replay", "f", "--count", "0"], "--count: invalid number '0'; write 1 or more"),
            (
                ["replay", "f", "--count", "99999999999999999999"],
                "--count: invalid number '99999999999999999999'; write 1 or more"
            ),
            (["tail", "http://h/", "--catch-up", "0"], "--catch-up: invalid number '0'; write one from 1 to 10000"),
            (["tail", "http://h/", "--catch-up", "-1"], "--catch-up: invalid number '-1'; write one from 1 to 10000"),
            (
                ["tail", "http://h/", "--catch-up", "10001"],
                "--catch-up: invalid number '10001'; write one from 1 to 10000"
            ),
            (
                ["record", "http://h/", "f", "--catch-up", "many"],
                "--catch-up: invalid number 'many'; write one from 1 to 10000"
            ),
            (
                ["tail", "http://h/", "--history", "10001"],
                "--history: invalid number '10001'; write one from 1 to 10000"
            ),
            (["tail", "http://h/", "--rotate", "hup"], "--rotate needs --record FILE"),
            (
                ["record", "http://h/", "f", "--rotate", "64"],
                "--rotate: invalid value '64'; write a size (64M), an age (1h) or hup"
            ),
            (["record", "http://h/", "f", "--keep", "3"], "--keep requires --rotate"),
            (
                ["record", "http://h/", "f", "--rotate", "1h", "--keep", "1w"],
                "--keep: invalid value '1w'; write a number of segments, a size (2G) or an age (24h)"
            ),
            (
                ["record", "http://h/", "f", "--fsync", "often"],
                "--fsync: 'often' is not one of never, interval, chunk, always"
            ),
            (
                ["tail", "http://h/", "--flight-recorder", "10m,1K"],
                "--flight-recorder: invalid value '10m,1K'; write a duration, or a duration and a size from 1M on: 10m or 10m,64M"
            ),
            (["record", "http://h/", ""], "FILE: the name of the file is empty"),
            (["tail", "http://h/", "--record", ""], "--record: the name of the file is empty"),
            (["tail", "http://h/", "--record-dir="], "--record-dir: the name of the folder is empty"),
            (["replay", "f", ""], "FILE: the name of the file is empty"),
            (["serve", "--scenario", ""], "--scenario: the name of the file is empty"),
            (["file", "diff", "f", ""], "B: the name of the file is empty"),
            (["replay", "f", "--diff-log", ""], "--diff-log: the name of the file is empty"),
            (["file", "merge", "f", "--output", ""], "--output: the name of the file is empty"),
            (
                ["replay", "f", "--speed", "fast"],
                "--speed: invalid speed 'fast'; write a number from 0.01 to 1000, or max"
            ),
            (["replay", "f", "--speed=nan"], "--speed: invalid speed 'nan'; write a number from 0.01 to 1000, or max"),
            (
                ["replay", "f", "--speed", "2000"],
                "--speed: invalid speed '2000'; write a number from 0.01 to 1000, or max"
            ),
            (["replay", "f", "--rate", "ten"], "--rate: invalid rate 'ten'; write one from 0.01/s to 1000000/s"),
            (["replay", "f", "--rate", "10/s", "--speed", "2"], "--rate and --speed exclude each other"),
            (
                ["replay", "f", "--start", "noon"],
                "--start: invalid position 'noon'; write it like +90s, n:812, mark:NAME or 2026-01-02T03:04:05Z"
            ),
            (["replay", "f", "--loop", "0"], "--loop: invalid number '0'; write 1 or more"),
            (["replay", "-", "--loop", "2"], "--loop: standard input can be played only once"),
            (["replay", "f", "--refetch", "live"], "--refetch: 'live' is not one of recorded, stub, off"),
            (["replay", "f", "g", "--diff-log", "d"], "--diff-log requires a single FILE"),
            (
                ["serve", "--listen", "localhost"],
                "--listen: 'localhost' is not ADDR:PORT; write it like localhost:8080"
            ),
            (
                ["serve", "--listen", "127.0.0.1:70000"],
                "--listen: '127.0.0.1:70000' is not ADDR:PORT; write it like 127.0.0.1:8080"
            ),
            (["serve", "--listen", "::1:80"], "--listen: write an IPv6 address in brackets: [::1]:80"),
            (
                ["serve", "--ping-interval", "0"],
                "--ping-interval: invalid duration '0'; write it like 500ms, 15s, 2m or 1h"
            ),
            (["serve", "--max-payload", "1k"], "--max-payload: invalid number '1k'; write 1 or more"),
            (
                ["serve", "--max-payload", "9999999999"],
                "--max-payload: 9999999999 is more than 1073741824 bytes"
            ),
            (["serve", "--path", "echo"], "--path: invalid path 'echo'; write it like /socket.io/"),
            (
                ["serve", "--recovery", "2m"],
                "--recovery requires --scenario echo: other servers recover no connections"
            ),
        ] as [([String], String)])
    func refuses(arguments: [String], message: String) throws {
        let command = arguments.prefix(arguments[0] == "file" ? 2 : 1).joined(separator: " ")
        let result = try weir(arguments)
        #expect(result.status == 2)
        #expect(result.errors == "weir: \(message)\nTry 'weir help \(command)'.\n")
        #expect(result.output == "")
    }

    @Test(
        "An invalid access option, or one without the option it needs, is refused",
        arguments: [
            (
                ["--pin", "sha256//x"],
                "--pin: invalid pin 'sha256//x'; write sha256// and the hash of the public key in base64, 44 characters that end with ="
            ),
            (["--key", "k.pem"], "--key requires --cert"),
            (["--key-pass", "env:P"], "--key-pass requires --cert"),
            (["--proxy-auth", "env:P"], "--proxy-auth requires --proxy"),
            (
                ["--proxy", "socks5://p:1"],
                "--proxy: \"socks5://p:1\" is not a URL that can be used: the scheme \"socks5\" is not one of ws, wss, http, https"
            ),
            (
                ["--proxy", "https://p:1"],
                "--proxy: \"https://p:1\" is not a proxy that can be used: expected http://HOST:PORT"
            ),
            (
                ["--proxy", "http://p:1/path"],
                "--proxy: \"http://p:1/path\" is not a proxy that can be used: it has a path"
            ),
            (["--header", "X-Own"], "--header: a colon is missing after the name; write 'NAME: VALUE'"),
            (["--header", "Host: other"], "--header: 'Host' cannot be set: it belongs to the protocol"),
            (
                ["--header", "Proxy-Authorization: x"],
                "--header: 'Proxy-Authorization' cannot be set: it belongs to the protocol"
            ),
            (
                ["--header", "sec-websocket-key: x"],
                "--header: 'sec-websocket-key' cannot be set: it belongs to the protocol"
            ),
            (["--header", "a b: x"], "--header: 'a b' cannot be set: it is not the name of a header"),
            (
                ["--header", "X-Own: a\r\nb"],
                "--header X-Own: the value contains characters that are not allowed in a header"
            ),
        ] as [([String], String)])
    func refusesAccess(arguments: [String], message: String) throws {
        let result = try weir(["tail", "https://127.0.0.1:1/"] + arguments)
        #expect(result.status == 2)
        #expect(result.errors == "weir: \(message)\nTry 'weir help tail'.\n")
    }

    @Test("A TLS option is refused for a URL without TLS", arguments: ["--ca", "--cert", "--pin"])
    func refusesTLS(flag: String) throws {
        let result = try weir(["tail", "ws://127.0.0.1:1/", flag, "x"])
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("weir: \(flag) requires an https or wss URL, not ws\n"))
    }

    @Test("An invalid proxy in the environment is refused without its secret")
    func refusesEnvironment() throws {
        let result = try weir(
            ["tail", "https://example.com/", "--proxy", "env"], environment: ["HTTPS_PROXY": "socks5://ann:hunter2@p:1"]
        )
        #expect(result.status == 2)
        #expect(
            result.errors.hasPrefix(
                "weir: --proxy env: the environment variable HTTPS_PROXY names no proxy that can be used: expected http://HOST:PORT\n"
            ))
    }

    @Test(
        "A secret in an argument is refused with an explanation and never repeated",
        arguments: [
            ["--proxy", "http://ann:hunter2@p:1"], ["--proxy", "hunter2@p"],
            ["--proxy", "env", "--proxy-auth", "ann:hunter2"],
            ["--cert", "c.pem", "--key-pass", "hunter2"], ["--header", "Authorization: Bearer hunter2"],
            ["--header", "cookie:session=hunter2"], ["--header", "hunter2"],
        ])
    func refusesSecrets(arguments: [String]) throws {
        let result = try weir(["tail", "https://127.0.0.1:1/"] + arguments)
        #expect(result.status == 2)
        #expect(!result.errors.contains("hunter2"))
        #expect(result.errors.contains("env:NAME") || arguments == ["--header", "hunter2"])
    }

    @Test(
        "A token in an argument is refused with an explanation and never repeated",
        arguments: ["hunter2", "env:", "bearer:hunter2", "--token=hunter2"])
    func refusesTokens(token: String) throws {
        let value = token.hasPrefix("--") ? [token] : ["--token", token]
        let result = try weir(["tail", "http://127.0.0.1:1/"] + value)
        #expect(result.status == 2)
        #expect(result.errors.contains("--token takes a reference, not the token itself"))
        #expect(!result.errors.contains("hunter2"))
    }
}
