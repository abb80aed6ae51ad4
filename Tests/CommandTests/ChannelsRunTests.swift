import Testing
import TestSupport

/// Tests a profile with Bayeux as its realtime protocol, by command: against the embedded GroupMe server, which knows
/// no profiles, and against a server made from the profile.
@Suite(.timeLimit(.minutes(3))) struct ChannelsRunTests {
    private static let profile = packageFolder + "/samples/profiles/groups.yaml"

    private final class Stage {
        let server: Peer
        let url: String
        let token: String
        let folder: String

        init(_ options: String...) throws {
            folder = try temporaryFolder()
            server = try Peer([try pathOfWeir(), "serve", "--seed", "3", "--quiet"] + options)
            url = String(try server.readLine(startingWith: "url ").dropFirst(4))
            token = String(try server.readLine(startingWith: "token ").dropFirst(6))
        }

        deinit { server.stop() }

        func weir(_ command: String..., token: String? = nil) throws -> CommandResult {
            let rest = ["--profile", profile, "--token", "env:TOKEN"]
            return try CommandTests.weir(
                [command[0], url] + command.dropFirst() + rest,
                environment: ["TOKEN": token ?? self.token, "HOME": folder])
        }

        /// Tails until a limit, records the session, and replays it in another process. Expects equal diff logs.
        /// Returns the output.
        func tail(_ options: String...) throws -> String {
            let tail = try CommandTests.weir(
                [
                    "tail", url, "--profile", profile, "--token", "env:TOKEN", "--no-ctl", "--store", "none",
                    "--duration",
                    "60s", "--record", folder + "/a.weir.jsonl", "--diff-log", folder + "/a.jsonl",
                ] + options, environment: ["TOKEN": token, "HOME": folder])
            #expect(tail.status == 0, "\(tail.errors)")
            let replay = try CommandTests.weir(
                "replay", folder + "/a.weir.jsonl", "--diff-log", folder + "/b.jsonl", "--quiet")
            #expect(replay.status == 0, "\(replay.errors)")
            #expect(try readFile(folder + "/b.jsonl") == readFile(folder + "/a.jsonl"))
            return tail.output + tail.errors
        }
    }

    @Test func `groups are joined as channels, pushes change rows, and a replay prints the same`() throws {
        let stage = try Stage("--scenario", "groupme")
        let text = try stage.tail("--until-match", "event = line.create")
        for words in ["+ room  #Family", "+ channel ", "+ message "] {
            #expect(text.contains(words), "\(words) is not in \(text)")
        }
    }

    @Test func `a message is sent, and the sender of a refused one gets the reason`() throws {
        let stage = try Stage("--scenario", "groupme")
        let who = try stage.weir("whoami")
        #expect(who.status == 0 && who.output.contains("Mia"), "\(who.errors)")
        let sent = try stage.weir("send", "#Family", "hello all")
        #expect(sent.status == 0 && !sent.output.isEmpty, "\(sent.errors)")
        let refused = try stage.weir("send", "#Family", "hello all", token: "stolen")
        #expect(refused.status == 4, "\(refused.errors)")
    }

    @Test func `the server of a Bayeux profile uses Bayeux`() throws {
        let stage = try Stage("--profile", Self.profile)
        let text = try stage.tail("--until-match", "event = line.create")
        for words in ["+ room  #General", "+ channel  #General", "+ message "] {
            #expect(text.contains(words), "\(words) is not in \(text)")
        }
        let wrong = try weir(
            ["tail", stage.url, "--profile", Self.profile, "--token", "env:TOKEN", "--no-ctl", "--duration", "60s"],
            environment: ["TOKEN": "stolen", "HOME": stage.folder])
        #expect(wrong.status == 4, "\(wrong.errors)")
    }
}
