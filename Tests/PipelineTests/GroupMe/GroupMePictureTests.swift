import Testing
import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

@testable import WeirPipeline

/// Tests for pictures in messages: each is a URL returned by the image service.
struct GroupMePictureTests {
    private static let address = "https://i.groupme.com/1x1.png.0123456789abcdef"

    private func action(_ text: String) -> Action {
        var action = Action(
            id: EntityID("A1"), .send(channel: EntityID("10000001"), thread: nil, text: text),
            asked: Timestamp(milliseconds: 1))
        action.pictures = [Self.address]
        return action
    }

    @Test func `an action keeps its pictures, and an old action has none`() throws {
        var writer = JSONWriter()
        action("x").encode(into: &writer)
        #expect(Action(try JSONValue(parsing: writer.bytes[...])) == action("x"))
        let before = #"{"id":"A1","asked":1,"do":"send","channel":"10000001","text":"x"}"#
        #expect(Action(try JSONValue(parsing: Array(before.utf8)[...]))?.pictures == [])
    }

    @Test func `a picture is an attachment, is shown before it is sent, and needs no text`() throws {
        var peer = GroupMeTranscript.ready()
        peer.answer("messages?limit=100", GroupMeTranscript.page([1]))
        peer.answer("/groups/10000001", #"{"id":"10000001","name":"Family","members":[]}"#)
        peer.feed(.act(action("")))
        let shown = peer.transcript.session.model.elements(in: .messages(EntityID("10000001")))
        #expect(shown.last?.said?.attachments.count == 1)
        let request = try #require(peer.transcript.requests.first { $0.method == "POST" })
        let message = try #require(try JSONValue(parsing: request.body[...])["message"])
        #expect(message["text"] == nil)
        let attachments = #"[{"type":"image","url":"\#(Self.address)"}]"#
        #expect(message["attachments"] == (try JSONValue(parsing: Array(attachments.utf8)[...])))
    }

    @Test func `the image service has its own host and answers without an envelope`() {
        #expect(GroupMePictures.host(for: "push.groupme.com") == "image.groupme.com")
        #expect(GroupMePictures.host(for: "127.0.0.1") == "127.0.0.1")
        func address(_ text: String) -> String? { GroupMePictures.address(from: Array(text.utf8)[...]) }
        #expect(address(#"{"payload":{"url":"u","picture_url":"p"}}"#) == "p")
        #expect(address(#"{"payload":{"url":"u"}}"#) == "u")
        #expect(address(#"{"payload":{"url":""}}"#) == nil)
        #expect(address("<html>") == nil)
    }
}
