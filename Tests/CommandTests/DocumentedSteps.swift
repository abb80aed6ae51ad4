import Glibc
import Testing
import TestSupport

/// The steps of a page of the documentation, which are followed literally.
struct DocumentedSteps {
    /// The commands that the page tells the reader to type, and their documented output.
    struct Step {
        var script: String
        var output: [String] = []
    }

    private(set) var list: [Step] = []

    /// Parses the steps of a page's text: blocks of `sh`, each with the following blocks of expected output.
    init(of part: Substring) {
        for (index, block) in part.split(separator: "```", omittingEmptySubsequences: false).enumerated()
        where index % 2 == 1 {
            let lines = block.split(separator: "\n").map(String.init)
            let text = lines.dropFirst()
            if lines[0] == "sh" {
                list.append(Step(script: text.joined(separator: "\n")))
            } else {
                list[list.count - 1].output += text
            }
        }
    }

    /// Runs the steps in a shell and checks their output.
    func follow(port: UInt16, token: String = "not-guessed") throws {
        let weir = try pathOfWeir()
        let folder = try temporaryFolder()
        let environment = [
            "PATH": "\(weir.prefix(upTo: weir.lastIndex(of: "/") ?? weir.endIndex)):/usr/local/bin:/usr/bin:/bin",
            "HOME": folder, "XDG_STATE_HOME": folder, "TOKEN": token, "URL": "http://127.0.0.1:\(port)",
        ]
        // Variables that a step sets stay set in the next one.
        var shell = "cd \(folder)\n"
        for step in list {
            let output = try temporaryFile()
            defer { close(output) }
            let process = try start(
                ["/bin/bash", "-c", shell + step.script], environment: environment, descriptors: [1: output, 2: output])
            let status = try waitForExit(of: process)
            let printed = try contents(of: output)
            #expect(status == 0, "\(step.script) ends with \(status): \(printed)")
            #expect(!printed.isEmpty && !printed.contains(token), "\(step.script)")
            for line in step.output {
                #expect(printed.contains(line), "\(step.script) prints \(printed) without \(line)")
            }
            shell += step.script.split(separator: "\n").filter { $0.hasPrefix("app=") }.map { $0 + "\n" }.joined()
        }
    }
}
