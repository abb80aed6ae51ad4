import Testing

@testable import WeirPipeline

@Suite("Completion in a filter")
struct FilterCompletionTests {
    private func completion(_ text: String) -> FilterCompletion {
        FilterCompletion(of: text, kinds: ["guess"], paths: ["payload.text"]) { field in
            switch field {
            case .title: ["General", "Sales Team", "Sales"]
            case .actorName: ["Ana Lima"]
            default: []
            }
        }
    }

    @Test(
        "Tab completes a field, an operator, a value and a conjunction, up to the common prefix",
        arguments: [
            ("kin", "kind "), ("known and ki", "known and kind "), ("(ki", "(kind "), ("not ki", "not kind "),
            ("kind=mess", "kind=message "), ("kind = gue", "kind = guess "), ("kind != mess", "kind != message "),
            ("kind in (message, typ", "kind in (message, typing "), ("kind i", "kind in "), ("kind in ", "kind in ("),
            ("room_title = Gen", "room_title = General "), ("room_title = Sal", "room_title = Sal"),
            (#"room_title = "Sales T"#, #"room_title = "Sales Team" "#),
            ("actor_name = 'An", #"actor_name = "Ana Lima" "#), ("is_read = t", "is_read = true "),
            ("kind = message a", "kind = message and "), ("payload.te", "payload.text "),
            ("diff.s", "diff.section "), ("diff", "diff."), ("nothing = x", "nothing = x"), ("knd", "knd"),
        ])
    func completes(text: String, expected: String) {
        #expect(completion(text).completed == expected)
    }

    @Test("All matching words are offered, with quotes around names that need them")
    func offers() {
        #expect(completion("room_title = S").words == [#""Sales Team""#, "Sales"])
        #expect(completion("diff.o").words == ["diff.op"])
        #expect(completion("").words.prefix(3) == ["type", "kind", "room"])
        #expect(completion("lag ").words == ["=", "!=", "<", "<=", ">", ">=", "in", "not in", "exists"])
    }

    @Test("A completed value parses as one value")
    func readable() throws {
        #expect(try FilterParser.parse(completion(#"room_title = "Sales T"#).completed).tests.count == 1)
    }
}
