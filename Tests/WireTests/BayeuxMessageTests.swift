import Testing
import WeirJSON
import WeirWire

struct BayeuxMessageTests {
    @Test(arguments: [
        "/a", "/user/20000001", "/direct_message/1_2", "/a/*", "/a/**", "/*", "/a-b/c!d/~e/(f)/$g/@h",
    ])
    func `valid names and patterns are channels`(name: String) {
        #expect(Bayeux.Channel(name)?.name == name)
    }

    @Test(arguments: [
        "", "a", "/", "//a", "/a/", "/a b", "/direct_message/1+2", "/a.b", "/a:b", "/*/a", "/a/***", "/a*", "/é",
        "/" + String(repeating: "a", count: 1024),
    ])
    func `invalid names are not channels`(name: String) {
        #expect(Bayeux.Channel(name) == nil)
    }

    @Test(arguments: [
        ("/a", "/a", true), ("/a", "/a/b", false), ("/a/*", "/a/b", true), ("/a/*", "/a/b/c", false),
        ("/a/*", "/a", false),
        ("/a/**", "/a/b/c", true), ("/a/**", "/a/b", true), ("/a/**", "/a", false), ("/a/**", "/ab/c", false),
        ("/*", "/a", true), ("/**", "/a/b", true),
    ])
    func `a pattern matches one segment, or all segments below`(pattern: String, name: String, covers: Bool) throws {
        #expect(try #require(Bayeux.Channel(pattern)).covers(try #require(Bayeux.Channel(name))) == covers)
    }

    @Test func `a frame is an array of messages or one message`() throws {
        let one = #"{"channel":"/a","id":7,"data":[1]}"#
        for text in [one, "[\(one)]", " [ \(one) ] "] {
            let frame = try Bayeux.Frame(parsing: ArraySlice(text.utf8))
            #expect(frame.messages.map(\.channel) == ["/a"])
            #expect(frame.messages.first?.id == "7", "a number is an id, too")
            #expect(frame.messages.first?.data?.description == "[1]")
            #expect(frame.messages.first?.isSuccessful == nil)
        }
        #expect(try Bayeux.Frame(parsing: ArraySlice("[]".utf8)).messages.isEmpty)
    }

    @Test func `an invalid message is reported, and the messages around it are read`() throws {
        let frame = try Bayeux.Frame(parsing: ArraySlice(#"[{"channel":"/a"},3,{"data":1},{"channel":"/b"}]"#.utf8))
        #expect(frame.messages.map(\.channel) == ["/a", "/b"])
        #expect(frame.malformed.map(\.offset) == [18, 20])
    }

    @Test func `members of the wrong type are ignored`() throws {
        let text = """
            [{"channel":"/meta/connect","id":null,"clientId":5,"successful":"yes","error":{},"subscription":7,\
            "advice":{"reconnect":"sometimes","interval":"0","timeout":1e30},"ext":"x","data":null}]
            """
        let message = try #require(try Bayeux.Frame(parsing: ArraySlice(text.utf8)).messages.first)
        var expected = Bayeux.Message(channel: "/meta/connect")
        expected.isSuccessful = false
        expected.advice = Bayeux.Advice()
        #expect(message == expected)
    }

    @Test func `advice is in milliseconds and limited to a day`() throws {
        let text = #"{"channel":"/x","advice":{"reconnect":"none","interval":-1,"timeout":600000.5}}"#
        let advice = try #require(try Bayeux.Frame(parsing: ArraySlice(text.utf8)).messages.first?.advice)
        #expect(
            advice
                == Bayeux.Advice(
                    reconnect: Bayeux.Advice.Reconnect.none, interval: .milliseconds(-1), timeout: .seconds(600)))
        let long = try Bayeux.Frame(parsing: ArraySlice(#"{"channel":"/x","advice":{"timeout":1e14}}"#.utf8))
        #expect(long.messages.first?.advice?.timeout == .seconds(86400))
    }

    @Test(arguments: ["", "nonsense", "[{\"channel\":\"/a\"}", "[{}]]", "{\"channel\":\"\u{1}\"}"])
    func `text that is not JSON is not a frame`(text: String) {
        #expect(throws: Bayeux.Malformed.self) { try Bayeux.Frame(parsing: ArraySlice(text.utf8)) }
    }

    @Test func `messages of a frame are read up to the limit, and the rest are skipped`() throws {
        let most = Bayeux.Frame.mostMessages
        for (count, malformed) in [(most, 0), (most + 1, 1), (most + 2, 1)] {
            let text = "[" + repeatElement(#"{"channel":"/c"}"#, count: count).joined(separator: ",") + "]"
            let frame = try Bayeux.Frame(parsing: Array(text.utf8)[...])
            #expect(frame.messages.count == most)
            #expect(frame.malformed.count == malformed)
        }
    }
}
