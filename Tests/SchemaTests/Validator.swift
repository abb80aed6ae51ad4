import Glibc
import JSONText
import TestSupport
import Testing

/// The validator nobody here wrote: check-jsonschema.
struct Validator {
    static let folder = environment("jsonschema")

    /// What it says of those of `values` that the schema refuses, by their index. One process checks all of them.
    func refusals(of values: [JSONValue], under schema: Schema) throws -> [Int: [String]] {
        let folder = try temporaryFolder()
        let (schemaPath, valuesPath) = (folder + "/schema.json", folder + "/values.json")
        defer {
            unlink(schemaPath)
            unlink(valuesPath)
            rmdir(folder)
        }
        try writeFile(schemaPath, schema.ofArray.text)
        try writeFile(valuesPath, JSONValue.array(values).text)
        let report = try check(["--schemafile", schemaPath, valuesPath])
        guard case .array(let errors) = report["errors"] else { throw Failed(report: report.text) }
        var refusals: [Int: [String]] = [:]
        for error in errors {
            guard case .string(let path) = error["path"], case .string(let message) = error["message"],
                let index = Self.index(in: path)
            else { throw Failed(report: error.text) }
            refusals[index, default: []].append("\(path): \(message)")
        }
        return refusals
    }

    /// Fails the test when a file is no schema of the draft it names.
    func checkSchemas(_ paths: [String]) throws {
        #expect(try check(["--check-metaschema"] + paths)["status"] == .string("ok"))
    }

    /// Runs the program, which ends with 1 when something is refused.
    private func check(_ arguments: [String]) throws -> JSONValue {
        let program = try #require(Self.folder) + "/bin/check-jsonschema"
        let peer = try Peer([program, "--output-format", "json", "--color", "never"] + arguments)
        var output = ""
        while let line = peer.readLine() { output += line + "\n" }
        let status = peer.wait()
        let report = try JSONValue(parsing: ArraySlice(output.utf8))
        let unread = report["parse_errors"]
        guard status == 0 || status == 1, unread == nil || unread == .array([]) else { throw Failed(report: output) }
        return report
    }

    /// The index in a path such as `$[12].n`.
    private static func index(in path: String) -> Int? {
        guard path.hasPrefix("$[") else { return nil }
        return Int(path.dropFirst(2).prefix { $0 != "]" })
    }

    /// The validator did not do its work.
    struct Failed: Error {
        var report: String
    }
}

extension JSONValue {
    /// The value as JSON text.
    var text: String {
        var writer = JSONWriter()
        writer.value(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
