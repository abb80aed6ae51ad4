import Testing
import WeirJSON

@testable import WeirEvents

@Suite struct MentionTests {
    private func mentions(_ fields: String) throws -> [Mention] {
        try Twake.message(from: Array(#"{"id":"M",\#(fields)}"#.utf8)[...]).mentions
    }

    private let user = Mention(name: "a.user", id: "U1")
    private let all = Mention(name: "all", id: nil)

    @Test(arguments: [
        #""content":{"original_str":"Hi","prepared":["Hi ",{"start":"@","content":"a.user:U1"},{"start":"\n","content":[]},{"start":"@","content":"all"}]}"#,
        #""text":"Hi","blocks":[{"type":"twacode","elements":["Hi ",{"start":"*","content":[{"start":"@","content":"a.user:U1"}]},{"start":"@","content":"all"}]}]"#,
        #""text":"Hi @a.user:U1, @all."# + #"","blocks":[{"type":"twacode","elements":["Hi @a.user:U1, @all."]}]"#,
        #""text":"(@a.user:U1) @all @all"# + #"""#,
    ])
    func `users and groups are found in era A's list, in era B's blocks and in plain text, each once`(
        fields: String
    ) throws {
        #expect(try mentions(fields) == [user, all])
    }

    @Test func `an address, a lone @ and text the sender's client did not mark mention nothing`() throws {
        #expect(try mentions(#""text":"a.user@example.org, @ and @. and @-:""#) == [])
        #expect(
            try mentions(
                #""text":"`@all`","blocks":[{"type":"twacode","elements":[{"start":"`","content":"@all"}]}]"#) == [])
        #expect(try mentions(#""text":"x""#) == [])
        #expect(try mentions(#""text":"Grüße an @žofie.d!""#) == [Mention(name: "žofie.d", id: nil)])
    }

    @Test func `GroupMe's mentions contain the user's id and the name in the text`() throws {
        var message = GroupMe.Message(id: "1", conversation: .group("2"), text: "👋 @Ann, @everyone")
        let sent = try RawJSON(
            #"{"type":"mentions","user_ids":["20000002","-1","20000003","20000004"],"loci":[[3,4],[9,9],[17,8983],[-1,0]]}"#
        )
        message.attachments = [.init(sent)]
        #expect(
            message.mentions == [
                Mention(name: "Ann", id: "20000002"), Mention(name: "everyone", id: "-1"),
                Mention(name: nil, id: "20000003"), Mention(name: nil, id: "20000004"),
            ])
        #expect(GroupMe.Message(id: "1", conversation: .group("2"), text: "@Ann").mentions == [])
    }

    @Test func `a text is split without loss`() {
        let pieces = Twake.Twacode.pieces(ofText: "Hi @a:U1. Mail a@b to @all")
        #expect(
            pieces == [
                .text("Hi "), .mention(name: "a", user: EntityID("U1")), .text(". Mail a@b to "),
                .mention(name: "all", user: nil),
            ])
        #expect(Twake.Twacode.pieces(ofText: "") == [] && Twake.Twacode.pieces(ofText: "@") == [.text("@")])
    }
}
