import Glibc
import Testing
import TestSupport

/// Tests the commands that write, against the embedded server of each era.
@Suite("Commands that act", .timeLimit(.minutes(3)))
struct ActionRunTests {
    private static let eras = ["a", "b"]

    @Test("A message is sent, edited, reacted to and deleted, and each command prints its id", arguments: eras)
    func message(era: String) throws {
        let server = try EraServer(era: era)
        defer { server.stop() }
        let id = try server.did(["send"], ["#general", "Good morning"])
        #expect(id.count == 36, "\(id)")
        #expect(try server.did(["edit"], ["#general", id, "Good evening"]) == id)
        #expect(try server.did(["react"], ["#general", id, "👍"]) == id)
        #expect(try server.did(["react"], ["#general", id]) == id)
        let reply = try server.did(["send"], ["#general", "And to you"], ["--thread", id])
        #expect(reply.count == 36 && reply != id)
        #expect(try server.did(["delete"], ["#general", reply], ["--thread", id]) == reply)
        #expect(try server.did(["delete"], ["#general", id]) == id)
        #expect(try server.did(["read"], ["#general"]).count == 36)
        let again = try server.run(["delete"], ["#general", id])
        #expect(again.status == 4)
        #expect(again.errors.hasPrefix("weir: the deletion was refused: "), "\(again.errors)")
    }

    @Test("A text may come from standard input", arguments: eras)
    func standardInput(era: String) throws {
        let server = try EraServer(era: era)
        defer { server.stop() }
        let input = try temporaryFile()
        let output = try temporaryFile()
        defer {
            close(input)
            close(output)
        }
        let text = Array("two\nlines\n".utf8)
        #expect(write(input, text, text.count) == text.count)
        lseek(input, 0, SEEK_SET)
        let process = try start(
            [try pathOfWeir(), "send", server.url, "#general", "-"] + server.token, environment: [:],
            descriptors: [0: input, 1: output, 2: output])
        #expect(try waitForExit(of: process) == 0)
        #expect(try contents(of: output).count == 37)
        let empty = try server.run(["send"], ["#general"])
        #expect(empty.status == 2)
        #expect(empty.errors.hasPrefix("weir: the text on standard input is empty\n"), "\(empty.errors)")
    }

    @Test("Channels are created, changed, joined by members and deleted, and workspaces created", arguments: eras)
    func channels(era: String) throws {
        let server = try EraServer(era: era)
        defer { server.stop() }
        let channel = try server.did(
            ["channel", "create"], ["Releases"], ["--icon", "🚀", "--visibility", "private", "--description", "out"])
        #expect(channel.count == 36)
        #expect(try server.did(["channel", "edit"], ["#releases"], ["--rename", "Launches"]) == channel)
        #expect(try server.did(["send"], ["#launches", "first"]).count == 36)
        let me = String(try server.did(["whoami"], []).prefix(36))
        let removed = try server.did(["channel", "members", "remove"], [channel, me])
        #expect(removed == me)
        let gone = try server.run(["channel", "delete"], [channel])
        #expect(gone.status == 4)
        #expect(gone.errors.contains("none of your channels in the workspace is named \(channel)"), "\(gone.errors)")
        let other = try server.did(["channel", "create"], ["Other"])
        #expect(try server.did(["channel", "delete"], [other]) == other)
        #expect(try server.did(["workspace", "create"], ["Sales"]).count == 36)
    }

    @Test("A channel's visibility is changed by its owner, if the server has a call for it", arguments: eras)
    func visibility(era: String) throws {
        let server = try EraServer(era: era)
        defer { server.stop() }
        let channel = try server.did(["channel", "create"], ["Plans"])
        let own = try server.run(["channel", "edit"], ["#plans"], ["--visibility", "private"])
        let other = try server.run(["channel", "edit"], ["#general"], ["--visibility", "private"])
        #expect(other.status == 4)
        if era == "b" {
            #expect(own.status == 0 && own.output == channel + "\n", "\(own.errors)")
            #expect(other.errors.contains("Current user can not update requested fields"), "\(other.errors)")
        } else {
            #expect(own.status == 4)
            let why = "this server cannot change the visibility of a channel"
            for result in [own, other] {
                #expect(result.errors == "weir: the edit of the channel was refused: \(why)\n")
            }
        }
        let direct = try server.run(["channel", "edit"], [channel], ["--visibility", "direct"])
        #expect(direct.status == 2 && direct.errors.contains("a channel cannot become direct"), "\(direct.errors)")
    }

