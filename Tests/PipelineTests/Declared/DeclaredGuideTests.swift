import Foundation
import Testing

@testable import WeirPipeline

/// Tests for the guide to the events that a profile declares.
@Suite struct DeclaredGuideTests {
    private func guides(_ name: String) throws -> [EventGuide] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../samples/profiles")
        let profile = try Profile(parsing: Array(try Data(contentsOf: folder.appending(path: name + ".yaml"))))
        return try #require(BackendModule.declared(profile).guide).kinds()
    }

    private func lines(_ guide: EventGuide?) -> [String] { (guide?.fields ?? []).map { "\($0.path): \($0.type)" } }

    @Test func `an event guide lists the paths that the profile reads, with a description of each`() throws {
        let guides = try guides("gateway")
        let message = guides.first { $0.kind == "message" }
        #expect(message?.wireNames == ["MESSAGE_CREATE"])
        #expect(message?.handlers == ["rows of message"])
        #expect(
            lines(message) == [
                "payload.channel_id: the room's id; message's parent",
                "payload.author.username: the user's name; message.user, any", "payload.author.id: the user's id",
                "payload.content: the text; message.text, any", "payload.timestamp: the time; message.at, time",
                "payload.id: message's key", "payload.mentions: message.mentions, any",
                "payload.edited_timestamp: message.edited, time",
            ])
        #expect(
            lines(guides.first { $0.kind == "deletion" }) == [
                "payload.channel_id: the room's id; message's parent", "payload.id: message's key",
            ])
    }

    @Test func `the treatment of an event depends on the known state of the row`() throws {
        func told(_ kind: String) throws -> [String] {
            try #require(try guides("gateway").first { $0.kind == kind }?.treatments.first).cases.map {
                "\($0.standing): \($0.applies ? "applied" : $0.removes ? "removed" : "-")"
            }
        }
        #expect(
            try told("message") == [
                "not known yet: applied", "overtaken by a newer one: -", "known already: applied", "newer: applied",
            ])
        #expect(
            try told("deletion") == [
                "not known yet: -", "overtaken by a newer one: removed", "known already: removed", "newer: removed",
            ])
        #expect(try told("channel") == ["not known yet: applied", "known: applied"])
    }

    @Test func `a value that is the whole argument is named so, and rules of one kind are merged`() throws {
        let profile = try Profile(
            parsing: Array(
                """
                name: mine
                entities: {word: {key: ".", fields: {all: {path: "."}}}, line: {fields: {text: }, once: true}}
                events:
                  - {event: said, when: payload.op = 1, kind: said, entity: word}
                  - {event: said, kind: said, entity: line, at: "data[0]", then: fetch, reads: all}
                  - {event: changed, kind: said, reads: all, text: "[2]"}
                reads: {all: {get: /all}}
                """.utf8))
        let kinds = try #require(BackendModule.declared(profile).guide).kinds()
        #expect(kinds.map(\.kind) == ["said"])
        #expect(kinds[0].wireNames == ["said where payload.op = 1", "said", "changed"])
        #expect(
            lines(kinds[0]) == [
                "payload[1]: word's key; word.all, any", "payload.data[0]: line, one or a list",
                "payload.data[0].id: line's key", "payload.data[0].text: line.text, any", "payload[2]: the text",
            ])
        #expect(kinds[0].handlers == ["rows of word", "rows of line", "reads"])
        #expect(
            kinds[0].treatments.map(\.subject) == [
                "word, for said where payload.op = 1", "line, for said", ", for changed",
            ])
    }

    @Test(arguments: ["gateway", "socketio-chat", "finish", "webui"])
    func `a filter accepts every path of the events in a sample`(_ name: String) throws {
        for guide in try guides(name) {
            for field in guide.fields { _ = try FilterParser.parse("\(field.path) exists") }
        }
    }
}
