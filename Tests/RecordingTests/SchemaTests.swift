import Glibc
import Testing
import WeirJSON
import WeirWire

@testable import WeirRecording

/// Checks lines against `schemas/recording.schema.json` with an independent validator:
/// `jsonschema-rs`, which `Tests/run` installs.
private enum Validator {
    /// The Python with the package: the one that `Tests/run` installed, or the system's; `nil` if neither has it.
    static let python: String? = [SampleRecording.repository + "/.build/peers/jsonschema/bin/python", "python3"].first {
        system("'\($0)' -c 'import jsonschema_rs' >/dev/null 2>&1") == 0
    }

    static let schema = SampleRecording.repository + "/schemas/recording.schema.json"

    /// The validator's complaints about the lines of a file: one for each line, or that it cannot judge.
    static func complaints(about path: String) throws -> [String] {
        let program = #"""
            import json, sys, jsonschema_rs
            schema = json.load(open(sys.argv[1], encoding="utf-8"))
            jsonschema_rs.meta.validate(schema)
            validator = jsonschema_rs.validator_for(schema, validate_formats=True)
            for number, line in enumerate(open(sys.argv[2], "rb"), 1):
                for error in validator.iter_errors(json.loads(line)):
                    print(f"line {number}: {error.instance_path}: {error.message[:300]}")
            print("done")
            """#
        let python = try #require(python)
        let pipe = try #require(popen("'\(python)' -c '\(program)' '\(schema)' '\(path)' 2>&1", "r"))
        var output: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&part, 1, part.count, pipe), count > 0 { output += part[..<count] }
        #expect(pclose(pipe) == 0)
        let said = lines(of: output)
        #expect(said.last == "done", "the validator did not come to its end")
        return said.filter { $0 != "done" }
    }
}

@Suite struct `Schema` {
    // Skipped by name when no validator can be installed; `Tests/run` fails for that in CI.
    private static let needsValidator = ConditionTrait.enabled(
        if: Validator.python != nil, "needs python3 with the package jsonschema_rs, which Tests/run installs")

    @Test(needsValidator) func `the sample follows the schema`() throws {
        #expect(try Validator.complaints(about: SampleRecording.path) == [])
    }

    @Test(needsValidator, arguments: [41, 42] as [UInt64])
    func `generated recordings follow the schema`(seed: UInt64) throws {
        var generator = RecordGenerator(seed: seed)
        let bytes = try recording { writer in
            for index in 0..<500 {
                try writer.append(
                    generator.record(), at: Moment(microseconds: Int64(index) * 50_000), wall: 1_767_323_045_000_000)
            }
        }
        try withTemporaryFolder { folder in
            try write(bytes, to: folder + "/x.weir.jsonl")
            #expect(try Validator.complaints(about: folder + "/x.weir.jsonl") == [])
        }
    }

    /// A schema that accepts everything would pass the tests above.
    @Test(needsValidator) func `the schema refuses invalid records`() throws {
        let wrong = [
            #"{}"#, #"{"k":5}"#, #"{"k":"head","fmt":"weir-recording"}"#,
            #"{"k":"token","n":1,"t":0,"w":"2026-01-02T03:04:05.000000Z"}"#,
            #"{"k":"token","n":-1,"t":0,"w":"2026-01-02T03:04:05.000000Z","renewed":true}"#,
            #"{"k":"token","n":1,"t":0,"w":"yesterday","renewed":true}"#, #"{"k":"end","n":1,"t":0,"why":"bored"}"#,
            #"{"k":"f","n":1,"t":0,"w":"2026-01-02T03:04:05.000000Z","c":"1","d":"in","op":1,"len":0}"#,
            #"{"k":"f","n":1,"t":0,"w":"2026-01-02T03:04:05.000000Z","c":"1","d":"in","op":1,"len":0,"p":"","b":""}"#,
            #"{"k":"http","n":1,"t":0,"w":"2026-01-02T03:04:05.000000Z","c":"1","id":1,"ph":"res","len":0,"p":""}"#,
        ]
        try withTemporaryFolder { folder in
            try write(Array((wrong.joined(separator: "\n") + "\n").utf8), to: folder + "/x.weir.jsonl")
            let complaints = try Validator.complaints(about: folder + "/x.weir.jsonl")
            for line in 1...wrong.count {
                #expect(complaints.contains { $0.hasPrefix("line \(line): ") }, "line \(line) was accepted")
            }
        }
    }

    @Test func `the schema describes every written member`() throws {
        let schema = try JSONValue(parsing: contents(of: Validator.schema)[...])
        var generator = RecordGenerator(seed: 43)
        let generated = try recording { writer in
            for _ in 0..<500 { try writer.append(generator.record(), at: .zero, wall: 0) }
        }
        let written = lines(of: try contents(of: SampleRecording.path)) + lines(of: generated)
        for line in written {
            guard case .object(let members) = try JSONValue(parsing: ArraySlice(line.utf8)),
                case .string(let kind)? = members.first?.value
            else {
                Issue.record("\(line)")
                continue
            }
            guard let described = schema["$defs"]?[kind]?["properties"] else {
                #expect(kind == "poll", "\(kind) is not described")
                continue
            }
            for member in members
            where described[member.key]?["description"] == nil && described[member.key]?["$ref"] == nil {
                Issue.record("\(member.key) of \(kind) is not described")
            }
        }
    }
}
