import Testing
import TestSupport

/// Tests recordings in segments smaller than the state at their beginnings.
@Suite(.serialized, .timeLimit(.minutes(2))) struct RotationRunTests {
    @Test(arguments: ["twake", "groupme", "untyped"])
    func `the number of segments is limited, each has more new data than restated data, and nothing is lost`(
        kind: String
    )
        throws
    {
        let folder = try temporaryFolder()
        let tail = try kind == "untyped" ? untyped(folder) : typed(kind, folder)
        #expect(tail.status == 0, "\(tail.errors)")
        let told = tail.errors.split(separator: "\n").filter { $0.contains("--rotate requests segments of 4096 bytes") }
        #expect(told.count == (kind == "untyped" ? 0 : 1), "\(tail.errors)")
        let segments = names(in: folder).filter { $0.hasSuffix(".weir.jsonl") }.sorted()
        #expect((2...400).contains(segments.count), "\(segments.count)")
        var numbers: [Int] = []
        for (index, name) in segments.enumerated() {
            var (old, new) = (0, 0)
            for line in String(decoding: try readFile("\(folder)/\(name)"), as: UTF8.self).split(separator: "\n") {
                if line.contains(#""re":1"#) { old += line.utf8.count } else { new += line.utf8.count }
                guard !line.contains(#""re":1"#), let number = Self.number(of: line), number != numbers.last else {
                    continue
                }
                numbers.append(number)
            }
            #expect(
                new > old || index == segments.count - 1, "\(name): \(old) bytes of state, \(new) bytes that are new")
        }
        #expect(numbers == Array(1...max(1, numbers.last ?? 0)))
    }

    private let rotation = ["--no-ctl", "--store", "none", "--rotate", "4K", "--keep", "1000"]

    private func typed(_ kind: String, _ folder: String) throws -> CommandResult {
        let scenario = kind == "groupme" ? "groupme" : "workspace"
        let server = try Peer([try pathOfWeir(), "serve", "--scenario", scenario, "--seed", "3", "--quiet"])
        defer { server.stop() }
        let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
        let token = String(try server.readLine(startingWith: "token ").dropFirst(6))
        return try weir(
            [
                "tail", url, "--backend", kind, "--token", "env:TOKEN", "--duration", "5s", "--record",
                folder + "/a.weir.jsonl",
            ] + rotation, environment: ["TOKEN": token])
    }

    /// Tails a server that sends 4,000 events of 200 bytes at once.
    private func untyped(_ folder: String) throws -> CommandResult {
        let server = try Peer(
            [
                "/usr/bin/env", "python3", packageFolder + "/Tests/Peers/hostile_server.py", "unknown-events", "1",
                "socketio",
            ])
        defer { server.stop() }
        let port = try #require(server.readLine()?.split(separator: " ").last)
        return try weir(
            [
                "tail", "http://127.0.0.1:\(port)", "--backend", "socketio", "--count", "4000", "--record",
                folder + "/a.weir.jsonl",
            ] + rotation)
    }

    /// Returns the number of a line's record.
    private static func number(of line: Substring) -> Int? {
        guard !line.hasPrefix(#"{"k":"head""#), let place = line.firstRange(of: #""n":"#) else { return nil }
        return Int(line[place.upperBound...].prefix { $0.isNumber })
    }
}
