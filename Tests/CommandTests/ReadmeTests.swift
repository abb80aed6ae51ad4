import Glibc
import TestSupport
import Testing

/// The README's commands, as a reader copies them.
@Suite(.timeLimit(.minutes(3))) struct `The README` {
    private static let package = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }

    /// The commands that need no other server, tail or terminal, without what stands behind them.
    private static func commands() throws -> [String] {
        let text = String(decoding: try readFile(package + "/README.md"), as: UTF8.self)
        let starts = [
            "weir tail https://web.twake.app ", "weir tail https://chat.example.com ", "weir replay mon.weir.jsonl ",
            "weir file ", "weir explain message", "weir demo",
        ]
        return text.split(separator: "\n").filter { line in
            starts.contains(where: line.hasPrefix)
                && !["--step", "--serve", "--profile", "--notify-by"].contains(where: line.contains)
        }.map { line in line.firstRange(of: "   ").map { String(line[..<$0.lowerBound]) } ?? String(line) }
    }

    @Test func `every command prints something, against the embedded server and a recording of it`() throws {
        let folder = try temporaryFolder()
        let weir = try pathOfWeir()
        try writeFile(
            folder + "/sample",
            String(decoding: try readFile(Self.package + "/samples/recordings/twake-day.weir.jsonl"), as: UTF8.self))
        try writeFile(folder + "/notify-send", "#!/bin/sh\necho \"notified of $*\"\n")
        chmod(folder + "/notify-send", 0o700)
        var environment = [
            "PATH": "\(folder):\(weir[..<(weir.lastIndex(of: "/") ?? weir.endIndex)]):/usr/local/bin:/usr/bin:/bin",
            "HOME": folder, "XDG_RUNTIME_DIR": folder, "WEIR_NO_STATUS": "yes",
        ]
        let commands = try Self.commands()
        #expect(commands.count >= 12)
        // All at once, each in a folder of its own; a server's history begins with its first client.
        let runs = try commands.enumerated().map { number, command in
            let server = try Peer([weir, "serve", "--quiet", "--listen", "127.0.0.1:0"])
            let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
            let token = String(try server.readLine(startingWith: "token ").dropFirst(6))
            let own = "\(folder)/\(number)"
            mkdir(own, 0o700)
            try writeFile(own + "/token", token + "\n")
            (environment["TOKEN"], environment["TWAKE_TOKEN"], environment["XDG_STATE_HOME"]) = (token, token, own)
            var script = command.replacing("--record mon", with: "--record new")
            for host in ["web.twake.app", "chat.example.com"] { script.replace("https://" + host, with: url) }
            if script.hasPrefix("weir tail") || script.hasPrefix("weir demo") { script += " --duration 7s --no-ctl" }
            let files = (output: try temporaryFile(), errors: try temporaryFile())
            let process = try start(
                ["/bin/bash", "-c", "cd \(own); cp ../sample mon.weir.jsonl; \(script)"], environment: environment,
                descriptors: [1: files.output, 2: files.errors])
            return (command: command, server: server, process: process, files: files)
        }
        for (command, server, process, files) in runs {
            let status = try waitForExit(of: process)
            server.stop()
            let (printed, told) = (try contents(of: files.output), try contents(of: files.errors))
            for file in [files.output, files.errors] { close(file) }
            #expect([0, 3].contains(status), "\(command) ends with \(status): \(told)")
            #expect(!printed.isEmpty || command.contains("--verify"), "\(command): \(told)")
            if command.contains("--verify") { #expect(told.hasPrefix("weir: verified, "), "\(told)") }
            if command.contains("--hook") { #expect(told.contains("notified of deploy\n"), "\(told)") }
            if command.contains("{text}") {
                #expect(printed.split(separator: "\n").contains { !$0.hasSuffix(" ") }, "\(command) shows no text")
            }
        }
    }
}
