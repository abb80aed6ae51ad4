import Testing
import TestSupport

/// Tests groups and directs by their names.
@Suite(.serialized, .timeLimit(.minutes(2))) struct GroupMeRoomsTests {
    /// A GroupMe service in a process of its own, and the environment with a store for its tails.
    private struct Service {
        let peer: Peer
        let url: String
        let environment: [String: String]

        init() throws {
            peer = try Peer([try pathOfWeir(), "serve", "--scenario", "groupme", "--seed", "3", "--quiet"])
            url = String(try peer.readLine(startingWith: "url ").dropFirst(4))
            let token = String(try peer.readLine(startingWith: "token ").dropFirst(6))
            environment = ["T": token, "WEIR_STORE": try temporaryFolder() + "/store.sqlite"]
        }

        func tail(_ more: [String]) throws -> CommandResult {
            try weir(
                ["tail", url, "--backend", "groupme", "--token", "env:T", "--no-ctl", "--format", "json"] + more,
                environment: environment)
        }

        func complete(_ words: String...) throws -> [String] {
            let result = try weir(["complete"] + words, environment: environment)
            return result.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
        }
    }

    @Test func `groups and directs are stored, completed and joined by name`() throws {
        let service = try Service()
        defer { service.peer.stop() }
        let first = try service.tail(["--duration", "3s"])
        try #require(first.status == 0, "\(first.errors)")
        #expect(first.output.contains(#""room_title":"Family""#))

        let names = try service.complete("send", service.url, "#")
        for name in ["#Family", "#Hikers", "#Ann", "#Dee"] { #expect(names.contains(name), "\(names)") }
        #expect(!names.contains("#Book club"), "nothing can be said in a group that was left")
        #expect(try service.complete("tail", service.url, "--join", "#H") == ["#Hikers"])
        #expect(try service.complete("tail", service.url, "--room", "/direct") != [])
        #expect(try service.complete("rooms", "join", "#An") == ["#Ann"])

        let store = try #require(service.environment["WEIR_STORE"])
        let listed = try weir("rooms", "ls", "--store", store)
        #expect(listed.output.contains("/group/10000001") && listed.output.contains("/direct_message/9000001_20000001"))
        #expect(try weir("rooms", "leave", "/group/10000002", "--store", store).status == 0)
        #expect(!(try weir("rooms", "ls", "--store", store).output.contains("/group/10000002")))

        let hikers = try service.tail(["--duration", "2s", "--join", "#hikers"])
        #expect(joined(hikers) == ["/group/10000002"])
        let directs = try service.tail(["--duration", "2s", "--join", "kind=direct"])
        #expect(joined(directs) == ["/direct_message/20000001_20000002", "/direct_message/9000001_20000001"])
        let both = try service.tail(["--duration", "2s", "--join", "title=Hik*", "--join", "#Ann"])
        #expect(joined(both) == ["/direct_message/20000001_20000002", "/group/10000002"])
    }

    @Test func `a filter matches a direct by its partner's name, and its lines show that name`() throws {
        let demo = try weir(
            "demo", "--backend", "groupme", "--duration", "5s", "--no-ctl", "--format", "json", "--room", "#Ann")
        try #require(demo.status == 0, "\(demo.errors)")
        let events = demo.output.split(separator: "\n").filter { $0.contains(#""type":"event""#) }
        #expect(events.contains { $0.contains("Mia, are you awake?") })
        #expect(events.allSatisfy { $0.contains(#""room":"/direct_message/20000001_20000002""#) })
        #expect(events.allSatisfy { $0.contains(#""room_title":"Ann""#) })
        let lines = try weir("demo", "--backend", "groupme", "--duration", "2s", "--no-ctl", "--color", "never")
        #expect(lines.output.contains("+ channel  @Ann"))
    }

    @Test func `is_user matches the user's own messages and excludes others`() throws {
        let demo = try weir(
            "demo", "--backend", "groupme", "--duration", "6s", "--no-ctl", "--format", "json", "--filter",
            "type = event and kind = message and is_user")
        try #require(demo.status == 0, "\(demo.errors)")
        let events = demo.output.split(separator: "\n").filter { $0.contains(#""type":"event""#) }
        #expect(events.contains { $0.contains("Nearly") })
        #expect(events.allSatisfy { $0.contains(#""sender_id":"20000001""#) }, "\(events)")
    }

    private func joined(_ result: CommandResult) -> [String] {
        let lines = result.output.split(separator: "\n").filter { $0.contains(#""change":"joined""#) }
        return Set(lines.compactMap { $0.firstMatch(of: /"room":"([^"]*)"/).map { String($0.1) } }).sorted()
    }
}
