import Glibc
import Testing
import TestSupport

/// The path of `samples/recordings`, with a slash at its end.
private let samples = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/samples/recordings/"

@Suite("The toolbox for event files", .timeLimit(.minutes(2)))
struct FileRunTests {
    private let sample = samples + "hello.weir.jsonl"

    /// Writes a copy of the sample with an unreadable ninth line. Returns its path.
    private func damaged(in folder: String) throws -> String {
        var lines = String(decoding: try readFile(sample), as: UTF8.self).split(separator: "\n").map(String.init)
        lines[8] = "{\"k\":\"f\",\u{202E}"
        try writeFile(folder + "/damaged", lines.joined(separator: "\n") + "\n")
        return folder + "/damaged"
    }

    @Test("info describes a file's contents, as text and as JSON")
    func info() throws {
        let text = try weir("file", "info", sample)
        #expect(text.status == 0 && text.errors == "")
        #expect(text.output.contains("\nevents      3 hello\n            1 price\n"))
        #expect(text.output.contains("\nend         closed\n"))
        let json = try weir("file", "info", "--json", sample, sample)
        #expect(json.output.split(separator: "\n").count == 2)
        #expect(json.output.contains(#""events":{"hello":3,"price":1}"#))
    }

    @Test("doctor finds no problem in the sample, and reports problems with line and offset")
    func doctor() throws {
        let folder = try temporaryFolder()
        let well = try weir("file", "doctor", sample)
        #expect(well.status == 0 && well.output.hasSuffix(" records, no problems\n"))
        #expect(try weir("file", "doctor", "--secrets", samples + "reconnect.weir.jsonl").status == 0)
        let ill = try weir("file", "doctor", try damaged(in: folder))
        #expect(ill.status == 3 && ill.errors == "")
        #expect(ill.output.hasPrefix("\(folder)/damaged: line 9, byte "))
        #expect(!ill.output.contains("\u{202E}"))
        let json = try weir("file", "doctor", "--json", folder + "/damaged")
        #expect(json.output.hasPrefix(#"{"file":"\#(folder)/damaged","kind":"damage","line":9,"offset":"#))
    }

    @Test("repair writes a file that replays, keeps the unreadable lines next to it, and ends with code 3")
    func repair() throws {
        let folder = try temporaryFolder()
        let repaired = try weir("file", "repair", try damaged(in: folder), "-o", folder + "/whole")
        #expect(repaired.status == 3)
        #expect(repaired.errors.contains("1 lines (13 bytes) cannot be read"))
        #expect(String(decoding: try readFile(folder + "/whole.damaged"), as: UTF8.self) == "{\"k\":\"f\",\u{202E}\n")
        #expect(try weir("file", "doctor", folder + "/whole").status == 0)
        let replays = try [sample, folder + "/whole"].map { try weir("replay", $0, "--speed", "max", "--quiet") }
        #expect(replays[0].status == replays[1].status && replays[1].output.contains("are you back?"))
        let again = try weir("file", "repair", folder + "/damaged", "-o", folder + "/whole")
        #expect(again.status == 7)
        #expect(again.errors.contains("already exists; --force overwrites it"))
    }

    @Test("index writes to standard output, to another file, or in place")
    func index() throws {
        let folder = try temporaryFolder()
        let first = try weir("file", "index", sample)
        #expect(first.status == 0 && first.output.contains(#"{"k":"idx","#))
        try writeFile(folder + "/a", first.output)
        #expect(try weir("file", "index", folder + "/a", "-o", folder + "/a", "--force").status == 0)
        #expect(String(decoding: try readFile(folder + "/a"), as: UTF8.self) == first.output)
        var status = stat()
        #expect(stat(folder + "/a", &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("cat prints exactly what a replay prints")
    func cat() throws {
        for format in ["compact", "json", "raw"] {
            let replayed = try weir("replay", sample, "--speed", "max", "--quiet", "--format", format)
            let shown = try weir("file", "cat", sample, "--format", format)
            #expect(shown.output == replayed.output && shown.status == replayed.status)
        }
    }

    @Test("grep finds payloads, marks matches and context, counts, and ends with code 1 without a match")
    func grep() throws {
        let found = try weir("file", "grep", "-i", "EUR", sample, "-B1")
        #expect(found.status == 0 && found.errors == "")
        let lines = found.output.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasPrefix("15- 03:04:07.100  "))
        #expect(lines[1] == #"16: 03:04:07.500  < 42["price",{"eur":12.5}]"#)
        #expect(try weir("file", "grep", "-cF", "42[", sample, sample).output == "\(sample):4\n\(sample):4\n")
        let json = try weir("file", "grep", "--json", "price", sample)
        #expect(json.output.hasPrefix(#"{"k":"f","n":16,"#))
        #expect(try weir("file", "grep", "nowhere", sample).status == 1)
        let bad = try weir("file", "grep", "(", sample)
        #expect(bad.status == 2 && bad.errors.hasPrefix("weir: invalid regular expression '(': missing ): ("))
    }

