import Testing
import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

@testable import WeirPipeline

/// Tests for files in Twake's messages: uploaded first, each once, and then referenced by id.
struct TwakeFileTests {
    private let threads = "/internal/services/messages/v1/companies/C/threads"
    private let files = "/internal/services/files/v1/companies/C/files"
    private let message = Action.MessageReference(channel: Transcript.channel, message: EntityID("M0"))

    private func action(_ id: String, _ operation: Action.Operation, _ names: String...) -> Action {
        var action = Action(id: EntityID(id), operation, asked: Timestamp(milliseconds: 1_631_610_500_000))
        action.files = names.map { Action.File(path: "/home/ann/\($0)", size: 5) }
        return action
    }

    private func send(_ names: String...) -> Action {
        var action = action("A1", .send(channel: Transcript.channel, thread: nil, text: "hello"))
        action.files = names.map { Action.File(path: "/home/ann/\($0)", size: 5) }
        return action
    }

    private func body(_ transcript: Transcript) throws -> JSONValue {
        try JSONValue(parsing: try #require(transcript.requests.last).body[...])
    }

    private func shownFiles(_ transcript: Transcript) -> [String] {
        transcript.session.model.elements(in: Transcript.messages).flatMap { row in
            (row.message?.files ?? []).map { $0.name ?? "" }
        }
    }

    @Test func `files are shown at once, uploaded one after the other, and referenced by their message`() throws {
        var transcript = Transcript.acting()
        transcript.feed(.act(send("a.png", "b.txt")))
        #expect(shownFiles(transcript) == ["a.png", "b.txt"])
        #expect(transcript.calls == ["POST \(files)"])
        #expect(transcript.requests.last?.call.form?.file.path == "/home/ann/a.png")
        #expect(transcript.requests.last?.call.form?.file.type == "image/png")
        transcript.answer("/files", #"{"resource":{"company_id":"C","id":"F1"}}"#)
        #expect(transcript.calls == ["POST \(files)"])
        transcript.answer("/files", #"{"resource":{"company_id":"C","id":"F2"}}"#)
        #expect(transcript.calls == ["POST \(threads)"])
        let named = try body(transcript)["options"]?["message"]?["files"]
        let first =
            #"{"company_id":"C","metadata":{"source":"internal","external_id":{"id":"F1","company_id":"C"},"name":"a.png","size":5,"mime":"image/png"}}"#
        #expect(named?.raw.description.hasPrefix("[" + first + ",") == true)
        let sent = Transcript.message("M1", "hello", at: 9, more: #","context":{"client_id":"A1"}"#)
        transcript.answer("/threads", Transcript.thread(sent, id: "M1"))
        #expect(transcript.actions == ["A1 done M1"])
    }

    @Test func `a message sent again references the uploaded files`() throws {
        var transcript = Transcript.acting()
        transcript.feed(.act(send("a.png")))
        transcript.answer("/files", #"{"resource":{"id":"F1"}}"#)
        transcript.fail("/threads", kind: "lost")
        transcript.pass(.seconds(2))
        transcript.answer("/feed", Transcript.feed([Transcript.message("M0", "first", at: 1)]))
        #expect(transcript.calls == ["POST \(threads)"])
        #expect(try body(transcript).raw.description.contains(#""external_id":{"id":"F1","company_id":"C"}"#))
        // So does another process, which finds the ids of the files in the store.
        let kept = try #require(transcript.session.pendingActions.first)
        var writer = JSONWriter()
        kept.encode(into: &writer)
        let again = try #require(OutboxEntry(try JSONValue(parsing: writer.bytes[...])))
        #expect(again.action == kept.action && again.action.nextUpload == nil)
    }

    @Test func `an upload with a lost answer, or interrupted by the end of the process, is not repeated`() throws {
        for kind in ["lost", "timeout"] {
            var transcript = Transcript.acting()
            transcript.feed(.act(send("a.png")))
            transcript.fail("/files", kind: kind)
            #expect(transcript.actions == ["A1 refused a.png was not uploaded: no answer"])
            #expect(transcript.calls == [] && transcript.shown == ["first", "hello!"])
        }
        var entry = OutboxEntry(send("a.png"))
        (entry.attempts, entry.isInDoubt) = (1, true)
        var after = Transcript.acting()
        after.feed(.restoreOutbox([entry]))
        #expect(after.calls == [])
        #expect(after.actions.last?.contains("nothing shows whether it was done") == true)
    }

    @Test func `an upload that did not leave, or was rate-limited, is retried`() {
        var transcript = Transcript.acting()
        transcript.feed(.act(send("a.png")))
        transcript.fail("/files", kind: "connect")
        transcript.pass(.seconds(2))
        transcript.answer("/files", status: 429, "{}")
        transcript.pass(.seconds(5))
        #expect(transcript.calls == ["POST \(files)"])
        transcript.answer("/files", status: 401, #"{"message":"Bad credentials"}"#)
        transcript.feed(.tokenRenewed(changed: true))
        #expect(transcript.calls == ["POST \(files)"])
        transcript.fail("/files", kind: "file")
        #expect(transcript.actions == ["A1 refused no answer"])
    }

    @Test func `an edit references the existing files, and the new ones once`() throws {
        var transcript = Transcript.acting()
        let file =
            #","files":[{"id":"R1","company_id":"C","message_id":"M0","metadata":{"source":"internal","external_id":{"id":"F0","company_id":"C"},"name":"old.pdf","size":9}}]"#
        transcript.tell("updated", Transcript.message("M0", "first", at: 1, updated: 2, more: file))
        transcript.feed(.act(action("A2", .edit(message, text: "1st"), "a.png")))
        #expect(shownFiles(transcript) == ["old.pdf", "a.png"])
        transcript.answer("/files", #"{"resource":{"id":"F1"}}"#)
        let ids = { (transcript: Transcript) throws in
            let named = try body(transcript)["resource"]?["files"]?.raw.description ?? ""
            return named.matches(of: /"external_id":\{"id":"(..)"/).map { String($0.1) }
        }
        #expect(try ids(transcript) == ["F0", "F1"])
        // The edit was done and its answer lost: existing files are not referenced twice.
        let both =
            file.dropLast()
            + #",{"id":"R2","company_id":"C","message_id":"M0","metadata":{"source":"internal","external_id":{"id":"F1","company_id":"C"},"name":"a.png","size":5}}]"#
        transcript.tell("updated", Transcript.message("M0", "1st", at: 1, updated: 3, more: String(both)))
        transcript.fail("/messages/M0", kind: "lost")
        transcript.pass(.seconds(2))
        #expect(try ids(transcript) == ["F0", "F1"])
        #expect(shownFiles(transcript) == ["old.pdf", "a.png"])
    }

    @Test func `an unknown message is fetched before it is edited`() {
        var transcript = Transcript.acting()
        let other = Action.MessageReference(channel: Transcript.channel, message: EntityID("M9"))
        transcript.feed(.act(action("A2", .edit(other, text: "x"), "a.png")))
        #expect(transcript.calls == ["GET \(threads)/M9/messages/M9?include_users=1"])
        transcript.answer("/messages/M9", status: 404, #"{"statusCode":404}"#)
        #expect(transcript.actions == ["A2 refused the channel has no such message"])
    }

    @Test func `era A references files in the contents, and accepts at most fifty million bytes`() throws {
        var transcript = Transcript.actingByProxy()
        transcript.feed(.act(send("a.png")))
        #expect(transcript.calls == ["POST /internal/mobile/media/upload"])
        #expect(transcript.requests.last?.call.form?.fields == [.init(name: "workspace_id", value: "W")])
        transcript.answer("/media/upload", #"{"id":"F1","name":"a.png"}"#)
        let piece =
            #"{"type":"file","mode":"preview","content":"F1","metadata":{"id":"F1","name":"a.png","size":5,"preview":null,"download":null}}"#
        #expect(
            try body(transcript)["prepared"]?.raw.description == #"["hello",{"type":"nop","content":[\#(piece)]}]"#)
        var large = send("a.png")
        large.files.append(Action.File(path: "/large.iso", size: 50_000_001))
        var other = Transcript.actingByProxy()
        other.feed(.act(large))
        #expect(other.actions.last == "A1 refused large.iso has 50000001 bytes, and this server takes 50000000 at most")
        #expect(other.calls == [])
    }

    @Test func `an action keeps its files, and an old action has none`() throws {
        var kept = send("a.png", "b.txt")
        kept.noteUpload(EntityID("F1"))
        var writer = JSONWriter()
        kept.encode(into: &writer)
        #expect(Action(try JSONValue(parsing: writer.bytes[...])) == kept)
        #expect(kept.nextUpload?.name == "b.txt")
        let before = #"{"id":"A1","asked":1,"do":"send","channel":"CH","text":"x"}"#
        #expect(Action(try JSONValue(parsing: Array(before.utf8)[...]))?.files == [])
    }
}
