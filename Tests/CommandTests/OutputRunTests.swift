import Glibc
import Testing

@Suite("Forms of output")
struct OutputRunTests {
    private static let repository = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    private static let recording = repository + "/samples/recordings/reconnect.weir.jsonl"

    @Test(
        "A template or a field that is wrong is refused before anything is connected",
        arguments: [
            (["--template", "{rom}"], "--template: there is no field 'rom'; did you mean 'room'?"),
            (["--fields", "kind,rom"], "--fields: there is no member 'rom'; did you mean 'room'?"),
            (["--fields", "kind", "--format", "raw"], "--fields are members of --format json"),
            (["--template", "{kind}", "--format", "json"], "--template is instead of --format"),
            (["--room-width", "2"], "--room-width: 4 to 200 columns"),
            (["--time", "relative"], "--time: 'relative' is none of abs, rel, delta, none"),
        ])
    func refuses(arguments: [String], complaint: String) throws {
        let result = try weir(["tail", "http://127.0.0.1:1"] + arguments)
        #expect(result.status == 2)
        #expect(result.output == "")
        #expect(result.errors.contains(complaint), "\(result.errors)")
    }

    @Test("The schema that is printed is the one that is published", arguments: ["tail", "demo", "replay"])
    func schema(command: String) throws {
        let result = try weir(command, "--schema")
        #expect(result.status == 0)
        #expect(try result.output == Self.contents(of: Self.repository + "/schemas/envelope.schema.json"))
    }

    @Test("The summary is one object on standard error, or nothing, and says what the text says")
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

    private static func contents(of path: String) throws -> String {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
