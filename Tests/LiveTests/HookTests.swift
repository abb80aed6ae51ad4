import Glibc
import JSONText
import Network
import Testing
import Wire

@testable import Live

@Suite("Hooks", .serialized)
struct HookTests {
    @Test(
        "A program gets the report's object on standard input, its words as they are, and nothing that a peer wrote in its environment"
    )
    func command() throws {
        setenv("WEIR_HOOK_TEST_SECRET", "hunter2", 1)
        defer { unsetenv("WEIR_HOOK_TEST_SECRET") }
        let path = try Self.temporaryPath()
        defer { unlink(path) }
        // The words go to the program as they are: a shell would expand `$HOME` of the fourth.
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

    @Test("What fails, takes too long, or is too much is counted, and nothing waits for it")
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
        #expect(outlet.figures.line == "hooks: 0 done, 2 failed, 1 took too long")

        let busy = try HookOutlet([ReportHook(nil, .command(["sleep", "0.2"]))]) { _ in }
        try busy.write(Array(repeating: Sample.reports[0], count: 400))
        #expect(busy.figures.dropped >= 400 - 256 - 4)
        try busy.finish()
        #expect(busy.figures.dropped > 0)
    }

    @Test("A notification cannot be ended, or another begun, by what a peer wrote")
    func notification() {
        for report in Sample.reports {
            let bytes = HookOutlet.notification(of: report)
            #expect(bytes.starts(with: Array("\u{07}\u{1B}]9;weir: ".utf8)))
            #expect(bytes.last == 0x07)
            #expect(bytes.count { $0 < 0x20 || $0 == 0x7F } == 3)
        }
    }

    @Test("An event is posted as its object, and status and latency are told")
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
        #expect(outlet.figures.done == 1 && outlet.figures.failed == 1)
        let words = told.change { $0 }
        #expect(words[0].hasPrefix("forwarded #7  204 in "))
        #expect(words[1].hasPrefix("forwarded #8  500 in "))
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

/// Takes the first request and fails the others.
private final class Sink: HTTPServerHandler {
    let bodies = Monitor<[[UInt8]]>([])

    func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        let count = bodies.change { bodies -> Int in
            bodies.append(request.body)
            return bodies.count
        }
        respond(HTTPResponse(status: count == 1 ? 204 : 500))
    }

    func refuses(_ upgrade: ServerRequest) -> HTTPResponse? { HTTPResponse(status: 404) }
    func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {}
    func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {}
    func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) {}
}
