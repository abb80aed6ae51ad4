import Foundation
import Testing
import TestSupport
import WeirJSON
import WeirThreads

/// Tests the photos of `samples/profiles/photos.yaml`, by command, against a service that answers 200, 201, 400 and
/// 500.
@Suite(
    .enabled(if: environment("socketio5") != nil, "aiohttp is not installed: run Tests/run"), .timeLimit(.minutes(3)))
struct PhotosTests {
    /// The service, and a home folder for the store of waiting actions.
    private final class World {
        let server: Peer
        let url: String
        let profile: String
        let home: String

        init() throws {
            let port = try freePort()
            url = "http://127.0.0.1:\(port)"
            home = try temporaryFolder()
            profile = home + "/photos.yaml"
            // Like the sample, but faster.
            try String(contentsOfFile: packageFolder + "/samples/profiles/photos.yaml", encoding: .utf8)
                .replacing("every: 2s", with: "every: 30ms").replacing("every: 10s", with: "every: 200ms")
                .write(toFile: profile, atomically: true, encoding: .utf8)
            let python = try #require(environment("socketio5")) + "/bin/python"
            server = try Peer([python, peersFolder + "/photos_python.py", "--port", "\(port)"], errorsToo: true)
            try server.readLine(startingWith: "listening")
            server.drain()
        }

        deinit { server.stop() }

        var variables: [String: String] {
            ["TOKEN": "token-of-ana", "HOME": home, "XDG_STATE_HOME": home + "/state", "XDG_RUNTIME_DIR": home]
        }

        /// Runs an action and waits for its end.
        func perform(_ action: String..., token: Bool = true) throws -> CommandResult {
            try weir(
                ["do", url] + action + ["--profile", profile, "--max-attempts", "1"]
                    + (token ? ["--token", "env:TOKEN"] : []), environment: variables)
        }

        /// Starts a tail called `p` of everything, which runs until it is stopped.
        func tail(_ more: String...) throws -> Peer {
            try Peer(
                [
                    try pathOfWeir(), "tail", url, "--profile", profile, "--token", "env:TOKEN", "--name", "p",
                    "--duration", "100s",
                ] + more, environment: variables, errorsToo: true)
        }

        func control(_ words: String...) throws -> CommandResult {
            try weir(["ctl", "p"] + words, environment: variables)
        }

        @discardableResult
        func ask(_ path: String, _ body: String? = nil) throws -> String {
            try TestSupport.run(
                [
                    "python3", "-c",
                    "import sys, urllib.request as r; a = sys.argv[2].encode() if len(sys.argv) > 2 else None; "
                        + "print(r.urlopen(r.Request(sys.argv[1], a)).read().decode())", url + path,
                ] + (body.map { [$0] } ?? []))
        }

        func stats() throws -> JSONValue { try JSONValue(parsing: Array(ask("/stats").utf8)[...]) }
    }

    /// Reads lines up to one that contains a text, or to the end. Returns them.
    @discardableResult
    private func read(_ tail: Peer, to end: String) -> String {
        var text = ""
        while let line = tail.readLine() {
            text += line + "\n"
            if line.contains(end) { break }
        }
        return text
    }

    private func list(_ value: JSONValue?) -> [JSONValue] { if case .array(let rows)? = value { rows } else { [] } }

    @Test func `register sends no token, and each status has its exit code, message and JSON`() throws {
        let world = try World()
        // 201, with an available token and without one.
        let created = try world.perform("register", "name=Bo", "about=", "--json")
        #expect(created.status == 0 && created.output.hasSuffix(#","subject":"bo","why":null,"status":201}"# + "\n"))
        #expect(try world.perform("register", "name=Cy", "about=", token: false).output == "cy\n")
        #expect(list(try world.stats()["registrations"]) == [.null, .null])
        // 200
        let updated = try world.perform("update-me", "about=likes cake", "--json")
        #expect(updated.status == 0 && updated.output.hasSuffix(#","subject":"ana","why":null,"status":200}"# + "\n"))
        // 400
        let refused = try world.perform("register", "name=Bo", "about=")
        #expect(refused.status == 4)
        #expect(refused.errors.contains("the action register was refused: there is a user called Bo (HTTP 400)"))
        // 500
        try world.ask("/fail", "500")
        let path = world.home + "/cake.jpg"
        try writeFile(path, "cake")
        let failed = try world.perform("send-photo", "to=bo", "image=" + path, "--store", "none")
        #expect(failed.status == 5, "\(failed.errors)")
        #expect(
            failed.errors.contains("was not done: the server cannot process it now (the disk is full)"),
            "\(failed.errors)")
        let told = try world.perform("send-photo", "to=bo", "image=" + path, "--store", "none", "--json")
        #expect(told.status == 5)
        #expect(
            told.output.hasSuffix(
                #","state":"unreachable","subject":null,"why":"the disk is full","status":500}"# + "\n"))
        #expect(list(try world.stats()["uploads"]).isEmpty)
    }

