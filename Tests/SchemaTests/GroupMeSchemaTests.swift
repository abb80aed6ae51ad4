import Testing
import TestSupport
import WeirJSON

/// Checks GroupMe's pushes against their schema with an independent validator.
@Suite struct GroupMeSchemaTests {
    static let isInstalled = Validator.folder != nil

    private func schema() throws -> Schema { Schema(try WireSample.published("groupme-push")) }

    @Test(.enabled(if: isInstalled, "jsonschema-rs is not installed: run Tests/run"))
    func `the schema is valid, and every sample follows it`() throws {
        try Validator().checkSchemas(["\(packageFolder)/schemas/groupme-push.schema.json"])
        #expect(try WireSample.published("groupme-push")["$id"] == .string("urn:weir:groupme-push:1"))
        let file = try readFile("\(packageFolder)/samples/events/groupme-events.json")
        guard case .array(let samples) = try JSONValue(parsing: file[...]) else { throw NoSamples() }
        #expect(samples.count > 40)
        let refusals = try Validator().refusals(of: samples.map { $0["data"] ?? .null }, under: schema())
        #expect(refusals.map { "\(samples[$0.key]["note"] ?? .null): \($0.value)" } == [])
    }

    @Test(.enabled(if: isInstalled, "jsonschema-rs is not installed: run Tests/run"))
    func `the schema refuses what the decoders refuse`() throws {
        let texts = [
            #"{"type":"line.create"}"#, #"{"type":"line.create","subject":{"group_id":"1"}}"#,
            #"{"type":"line.create","subject":{"id":"1","group_id":"1","text":[]}}"#,
            #"{"type":"favorite","subject":{"reactions":[]}}"#, #"{"type":"typing"}"#,
            #"{"type":"membership.create","subject":{}}"#, #"{"type":"read_receipt.create","subject":{"chat_id":"1"}}"#,
            #"{"type":"like.create","subject":{"line":{"id":"1","group_id":"1"},"reactions":[7]}}"#,
        ]
        let values = try texts.map { try JSONValue(parsing: Array($0.utf8)[...]) }
        let refusals = try Validator().refusals(of: values, under: schema())
        #expect(texts.indices.filter { refusals[$0] == nil }.map { texts[$0] } == [])
    }

    private struct NoSamples: Error {}
}