    @Test("grep shortens a long text around the match, and prints only matches or file names")
    func grepSnippets() throws {
        let folder = try temporaryFolder()
        let filler = String(repeating: "é", count: 300)
        try writeFile(folder + "/log", "< 0{}\n< 42[\"long\",\"\(filler)needle7\(filler)\"]\n< 42[\"a\",\"needle8\"]\n")
        let file = folder + "/a"
        #expect(try weir("file", "convert", folder + "/log", "--to", "weir", "-o", file).status == 0)
        let lines = try weir("file", "grep", "needle[0-9]", file).output.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasSuffix("éneedle7\(String(repeating: "é", count: 56))… (1220 bytes)"))
        #expect(lines[0].contains("  < …é") && lines[1].hasSuffix(#"  < 42["a","needle8"]"#), "\(lines)")
        let coloured = try weir("file", "grep", "needle8", file, "--color", "always").output
        #expect(coloured.contains("\u{1B}[38;5;160mneedle8\u{1B}[0m"))
        #expect(try weir("file", "grep", "-o", "needle[0-9]", file).output == "needle7\nneedle8\n")
        #expect(try weir("file", "grep", "-l", "needle", file, sample).output == file + "\n")
        #expect(try weir("file", "grep", "--raw", "needle7", file).output.utf8.count > 1200)
    }

    @Test("An empty cut writes no file and reports the available range, and an unknown mark lists the others")
    func cutNothing() throws {
        let folder = try temporaryFolder()
        let none = try weir("file", "cut", sample, "--start", "+90h", "-o", folder + "/a")
        #expect(none.status == 1 && access(folder + "/a", F_OK) != 0)
        #expect(
            none.errors.hasPrefix(
                "weir: \(sample): no record is there, so that nothing is written: it goes from n:1 to n:"),
            "\(none.errors)")
        let missing = "no mark is named nope; marks: back again\n"
        for command in [
            ["file", "cut", sample, "--start", "mark:nope"], ["file", "filter", sample, "--end", "mark:nope"],
            ["file", "mark", sample, "--set", "x", "--at", "mark:nope"],
            ["replay", sample, "--start", "mark:nope", "--speed", "max", "--no-ctl", "--summary", "none"],
        ] {
            let result = try weir(command)
            #expect(result.status == 1 && result.errors.hasSuffix(missing), "\(command): \(result)")
        }
    }

    @Test("No folder is created for a recording, since the path may be a mistake")
    func missingFolder() throws {
        let folder = try temporaryFolder()
        let path = folder + "/none/a.weir.jsonl"
        for command in [
            ["demo", "--record", path, "--no-ctl"], ["file", "index", sample, "-o", path],
            ["file", "compress", sample, "-o", path],
        ] {
            let result = try weir(command)
            #expect(
                result.status == 7
                    && result.errors.contains(
                        ": the folder \(folder)/none does not exist; create it with 'mkdir -p \(folder)/none'\n"),
                "\(command): \(result)")
            #expect(access(folder + "/none", F_OK) != 0)
        }
    }

    @Test("filter and cut write recordings that replay, and removed records are counted")
    func filterAndCut() throws {
        let folder = try temporaryFolder()
        let filtered = try weir("file", "filter", sample, "--not-event", "hello", "-o", folder + "/a")
        #expect(filtered.status == 0 && filtered.errors == "weir: 30 records kept, 3 left out\n")
        let shown = try weir("file", "cat", folder + "/a", "--format", "raw")
        #expect(shown.output == "[\"price\",{\"eur\":12.5}]\n")
        let cut = try weir("file", "cut", sample, "--start", "+4300ms", "--end", "mark:back again", "-o", folder + "/b")
        #expect(cut.status == 0)
        let part = try weir("file", "cat", folder + "/b", "--format", "raw")
        #expect(part.output == "[\"hello\",{\"from\":\"ada\",\"text\":\"are you back?\"}]\n")
        let none = try weir("file", "cut", sample)
        #expect(none.status == 2 && none.errors.hasPrefix("weir: --start or --end is missing\n"))
        let bad = try weir("file", "cut", sample, "--start", "noon")
        #expect(bad.status == 2 && bad.errors.hasPrefix("weir: --start: invalid position 'noon'; "))
    }

    @Test("merge joins the parts of a recording, and a mark is set and listed")
    func mergeAndMark() throws {
        let folder = try temporaryFolder()
        #expect(try weir("file", "merge", sample, sample, "-o", folder + "/a").status == 0)
        let overview = try weir("file", "info", "--json", folder + "/a")
        #expect(overview.output.contains(#""events":{"hello":6,"price":2}"#))
        let marked = try weir("file", "mark", sample, "--set", "here", "--at", "n:16", "-o", folder + "/b")
        #expect(marked.status == 0)
        let listed = try weir("file", "mark", folder + "/b")
        #expect(
            listed.output == "16  2026-01-02T03:04:07.500123Z  here\n32  2026-01-02T03:04:09.520123Z  back again\n")
        #expect(try weir("file", "mark", sample, "--set", "here", "--at", "n:99", "-o", folder + "/c").status == 1)
        for name in ["/a", "/b"] { #expect(try weir("file", "doctor", folder + name).status == 0) }
    }

    @Test("Every tool compresses a file called .zst, and replaces a file only if told to")
    func compressedByName() throws {
        let folder = try temporaryFolder()
        let (recorded, cut) = (folder + "/a.weir.jsonl.zst", folder + "/b.weir.jsonl.zst")
        #expect(try weir("demo", "--no-ctl", "--quiet", "--count", "3", "--record", recorded).status == 0)
        #expect(try weir("file", "cut", sample, "--start", "+0s", "-o", cut).status == 0)
        for file in [recorded, cut] {
            #expect(try readFile(file).starts(with: [0x28, 0xB5, 0x2F, 0xFD]))
            #expect(try weir("file", "doctor", file).status == 0)
        }
        #expect(try weir("file", "cut", sample, "--start", "+0s", "-o", folder + "/plain").status == 0)
        #expect(try weir("file", "compress", "-d", cut, "-o", folder + "/text").status == 0)
        #expect(try readFile(folder + "/text") == readFile(folder + "/plain"))

        let before = try readFile(cut)
        let again = try weir("file", "cut", sample, "--start", "+2s", "-o", cut)
        #expect(again.status == 7 && again.errors.contains("already exists; --force overwrites it"))
        #expect(try readFile(cut) == before)
        #expect(try weir("file", "cut", cut, "--start", "+2s", "-o", cut, "--force").status == 0)
        #expect(try readFile(cut) != before)
        #expect(try weir("file", "cut", folder + "/none", "--start", "+2s", "-o", folder + "/c.zst").status != 0)
        #expect(names(in: folder) == ["a.weir.jsonl.zst", "b.weir.jsonl.zst", "plain", "text"])
    }

    @Test("A mark stored next to a recording applies in every tool and in a replay")
    func keptMark() throws {
        let folder = try temporaryFolder()
        let (file, parts) = (folder + "/a.weir.jsonl", folder + "/part")
        try writeFile(file, String(decoding: try readFile(sample), as: UTF8.self))
        #expect(try weir("file", "mark", file, "--set", "here", "--at", "n:16").status == 0)
        #expect(try weir("file", "mark", file, "--set", "nowhere", "--at", "n:99").status == 1)
        #expect(try readFile(file) == readFile(sample))
        let marks = "15  2026-01-02T03:04:07.500123Z  here\n31  2026-01-02T03:04:09.520123Z  back again\n"
        #expect(try weir("file", "mark", file).output == marks)
        #expect(try weir("file", "info", file).output.contains("here at 2.500 s"))
        // The marked event is the one at 7.5 seconds.
        let event = #"["price",{"eur":12.5}]"# + "\n"
        let replayed = try weir("replay", file, "--speed", "max", "--start", "mark:here", "--format", "raw")
        #expect(replayed.output.hasPrefix(event))
        let ended = try weir("replay", file, "--speed", "max", "--end", "mark:here", "--format", "raw")
        #expect(!ended.output.isEmpty && !ended.output.contains("price"))
        #expect(try weir("file", "cut", file, "--start", "mark:here", "-o", folder + "/cut").status == 0)
        #expect(try weir("file", "cat", folder + "/cut", "--format", "raw").output.hasPrefix(event))
        #expect(try weir("file", "split", file, "--marks", "-o", parts).output.split(separator: "\n").count == 3)
        #expect(try weir("file", "mark", file, "--set", "x", "--at", "mark:here", "-o", folder + "/in").status == 0)
        let within = try weir("file", "mark", folder + "/in").output
        #expect(within.split(separator: "\n").map { $0.split(separator: "Z  ").last } == ["x", "here", "back again"])
    }
}
