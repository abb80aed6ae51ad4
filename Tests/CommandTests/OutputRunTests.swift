import Glibc
import Testing
import TestSupport
import WeirNetwork
import WeirWire

@Suite("Forms of output")
struct OutputRunTests {
    private static let repository = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    private static let recording = repository + "/samples/recordings/reconnect.weir.jsonl"

    @Test func `a replay from the middle of a recording shows the same names as the whole run`() throws {
        let file = packageFolder + "/samples/recordings/twake-day.weir.jsonl"
        for options in [["--format", "compact"], ["--format", "chat"], ["--fields", "room_title,actor_name,text"]] {
            let replay = ["replay", file, "--speed", "max", "--quiet"] + options
            let whole = try weir(replay).output
            for start in [120, 200, 300] {
                let part = try weir(replay + ["--start", "n:\(start)"]).output
                #expect(!part.isEmpty && whole.hasSuffix(part), "\(options) from \(start): \(part.prefix(2000))")
            }
        }
    }

    @Test(
        "An invalid template or field is refused before any connection",
        arguments: [
            (["--template", "{rom}"], "--template: unknown field 'rom'; did you mean 'room'?"),
            (["--fields", "kind,rom"], "--fields: unknown member 'rom'; did you mean 'room'?"),
            (["--fields", "kind", "--format", "raw"], "--fields requires --format json"),
            (["--template", "{kind}", "--format", "json"], "--template cannot be combined with --format"),
            (["--room-width", "2"], "--room-width must be from 4 to 200"),
            (["--hook", "kind = message"], "--hook: invalid EXPR=COMMAND 'kind = message'"),
            (["--hook", "kin = message=true"], "--hook: invalid EXPR=COMMAND 'kin = message=true': "),
            (["--notify", "kin = message"], "--notify"),
            (["--forward", "ftp://a/"], "not one of ws, wss, http, https"),
            (["--forward", "ws://a/"], "--forward requires an http or https URL"),
            (["--time", "relative"], "--time: 'relative' is not one of abs, rel, delta, none"),
        ])
    func refuses(arguments: [String], complaint: String) throws {
        let result = try weir(["tail", "http://127.0.0.1:1"] + arguments)
        #expect(result.status == 2)
        #expect(result.output == "")
        #expect(result.errors.contains(complaint), "\(result.errors)")
    }

