import Glibc
import JSONText
import Live
import TestSupport
import Testing

/// A format Weir writes and publishes a schema of.
enum WrittenFormat: String, CaseIterable, CustomTestStringConvertible {
    case envelope
    case diffLog = "diff-log"

    var testDescription: String { rawValue }

    /// The published schema.
    func schema() throws -> Schema {
        let path = "\(packageFolder)/schemas/\(rawValue).schema.json"
        return Schema(try JSONValue(parsing: try readFile(path)[...]))
    }

    /// Members whose contents are not ours to describe: a peer's payload, an entity's fields.
    var foreign: Set<String> {
        switch self {
        case .envelope: ["payload", "fields"]
        case .diffLog: []
        }
    }

    /// Lines as the real writers write them.
    func lines() throws -> [JSONValue] {
        let folder = try temporaryFolder()
        let path = folder + "/written"
        defer {
            unlink(path)
            rmdir(folder)
        }
        switch self {
        case .envelope: try writeEnvelopes(path)
        case .diffLog: try writeDiffLog(path)
        }
        return try readFile(path).split(separator: UInt8(ascii: "\n")).map { try JSONValue(parsing: $0) }
    }

    private func writeEnvelopes(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let printer = EventPrinter(format: .json, descriptor: descriptor, colour: false, width: nil)
        try printer.write(Conversation.everything())
        try printer.finish()
    }

    private func writeDiffLog(_ path: String) throws {
        let log = try DiffLogFile(creating: path)
        try log.write(Conversation.everything())
        try log.finish()
    }
}
