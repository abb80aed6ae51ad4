import Foundation
import Glibc
import Testing
import TestSupport
import WeirNetwork
import WeirThreads
import WeirWire

/// Tests `weir tail --share`: the tails of a group divide the rooms of the embedded server, and a reader of the
/// group's stream sees one model.
@Suite("Tails that divide the rooms of a server", .enabled(if: hasNATSServer), .timeLimit(.minutes(5)))
struct ShareRunTests {
    /// A chat server with many rooms and constant messages, a stream, and tails.
    private final class Stage {
        private static let profile = packageFolder + "/samples/profiles/socketio-chat.yaml"
        let cluster: NATSServer
        let group: String
        let folder: String
        private let server: Peer
        private let url: String
        private let token: String

        /// Starts the server and the cluster. The server creates one message every 20 ms.
        init(rooms: Int, messages: Int) throws {
            folder = try temporaryFolder()
            cluster = try NATSServer(nodes: 3)
            group = cluster.url + "/chat"
            var text = "tokens: {token-of-ana: ana, token-of-bo: bo}\nrows:\n"
            text += "  account:\n    - {id: ana, name: Ana Lima}\n    - {id: bo, name: Bo Larsen}\n  channel:\n"
            for room in 0..<rooms { text += "    - {id: r\(room), name: Room \(room)}\n" }
            text += "steps:\n"
            for number in 0..<messages {
                // Every room gets a message before the first gets another. Consecutive messages go to different
                // shares.
                let row = "{room: r\(number * 7 % rooms), text: m\(number)}"
                text += "  - {after: 20ms, create: message, by: bo, row: \(row)}\n"
            }
            try writeFile(folder + "/scenario.yaml", text)
            server = try Peer([
                try pathOfWeir(), "serve", "--profile", Self.profile, "--quiet", "--scenario",
                folder + "/scenario.yaml",
            ])
            url = String(try server.readLine(startingWith: "url ").dropFirst(4))
            token = String(try server.readLine(startingWith: "token ").dropFirst(6))
            let deadline = MachineClock.monotonic + .seconds(60)
            while try weir("stream", "create", group).status != 0 {
                try #require(MachineClock.monotonic < deadline, "there is no stream")
            }
        }

        deinit { server.stop() }

        var environment: [String: String] { ["TOKEN": token, "HOME": folder] }

        func tail(_ arguments: String...) throws -> Peer {
            try Peer(
                [
                    try pathOfWeir(), "tail", url, "--profile", Self.profile, "--token", "env:TOKEN", "--no-ctl",
                    "--share", group, "--lease", "2s", "--format", "json",
                ] + arguments, environment: environment, errorsToo: true)
        }

        /// The model of a client that begins now, once it has all messages.
        func truth(rooms: Int, messages: Int) throws -> [String: [String: String]] {
            for seconds in [8, 20, 60] {
                let result = try weir(
                    [
                        "tail", url, "--profile", Self.profile, "--token", "env:TOKEN", "--no-ctl", "--store", "none",
                        "--format", "json", "--duration", "\(seconds)s",
                    ], environment: environment)
                let told = Told(result.output)
                let found = told.rows.keys.count { $0.hasPrefix("message/") }
                if told.joined.count == rooms, found == messages { return told.rows }
            }
            Issue.record("a client that begins now does not come to all rooms and messages")
            return [:]
        }

        /// Replays the group and returns the output.
        func read() throws -> Told {
            let replay = try weir(
                ["replay", group, "--speed", "max", "--format", "json"], environment: environment)
            let isRead = replay.status == 0 || replay.status == 3
            #expect(isRead, "\(replay.status): \(replay.errors.suffix(600))")
            return Told(replay.output)
        }

        /// Replays each member's recording and compares the result with what was recorded.
        func verify(recordings: Int) throws {
            let info = try weir("stream", "info", group, "--json")
            let found = (Told.object(info.output)["recordings"] as? [[String: Any]] ?? []).compactMap {
                $0["name"] as? String
            }
            #expect(found.count == recordings, "\(found)")
            for name in found {
                let replay = try weir("replay", group + "/" + name, "--speed", "max", "--verify", "--quiet")
                let isSame = replay.status == 0 || replay.status == 3
                #expect(isSame, "\(name): \(replay.status) \(replay.errors.suffix(400))")
            }
        }

        /// Returns the members that hold each room, according to `weir rooms ls`.
        func holders() throws -> [String: Set<String>] {
            let list = try weir(["rooms", "ls", "--on", group, "--json"], environment: environment)
            #expect(list.status == 0, "\(list.errors)")
            var holders: [String: Set<String>] = [:]
            for line in list.output.split(separator: "\n") {
                let row = Told.object(line)
                guard let room = row["room"] as? String, let member = row["member"] as? String,
                    row["state"] as? String == "joined"
                else { continue }
                holders[room, default: []].insert(member)
            }
            return holders
        }

        /// Waits until each room has one holder and the holders are `members` different members.
        func settle(rooms: Int, members: Int, within span: Duration = .seconds(40)) throws {
            let deadline = MachineClock.monotonic + span
            var holders: [String: Set<String>] = [:]
            while MachineClock.monotonic < deadline {
                holders = try self.holders()
                let all = holders.values.reduce(into: Set<String>()) { $0.formUnion($1) }
                if holders.count == rooms, all.count == members, holders.values.allSatisfy({ $0.count == 1 }) { return }
            }
            let counts = holders.values.reduce(into: [String: Int]()) {
                for member in $1 { $0[member, default: 0] += 1 }
            }
            Issue.record("\(holders.count) rooms are held, by \(counts)")
        }
    }

