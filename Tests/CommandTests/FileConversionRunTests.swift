import Testing
import TestSupport

private let samples = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/samples/"

@Suite("Conversions of event files", .timeLimit(.minutes(2)))
struct FileConversionRunTests {
    private let sample = samples + "recordings/hello.weir.jsonl"

    @Test("An archive of Chrome converts, replays, and converts back")
    func archive() throws {
        let folder = try temporaryFolder()
        let made = try weir("file", "convert", samples + "conversions/chrome.har", "--to", "weir", "-o", folder + "/a")
        #expect(made.status == 0 && made.errors == "weir: 18 records written\n")
        let replayed = try weir("replay", folder + "/a", "--speed", "max", "--format", "raw")
        #expect(replayed.output.contains(#"["message:new",{"room":"support/4711","id":"m-90312","from":"Ines","#))
        #expect(replayed.output.split(separator: "\n").count == 4)
        let back = try weir("file", "convert", folder + "/a", "--to", "har")
        #expect(back.status == 0 && back.errors == "weir: 16 messages written\n")
        #expect(back.output.hasPrefix(#"{"log":{"version":"1.2","creator":{"name":"weir","#))
        for format in ["cloudevents", "lines"] {
            let out = try weir("file", "convert", folder + "/a", "--to", format, "-o", folder + "/" + format)
            // CloudEvents cannot contain the bytes of an attachment, which is reported.
            let loss = "weir: \(folder)/a: line 18, byte "
            #expect(format == "lines" ? out.status == 0 : out.status == 3 && out.errors.hasPrefix(loss), "\(out)")
            let again = try weir("file", "convert", folder + "/" + format, "--to", "weir", "-o", folder + "/b" + format)
            #expect(again.status == 0)
            let shown = try weir("file", "cat", folder + "/b" + format, "--format", "raw").output
            let kept = format == "lines" ? 3 : 2
            #expect(shown.split(separator: "\n").prefix(kept) == replayed.output.split(separator: "\n").prefix(kept))
        }
    }

