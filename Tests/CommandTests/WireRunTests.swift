import Glibc
import Testing
import TestSupport

/// Tests `--view raw`: live, of a recording, and of a running tail.
@Suite(.serialized, .timeLimit(.minutes(3))) struct WireRunTests {
    private static let recording = packageFolder + "/samples/recordings/twake-day.weir.jsonl"

    /// Expects that each line begins with a time and a direction, and contains no control characters.
    private func expectUnits(_ text: String, both: Bool = true) {
        let lines = text.split(separator: "\n")
        #expect(!lines.isEmpty)
        for line in lines {
            let words = line.split(separator: " ", maxSplits: 3)
            #expect(words.count > 3 && words[0].contains(":") && ["←", "→"].contains(words[1]), "\(line)")
            #expect(!line.unicodeScalars.contains { $0.value < 0x20 })
        }
        if both { #expect(lines.contains { $0.contains("  → ") } && lines.contains { $0.contains("  ← ") }) }
    }

    @Test func `a recording's wire units are printed one per line, the same every time, and not filtered`() throws {
        let first = try weir("replay", Self.recording, "--view", "raw", "--speed", "max", "--quiet")
        #expect(first.status == 0)
        expectUnits(first.output)
        #expect(first.output.contains(" http ") && first.output.contains(#"42["realtime:resource""#))
        let again = try weir("replay", Self.recording, "--view", "raw", "--speed", "max", "--quiet")
        #expect(again.output == first.output)
        let filtered = try weir("replay", Self.recording, "--view", "raw", "--kind", "message")
        #expect(filtered.status == 2 && filtered.errors.hasPrefix("weir: --view raw shows all traffic"))
    }

    @Test func `an upgrade is shown packet by packet, with the carrier of each`() throws {
        let server = try Peer([try pathOfWeir(), "serve", "--scenario", "echo", "--quiet"])
        defer { server.stop() }
        let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
        let tail = try Peer([
            try pathOfWeir(), "tail", url, "--backend", "socketio", "--transport", "upgrade", "--view", "raw",
            "--no-ctl",
            "--config", "none", "--quiet",
        ])
        defer { tail.stop() }
        var seen: [String] = []
        while seen.last != "→ ws 5", let line = tail.readLine() {
            let words = line.split(separator: " ").map(String.init)
            seen.append("\(words[1]) \(words[2]) \(words[4].prefix(6))")
        }
        #expect(seen.first == #"← polling 0{"sid"#)
        #expect(seen.filter { $0.contains(" ws ") } == ["→ ws 2probe", "← ws 3probe", "→ ws 5"], "\(seen)")
    }

    @Test func `a tail and a viewer of it show both directions, without the token`() throws {
        let environment = ["XDG_RUNTIME_DIR": try temporaryFolder(), "HOME": "/nonexistent"]
        let server = try Peer([try pathOfWeir(), "serve", "--seed", "7", "--quiet"])
        defer { server.stop() }
        let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
        let token = String(try server.readLine(startingWith: "token ").dropFirst(6))
        let tail = try Peer(
            [
                try pathOfWeir(), "tail", url, "--token", "env:T", "--name", "x", "--view", "raw", "--store", "none",
                "--quiet", "--summary", "none",
            ], environment: environment.merging(["T": token]) { a, _ in a })
        defer { tail.stop() }
        var lines: [String] = []
        while let line = tail.readLine() {
            lines.append(line)
            if line.contains(#"42["realtime:resource""#) { break }
        }
        expectUnits(lines.joined(separator: "\n"))
        #expect(!lines.contains { $0.contains(token) })
        let attached = try weir(
            "attach", "x", "--view", "raw", "--count", "1", "--quiet", "--summary", "none", environment: environment)
        #expect(attached.status == 0, "\(attached.errors)")
        expectUnits(attached.output, both: false)
        #expect(attached.output.contains("  ← "))
    }
}
