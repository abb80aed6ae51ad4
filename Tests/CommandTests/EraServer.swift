import Testing
import TestSupport

/// A Twake server of an era, quiet except for the tests' actions, and a token of its user.
struct EraServer {
    private let process: Peer
    private let keeps: Bool
    let url: String
    let folder: String
    /// The option `--token …` for its user.
    var token: [String] { ["--token", "file:\(folder)/token"] }
    /// The option `--store …` for a store of its own.
    var store: [String] { ["--store", folder + "/kept.sqlite"] }

    /// Starts the server. With `keeps`, each command uses the store. `scenario` contains the lines of a scenario file
    /// that replaces the usual one.
    init(era: String, keeps: Bool = false, scenario: [String] = []) throws {
        self.keeps = keeps
        folder = try temporaryFolder()
        if !scenario.isEmpty { try writeFile(folder + "/world.jsonl", scenario.joined(separator: "\n") + "\n") }
        process = try Peer(
            [try pathOfWeir(), "serve", "--seed", "3", "--quiet", "--era", era]
                + (scenario.isEmpty ? [] : ["--scenario", folder + "/world.jsonl"]))
        url = String(try process.readLine(startingWith: "url ").dropFirst(4))
        let token = String(try process.readLine(startingWith: "token ").dropFirst(6))
        try writeFile(folder + "/token", token + "\n")
    }

    /// Runs a command for the server.
    func run(_ command: [String], _ rest: [String] = [], _ options: [String] = []) throws -> CommandResult {
        try weir(command + [url] + rest + token + (keeps ? store : []) + options)
    }

    /// Returns the output lines of a command that must succeed.
    func lines(_ command: [String], _ rest: [String] = [], _ options: [String] = []) throws -> [String] {
        let result = try run(command, rest, options)
        try #require(result.status == 0, "\(command) \(rest): \(result.errors)")
        return result.output.split(separator: "\n").map(String.init)
    }

    /// Returns the first output line of a command that must succeed.
    func did(_ command: [String], _ rest: [String], _ options: [String] = []) throws -> String {
        try lines(command, rest, options).first ?? ""
    }

    func stop() { process.stop() }
}
