import Glibc
import Testing
import WeirJSON
import WeirLive
@testable import WeirViews
import WeirTerminal

@Suite("The JSON envelope")
struct PrintingEnvelopeTests {
    @Test("Every line is valid under the published schema")
    func matchesSchema() throws {
        let schema = try Schema.published()
        let lines = try envelopes()
        #expect(lines.count == 14)
        for line in lines { #expect(schema.violation(in: line) == nil, "\(line)") }
    }

    @Test("The schema refuses lines of another shape")
    func schemaCanFail() throws {
        let schema = try Schema.published()
        for line in try envelopes() {
            guard case .object(let members) = line else { continue }
            for index in members.indices {
                var fewer = members
                fewer.remove(at: index)
                #expect(schema.violation(in: .object(fewer)) != nil)
                var other = members
                // A payload may be of any type except a Boolean.
                other[index].value = if case .bool = members[index].value { .object([]) } else { .bool(true) }
                #expect(schema.violation(in: .object(other)) != nil)
            }
        }
    }

    @Test("No byte of any line can control a terminal")
    func isInert() throws {
        for byte in try printed() where byte < 0x20 || byte == 0x7F { #expect(byte == 0x0A) }
        let text = String(decoding: try printed(), as: UTF8.self).filter { $0 != "\n" }
        #expect(TerminalText.escaped(text) == text)
    }

    private func printed() throws -> [UInt8] {
        let pipe = try Pipe()
        defer { pipe.close() }
        let printer = EventPrinter(format: .json, descriptor: pipe.writeEnd, colour: false, width: nil)
        try printer.write(Sample.reports + Sample.status)
        return Array(pipe.readAll().utf8)
    }

    private func envelopes() throws -> [JSONValue] {
        try printed().split(separator: 0x0A).map { try JSONValue(parsing: $0) }
    }
}

/// The subset of JSON Schema draft 2020-12 that the published schema uses.
private struct Schema {
    let root: JSONValue

    struct Unreadable: Error {
        var path: String
    }

    /// Loads `schemas/envelope.schema.json` of this repository.
    static func published() throws -> Schema {
        let path =
            #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/schemas/envelope.schema.json"
        guard let file = fopen(path, "r") else { throw Unreadable(path: path) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(byte)) }
        return Schema(root: try JSONValue(parsing: bytes[...]))
    }

    /// Returns the violation of a value, or `nil` for a valid value.
    func violation(in value: JSONValue) -> String? { violation(in: value, root, at: "") }

    private func violation(in value: JSONValue, _ schema: JSONValue, at path: String) -> String? {
        guard case .object(let rules) = schema else { return "\(path): not a schema" }
        for rule in rules {
            if let wrong = violation(in: value, rule, at: path) { return wrong }
        }
        return nil
    }

    private func violation(in value: JSONValue, _ rule: JSONValue.Member, at path: String) -> String? {
        switch (rule.key, rule.value) {
        case ("$ref", .string(let name)):
            guard let target = root["$defs"]?[String(name.dropFirst("#/$defs/".count))] else { return "no \(name)" }
            return violation(in: value, target, at: path)
        case ("type", .string(let name)): return isOf(type: name, value) ? nil : "\(path): not of type \(name)"
        case ("type", .array(let names)):
            return names.contains { isOf(type: $0, value) } ? nil : "\(path): of no allowed type"
        case ("const", let wanted): return value == wanted ? nil : "\(path): not the constant"
        case ("enum", .array(let wanted)): return wanted.contains(value) ? nil : "\(path): not one of the list"
        case ("minimum", .integer(let least)):
            if case .integer(let number) = value, number < least { return "\(path): too small" }
            return nil
        case ("required", .array(let names)):
            guard case .object = value else { return nil }
            return names.lazy.compactMap { $0.text }.first { value[$0] == nil }.map { "\(path): no \($0)" }
        case ("properties", .object(let properties)):
            return properties.lazy.compactMap { property in
                value[property.key].flatMap { violation(in: $0, property.value, at: path + "/" + property.key) }
            }.first
        case ("items", let items):
            guard case .array(let elements) = value else { return nil }
            return elements.lazy.compactMap { violation(in: $0, items, at: path + "/[]") }.first
        case ("minItems", .integer(let least)):
            return count(of: value).map { $0 < least } == true ? "\(path): too few" : nil
        case ("maxItems", .integer(let most)):
            return count(of: value).map { $0 > most } == true ? "\(path): too many" : nil
        case ("oneOf", .array(let choices)):
            let fitting = choices.filter { violation(in: value, $0, at: path) == nil }.count
            return fitting == 1 ? nil : "\(path): fits \(fitting) of the choices"
        case ("$schema", _), ("$id", _), ("$defs", _), ("title", _), ("description", _), ("format", _): return nil
        default: return "\(path): rule \(rule.key) is not known here"
        }
    }

    private func isOf(type name: JSONValue, _ value: JSONValue) -> Bool {
        name.text.map { isOf(type: $0, value) } ?? false
    }

    private func isOf(type name: String, _ value: JSONValue) -> Bool {
        switch (name, value) {
        case ("object", .object), ("array", .array), ("string", .string), ("integer", .integer), ("boolean", .bool),
            ("null", .null):
            true
        default: false
        }
    }

    private func count(of value: JSONValue) -> Int64? {
        if case .array(let elements) = value { Int64(elements.count) } else { nil }
    }
}

extension JSONValue {
    fileprivate var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
