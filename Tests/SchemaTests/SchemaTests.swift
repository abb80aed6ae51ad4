import Testing
import TestSupport
import WeirEvents
import WeirJSON

/// Checks Weir's output against its schemas with an independent validator.
@Suite struct SchemaTests {
    static let isInstalled = Validator.folder != nil

    @Test(.enabled(if: isInstalled, "jsonschema-rs is not installed: run Tests/run"))
    func `every schema is valid`() throws {
        try Validator().checkSchemas(
            WrittenFormat.allCases.map { "\(packageFolder)/schemas/\($0.rawValue).schema.json" })
    }

    @Test(arguments: WrittenFormat.allCases)
    func `a schema names its format and version and says that members are only added`(format: WrittenFormat)
        throws
    {
        let root = try format.schema().root
        #expect(root["$schema"] == .string("https://json-schema.org/draft/2020-12/schema"))
        #expect(root["$id"] == .string("urn:weir:\(format.rawValue):1"))
        guard case .string(let description) = root["description"] else {
            Issue.record("no description")
            return
        }
        #expect(description.contains("only ever added: ignore those you do not know"))
    }

    @Test(
        .enabled(if: isInstalled, "jsonschema-rs is not installed: run Tests/run"), arguments: WrittenFormat.allCases
    )
    func `every written line is valid and has only members that the schema describes`(
        format: WrittenFormat
    ) throws {
        let lines = try format.lines()
        #expect(lines.count > 10)
        #expect(try Validator().refusals(of: lines, under: format.schema().closed) == [:])
    }

    static let tables: [(definition: String, names: [String])] = [
        ("twake_file", names(of: Twake.File.self)), ("twake_thumbnail", names(of: Twake.Thumbnail.self)),
        ("twake_member", names(of: Twake.ChannelMember.self)), ("twake_badge", names(of: Twake.Badge.self)),
        ("twake_badge_count", names(of: Twake.BadgeCount.self)), ("twake_account", names(of: Twake.Account.self)),
        ("twake_company", names(of: Twake.Company.self)), ("twake_workspace", names(of: Twake.Workspace.self)),
        ("twake_presence", names(of: Twake.OnlineStatus.self)), ("groupme_group", names(of: GroupMe.Group.self)),
        ("groupme_member", names(of: GroupMe.Member.self)), ("groupme_receipt", names(of: GroupMe.ReadReceipt.self)),
        // Fields that only the user may see are not in a row.
        ("groupme_user", names(of: GroupMe.User.self).filter { !["email", "phone_number"].contains($0) }),
    ]

    private static func names<Entity: FieldedEntity>(of entity: Entity.Type) -> [String] {
        entity.fields.compactMap { $0.name?.description }
    }

    @Test(arguments: tables.map(\.definition))
    func `an entity's table of fields matches the schema of the diff log`(definition: String) throws {
        let definitions = try WrittenFormat.diffLog.schema().root["$defs"]
        guard case .object(let members)? = definitions?[definition]?["properties"] else {
            Issue.record("the schema does not define \(definition)")
            return
        }
        #expect(members.map(\.key) == Self.tables.first { $0.definition == definition }?.names)
    }

    @Test(arguments: WrittenFormat.allCases)
    func `every member that the schema describes is written`(format: WrittenFormat) throws {
        let written = JSONValue.array(try format.lines()).memberNames(sparing: format.foreign)
        #expect(try format.schema().memberNames.subtracting(written) == [])
    }

    @Test(
        .enabled(if: isInstalled, "jsonschema-rs is not installed: run Tests/run"), arguments: WrittenFormat.allCases
    )
    func `a line with a value of a wrong type is refused at any position`(format: WrittenFormat) throws {
        let schema = try format.schema()
        let wrong = schema.corrupted(try format.lines(), sparing: format.foreign)
        #expect(wrong.count > 100)
        let refusals = try Validator().refusals(of: wrong, under: schema)
        let accepted = wrong.indices.filter { refusals[$0] == nil }
        #expect(accepted.map { wrong[$0].text } == [])
    }

    @Test(
        .enabled(if: isInstalled, "jsonschema-rs is not installed: run Tests/run"), arguments: WrittenFormat.allCases
    )
    func `a line of a later version with an additional member is valid`(format: WrittenFormat) throws {
        let later = try format.lines().map { line -> JSONValue in
            guard case .object(let members) = line else { return line }
            return .object(members + [JSONValue.Member("of_a_later_version", .bool(true))])
        }
        #expect(try Validator().refusals(of: later, under: format.schema()) == [:])
    }
}
