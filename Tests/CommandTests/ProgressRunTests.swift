import Glibc
import Testing
import TestSupport
import WeirThreads

@Suite("Progress of what takes long", .timeLimit(.minutes(2)))
struct ProgressRunTests {
    private let sample = packageFolder + "/samples/recordings/hello.weir.jsonl"

    @Test(
        "A terminal is told how much was read and how fast, after two seconds, and the line goes before anything is printed"
    )
    func terminal() throws {
        let terminal = try Tmux()
        let pipe = terminal.folder + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        try terminal.run("\(try pathOfWeir()) file info \(pipe)")
        let writing = open(pipe, O_WRONLY | O_CLOEXEC)
        let text = try readFile(sample)
        #expect(write(writing, text, text.count) == text.count)
        try terminal.wait("the progress") { $0.contains { $0.contains(" kB") && $0.contains("B/s") } }
        close(writing)
        let rows = try terminal.wait("what is in the file") { $0.contains { $0.hasPrefix("end ") } }
        #expect(!rows.contains { $0.contains("B/s") })
    }
}
