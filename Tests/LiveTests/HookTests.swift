import Glibc
import Testing
import WeirJSON
import WeirNetwork
import WeirPipeline
import WeirThreads
import WeirWire

@testable import WeirLive
@testable import WeirViews

@Suite("Hooks", .serialized)
struct HookTests {
    @Test(
        "A program gets the report's object on standard input, its words unchanged, and no peer data in its environment"
    )
    func command() throws {
        setenv("WEIR_HOOK_TEST_SECRET", "hunter2", 1)
        defer { unsetenv("WEIR_HOOK_TEST_SECRET") }
        let path = try Self.temporaryPath()
        defer { unlink(path) }
        // The words reach the program unchanged. A shell would expand `$HOME` in the fourth.
        let program = "cat > \(path).$WEIR_N; env | sort >> \(path).$WEIR_N; echo \"$0\" >> \(path).$WEIR_N"
        let filter = try Filter(parsing: "type = event and kind = message")
        let outlet = try HookOutlet([ReportHook(filter, .command(["sh", "-c", program, "$HOME;x"]))]) { _ in }
        try outlet.write(Sample.reports)
        try outlet.finish()
        #expect(outlet.figures.done == 1)
        #expect(outlet.figures.line == "hooks: 1 done")
        defer { unlink(path + ".7") }
        let lines = try Self.contents(of: path + ".7").split(separator: "\n")
        let object = try JSONValue(parsing: Array(try #require(lines.first).utf8)[...])
        #expect(object["kind"] == .string("message"))
        #expect(object["n"] == .integer(7))
        #expect(lines.contains("WEIR_N=7") && lines.contains("WEIR_TYPE=event"))
        #expect(
            !lines.dropFirst().contains { $0.contains("hunter2") || $0.contains("companies") || $0.contains("Anna") })
        #expect(lines.last == "$HOME;x")
    }

    @Test("Failed, slow and excess programs are counted, and nothing waits for them")
    func figures() throws {
        let outlet = try HookOutlet(
            [
                ReportHook(nil, .command(["false"])), ReportHook(nil, .command(["/no/such/program"])),
                ReportHook(nil, .command(["sh", "-c", "sleep 60 & sleep 60"])),
            ], timeout: .milliseconds(200)
        ) { _ in }
        try outlet.write([Sample.reports[0]])
        try outlet.finish()
        #expect(outlet.figures.failed == 2)
        #expect(outlet.figures.timedOut == 1)
        #expect(outlet.figures.line == "hooks: 0 done, 2 failed, 1 timed out")

        let busy = try HookOutlet([ReportHook(nil, .command(["sleep", "0.2"]))]) { _ in }
        try busy.write(Array(repeating: Sample.reports[0], count: 400))
        #expect(busy.figures.dropped >= 400 - 256 - 4)
        try busy.finish()
        #expect(busy.figures.dropped > 0)
    }

    @Test("A program that still runs at the end is killed with its children, and that is reported")
    func killedAtTheEnd() throws {
        let path = try Self.temporaryPath()
        defer { unlink(path) }
        let outlet = try HookOutlet(
            [ReportHook(nil, .command(["sh", "-c", "sleep 600 & echo $! > \(path); echo $$ >> \(path); wait"]))],
            timeout: .seconds(600), farewell: .milliseconds(300)
        ) { _ in }
        try outlet.write([Sample.reports[0]])
        try outlet.finish()
        #expect(outlet.figures.line == "hooks: 0 done, 1 killed at the end")
        let processes = try Self.contents(of: path).split(separator: "\n").compactMap { pid_t($0) }
        #expect(processes.count == 2)
        for process in processes { #expect(hasEnded(process)) }
    }

    @Test("A token command that hangs is killed with its children, and that is reported")
    func hangingTokenCommand() throws {
        let path = try Self.temporaryPath()
        defer { unlink(path) }
        let command = "sleep 600 & echo $! > \(path); echo $$ >> \(path); wait"
        #expect(throws: TokenError(message: "the token command did not end within 1 s and was killed")) {
            _ = try TokenReference.command(command).resolve(patience: .seconds(1))
        }
        let processes = try Self.contents(of: path).split(separator: "\n").compactMap { pid_t($0) }
        #expect(processes.count == 2)
        for process in processes { #expect(hasEnded(process)) }
        // Its output is used only if it succeeds.
        #expect(throws: TokenError(message: "the token command failed with status 3")) {
            _ = try TokenReference.command("echo t; exit 3").resolve()
        }
        #expect(try TokenReference.command("echo t; sleep 0.1").resolve() == Secret("t"))
    }

    /// Returns whether a process is gone or a zombie. A killed process is, after a short time.
    private func hasEnded(_ process: pid_t) -> Bool {
        for _ in 0..<1000 {
            guard let file = fopen("/proc/\(process)/stat", "r") else { return true }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 256)
            guard fgets(&line, 256, file) != nil else { return true }
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.contains(") Z") { return true }
            poll(nil, 0, 10)
        }
        return false
    }

