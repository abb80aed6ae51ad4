import Testing
import WeirEvents
import WeirJSON

@testable import WeirPipeline

/// The fields that a guide lists are those that filters, `--fields` and templates find in the event.
@Suite struct EventGuideTests {
    private func check(_ guide: EventGuide, _ payload: RawJSON) throws {
        for field in guide.fields {
            let test = try #require(try FilterParser.parse("\(field.path) exists").tests.first, "\(field.path)")
            let way = try #require(JSONPath(field.path.dropFirst("payload".count), beginsInArguments: true))
            let isThere = field.type != EventGuide.Field.optional
            #expect(FilterMatcher(test).matches(payload) == isThere, "\(guide.kind): \(field.path)")
            #expect((way.value(in: payload) != nil) == isThere, "\(guide.kind): \(field.path)")
        }
    }

    @Test func `every non-optional field of a Twake event guide is in the specimen`() throws {
        for specimen in TwakeGuide.specimens {
            let guide = try #require(TwakeGuide.guide(of: specimen), "\(specimen)")
            #expect(
                guide.fields.isEmpty == (guide.kind == "authenticated" || specimen.contains(":else")), "\(specimen)")
            try check(guide, RawJSON(unchecked: Array(specimen.utf8)[...]))
        }
    }

    @Test func `every non-optional field of a GroupMe event guide is in the specimen`() throws {
        for specimen in GroupMeSpecimens.all {
            let guide = try #require(GroupMeGuide.guide(of: specimen), "\(specimen)")
            #expect(!guide.fields.isEmpty)
            try check(guide, specimen.payload)
        }
    }

    @Test func `a guide lists the fields a message is sent with and those a table reads`() throws {
        func field(_ kind: String, _ path: String, _ guides: [EventGuide]) throws -> String? {
            try #require(guides.first { $0.kind == kind }).fields.first { $0.path == path }?.type
        }
        let twake = TwakeGuide.all
        #expect(try field("message", "payload.resource.text", twake) == "text")
        #expect(try field("message", "payload.resource.override.title", twake) == "text")
        #expect(try field("message", "payload.data.message_id", twake) == "text")
        #expect(try field("channel", "payload.resource.last_message.sender_name", twake) == "text")
        #expect(try field("channel_member", "payload.resource.last_access", twake) == "optional")
        #expect(try field("channel_member", "payload.resource.user_id", twake) == "text")
        #expect(try field("online", "payload.resource", twake) == "list")
        #expect(try field("user", "payload.resource.thumbnail", twake) == "optional")
        let groupMe = EventGuide.byKind(GroupMeGuide.all)
        #expect(try field("message", "payload.subject.text", groupMe) == "text")
        #expect(try field("message", "payload.subject.chat_id", groupMe) == "text")
        #expect(try field("reaction", "payload.subject.line.favorited_at", groupMe) == "number")
        #expect(try field("group", "payload.subject.share_url", groupMe) == "optional")
        #expect(try field("membership", "payload.subject.event.data.adder_user.id", groupMe) == "number")
    }
}