    @Test(
        "Events that the receiver of --forward refuses make a successful run fail", arguments: [(204, 0), (301, 3)])
    func notForwarded(answer: Int, status: Int32) throws {
        let loop = try EventLoop(name: "weir-receiver")
        defer { loop.shutDown() }
        let receiver = try HTTPServer(on: loop, handler: Receiver(status: answer))
        defer { receiver.close() }
        let url = "http://127.0.0.1:\(receiver.port)/"
        let result = try weir(
            "replay", Self.recording, "--speed", "max", "--no-ctl", "--count", "1", "--forward", url)
        #expect(result.status == status, "\(result.errors)")
        #expect(
            result.errors.contains("1 not accepted by the receiver of --forward, the first #") == (status == 3),
            "\(result.errors)")
    }

    @Test("Check 13: the printed schema equals the published one", arguments: ["tail", "demo", "replay"])
    func schema(command: String) throws {
        let result = try weir(command, "--schema")
        #expect(result.status == 0)
        #expect(try result.output == Self.contents(of: Self.repository + "/schemas/envelope.schema.json"))
    }

    @Test("The summary is one object on standard error, or nothing, with the same contents as the text")
    func summary() throws {
        let json = try weir("replay", Self.recording, "--speed", "max", "--summary", "json", "--quiet")
        let line = try #require(json.errors.split(separator: "\n").last)
        #expect(line.hasPrefix(#"{"v":1,"type":"summary","n":0,"#))
        #expect(line.hasSuffix("}"))
        let none = try weir("replay", Self.recording, "--speed", "max", "--summary", "none")
        #expect(!none.errors.contains("summary"))
        let text = try weir("replay", Self.recording, "--speed", "max")
        let events = try #require(
            text.errors.split(separator: "\n").first { $0.hasPrefix("summary: ") }?.split(separator: " ")[1])
        #expect(line.contains("\"events\":\(events),"))
        #expect(json.output == text.output)
    }

    @Test(
        "Check 4: a recording tail's output equals the output of a replay of the file, byte for byte",
        arguments: ["compact", "pretty", "table", "json", "jsonl"])
    func printsAsRecorded(format: String) throws {
        let file = try temporaryFolder() + "/a.weir"
        let printed = ["--format", format, "--quiet", "--no-ctl"]
        let live = try weir(["demo", "--count", "20", "--record", file] + printed)
        #expect(live.status == 0)
        #expect(live.output.split(separator: "\n").count >= 20)
        let replayed = try weir(["replay", file, "--speed", "max"] + printed)
        #expect(replayed.status == 0, "\(replayed.errors)")
        #expect(replayed.output == live.output)
    }

    @Test("The summary as JSON counts the events removed by each clause of the filter, like the text")
    func clauses() throws {
        let day = Self.repository + "/samples/recordings/twake-day.weir.jsonl"
        let arguments = [
            "replay", day, "--speed", "max", "--kind", "message", "--filter", "size > 1", "--format", "json",
        ]
        let json = try weir(arguments + ["--summary", "json", "--quiet"])
        let line = try #require(json.errors.split(separator: "\n").last)
        let text = try weir(arguments).errors.split(separator: "\n")
        let told = try #require(text.first { $0.contains(" by --kind: kind = message") }?.split(separator: " "))
        let clause = #"{"clause":"kind = message","origin":"--kind","events":\#(told[0]),"others":\#(told[2])}"#
        #expect(line.contains(clause), "\(line)")
        #expect(told[0] == "70")
        #expect(line.contains(#"{"clause":"size > 1","origin":"--filter","events":0,"#))
    }

    @Test("An event is in the pipe within 20 ms of its arrival")
    func latency() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let process = try start(
            [try pathOfWeir(), "demo", "--duration", "3s", "--format", "json", "--quiet"], environment: [:],
            descriptors: [1: ends[1]])
        close(ends[1])
        var (line, delays): ([UInt8], [Int]) = ([], [])
        var byte = [UInt8](repeating: 0, count: 65536)
        while case let count = read(ends[0], &byte, byte.count), count > 0 {
            let now = Self.microsecondsOfDay()
            for byte in byte[..<count] {
                guard byte == UInt8(ascii: "\n") else {
                    line.append(byte)
                    continue
                }
                if let time = Self.microsecondsOfDay(in: String(decoding: line, as: UTF8.self)) {
                    delays.append(now - time)
                }
                line = []
            }
        }
        #expect(try waitForExit(of: process) == 0)
        delays.sort()
        #expect(delays.count > 20)
        // Other processes use the machine as well, so single delays are ignored.
        #expect(try #require(delays.dropFirst(delays.count / 4).first) < 20_000)
    }

    private static func microsecondsOfDay() -> Int {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return now.tv_sec % 86400 * 1_000_000 + now.tv_nsec / 1000
    }

    /// Returns the microseconds since midnight of `"time":"2026-01-02T03:04:05.123456Z"`.
    private static func microsecondsOfDay(in line: String) -> Int? {
        guard line.hasPrefix(#"{"v":1,"type":"event""#), let start = line.firstRange(of: "\"time\":\"")?.upperBound
        else { return nil }
        let parts = line[start...].dropFirst(11).prefix(15).split { $0 == ":" || $0 == "." }.compactMap { Int($0) }
        guard parts.count == 4 else { return nil }
        return ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1_000_000 + parts[3]
    }

    private static func contents(of path: String) throws -> String {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Answers every request with the same status.
private final class Receiver: HTTPServerHandler {
    private let status: Int

    init(status: Int) { self.status = status }

    func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        respond(HTTPResponse(status: status, headers: status == 301 ? [("Location", "/elsewhere")] : []))
    }
    func refuses(_ upgrade: ServerRequest) -> HTTPResponse? { HTTPResponse(status: 404) }
    func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {}
    func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {}
    func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) {}
}
