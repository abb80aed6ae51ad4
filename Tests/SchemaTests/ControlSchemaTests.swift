import Testing
import TestSupport
import WeirJSON

@testable import WeirLive
@testable import WeirViews

/// Checks that the tail and the replay follow the published schema of the control protocol.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ControlSchemaTests {
    static let isInstalled = Validator.folder != nil
    private static let path = "\(packageFolder)/schemas/control.schema.json"
    /// Members whose contents the protocol does not define.
    private static let foreign: Set<String> = [
        "arguments", "answer", "params", "result", "values", "value", "items", "rows", "id",
    ]

    private func schema() throws -> Schema { Schema(try JSONValue(parsing: try readFile(Self.path)[...])) }

    /// The schema of results. Each result is the only member of an object, under the name of its definition.
    private func schemaOfResults() throws -> Schema {
        let root = try schema().root
        let definitions = names(root["$defs"]).filter { $0.hasPrefix("tail.") || $0.hasPrefix("replay.") }
        let members = definitions.map { name in
            JSONValue.Member(name, .object([.init("$ref", .string("#/$defs/\(name)"))]))
        }
        return Schema(
            .object([
                .init("$schema", root["$schema"] ?? .null), .init("$id", root["$id"] ?? .null),
                .init("type", .string("object")), .init("properties", .object(members)),
                .init("$defs", root["$defs"] ?? .null),
            ]))
    }

    private func names(_ value: JSONValue?) -> [String] {
        guard case .object(let members)? = value else { return [] }
        return members.map(\.key)
    }

    @Test func `the schema describes every method with the parameters of the table that checks requests`() throws {
        let definitions = try #require(try schema().root["$defs"])
        let methods = ControlMethod.allCases.map { JSONValue.string($0.rawValue) }
        guard case .array(let described)? = definitions["request"]?["properties"]?["method"]?["enum"] else {
            Issue.record("no methods are described")
            return
        }
        #expect(described.count == methods.count && described.allSatisfy { methods.contains($0) })
        for method in ControlMethod.allCases {
            let params = definitions["params.\(method.rawValue)"]
            #expect(Set(names(params?["properties"])) == Set(method.row.parameters.map(\.name)), "\(method)")
            let required = method.row.parameters.filter(\.isRequired).map { JSONValue.string($0.name) }
            #expect(params?["required"] == .array(required), "\(method)")
            for server in method.row.servers {
                #expect(definitions["\(server.rawValue).\(method.rawValue)"] != nil, "\(server) \(method)")
            }
        }
        let properties = definitions["changed"]?["properties"]?["params"]?["properties"]?["property"]?["enum"]
        #expect(
            properties == .array(ControlObservations.Property.allCases.map { .string($0.rawValue) }),
            "\(String(describing: properties))")
        for code in ControlError.Code.allCases {
            guard
                case .array(let codes)? = definitions["answer"]?["properties"]?["error"]?["properties"]?["code"]?[
                    "enum"]
            else { continue }
            #expect(codes.contains(.integer(Int64(code.rawValue))))
        }
    }

    @Test(.enabled(if: isInstalled, "jsonschema-rs is not installed: run Tests/run"))
    func `every line over a control socket is valid, and every result matches its method's schema`()
        async throws
    {
        try Validator().checkSchemas([Self.path])
        let exchange = try await ControlExchange.recorded()
        let refusals = try Validator().refusals(of: exchange.lines, under: schema().closed)
        #expect(refusals.sorted { $0.key < $1.key }.map { "\(exchange.lines[$0.key].text): \($0.value)" } == [])
        let results = exchange.results.map { JSONValue.object([.init($0.name, $0.value)]) }
        let wrong = try Validator().refusals(of: results, under: schemaOfResults().closed)
        #expect(wrong.sorted { $0.key < $1.key }.map { "\(results[$0.key].text) \($0.value)" } == [])
        let given = Set(exchange.results.map(\.name))
        // Only tagged actions of a profile can be cancelled, and this tail is Twake's. `PhotosTests` covers `cancel`.
        for method in ControlMethod.allCases where method != .cancel {
            for server in method.row.servers {
                #expect(given.contains("\(server.rawValue).\(method.rawValue)"), "\(server) never gave \(method)")
            }
        }
    }

    @Test(.enabled(if: isInstalled, "jsonschema-rs is not installed: run Tests/run"))
    func `a value of a wrong type is refused at any position`() async throws {
        let exchange = try await ControlExchange.recorded()
        // The type of a result depends on its method, so results are checked below.
        let lines = try schema().corrupted(exchange.lines.map(\.shortened), sparing: Self.foreign)
            .filter { $0["result"] != .bool(true) }
        #expect(lines.count > 150)
        let refused = try Validator().refusals(of: lines, under: schema())
        #expect(lines.indices.filter { refused[$0] == nil }.map { lines[$0].text } == [])
        var seen = Set<String>()
        // The diff log's schema describes a row of the model.
        let first = exchange.results.filter { $0.name != "tail.model.item" && seen.insert($0.name).inserted }
        let results = try schemaOfResults().corrupted(
            first.map { name, value in .object([.init(name, value.shortened)]) }, sparing: Self.foreign
        )
        .filter { $0 != .bool(true) }
        let wrong = try Validator().refusals(of: results, under: schemaOfResults())
        #expect(results.indices.filter { wrong[$0] == nil }.map { results[$0].text } == [])
    }
}

extension JSONValue {
    /// The value with at most two elements of each list. One wrong element represents all others.
    fileprivate var shortened: JSONValue {
        switch self {
        case .array(let elements): .array(elements.prefix(2).map(\.shortened))
        case .object(let members): .object(members.map { Member($0.key, $0.value.shortened) })
        case .null, .bool, .integer, .number, .string, .text: self
        }
    }
}
