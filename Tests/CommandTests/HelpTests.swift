import Testing

@Suite("Help")
struct HelpTests {
    @Test(
        "The help of every command equals its snapshot in every spelling of the request",
        arguments: HelpSnapshots.commands)
    func showsHelpOfCommands(command: String, text: String) throws {
        let words = command.split(separator: " ").map(String.init)
        for arguments in [["help"] + words, words + ["--help"], words + ["-h", "--no-such-option"]] {
            let result = try weir(arguments)
            #expect(result.output == text)
            #expect(result.errors == "")
            #expect(result.status == 0)
        }
    }

    @Test("The overview lists every command and every exit code", arguments: [["help"], ["--help"], ["-h"]])
    func showsOverview(arguments: [String]) throws {
        let result = try weir(arguments)
        #expect(result.output == HelpSnapshots.overview)
        #expect(result.errors == "")
        #expect(result.status == 0)
    }

    @Test("Every command of the overview has a snapshot")
    func completeness() {
        let sections = HelpSnapshots.overview.split(separator: "\n\n")
        let listed = sections.first { $0.hasPrefix("Commands:") }?.split(separator: "\n").dropFirst() ?? []
        let names = listed.compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(names.count > 25)
        #expect(Set(names).subtracting(HelpSnapshots.commands.map(\.command)) == [])
    }

    @Test("No line of the help is wider than a terminal of 100 columns")
    func isNarrow() {
        for text in HelpSnapshots.commands.map(\.text) + [HelpSnapshots.overview] {
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
        }
    }

    @Test("The version comes first, then the libraries, each with its own")
    func showsVersion() throws {
        let result = try weir("--version")
        let lines = result.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("weir 0.9.0") == true)
        for name in ["libcurl", "libwebsockets", "sqlite", "openssl", "zlib", "zstd", "libyaml", "mimalloc"] {
            #expect(lines.contains { $0.contains("  \(name) ") && $0.last?.isNumber == true }, "\(name)")
        }
        #expect(result.status == 0)
    }
}
