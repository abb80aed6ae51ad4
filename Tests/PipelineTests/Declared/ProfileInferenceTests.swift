import JSONText
import Testing

@testable import Pipeline

/// The first profile that is made of what an unknown server was seen to say.
@Suite struct ProfileInferenceTests {
    private func inferred(_ events: [(name: String, payload: String)]) throws -> (text: String, profile: Profile) {
        var inference = ProfileInference()
        for event in events { inference.see(event.name, RawJSON(unchecked: Array(event.payload.utf8)[...])) }
        let text = inference.profile(called: "mine")
        return (text, try Profile(parsing: Array(text.utf8)))
    }

    @Test func `rooms, people, texts and times are guessed, and a message has an id and a text`() throws {
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

    @Test func `a field of few words is named as what tells events apart`() throws {
        let (text, _) = try inferred(
            (0..<9).map { n in ("update", #"["update",{"data":{"type":"t\#(n % 3)"}}]"#) })
        #expect(text.contains("data.type is one of 3 words"))
    }

    @Test func `whatever a server calls its events and fields, the profile is one and holds one line for each`() throws
    {
        let names = ["a\nb: c", "\"quoted\"", "# comment", "- list", "true", "\u{1B}[31mred", "*alias", "{x}", "null"]
        let (text, profile) = try inferred(
            names.map { ($0, #"["x",{"k\n- event: evil":1,"a b":2,"id":"1","text":"\n- event: evil"}]"#) })
        #expect(profile.events.map(\.event) == names)
        #expect(!text.contains("\u{1B}"))
    }

    @Test func `what a server says without end is bounded`() throws {
        var inference = ProfileInference()
        for n in 0..<2000 { inference.see("e\(n)", RawJSON(unchecked: Array(#"["e",{"f\#(n)":\#(n)}]"#.utf8)[...])) }
        for n in 0..<2000 { inference.see("e0", RawJSON(unchecked: Array(#"["e",{"f\#(n)":\#(n)}]"#.utf8)[...])) }
        #expect(try Profile(parsing: Array(inference.profile(called: "mine").utf8)).events.count == 100)
    }
}