    @Test("A redirected, refused or unanswered event is not forwarded, is counted, and the first is described")
    func notForwarded() throws {
        let loop = try EventLoop(name: "hook-test")
        defer { loop.shutDown() }
        let sink = Sink(statuses: [204, 301, 308, 302, 400, nil])
        let server = try HTTPServer(on: loop, address: "127.0.0.1", port: 0, handler: sink)
        defer { server.close() }
        let told = Monitor<[String]>([])
        let url = try URLParts(parsing: "http://127.0.0.1:\(server.port)/hook?room=a&b=%20c")
        let outlet = try HookOutlet(
            [ReportHook(nil, .forward(url))], farewell: .milliseconds(300)
        ) { words in told.change { $0.append(words) } }
        for number in 0..<6 {
            try outlet.write([Sample.reports[0]])
            if number < 5 { _ = told.wait { $0.count > number ? true : nil } }
        }
        try outlet.finish()
        #expect(outlet.figures.done == 1 && outlet.figures.failed == 4 && outlet.figures.notForwarded == 5)
        #expect(
            outlet.figures.line
                == "hooks: 1 done, 4 failed, 5 not accepted by the receiver of --forward, the first #7: 301")
        #expect(sink.targets.change { $0 } == Array(repeating: "/hook?room=a&b=%20c", count: 6))
    }

    @Test("A receiver that is down for a while gets every event that the filter selects")
    func retried() throws {
        let loop = try EventLoop(name: "hook-test")
        defer { loop.shutDown() }
        let sink = Sink(statuses: [500, 503, 429, 204, 204, 204])
        let server = try HTTPServer(on: loop, address: "127.0.0.1", port: 0, handler: sink)
        defer { server.close() }
        let told = Monitor<[String]>([])
        let url = try URLParts(parsing: "http://127.0.0.1:\(server.port)/hook")
        let kind = try Filter(parsing: "kind = message")
        let outlet = try HookOutlet(
            [ReportHook(kind, .forward(url))], pauses: Backoff(base: .milliseconds(1), cap: .milliseconds(2))
        ) { words in told.change { $0.append(words) } }
        let messages = Sample.reports.count { report in
            if case .event(let event) = report.report { event.kind == "message" } else { false }
        }
        try outlet.write(Sample.reports)
        try outlet.finish()
        #expect(messages > 0 && messages < Sample.reports.count)
        #expect(outlet.figures.done == messages && outlet.figures.notForwarded == 0, "\(told.change { $0 })")
        #expect(told.change { $0.count { $0.hasPrefix("not forwarded yet: ") } } >= min(3, messages))
    }

    @Test func `Of two receivers of an event, the one that failed gets it again`() throws {
        let loop = try EventLoop(name: "hook-test")
        defer { loop.shutDown() }
        let sink = LateSink()
        let server = try HTTPServer(on: loop, address: "127.0.0.1", port: 0, handler: sink)
        defer { server.close() }
        let hooks = try ["late", "soon"].map { path in
            ReportHook(nil, .forward(try URLParts(parsing: "http://127.0.0.1:\(server.port)/\(path)")))
        }
        let outlet = try HookOutlet(
            hooks, farewell: .seconds(30), pauses: Backoff(base: .milliseconds(1), cap: .milliseconds(2))
        ) { _ in }
        try outlet.write([Sample.reports[0]])
        try outlet.finish()
        #expect(outlet.figures.done == 2 && outlet.figures.notForwarded == 0)
        #expect(sink.paths.change { $0.sorted() } == ["/late", "/late", "/soon"])
    }

    @Test("Recalled rows of an earlier session trigger no hook")
    func recalled() throws {
        let outlet = try HookOutlet([ReportHook(Filter(), .command(["true"]))]) { _ in }
        for report in Sample.reports {
            guard case .diff(let diff) = report.report else { continue }
            let old = DiffReport(sequence: diff.sequence, cause: diff.cause, batch: diff.batch, isRecalled: true)
            try outlet.write([StampedReport(stamp: report.stamp, report: .diff(old))])
        }
        try outlet.finish()
        #expect(outlet.figures == HookFigures())
    }

    @Test("A filter field that no event had is reported at the end, with the closest existing one")
    func absentField() throws {
        let filter = try Filter(parsing: "payload.subject.text ~ /x/")
        let outlet = try HookOutlet([ReportHook(filter, .command(["true"]))]) { _ in }
        try outlet.write(Sample.reports)
        try outlet.finish()
        #expect(outlet.figures.absent == ["  no event had payload.subject.text; closest: payload.text"])
    }

    @Test("Text of a peer can neither end a notification nor begin another")
    func notification() {
        var book = NotificationBook([.filter(Filter())])
        let hostile = LocalNotification(
            type: .message, rule: .direct,
            payload: .init(actor: "\u{1B}]0;x", name: "\u{07}\u{9C}", text: "\u{1B}\\ \u{07}\n"))
        let raised = Sample.reports.flatMap { book.changes(by: $0) } + [.raised(hostile)]
        #expect(raised.count > Sample.reports.count / 2)
        for change in raised {
            let bytes = change.notification.bell
            #expect(bytes.starts(with: Array("\u{07}\u{1B}]9;weir: ".utf8)))
            #expect(bytes.last == 0x07)
            #expect(bytes.count { $0 < 0x20 || $0 == 0x7F } == 3)
        }
    }

    @Test("An event is posted as its object, and status and latency are reported")
    func forward() throws {
        let loop = try EventLoop(name: "hook-test")
        defer { loop.shutDown() }
        let sink = Sink()
        let server = try HTTPServer(on: loop, address: "127.0.0.1", port: 0, handler: sink)
        defer { server.close() }
        let told = Monitor<[String]>([])
        let url = try URLParts(parsing: "http://127.0.0.1:\(server.port)/hook")
        let outlet = try HookOutlet([ReportHook(nil, .forward(url))]) { words in told.change { $0.append(words) } }
        try outlet.write([Sample.reports[0]])
        _ = told.wait { $0.count == 1 ? true : nil }
        try outlet.write([Sample.reports[2], Sample.reports[3]])
        _ = told.wait { $0.count == 2 ? true : nil }
        try outlet.finish()
        #expect(outlet.figures.done == 1 && outlet.figures.notForwarded == 1)
        let words = told.change { $0 }
        #expect(words[0].hasPrefix("forwarded #7  204 in "))
        #expect(words[1].hasPrefix("not forwarded yet: #8  500; again in "))
        let object = try JSONValue(parsing: sink.bodies.change { $0[0] }[...])
        #expect(object["kind"] == .string("message"))
    }

    private static func temporaryPath() throws -> String {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        return "\(folder)/weir-hook-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    }

    private static func contents(of path: String) throws -> String {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Accepts what is posted to `/soon`, then refuses the first post to `/late` for now.
private final class LateSink: HTTPServerHandler {
    let paths = Monitor<[String]>([])
    private let held = Monitor<(@Sendable (HTTPResponse) -> Void)?>(nil)

    func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        let before = paths.change { paths in
            defer { paths.append(request.path) }
            return paths
        }
        if request.path == "/soon" {
            respond(HTTPResponse(status: 204))
            held.change { $0.take() }?(HTTPResponse(status: 503))
        } else if before.contains("/late") {
            respond(HTTPResponse(status: 204))
        } else if before.contains("/soon") {
            respond(HTTPResponse(status: 503))
        } else {
            held.change { $0 = respond }
        }
    }

    func refuses(_ upgrade: ServerRequest) -> HTTPResponse? { HTTPResponse(status: 404) }
    func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {}
    func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {}
    func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) {}
}

/// Answers requests with the given statuses in order, repeating the last one. `nil` means no answer.
private final class Sink: HTTPServerHandler {
    let bodies = Monitor<[[UInt8]]>([])
    let targets = Monitor<[String]>([])
    private let statuses: [Int?]

    init(statuses: [Int?] = [204, 500]) { self.statuses = statuses }

    func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        let count = bodies.change { bodies -> Int in
            bodies.append(request.body)
            return bodies.count
        }
        targets.change { $0.append("\(request.path)?\(request.query)") }
        let headers = [("Location", "/elsewhere")]
        if let status = statuses[min(count, statuses.count) - 1] {
            respond(HTTPResponse(status: status, headers: status / 100 == 3 ? headers : []))
        }
    }

    func refuses(_ upgrade: ServerRequest) -> HTTPResponse? { HTTPResponse(status: 404) }
    func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {}
    func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {}
    func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) {}
}
