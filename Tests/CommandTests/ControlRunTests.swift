import Glibc
import Testing
import TestSupport
import WeirThreads

/// Tests controlling tails from other shells.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ControlRunTests {
    private func environment() throws -> [String: String] {
        ["XDG_RUNTIME_DIR": try temporaryFolder(), "HOME": "/nonexistent"]
    }

    /// Starts a demo called `x`, and waits until it has begun.
    private func demo(_ environment: [String: String], _ more: [String] = []) throws -> Peer {
        let demo = try Peer(
            [try pathOfWeir(), "demo", "--duration", "1m", "--name", "x"] + more, environment: environment,
            errorsToo: true)
        while let line = demo.readLine(), !line.contains("+ channel ") {}
        return demo
    }

    @Test func `a running tail is listed, queried, attached to and ended from another shell`() throws {
        let environment = try environment()
        let demo = try demo(environment)
        let list = try weir("ps", environment: environment)
        #expect(list.status == 0)
        let lines = list.output.split(separator: "\n")
        #expect(
            lines.count == 2 && lines[0].hasPrefix("NAME  CTX  PID") && lines[1].hasPrefix("x     -    \(demo.pid)"))
        let json = try weir("ps", "--json", environment: environment)
        #expect(json.output.hasPrefix(#"{"name":"x","kind":"tail","pid":\#(demo.pid),"#))
        let status = try weir("ctl", "x", "status", environment: environment)
        #expect(status.status == 0 && status.output.contains(#""state":"ready""#))
        let attached = try weir("attach", "x", "--count", "3", "--format", "json", environment: environment)
        #expect(attached.status == 0)
        #expect(attached.output.split(separator: "\n").count { $0.contains(#""type":"event""#) } == 3)
        #expect(try weir("attach", "x", "--until-match", "type = event", environment: environment).status == 0)
        let taken = try weir("demo", "--name", "x", environment: environment)
        #expect(taken.status == 2 && taken.errors.contains("x is already running: choose another --name"))
        let quit = try weir("ctl", "quit", environment: environment)
        #expect(quit.status == 0 && quit.output == "true\n")
        while demo.readLine() != nil {}
        #expect(demo.wait() == 0)
        #expect(try weir("ps", environment: environment).output == "")
    }

    @Test func `wrong methods and parameters get suggestions, and a missing tail is code 5`() throws {
        let environment = try environment()
        let none = try weir("ctl", "status", environment: environment)
        #expect(none.status == 5 && none.errors == "weir: no tail is running\n")
        let wrong = try weir("ctl", "statsu", environment: environment)
        #expect(wrong.status == 2 && wrong.errors.contains("did you mean 'status'?"))
        let missing = try weir("ctl", "record.start", environment: environment)
        #expect(missing.status == 2 && missing.errors.contains("record.start needs name=…"))
        let unknown = try weir("ctl", "mark", "lable=x", environment: environment)
        #expect(unknown.status == 2 && unknown.errors.contains("did you mean 'label'?"))
        let number = try weir("ctl", "model.get", "section=x", environment: environment)
        #expect(number.status == 2 && number.errors.contains("whole number"))
        #expect(try weir("attach", "../x", environment: environment).status == 2)
        #expect(try weir("attach", "x", environment: environment).status == 5)
    }

    @Test func `SIGUSR1 prints statistics, SIGUSR2 warns without a flight recorder, and a second SIGINT ends at once`()
        throws
    {
        let environment = try environment()
        let demo = try demo(environment)
        kill(demo.pid, SIGUSR1)
        var told: String?
        while let line = demo.readLine() {
            guard line.contains("statistics: records ") else { continue }
            told = line
            break
        }
        #expect(told?.contains("events per second") == true)
        kill(demo.pid, SIGUSR2)
        var isWarned = false
        while let line = demo.readLine() {
            guard line.contains("no flight recorder") else { continue }
            isWarned = true
            break
        }
        #expect(isWarned)
        kill(demo.pid, SIGINT)
        kill(demo.pid, SIGINT)
        while demo.readLine() != nil {}
        #expect(demo.wait() == 130)
    }

    @Test func `SIGHUP starts the recording's next segment`() throws {
        let folder = try temporaryFolder()
        let backend = try Peer([try pathOfWeir(), "serve", "--seed", "4", "--quiet", "--listen", "127.0.0.1:0"])
        defer { backend.stop() }
        let url = String(try backend.readLine(startingWith: "url ").dropFirst(4))
        let token = String(try backend.readLine(startingWith: "token ").dropFirst(6))
        let tail = try Peer(
            [
                try pathOfWeir(), "record", url, folder + "/a.weir.jsonl", "--token", "env:T", "--rotate", "hup",
                "--store", "none", "--no-ctl",
            ], environment: ["T": token], errorsToo: true)
        while let line = tail.readLine(), !line.contains("+ room ") {}
        kill(tail.pid, SIGHUP)
        let second = folder + "/a.0002.weir.jsonl"
        while access(second, F_OK) != 0, let _ = tail.readLine() {}
        kill(tail.pid, SIGTERM)
        while tail.readLine() != nil {}
        #expect(tail.wait() == 143)
        #expect(access(second, R_OK) == 0)
        let replayed = try weir(
            "replay", folder + "/a.0001.weir.jsonl", second, "--speed", "max", "--verify", "--quiet", "--no-ctl")
        #expect(replayed.status == 0, "\(replayed.errors)")
    }

    @Test func `a tail is named after its context, and a second one gets a name of its own`() throws {
        let folder = try temporaryFolder()
        let backend = try Peer([try pathOfWeir(), "serve", "--seed", "4", "--quiet", "--listen", "127.0.0.1:0"])
        defer { backend.stop() }
        let url = String(try backend.readLine(startingWith: "url ").dropFirst(4))
        let token = String(try backend.readLine(startingWith: "token ").dropFirst(6))
        let environment = ["XDG_RUNTIME_DIR": folder, "HOME": folder, "XDG_STATE_HOME": folder, "T": token]
        #expect(try weir("ctx", "add", "work", url, "--token", "env:T", environment: environment).status == 0)
        let words = [try pathOfWeir(), "tail", "--ctx", "work", "--store", "none", "--format", "json", "--quiet"]
        let first = try Peer(words, environment: environment)
        while let line = first.readLine(), !line.contains(#""change":"joined""#) {}
        let second = try Peer(words, environment: environment)
        while let line = second.readLine(), !line.contains(#""change":"joined""#) {}
        let list = try weir("ps", "--json", environment: environment).output
        #expect(list.contains(#"{"name":"work","kind":"tail","pid":\#(first.pid),"#), "\(list)")
        #expect(list.contains(#"{"name":"work-\#(second.pid)","kind":"tail","#), "\(list)")
        #expect(list.contains(#""context":"work""#))
        for tail in [first, second] { kill(tail.pid, SIGTERM) }
    }

    @Test func `a replay is listed and controlled from another shell, and refuses a tail's methods`() throws {
        let environment = try environment()
        let sample = packageFolder + "/samples/recordings/hello.weir.jsonl"
        let replay = try Peer(
            [try pathOfWeir(), "replay", sample, "--speed", "0.01", "--name", "r", "--format", "json", "--quiet"],
            environment: environment)
        while try weir("ctl", "r", "position", environment: environment).status != 0 {}
        let list = try weir("ps", environment: environment).output
        #expect(list.contains("r     -    \(replay.pid)") && list.contains("replay  playing"), "\(list)")
        #expect(try weir("ctl", "r", "pause", environment: environment).output.contains(#""state":"paused""#))
        let sought = try weir("ctl", "r", "seek", "to=+2s", environment: environment)
        #expect(sought.status == 0 && sought.output.contains(#""record":"#))
        let nowhere = try weir("ctl", "r", "seek", "to=nowhere", environment: environment)
        #expect(nowhere.status == 1 && nowhere.errors.contains("invalid position"))
        let rooms = try weir("ctl", "r", "rooms.list", environment: environment)
        #expect(rooms.status == 2 && rooms.errors.contains("a replay has no method 'rooms.list'"))
        #expect(try weir("ctl", "r", "speed", "to=max", environment: environment).status == 0)
        #expect(try weir("ctl", "r", "resume", environment: environment).status == 0)
        while replay.readLine() != nil {}
        #expect(replay.wait() == 3, "the sample has a gap")
    }
}