    @Test func `a photo is sent completely, and an invalid file is refused before any request`() throws {
        let world = try World()
        let path = world.home + "/cake.jpg"
        try writeFile(path, (0..<300_001).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let sent = try world.perform("send-photo", "to=bo", "image=" + path)
        #expect(sent.output == "9\n", "\(sent.errors)")
        let upload = try #require(list(try world.stats()["uploads"]).first)
        let sum = try TestSupport.run(["sha256sum", path]).prefix(64)
        #expect(upload["size"] == .integer(300_001) && upload["sha256"] == .string(String(sum)))
        for (image, why) in [
            ("nowhere.jpg", "image: 'nowhere.jpg': No such file or directory"), ("/", "image: '/' is a folder"),
        ] {
            let result = try world.perform("send-photo", "to=bo", "image=" + image)
            #expect(result.status == 2 && result.errors.contains(why), "\(result.errors)")
        }
        #expect(try TestSupport.run(["truncate", "-s", "17M", path]) == "")
        #expect(try world.perform("send-photo", "to=bo", "image=" + path).errors.contains("is larger than 16 MiB"))
        #expect(list(try world.stats()["uploads"]).count == 1)
    }

    @Test
    func `two lists become rows of two kinds, a sent photo is polled until seen, and a replay shows the same`()
        throws
    {
        let world = try World()
        let tail = try world.tail(
            "--record", world.home + "/a.weir.jsonl", "--diff-log", world.home + "/a.jsonl", "--format", "jsonl")
        defer { tail.stop() }
        try world.ask("/polls/7?more=5")
        let sections = try world.control("model.sections").output
        for words in [#""photo""#, #""trend""#, #""sent""#] { #expect(sections.contains(words), "\(sections)") }
        let photo = try world.control("model.item", "id=1").output
        #expect(photo.contains(#""sender":"Bo","image":"https://photos.example/1.jpg""#), "\(photo)")
        #expect(try world.control("model.item", "id=3").output.contains(#""views":900"#))
        // Photo 8 was seen before, so it is not polled.
        try world.ask("/state/7", "seen")
        try world.ask("/state/9", "sending")
        try world.ask("/polls/9?more=3")
        let polls = try world.stats()["polls"]
        try world.ask("/polls/9?more=20")
        let later = try world.stats()["polls"]
        #expect(later?["7"] == polls?["7"])
        #expect(later?["8"] == nil)
        // A refusal ends the polling, with the reason.
        try world.ask("/state/9", "lost")
        #expect(read(tail, to: "the film of photo 9 is lost").contains("it is not asked again"))
        #expect(try world.control("quit").status == 0)
        while tail.readLine() != nil {}
        #expect(tail.wait() == 0)
        for name in ["b", "c"] {
            let replay = try weir(
                "replay", world.home + "/a.weir.jsonl", "--diff-log", world.home + "/\(name).jsonl", "--quiet")
            #expect(replay.status == 0, "\(replay.errors)")
            #expect(try readFile(world.home + "/\(name).jsonl") == readFile(world.home + "/a.jsonl"))
        }
    }

    @Test func `the polling of one photo is cancelled by its tag, and an unknown tag lists the running ones`() throws {
        let world = try World()
        try world.ask("/state/9", "sending")
        let tail = try world.tail("--record", world.home + "/a.weir.jsonl", "--diff-log", world.home + "/a.jsonl")
        defer { tail.stop() }
        try world.ask("/polls/7?more=2")
        try world.ask("/polls/9?more=2")
        let wrong = try world.control("cancel", "tag=photo-70")
        #expect(wrong.status != 0)
        #expect(
            wrong.errors.contains("nothing runs with the tag 'photo-70'; running: photo-7, photo-9"), "\(wrong.errors)")
        #expect(try world.control("cancel", "tag=photo-7").status == 0)
        #expect(read(tail, to: "state of 7 is not asked any more: it was cancelled").contains("cancelled"))
        let polls = try world.stats()["polls"]
        try world.ask("/polls/9?more=20")
        #expect(try world.stats()["polls"]?["7"] == polls?["7"])
        #expect(try world.control("cancel", "tag=photo-9").status == 0)
        #expect(try world.control("cancel", "tag=photo-9").errors.contains("nothing runs with a tag"))
        #expect(try world.control("quit").status == 0)
        while tail.readLine() != nil {}
        let replay = try weir("replay", world.home + "/a.weir.jsonl", "--diff-log", world.home + "/b.jsonl", "--quiet")
        #expect(replay.status == 0, "\(replay.errors)")
        #expect(try readFile(world.home + "/b.jsonl") == readFile(world.home + "/a.jsonl"))
    }

    /// The file is a named pipe: its reader waits until a writer writes.
    @Test func `while a large photo is read and encoded everything else continues, and its tag cancels it`() throws {
        let world = try World()
        try world.ask("/fail", "503")
        for user in ["bo", "cy"] {
            let path = world.home + "/for-" + user
            try writeFile(path, "cake")
            let waits = try world.perform("send-photo", "to=" + user, "image=" + path)
            #expect(waits.status == 5 && waits.errors.contains("is queued"), "\(waits.errors)")
            try #require(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
        }
        try world.ask("/fail", "0")
        let tail = try world.tail()
        defer { tail.stop() }
        // This open returns once the tail has opened the pipe for reading.
        let pipe = open(world.home + "/for-bo", O_WRONLY | O_CLOEXEC)
        try #require(pipe >= 0)
        try world.ask("/polls/7?more=10")
        let cancelled = try world.control("cancel", "tag=to-cy")
        #expect(cancelled.status == 0, "\(cancelled.errors)")
        let part = [UInt8](repeating: 0x5A, count: 1 << 20)
        for _ in 0..<8 { #expect(write(pipe, part, part.count) == part.count) }
        try world.ask("/polls/7?more=10")
        close(pipe)
        try world.ask("/polls/9?more=1")
        let uploads = list(try world.stats()["uploads"])
        #expect(uploads.count == 1)
        #expect(uploads.first?["size"] == .integer(8 << 20))
    }
}