    @Test("Members are added one by one, each with a result", arguments: eras)
    func members(era: String) throws {
        let server = try EraServer(era: era)
        defer { server.stop() }
        let channel = try server.did(["channel", "create"], ["Quiet"])
        let nobody = "00000000-0000-4000-8000-000000000000"
        let refused = try server.run(["channel", "members", "add"], [channel, nobody, nobody], ["--json"])
        #expect(refused.status == 4)
        let lines = refused.output.split(separator: "\n")
        #expect(lines.count == 2, "\(refused.output)")
        #expect(lines.allSatisfy { $0.contains(#""do":"add_member","state":"refused""#) }, "\(refused.output)")
    }

    @Test(
        "An action in an unknown place is refused, and the message lists the known ones",
        arguments: eras)
    func places(era: String) throws {
        let server = try EraServer(era: era)
        defer { server.stop() }
        let commands = [
            (["send"], ["#general", "hello"]), (["edit"], ["#general", "M", "hello"]), (["react"], ["#general", "M"]),
            (["delete"], ["#general", "M"]), (["read"], ["#general"]), (["channel", "create"], ["New"]),
            (["channel", "members", "add"], ["#general", "U"]),
        ]
        for (command, rest) in commands {
            let company = try server.run(command, rest, ["--company", "nope"])
            #expect(company.status == 4)
            #expect(
                company.errors.contains(" was refused: no company 'nope'; candidates: "), "\(company.errors)")
            let workspace = try server.run(command, rest, ["--workspace", "nope"])
            #expect(workspace.status == 4)
            #expect(
                workspace.errors.contains(" was refused: no workspace 'nope' in company "),
                "\(workspace.errors)")
        }
        let made = try server.run(["workspace", "create"], ["Sales"], ["--company", "nope"])
        #expect(made.status == 4)
        // None of the actions waits for a later command.
        let sent = try server.run(["send"], ["#general", "hello"])
        #expect(sent.status == 0 && !sent.errors.contains("waited"), "\(sent.errors)")
    }

    @Test("A result as JSON always has the same members", arguments: eras)
    func json(era: String) throws {
        let server = try EraServer(era: era)
        defer { server.stop() }
        let sent = try server.run(["send"], ["#general", "hello"], ["--json"])
        #expect(sent.status == 0)
        #expect(sent.output.hasPrefix(#"{"action":""#), "\(sent.output)")
        #expect(sent.output.contains(#""do":"send","state":"done","subject":""#), "\(sent.output)")
        #expect(sent.output.hasSuffix(#","why":null,"status":200}"# + "\n"), "\(sent.output)")
        let nowhere = try server.run(["send"], ["#nowhere", "hello"], ["--json"])
        #expect(nowhere.status == 4)
        #expect(
            nowhere.output.hasSuffix(
                #""state":"refused","subject":null,"why":"none of your channels in the workspace is named #nowhere","status":null}"#
                    + "\n"), "\(nowhere.output)")
    }

    @Test(
        "A missing server, a refusing server and a bad token are reported differently", arguments: eras)
    func failures(era: String) throws {
        let server = try EraServer(era: era)
        defer { server.stop() }
        let missing = try weir(
            ["send", "http://127.0.0.1:1", "#general", "hello", "--max-attempts", "1"] + server.token)
        #expect(missing.status == 5)
        #expect(
            missing.errors.hasPrefix("weir: the message was not sent: the server cannot be reached ("),
            "\(missing.errors)")
        let refused = try weir(
            ["send", server.url, "#general", "hello", "--token", "env:TOKEN"], environment: ["TOKEN": "not-a-token"])
        #expect(refused.status == 4)
        #expect(refused.errors == "weir: the message was refused: the token was refused (HTTP 401)\n")
        let unset = try weir(["send", server.url, "#general", "hello", "--token", "env:NOT_SET_ANYWHERE"])
        #expect(unset.status == 2)
        #expect(unset.errors == "weir: the environment variable NOT_SET_ANYWHERE is not set\n")
    }

    @Test("A login saves a token for its owner only, and a logout removes it", arguments: eras)
    func login(era: String) throws {
        let server = try EraServer(era: era)
        defer { server.stop() }
        let file = server.folder + "/saved"
        let environment = ["PASSWORD": "weir"]
        let login = try weir(
            ["login", server.url, "--user", "ana.lima", "--password", "env:PASSWORD", "--save", file],
            environment: environment)
        #expect(login.status == 0, "\(login.errors)")
        #expect(login.output == "logged in; token saved to \(file)\n")
        var facts = stat()
        #expect(stat(file, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
        let who = try weir(["whoami", server.url, "--token", "file:\(file)", "--json"])
        #expect(who.status == 0, "\(who.errors)")
        #expect(who.output.contains(#""name":"Ana Lima","era":"\#(era)"}"#), "\(who.output)")
        #expect(try weir(["send", server.url, "#general", "hi", "--token", "file:\(file)"]).status == 0)
        let logout = try weir(["logout", server.url, "--token", "file:\(file)"])
        #expect(logout.status == 0, "\(logout.errors)")
        #expect(access(file, F_OK) != 0)
        let wrong = try weir(
            ["login", server.url, "--user", "ana.lima", "--password", "env:PASSWORD", "--save", file],
            environment: ["PASSWORD": "wr0ng-secret"])
        #expect(wrong.status == 4)
        #expect(wrong.errors.hasPrefix("weir: refused: "), "\(wrong.errors)")
        #expect(!wrong.errors.contains("wr0ng"))
        #expect(access(file, F_OK) != 0)
        let argued = try weir("login", server.url, "--user", "ana.lima", "--password", "weir", "--save", file)
        #expect(argued.status == 2)
        #expect(argued.errors.contains("takes a reference, not the password itself"), "\(argued.errors)")
    }

    @Test("A file is downloaded once, completely, and for its owner only", arguments: eras)
    func file(era: String) throws {
        let server = try EraServer(era: era)
        defer { server.stop() }
        let store = ["--store", server.folder + "/kept.sqlite"]
        // The ids of one seed are the same in both eras. Only era B's events contain them directly.
        let told = try EraServer(era: "b")
        defer { told.stop() }
        let tail = try weir(
            ["tail", told.url, "--no-ctl", "--duration", "2s", "--format", "json", "--store", "none"] + told.token)
        let place = try #require(tail.output.firstRange(of: #""files":[{"id":""#), "\(tail.errors)")
        let id = String(tail.output[place.upperBound...].prefix(36))
        let path = server.folder + "/plan.txt"
        let first = try server.run(["download", "file"], [id, "--output", path], store)
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.output == "68 bytes in \(path)\n")
        #expect(String(decoding: try readFile(path), as: UTF8.self).hasPrefix("1. Boats out by nine\n"))
        var facts = stat()
        #expect(stat(path, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
        let missing = try server.run(["download", "file"], ["no-such-file", "--output", path + "2"], store)
        #expect(missing.status == (era == "a" ? 4 : 1))
        #expect(access(path + "2", F_OK) != 0)
        let unwritable = try server.run(["download", "file"], [id, "--output", server.folder + "/no/folder"], store)
        #expect(unwritable.status == 7)
        server.stop()
        let again = try server.run(["download", "file"], [id], store)
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.output.hasSuffix("3. Photographs, then home\n"))
    }

    @Test("The own picture or another user's is downloaded, and a missing picture is reported", arguments: eras)
    func picture(era: String) throws {
        let server = try EraServer(era: era)
        defer { server.stop() }
        let store = ["--store", "none"]
        let own = try server.run(["download", "picture"], [], store)
        #expect(own.status == 0, "\(own.errors)")
        #expect(own.output.contains(">AL</text>"))
        let nobody = try server.run(["download", "picture"], ["nobody"], store)
        #expect(nobody.status == (era == "a" ? 4 : 1), "\(nobody.errors)")
        #expect(try server.run(["download", "picture"], ["--json"], store).status == 2)
        #expect(try server.run(["download", "song"], [], store).status == 2)
    }

    @Test("A refused text is kept as a draft until it is sent", arguments: eras)
    func draft(era: String) throws {
        let server = try EraServer(era: era)
        defer { server.stop() }
        let store = ["--store", server.folder + "/kept.sqlite"]
        let none = try server.run(["send"], ["#later", "--draft"], store)
        #expect(none.status == 4)
        #expect(none.errors == "weir: the message was refused: no draft for #later\n")
        let refused = try server.run(["send"], ["#later", "Words worth keeping"], store)
        #expect(refused.status == 4)
        #expect(refused.errors.hasSuffix("weir: the text is saved as a draft; send it with --draft instead of TEXT\n"))
        _ = try server.did(["channel", "create"], ["Later"])
        #expect(try server.did(["send"], ["#later", "--draft"], store).count == 36)
        #expect(try server.run(["send"], ["#later", "--draft"], store).status == 4)
        #expect(try server.run(["send"], ["#later", "words", "--draft"], store).status == 2)
        #expect(try server.run(["send"], ["#later", "--draft"], ["--store", "none"]).status == 2)
    }
}
