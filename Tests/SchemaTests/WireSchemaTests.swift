import Testing
import TestSupport
import WeirJSON

/// Checks the backends' messages against their schemas with an independent validator.
@Suite struct WireSchemaTests {
    static let isInstalled = Validator.folder != nil

    /// Members of any form, such as application data or a partly sent message.
    private static let foreign: Set<String> = [
        "context", "configuration", "links", "bookmarks", "connectors", "quote_message", "application", "external_id",
        "metadata",
    ]

    @Test(.enabled(if: isInstalled, "jsonschema-rs is not installed: run Tests/run"))
    func `every schema of a backend's messages is valid`() throws {
        let names = ["twake-entity"] + WireSample.Format.allCases.map(\.rawValue)
        try Validator().checkSchemas(names.map { "\(packageFolder)/schemas/\($0).schema.json" })
        for name in names {
            let root = try WireSample.published(name)
            #expect(root["$schema"] == .string("https://json-schema.org/draft/2020-12/schema"))
            #expect(root["$id"] == .string("urn:weir:\(name):1"))
        }
    }

    @Test(
        .enabled(if: isInstalled, "jsonschema-rs is not installed: run Tests/run"),
        arguments: WireSample.Format.allCases)
    func `every sample is valid`(format: WireSample.Format) throws {
        let samples = try format.samples()
        #expect(samples.count > 30)
        let refusals = try Validator().refusals(of: samples.map(\.value), under: format.schema())
        #expect(refusals.map { (samples[$0.key].note, $0.value) }.map { "\($0)" } == [])
    }

    @Test(
        .enabled(if: isInstalled, "jsonschema-rs is not installed: run Tests/run"),
        arguments: WireSample.Format.allCases)
    func `every malformed sample is refused`(format: WireSample.Format) throws {
        let samples = try format.malformed()
        #expect(samples.count > 20)
        let refusals = try Validator().refusals(of: samples.map(\.value), under: format.schema())
        #expect(samples.indices.filter { refusals[$0] == nil }.map { samples[$0].note } == [])
    }

    @Test(
        .enabled(if: isInstalled, "jsonschema-rs is not installed: run Tests/run"),
        arguments: WireSample.Format.allCases)
    func `a sample with a value of a wrong type is refused at any position`(format: WireSample.Format) throws {
        let wrong = try format.samples().filter { !Self.isLenient($0) }.flatMap { sample in
            sample.value.miscast(sparing: Self.foreign).filter { !Self.isFreed($0, from: sample.value) }
        }
        #expect(wrong.count > 500)
        let refusals = try Validator().refusals(of: wrong, under: format.schema())
        #expect(wrong.indices.filter { refusals[$0] == nil }.map { wrong[$0].text } == [])
    }

    @Test(.enabled(if: isInstalled, "jsonschema-rs is not installed: run Tests/run"))
    func `the demo server's events and answers are valid`() throws {
        var demo = try DemoSample()
        #expect(demo.events.count > 200)
        let refused = try Validator().refusals(of: demo.events, under: WireSample.Format.event.schema())
        #expect(refused.values.prefix(5).map { "\($0)" } == [])
        let answers = try demo.answers()
        #expect(answers.count > 30)
        let wrong = try Validator().refusals(of: answers, under: WireSample.Format.answer.schema())
        #expect(wrong.values.prefix(5).map { "\($0)" } == [])
    }

    @Test(arguments: WireSample.Format.allCases)
    func `every member of an entity in a sample is described`(format: WireSample.Format) throws {
        let samples = try format.samples().filter { !Self.isLenient($0) && !$0.note.hasPrefix("rooms: 2.2: before") }
        let used = JSONValue.array(samples.map(\.value)).memberNames(sparing: Self.foreign)
        let described = try Schema(WireSample.published("twake-entity")).memberNames.union(format.schema().memberNames)
        #expect(used.subtracting(described) == [])
        #expect(used.count > 50)
    }

    /// Whether a sample shows that a value of an unknown form is accepted somewhere.
    private static func isLenient(_ sample: WireSample) -> Bool {
        guard case .array(let event) = sample.value else { return false }
        let opaque = ["realtime:event", "unauthorized", "message", "authenticated"]
        return opaque.contains { event.first == .string($0) } || sample.note.hasPrefix("9 (8)")
            || sample.note.hasPrefix("3.2 company_application") || sample.note.hasPrefix("a known name's second")
    }

    /// Whether the corruption changed the name or the kind, so that another schema applies.
    private static func isFreed(_ value: JSONValue, from sample: JSONValue) -> Bool {
        guard case .array(let event) = value, case .array(let original) = sample else { return false }
        return event.first != original.first
    }
}
