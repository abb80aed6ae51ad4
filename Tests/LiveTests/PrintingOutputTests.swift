import Glibc
import Testing
import TestSupport
@testable import WeirLive
@testable import WeirViews
import WeirNetwork
import WeirPipeline
import WeirThreads

@Suite("Output of printed lines")
struct PrintingOutputTests {
    @Test("A closed pipe ends standard output normally and does not affect standard error")
    func closedPipe() throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = try Pipe()
        defer { Glibc.close(pipe.writeEnd) }
        Glibc.close(pipe.readEnd)
        let printer = EventPrinter(format: .compact, descriptor: pipe.writeEnd, colour: false, width: nil)
        #expect(throws: OutletError.closedByReader) { try printer.write(Sample.reports) }
        try StatusPrinter(descriptor: pipe.writeEnd, colour: false).write(Sample.status)
    }

    @Test(
        "A report is in the pipe when the write returns", arguments: OutputFormat.allCases
    )
    func flushes(format: OutputFormat) throws {
        let pipe = try Pipe()
        defer { pipe.close() }
        let printer = EventPrinter(format: format, descriptor: pipe.writeEnd, colour: false, width: nil)
        for report in Sample.reports {
            guard case .event = report.report else { continue }
            try printer.write([report])
            // A chat prints changes of the model, not events.
            #expect(format == .chat || pipe.readAll().hasSuffix("\n"))
        }
    }

    @Test("The error for a full disk has its path and code")
    func fullDisk() throws {
        let descriptor = open("/dev/full", O_WRONLY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let printer = EventPrinter(format: .raw, descriptor: descriptor, colour: false, width: nil)
        #expect(throws: OutletError.system(operation: "write", path: "standard output", code: ENOSPC)) {
            try printer.write(Sample.reports)
        }
    }

    @Test("Output larger than a pipe arrives completely, also through a non-blocking descriptor")
    func partialWrites() async throws {
        let pipe = try Pipe()
        _ = fcntl(pipe.writeEnd, F_SETFL, O_NONBLOCK)
        let many = Array(repeating: Sample.reports[0], count: 20_000)
        let reader = Task.detached {
            var count = 0
            var buffer = [UInt8](repeating: 0, count: 4096)
            while case let got = read(pipe.readEnd, &buffer, buffer.count), got > 0 { count += got }
            return count
        }
        try EventPrinter(format: .raw, descriptor: pipe.writeEnd, colour: false, width: nil).write(many)
        Glibc.close(pipe.writeEnd)
        #expect(await reader.value == 20_000 * (Sample.messagePayload.utf8.count + 1))
        Glibc.close(pipe.readEnd)
    }

    @Test("At the end an unread pipe is waited for once, and further pipes not at all")
    func patienceEnds() throws {
        let pipe = try Pipe()
        defer { pipe.close() }
        let patience = WritePatience(limit: .milliseconds(200))
        let printer = EventPrinter(
            .format(.raw), descriptor: pipe.writeEnd, colour: false, width: nil, patience: patience)
        #expect(fcntl(pipe.writeEnd, F_GETFL) & O_NONBLOCK == 0, "whoever shares the pipe finds it as it was")
        patience.end()
        let many = Array(repeating: Sample.reports[0], count: 20_000)
        for _ in 0..<2 {
            #expect(throws: OutletError.unread("standard output", after: patience.limit)) { try printer.write(many) }
        }
        try StatusPrinter(descriptor: pipe.writeEnd, colour: false, patience: patience).write(Sample.status)
    }

    @Test("At the end everything is written while a reader reads")
    func patienceLasts() async throws {
        let pipe = try Pipe()
        let reader = Task.detached {
            var count = 0
            var buffer = [UInt8](repeating: 0, count: 4096)
            while case let got = read(pipe.readEnd, &buffer, buffer.count), got > 0 { count += got }
            return count
        }
        do {
            let patience = WritePatience(limit: .milliseconds(200))
            let printer = EventPrinter(
                .format(.raw), descriptor: pipe.writeEnd, colour: false, width: nil, patience: patience)
            patience.end()
            try printer.write(Array(repeating: Sample.reports[0], count: 20_000))
        }
        Glibc.close(pipe.writeEnd)
        #expect(await reader.value == 20_000 * (Sample.messagePayload.utf8.count + 1))
        Glibc.close(pipe.readEnd)
    }

    @Test("Unread output waits in a file, overflow is dropped and reported, and later output continues")
    func spoolIsFull() throws {
        let pipe = try Pipe()
        _ = fcntl(pipe.writeEnd, F_SETFL, O_NONBLOCK)
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 12)
        var filled = 0
        while case let count = write(pipe.writeEnd, piece, piece.count), count > 0 { filled += count }
        let told = Mailbox<String>()
        let spool = try #require(
            OutputSpool(
                in: try temporaryFolder(), for: DescriptorWriter(descriptor: pipe.writeEnd, name: "standard output"),
                most: 10 << 12
            ) { told.put($0) })
        func keep(_ pieces: Int) throws {
            for _ in 0..<pieces {
                let isKept = try piece.withUnsafeBytes { (bytes) throws(OutletError) in try spool.keep(bytes) }
                #expect(isKept && spool.isWaiting)
            }
        }
        try keep(13)
        #expect(told.all.isEmpty, "nobody has read anything")
        let read = Mailbox<Int>()
        runOnThread(named: "weir-test") {
            var count = 0
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while case let got = Glibc.read(pipe.readEnd, &buffer, buffer.count), got > 0 { count += got }
            read.put(count)
        }
        try spool.drain()
        #expect(!spool.isWaiting)
        #expect(
            told.all == [
                "weir: standard output was not read: \(3 << 12) bytes dropped; the recording contains them\n"
            ])
        let more = try piece.withUnsafeBytes { (bytes) throws(OutletError) in try spool.keep(bytes) }
        try spool.drain()
        Glibc.close(pipe.writeEnd)
        #expect(try more && read.first() == filled + 11 * piece.count)
        #expect(told.all.count == 1)
        Glibc.close(pipe.readEnd)
    }

    @Test func `once recording stops, a writer waits for its reader again, after the spooled output`() throws {
        let pipe = try Pipe()
        defer { pipe.close() }
        let patience = WritePatience()
        patience.keepUnread(in: try temporaryFolder())
        let writer = DescriptorWriter(descriptor: pipe.writeEnd, name: "standard output", patience: patience)
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)
        for _ in 0..<32 { try writer.write(piece) }
        let spool = try #require(patience.openSpool(of: writer.descriptor))
        #expect(spool.isWaiting)
        patience.keepUnread(in: nil)
        let written = Mailbox<Bool>()
        runOnThread(named: "weir-test") {
            do throws(OutletError) {
                try writer.write(Array("end".utf8))
                written.put(true)
            } catch {
                written.put(false)
            }
        }
        var (all, buffer) = ([UInt8](), piece)
        func read(to count: Int) {
            while all.count < count,
                case let got = Glibc.read(pipe.readEnd, &buffer, min(buffer.count, count - all.count)), got > 0
            {
                all += buffer[..<got]
            }
        }
        read(to: 1 << 20)
        #expect(written.all.isEmpty, "more than a pipe takes is still kept")
        read(to: (2 << 20) + 3)
        #expect(written.wait { !$0.isEmpty } == [true])
        #expect(!spool.isWaiting)
        #expect(all.count == (2 << 20) + 3 && all.suffix(3) == Array("end".utf8)[...])
    }

    @Test("Output written while the spool drains follows in order")
    func spoolEmpties() throws {
        let pipe = try Pipe()
        let spool = try #require(
            OutputSpool(
                in: try temporaryFolder(), for: DescriptorWriter(descriptor: pipe.writeEnd, name: "standard output")))
        let read = Mailbox<[UInt8]>()
        runOnThread(named: "weir-test") {
            var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
            while case let got = Glibc.read(pipe.readEnd, &buffer, buffer.count), got > 0 { all += buffer[..<got] }
            read.put(all)
        }
        let lines = (1...5000).map { Array("line \($0)\n".utf8) }
        for line in lines {
            #expect(try line.withUnsafeBytes { (bytes) throws(OutletError) in try spool.keep(bytes) })
        }
        try spool.drain()
        Glibc.close(pipe.writeEnd)
        #expect(try read.first() == lines.flatMap { $0 })
        Glibc.close(pipe.readEnd)
    }

    @Test("A pipe has neither colours nor a width")
    func pipeIsNoTerminal() throws {
        let pipe = try Pipe()
        defer { pipe.close() }
        #expect(!TerminalDevice.showsColour(pipe.writeEnd))
        #expect(TerminalDevice.width(of: pipe.writeEnd) == nil)
    }

    @Test("Only our words are coloured, and a peer's escapes stay escaped")
    func colours() throws {
        let pipe = try Pipe()
        defer { pipe.close() }
        try EventPrinter(format: .compact, descriptor: pipe.writeEnd, colour: true, width: nil).write(Sample.reports)
        let text = pipe.readAll()
        #expect(text.contains("\u{1B}[38;5;243m03:04:05.123Z\u{1B}[0m"))
        #expect(text.contains("hello\\nforged\\u{1B}[31m \\u{202E}"))
    }
}

@Suite("The summary")
struct PrintingSummaryTests {
    @Test("The summary counts reports by kind and lists losses")
    func counts() {
        var summary = Summary()
        for report in Sample.reports + Sample.status { summary.add(report) }
        #expect(
            summary.lines(model: [
                (Item.Section("channels"), 3), (Item.Section("messages", Sample.id(1)), 2),
                (Item.Section("messages", Sample.id(2)), 5),
            ]) == [
                "summary: 2 events from 1 room in 2.0s",
                "  events       1 event, 1 message",
                "  unreadable   1",
                "  changes      -1 +1 →1 ~1 in 1 batch",
                "  gaps         1, loss unknown",
                "  denied       1 room",
                "  model        3 channels, 7 messages in 2 sections",
            ])
        #expect(summary.hasLoss)
    }

    @Test("An empty summary is one line")
    func empty() {
        #expect(Summary().lines() == ["summary: 0 events from 0 rooms in 0ms"])
        #expect(!Summary().hasLoss)
    }
}