    /// The contents of the JSON objects that `--format json` prints.
    private struct Told {
        var rows: [String: [String: String]] = [:]
        /// The texts of the messages in order of arrival, with their times in microseconds since 1970 UTC.
        var messages: [(text: String, time: Int64)] = []
        var gaps: [(from: Int64, to: Int64)] = []
        var joined: Set<String> = []

        static func object(_ line: some StringProtocol) -> [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any] ?? [:]
        }

        init(_ output: String) {
            for line in output.split(separator: "\n") where line.hasPrefix("{") {
                let object = Self.object(line)
                let time = Self.microseconds(object["time"] as? String ?? "")
                switch object["type"] as? String {
                case "event" where object["kind"] as? String == "message":
                    messages.append((object["text"] as? String ?? "\(line)", time))
                case "gap" where object["cause"] as? String == "handover":
                    let start = time - Self.number(object["t_us"])
                    gaps.append((start + Self.number(object["from_us"]), start + Self.number(object["to_us"])))
                case "room" where object["change"] as? String == "joined":
                    joined.insert(object["room"] as? String ?? "")
                case "diff":
                    for change in object["diff"] as? [[String: Any]] ?? [] { apply(change) }
                default: break
                }
            }
        }

        private static func number(_ value: Any?) -> Int64 { (value as? NSNumber)?.int64Value ?? 0 }

        private static func microseconds(_ text: String) -> Int64 {
            let parts = text.split(separator: ".")
            let format = ISO8601DateFormatter()
            guard parts.count == 2, let date = format.date(from: parts[0] + "Z") else { return 0 }
            return Int64(date.timeIntervalSince1970) * 1_000_000 + (Int64(parts[1].dropLast()) ?? 0)
        }

        private mutating func apply(_ change: [String: Any]) {
            let id = "\(change["section"] ?? "")/\(change["parent"] ?? "")/\(change["id"] ?? "")"
            switch change["op"] as? String {
            case "delete": rows[id] = nil
            case "insert", "update", "move":
                var row = change["op"] as? String == "insert" ? [:] : rows[id] ?? [:]
                for (key, value) in change["fields"] as? [String: Any] ?? [:] { row[key] = "\(value)" }
                rows[id] = row
            case let other: Issue.record("a change \(other ?? "without op")")
            }
        }
    }

    @Test("With a tail killed, one fenced off and one added, each event arrives once or in a repaired gap")
    func sharing() throws {
        let (rooms, messages) = (300, 1500)
        let stage = try Stage(rooms: rooms, messages: messages)
        let first = try stage.tail()
        let second = try stage.tail()
        let third = try stage.tail()
        for tail in [first, second] { tail.drain() }
        let words = Monitor<[String]>([])
        runOnThread(named: "third") {
            while let line = third.readLine() { if !line.hasPrefix("{") { words.change { $0.append(line) } } }
        }
        try stage.settle(rooms: rooms, members: 3)
        kill(first.pid, SIGKILL)
        try stage.settle(rooms: rooms, members: 2)
        kill(third.pid, SIGSTOP)
        try stage.settle(rooms: rooms, members: 1)
        let fourth = try stage.tail()
        fourth.drain()
        try stage.settle(rooms: rooms, members: 2)
        kill(third.pid, SIGCONT)
        try stage.settle(rooms: rooms, members: 3)
        #expect(words.look { $0.contains { $0.contains("beginning anew as another member") } }, "\(words.look { $0 })")
        // Wait until the last message was sent and recorded.
        let deadline = MachineClock.monotonic + .seconds(60)
        var told = try stage.read()
        while !told.messages.contains(where: { $0.text == "m\(messages - 1)" }), MachineClock.monotonic < deadline {
            told = try stage.read()
        }
        let truth = try stage.truth(rooms: rooms, messages: messages)
        told = try stage.read()
        compare(told, truth)
        for tail in [second, third, fourth] { kill(tail.pid, SIGTERM) }
        for tail in [second, third, fourth] { tail.wait() }
        told = try stage.read()
        check(told, messages)
        try stage.verify(recordings: 5)
        compare(told, truth)
    }

    private func compare(_ told: Told, _ truth: [String: [String: String]]) {
        let differing = Set(told.rows.keys).union(truth.keys).filter { told.rows[$0] != truth[$0] }.sorted()
        let some = differing.prefix(3).map { "\($0): \(told.rows[$0] ?? [:]) for \(truth[$0] ?? [:])" }
        let isSame = differing.isEmpty
        #expect(isSame, "\(differing.count) rows differ: \(some)")
    }

    private func check(_ told: Told, _ messages: Int) {
        let texts = told.messages.map(\.text)
        #expect(Set(texts).count == texts.count, "\(texts.count - Set(texts).count) events came twice")
        let times = Dictionary(told.messages.map { ($0.text, $0.time) }) { first, _ in first }
        let missing = (0..<messages).filter { times["m\($0)"] == nil }
        for number in missing {
            // A message is sent every 20 ms. The missing one was sent between its known neighbours.
            let before = (0..<number).reversed().lazy.compactMap { times["m\($0)"] }.first
            let after = (number..<messages).lazy.compactMap { times["m\($0)"] }.first
            let isTold = told.gaps.contains { gap in
                (after.map { gap.from <= $0 } ?? true) && (before.map { gap.to >= $0 } ?? true)
            }
            #expect(isTold, "m\(number) is missing, and in no gap of \(told.gaps)")
        }
        #expect(texts.count > messages / 3, "\(texts.count) of \(messages) came")
    }
}
