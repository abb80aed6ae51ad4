import Glibc
import Testing
import TestSupport

/// Tests line endings and byte order marks in each kind of file that users write.
@Suite("Text files written by users")
struct TextFileRunTests {
    /// A home folder with files in its settings folder.
    private struct Home {
        let folder: String

        init(_ files: [String: [UInt8]]) throws {
            folder = try temporaryFolder()
            for part in ["/.config", "/.config/weir", "/.config/weir/contexts"] { mkdir(folder + part, 0o700) }
            for (name, bytes) in files {
                try writeFile(folder + "/.config/weir/" + name, bytes)
                chmod(folder + "/.config/weir/" + name, 0o600)
            }
        }

        func weir(_ arguments: String...) throws -> CommandResult {
            try CommandTests.weir(arguments, environment: ["HOME": folder, "XDG_STATE_HOME": folder])
        }
    }

    @Test(
        "A config file is read with any line ending and with a byte order mark",
        arguments: ["\n", "\r\n", "\r"])
    func config(ending: String) throws {
        let text = "\u{FEFF}seed = 7\(ending)# a comment\(ending)[demo]\(ending)duration = 3s"
        let shown = try Home(["config": Array(text.utf8)]).weir("config", "show", "demo")
        #expect(shown.output.contains("seed = 7"))
        #expect(shown.output.contains("~/.config/weir/config:1"))
        #expect(shown.output.contains("~/.config/weir/config:4"))
        #expect(shown.status == 0)
    }

    @Test("A comment at the top of a config file with CRLF hides no option")
    func comment() throws {
        let shown = try Home(["config": Array("# mine\r\nseed = 7\r\n".utf8)]).weir("config", "show", "demo")
        #expect(shown.output.contains("~/.config/weir/config:2"))
    }

    @Test("A context with CRLF and a byte order mark keeps its address and options", arguments: ["\r\n", "\r"])
    func context(ending: String) throws {
        let text = "\u{FEFF}url = http://h.invalid\(ending)# why\(ending)label = x\(ending)"
        let shown = try Home(["contexts/a": Array(text.utf8)]).weir("ctx", "show", "a")
        #expect(shown.status == 0)
        #expect(shown.output.contains("http://h.invalid"))
        #expect(shown.output.contains("label"))
    }

    @Test("A file of room patterns with a NUL byte is refused with line and column")
    func rooms() throws {
        let bad = try Home(["rooms": [0x23, 0x61, 0x0A, 0x00]])
        let refused = try bad.weir("rooms", "ls", "@" + bad.folder + "/.config/weir/rooms", "--store", "none")
        #expect(refused.status == 2)
        #expect(refused.errors.contains("line 2, column 1: a NUL byte; expected UTF-8 text"), "\(refused.errors)")
    }

    @Test("Messages and events of other programs are read with CRLF and a byte order mark")
    func foreign() throws {
        let folder = try temporaryFolder()
        let event = #"{"specversion":"1.0","id":"1","source":"x","type":"io.socket.tick","data":1}"#
        for (name, first, second) in [("lines", #"< 42["tick",1]"#, #"< 42["tick",2]"#), ("cloudevents", event, event)]
        {
            try writeFile(folder + "/" + name, "\u{FEFF}\(first)\r\n\(second)\r\n")
            let made = try weir(
                "file", "convert", folder + "/" + name, "--from", name, "--to", "weir", "-o", folder + "/a" + name)
            #expect(made.status == 0 && made.errors == "weir: 4 records written\n", "\(name): \(made.errors)")
        }
    }

    @Test("A config file that is not UTF-8 is refused with line and column")
    func noText() throws {
        let home = try Home(["config": Array("seed = 7\r\nname = ".utf8) + [0xE9, 0x0A]])
        let refused = try home.weir("demo")
        #expect(refused.status == 2)
        #expect(
            refused.errors.contains("config: is not used: line 2, column 8: a byte that is not UTF-8"),
            "\(refused.errors)")
        let wide = try Home(["config": [0xFF, 0xFE, 0x73, 0x00]]).weir("demo")
        #expect(wide.errors.contains("line 1, column 1: UTF-16 text; expected UTF-8 text"), "\(wide.errors)")
    }

    @Test("A file of marks with CRLF and a byte order mark keeps its first mark")
    func marks() throws {
        let home = try Home([:])
        let recording = home.folder + "/r.weir.jsonl"
        let sample = packageFolder + "/samples/recordings/hello.weir.jsonl"
        try writeFile(recording, try readFile(sample))
        for label in ["one", "two"] {
            let set = try home.weir("file", "mark", recording, "--set", label, "--at", "+0s")
            #expect(set.status == 0, "\(set.errors)")
        }
        let text = String(decoding: try readFile(recording + ".marks"), as: UTF8.self)
        try writeFile(recording + ".marks", "\u{FEFF}" + text.split(separator: "\n").joined(separator: "\r\n") + "\r\n")
        let shown = try home.weir("file", "mark", recording)
        #expect(shown.output.contains("one") && shown.output.contains("two"), "\(shown.output)\(shown.errors)")
    }
}