    @Test("An asciicast contains a tail's output with its times and marks")
    func asciicast() throws {
        let made = try weir("file", "convert", sample, "--to", "asciicast")
        #expect(made.status == 0)
        let lines = made.output.split(separator: "\n")
        #expect(
            lines[0].hasPrefix(
                #"{"version":2,"width":100,"height":30,"timestamp":1767323045"#))
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("[") && $0.hasSuffix("\"]") })
        #expect(lines.contains { $0.contains(#","m","back again"]"#) })
        let times = lines.dropFirst().compactMap { Double($0.dropFirst().prefix { $0 != "," }) }
        #expect(times == times.sorted() && times.last ?? 0 > 4, "the time since the start, as version 2 has it")
        #expect(lines.contains { $0.contains(#"price {\"eur\":12.5}\r\n"]"#) })
        #expect(!made.output.contains("\u{1B}") && !made.output.contains("\u{202E}"))
    }

    @Test("Events of another namespace are converted if it is named")
    func namespace() throws {
        let folder = try temporaryFolder()
        try writeFile(
            folder + "/log",
            """
            < 42/chat,["hello",{"n":1}]
            < 0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000}
            < 40/chat,{"sid":"x"}
            < 42/chat,["hello",{"n":2}]
            """)
        #expect(
            try weir(
                "file", "convert", folder + "/log", "--namespace", "chat", "--to", "weir", "-o", folder + "/a"
            ).status == 0)
        let played = try weir("replay", folder + "/a", "--speed", "max", "--format", "raw")
        #expect(played.output == #"["hello",{"n":1}]"# + "\n" + #"["hello",{"n":2}]"# + "\n")
        #expect(!played.errors.contains("cannot read"))
        let other = try weir("file", "convert", folder + "/log", "--to", "weir", "-o", folder + "/b")
        #expect(other.status == 0)
        #expect(try weir("replay", folder + "/b", "--speed", "max").errors.contains("a namespace that is not joined"))
    }

    @Test("An impossible conversion is reported")
    func refusals() throws {
        let again = try weir("file", "convert", sample, "--to", "weir")
        #expect(again.status == 2 && again.errors.hasPrefix("weir: the file is already an event file\n"))
        let none = try weir("file", "convert", sample)
        #expect(none.status == 2 && none.errors.hasPrefix("weir: --to FORMAT is missing\n"))
        let har = try weir("file", "convert", sample, "--from", "har", "--to", "weir")
        #expect(har.status == 1 && har.errors.contains("is not a recording: it holds no WebSocket messages"))
    }

    @Test("Omitted messages are reported with their places and counted, and the exit code is 3")
    func leftOut() throws {
        let folder = try temporaryFolder()
        try writeFile(folder + "/log", "< one\n[03:04] < two\n<b no base64!\n> three\n")
        let lines = try weir("file", "convert", folder + "/log", "--to", "weir", "-o", folder + "/a")
        #expect(lines.status == 3 && lines.errors.hasSuffix("weir: 4 records written\n"), "\(lines.errors)")
        #expect(lines.errors.contains("weir: \(folder)/log: line 2, byte 6: it begins neither with < or > nor with"))
        #expect(lines.errors.contains("/log: line 3, byte 20: the text after its b is not base64\n"))
        let messages = [#"1,"data":"a""#, #"9,"data":"b""#].map { #"{"type":"receive","time":1,"opcode":\#($0)}"# }
        let entry = #"{"request":{"url":"ws://h/"},"_webSocketMessages":[\#(messages.joined(separator: ","))]}"#
        try writeFile(folder + "/har", #"{"log":{"entries":[\#(entry)]}}"#)
        let archive = try weir("file", "convert", folder + "/har", "--to", "weir", "-o", folder + "/b")
        #expect(archive.status == 3 && archive.errors.hasSuffix("weir: 3 records written\n"), "\(archive.errors)")
        #expect(archive.errors.contains(": entry 1: message 2 (a ping) is left out\n"))
    }

    @Test("Rules remove secrets, and the doctor no longer finds them")
    func redact() throws {
        let folder = try temporaryFolder()
        try writeFile(folder + "/log", "< 0{}\n> 42[\"login\",{\"password\":\"hunter2\",\"user\":\"ann\"}]\n")
        #expect(try weir("file", "convert", folder + "/log", "--to", "weir", "-o", folder + "/a").status == 0)
        let before = try weir("file", "doctor", "--secrets", folder + "/a")
        #expect(
            before.status == 3 && before.output.contains("a password in p.password")
                && !before.output.contains("hunter2"))
        let redacted = try weir(
            "file", "redact", folder + "/a", "--rule", "secrets", "--rule", "path:user", "--replace", "hash", "-o",
            folder + "/b")
        #expect(redacted.status == 0 && redacted.errors == "weir: 2 values replaced in 1 records\n")
        #expect(try weir("file", "doctor", "--secrets", folder + "/b").status == 0)
        let text = String(decoding: try readFile(folder + "/b"), as: UTF8.self)
        #expect(
            !text.contains("hunter2") && !text.contains("ann")
                && text.contains(#""redact":["secrets","received","path:user"]"#), "\(text.prefix(600))")
        let unmet = try weir(
            "file", "redact", folder + "/a", "--rule", "secrets", "--rule", "path:account.user", "--rule", "path:email",
            "--rule", "regex:nobody", "-o", folder + "/c")
        #expect(
            unmet.status == 3
                && unmet.errors == """
                    weir: 1 values replaced in 1 records
                    weir: --rule path:account.user matches nothing; similar: path:p.user
                    weir: --rule path:email matches nothing; write the keys as in the payload, such as path:email
                    weir: --rule regex matches nothing

                    """,
            "\(unmet.errors)")
        let bad = try weir("file", "redact", sample, "--rule", "regex:(")
        #expect(bad.status == 2 && bad.errors.hasPrefix("weir: --rule: invalid rule 'regex:(': "))
    }

    @Test("A compressed file is read directly, and its text is restored byte for byte")
    func compress() throws {
        let folder = try temporaryFolder()
        try writeFile(folder + "/a", String(decoding: try readFile(sample), as: UTF8.self))
        #expect(try weir("file", "compress", folder + "/a").status == 0)
        #expect(try weir("file", "doctor", folder + "/a.zst").status == 0)
        #expect(
            try weir("file", "compress", "-d", folder + "/a.zst").output
                == (try weir("file", "compress", "-d", sample).output))
        #expect(try weir("file", "compress", folder + "/a").status == 7)
    }

    @Test("A file equals itself, and a different file is reported with its first record and row")
    func diff() throws {
        let folder = try temporaryFolder()
        let day = samples + "recordings/twake-day.weir.jsonl"
        let same = try weir("file", "diff", day, day)
        #expect(same.status == 0 && same.output.hasPrefix("the models are the same after each of "))
        #expect(
            try weir(
                "file", "redact", day, "--rule", "regex:Deploy of", "--replace", "fake", "-o", folder + "/other"
            ).status == 0)
        let other = try weir("file", "diff", day, folder + "/other")
        #expect(other.status == 6)
        #expect(other.output.contains("models differ after record ") && other.output.contains("    ~ text  message "))
        let json = try weir("file", "diff", "--json", day, folder + "/other")
        #expect(json.output.contains(#""op":"changed","fields":["text"]"#))
    }
}
