import Glibc
import WeirEvents
import WeirJSON

/// The samples in `samples/events`, each with its original text.
struct Sample: Sendable, CustomStringConvertible {
    var note: String
    /// The event's wire name, or the kind of rows in an answer.
    var name: String
    var arguments: [RawJSON] = []
    var kind = ""
    var isKnown = true
    var summary = ""
    var message = ""
    var era = ""
    var body: ArraySlice<UInt8> = []

    var description: String { "\(name): \(note)" }

    static let events = load("twake-events")
    static let malformed = load("twake-malformed")
    static let answers = load("twake-answers")

    /// Decodes the event whose note starts with `note`. The samples are part of the tests, so a
    /// missing one is an error in the test.
    static func event(_ note: String) throws -> Twake.Event {
        guard let sample = events.first(where: { $0.note.hasPrefix(note) }) else {
            throw DecodingFailure(subject: note, message: "no such sample", offset: 0)
        }
        return try Twake.Event(name: sample.name, arguments: sample.arguments)
    }

    /// The body of the answer with this era and decoder whose note starts with `note`.
    static func answer(_ era: String, _ name: String, _ note: String = "") throws -> ArraySlice<UInt8> {
        let answer = answers.first { $0.era == era && $0.name == name && $0.note.hasPrefix(note) }
        guard let answer else { throw DecodingFailure(subject: name, message: "no such sample", offset: 0) }
        return answer.body
    }

    private static func load(_ name: String) -> [Sample] { (try? parse(file(name))) ?? [] }

    /// The bytes of a file of samples.
    static func file(_ name: String) -> [UInt8] {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        guard let file = fopen("/\(root)/samples/events/\(name).json", "r") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return bytes
    }

    private static func parse(_ bytes: [UInt8]) throws -> [Sample] {
        var samples: [Sample] = []
        var reader = JSONReader(bytes.span)
        try reader.beginArray()
        while try reader.nextElement() {
            var sample = Sample(note: "", name: "")
            try reader.beginObject()
            while let key = try reader.nextKey() { try sample.take(reader.string(key), from: &reader, bytes) }
            samples.append(sample)
        }
        try reader.end()
        return samples
    }

    private mutating func take(_ key: String, from reader: inout JSONReader, _ bytes: [UInt8]) throws {
        switch key {
        case "note": note = try reader.string()
        case "name", "what": name = try reader.string()
        case "kind": kind = try reader.string()
        case "known": isKnown = try reader.bool()
        case "summary": summary = try reader.string()
        case "message": message = try reader.string()
        case "era": era = try reader.string()
        case "body": body = bytes[try reader.skip()]
        default:
            try reader.beginArray()
            while try reader.nextElement() { arguments.append(RawJSON(unchecked: bytes[try reader.skip()])) }
        }
    }
}

extension RawJSON {
    /// Creates a value from a literal in a test.
    init(_ text: String) throws { try self.init(checking: Array(text.utf8)[...]) }
}

extension Twake.Event {
    /// Creates an event with one argument.
    init(_ name: String, _ argument: String) throws {
        try self.init(name: name, arguments: [RawJSON(argument)])
    }

    /// The resource, if this is a resource event.
    var resource: Twake.SocketIOResource? {
        if case .resource(let resource) = self { resource } else { nil }
    }
}
