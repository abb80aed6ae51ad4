import Testing
import WeirJSON

@testable import WeirPipeline

/// Tests for the first draft of a profile, inferred from the observed events of an unknown server.
@Suite struct ProfileInferenceTests {
    private func inferred(_ events: [(name: String, payload: String)]) throws -> (text: String, profile: Profile) {
        var inference = ProfileInference()
        for event in events { inference.see(event.name, RawJSON(unchecked: Array(event.payload.utf8)[...])) }
        let text = inference.profile(called: "mine")
        return (text, try Profile(parsing: Array(text.utf8)))
    }

    @Test func `rooms, people, texts and times are inferred, and a message needs an id and a text`() throws {
        let (text, profile) = try inferred(
            (0..<20).map { n in
                (
                    "chat:say",
                    #"["chat:say",{"id":\#(n),"channel_id":"c\#(n % 2)","author":{"username":"ana"},"content":"hi","created_at":"2026-01-02T03:04:05Z","pinned":false}]"#
                )
            })
        let rule = try #require(profile.events.first)
        #expect(rule.event == "chat:say")
        #expect(rule.room?.text == "channel_id")
        #expect(rule.actor?.text == "author.username")
        #expect(rule.text?.text == "content")
        #expect(rule.time?.text == "created_at")
        #expect(profile.entities.map(\.name) == ["message"])
        #expect(profile.entities[0].parent?.text == "channel_id")
        #expect(profile.entities[0].fields.map(\.name) == ["text", "at", "channel_id", "author_username", "pinned"])
        #expect(text.contains("room: channel_id  # by its name; 2 values in 20 events"))
    }

    @Test func `a field with few distinct words is suggested as the one that distinguishes events`() throws {
        let (text, _) = try inferred(
            (0..<9).map { n in ("update", #"["update",{"data":{"type":"t\#(n % 3)"}}]"#) })
        #expect(text.contains("data.type is one of 3 words"))
    }

    @Test func `rows of one shape belong to one entity, in whichever event they occur`() throws {
        let row = #"{"id":"a%","threadId":"t","output":"hi","createdAt":"2026-01-02T03:04:05Z"}"#
        let (_, profile) = try inferred(
            (0..<4).flatMap { n in
                let row = row.replacing("%", with: "\(n)")
                return [("new", #"["new",\#(row)]"#), ("ask", #"["ask",{"msg":\#(row),"spec":{"timeout":5}}]"#)]
            })
        #expect(profile.entities.map(\.name) == ["message"])
        #expect(profile.entities[0].key.text == "id")
        #expect(profile.entities[0].parent?.text == "threadId")
        #expect(profile.events.map(\.entity) == ["message", "message"])
        #expect(profile.events.map { $0.at?.text } == [nil, "msg"])
    }

    @Test func `a field that is null at first is one field, and an always-null one suggests nothing`() throws {
        let (text, profile) = try inferred(
            [
                ("e", #"["e",{"id":"1","text":"a","end":null,"room":null}]"#),
                ("e", #"["e",{"id":"2","text":"b","end":"x"}]"#),
            ])
        #expect(text.contains("# Also there: end (text), room (any)\n"), "\(text)")
        #expect(profile.events[0].room == nil)
    }

    @Test func `the profile uses the path and the namespace where events were seen`() throws {
        var inference = ProfileInference()
        inference.see("e", RawJSON(unchecked: Array(#"["e",{}]"#.utf8)[...]))
        let profile = try Profile(
            parsing: Array(inference.profile(called: "mine", path: "/ws/socket.io/", namespace: "/a b").utf8))
        #expect(profile.realtime.path == "/ws/socket.io/")
        #expect(profile.realtime.namespace == "/a b")
    }

    @Test func `a member named by an id is not a field`() throws {
        let (text, profile) = try inferred(
            [("update", #"["update",{"4":{"text":"1 click"},"_id":0}]"#), ("one", #"["one",{"id":"x"}]"#)])
        #expect(profile.entities.isEmpty)
        #expect(text.contains("# The members of the payload are named by ids: no path leads to their contents."))
        #expect(text.contains("  # 1 event.\n"))
    }

    @Test func `whatever names a server uses, the inferred profile is valid with one line for each event`() throws {
        let names = ["a\nb: c", "\"quoted\"", "# comment", "- list", "true", "\u{1B}[31mred", "*alias", "{x}", "null"]
        let (text, profile) = try inferred(
            names.map { ($0, #"["x",{"k\n- event: evil":1,"a b":2,"id":"1","text":"\n- event: evil"}]"#) })
        #expect(profile.events.map(\.event) == names)
        #expect(!text.contains("\u{1B}"))
    }

    @Test func `inference from endless input is bounded`() throws {
        var inference = ProfileInference()
        for n in 0..<2000 { inference.see("e\(n)", RawJSON(unchecked: Array(#"["e",{"f\#(n)":\#(n)}]"#.utf8)[...])) }
        for n in 0..<2000 { inference.see("e0", RawJSON(unchecked: Array(#"["e",{"f\#(n)":\#(n)}]"#.utf8)[...])) }
        #expect(try Profile(parsing: Array(inference.profile(called: "mine").utf8)).events.count == 100)
    }
}
