import Glibc
import Testing
import TestSupport
import WeirJSON

/// The independent validator: jsonschema-rs. Python's own takes a thousand times as long.
struct Validator {
    static let folder = environment("jsonschema")

    /// Returns the validator's errors for the refused `values`, by index. One process checks all values.
    func refusals(of values: [JSONValue], under schema: Schema) throws -> [Int: [String]] {
        let python = try #require(Self.folder) + "/bin/python"
        let folder = try temporaryFolder()
        let paths = ["schema", "values", "report"].map { "\(folder)/\($0).json" }
        defer {
            for path in paths { unlink(path) }
            rmdir(folder)
        }
        try writeFile(paths[0], schema.root.text)
        try writeFile(paths[1], JSONValue.array(values).text)
        try run([python, "\(peersFolder)/validate.py"] + paths)
        let report = try JSONValue(parsing: try readFile(paths[2])[...])
        guard case .array(let judged) = report, judged.count == values.count else { throw NotJudged() }
        var refusals: [Int: [String]] = [:]
        for (index, complaints) in judged.enumerated() where complaints != .array([]) {
            guard case .array(let complaints) = complaints else { throw NotJudged() }
            refusals[index] = complaints.map(\.text)
        }
        return refusals
    }

    /// Fails the test if a file is not a valid schema of the draft that it names.
    func checkSchemas(_ paths: [String]) throws {
        let draft = JSONValue.string("https://json-schema.org/draft/2020-12/schema")
        let schemas = try paths.map { try JSONValue(parsing: try readFile($0)[...]) }
        #expect(schemas.allSatisfy { $0["$schema"] == draft })
        let meta = Schema(.object([JSONValue.Member("$schema", draft), JSONValue.Member("$ref", draft)]))
        #expect(try refusals(of: schemas, under: meta) == [:])
    }

    /// The validator failed to run.
    struct NotJudged: Error {}
}

extension JSONValue {
    /// The value as JSON text.
    var text: String { raw.description }
}
