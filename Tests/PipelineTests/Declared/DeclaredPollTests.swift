import Testing
import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

@testable import WeirPipeline

/// Tests for reads that are polled for each row until the row reaches its final state.
@Suite struct DeclaredPollTests {
    private static let text = """
        name: polls
        realtime: {protocol: none}
        services: {api: /api}
        entities: {sent: {fields: {state: }}}
        reads:
          sent: {get: /sent, entity: sent, replaces: all}
          state:
            get: /state/{sent.id}
            entity: sent
            each: sent
            every: 2s
            until: payload.state = seen
            tag: photo-{sent.id}
            missing: remove
            why: message
        writes:
          update: {path: /me, body: {about: "{about}"}, why: message}
          upload: {path: /sent, body: {to: "{to}", image: "{image}", note: "a {to}"}, entity: sent, why: message}
        actions:
          update: {parameters: about, tag: me, steps: [{write: update}]}
          upload: {parameters: to, files: image, tag: "to-{to}", steps: [{write: upload}]}
        start: sent
        """

    private func chat(_ rows: String) throws -> Transcript {
        var chat = Transcript(Configuration(backend: .declared(try Profile(parsing: Array(Self.text.utf8)))))
        chat.feed(.opened(connection: 1, token: nil))
        chat.answer("/sent", rows)
        return chat
    }

    private func asked(_ chat: Transcript) -> [String] { chat.requests.map(\.target) }

    private func notices(_ chat: Transcript) -> [String] {
        chat.effects.compactMap { if case .report(.notice(let notice)) = $0 { notice.text } else { nil } }
    }

    private func rows(_ chat: Transcript) -> [String] { chat.ids(in: Item.Section("sent")) }

    @Test func `each unfinished row is polled by its own request until it is finished`() throws {
        var chat = try chat(#"[{"id":"1","state":"sending"},{"id":"2","state":"seen"},{"id":"3","state":"sending"}]"#)
        #expect(asked(chat) == ["/api/state/1", "/api/state/3"])
        chat.answer("/1", #"{"id":"1","state":"seen"}"#)
        chat.answer("/3", #"{"id":"3","state":"delivered"}"#)
        chat.pass(.milliseconds(1900))
        #expect(asked(chat) == [])
        chat.pass(.milliseconds(200))
        #expect(asked(chat) == ["/api/state/3"])
        chat.answer("/3", #"{"id":"3","state":"seen"}"#)
        chat.pass(.seconds(60))
        #expect(asked(chat) == [])
        #expect(chat.session.tags == [])
    }

    @Test func `a tag cancels the polling of its row only, with the running request`() throws {
        var chat = try chat(#"[{"id":"1","state":"sending"},{"id":"2","state":"sending"}]"#)
        #expect(chat.session.tags == ["photo-1", "photo-2"])
        chat.feed(.cancel(tag: "photo-1"))
        #expect(asked(chat) == ["/api/state/2"])
        #expect(notices(chat) == ["state of 1 is not asked any more: it was cancelled"])
        chat.answer("/2", #"{"id":"2","state":"sending"}"#)
        chat.pass(.seconds(3))
        #expect(asked(chat) == ["/api/state/2"])
        #expect(chat.session.tags == ["photo-2"])
        #expect(rows(chat) == ["1", "2"])
    }

    @Test func `a removed row is not polled, and is polled again once it is back`() throws {
        var chat = try chat(#"[{"id":"1","state":"sending"},{"id":"2","state":"sending"}]"#)
        chat.feed(.cancel(tag: "photo-2"))
        chat.answer("/1", status: 404, "{}")
        #expect(rows(chat) == ["2"])
        chat.pass(.seconds(60))
        #expect(asked(chat) == [])
        chat.cut()
        chat.pass(.seconds(60))
        chat.feed(.opened(connection: chat.connection, token: nil))
        chat.answer("/sent", #"[{"id":"1","state":"sending"}]"#)
        #expect(asked(chat) == ["/api/state/1"])
    }

    @Test func `a stopped poll is forgotten only after its row is gone`() throws {
        var chat = try chat(#"[{"id":"1","state":"sending"},{"id":"2","state":"sending"}]"#)
        chat.feed(.cancel(tag: "photo-1"))
        chat.cut()
        chat.pass(.seconds(60))
        chat.feed(.opened(connection: chat.connection, token: nil))
        chat.answer("/sent", #"[{"id":"2","state":"sending"},{"id":"3","state":"sending"}]"#)
        #expect(rows(chat) == ["2", "3"])
        chat.feed(.cancel(tag: "photo-2"))
        let backend = try #require(chat.session.backend as? DeclaredBackend)
        #expect(backend.rowPolls.keys.compactMap { $0.row?.id.description }.sorted() == ["2", "3"])
    }

    @Test func `a 400 ends the polling with the reason, and a 500 does not`() throws {
        var chat = try chat(#"[{"id":"1","state":"sending"},{"id":"2","state":"sending"}]"#)
        chat.answer("/1", status: 400, #"{"message":"its film is lost"}"#)
        #expect(notices(chat) == ["state of 1 cannot be fetched: its film is lost (HTTP 400); it is not asked again"])
        #expect(chat.session.tags == ["photo-2"])
        for _ in 0..<10 {
            chat.answer("/2", status: 500, #"{"message":"the disk is full"}"#)
            chat.pass(.seconds(60))
        }
        #expect(asked(chat).contains("/api/state/2"))
    }

    @Test func `an action with a tag is cancelled with its request, and its late answer does nothing`() throws {
        var chat = try chat("[]")
        let action = Action(id: EntityID("a"), .run(.init("update", ["about": "x"])), asked: Timestamp(milliseconds: 0))
        chat.feed(.act(action))
        #expect(chat.session.tags == ["me"])
        let request = try #require(chat.requests.first)
        chat.feed(.cancel(tag: "me"))
        #expect(asked(chat) == [])
        #expect(chat.session.pendingActions.isEmpty)
        chat.feed(.answered(request: request.id, .response(status: 200, body: [], retryAfter: nil)))
        #expect(chat.session.tags == [])
    }

    @Test func `a write whose answer is not a row is completed by its status alone`() throws {
        var chat = try chat("[]")
        let action = Action(id: EntityID("a"), .run(.init("update", ["about": "x"])), asked: Timestamp(milliseconds: 0))
        chat.feed(.act(action))
        chat.answer("/me", #"{"thanks":true}"#)
        #expect(
            chat.effects.contains {
                guard case .report(.action(let report)) = $0, case .done = report.change else { return false }
                return true
            })
        #expect(chat.session.pendingActions.isEmpty)
    }

    @Test func `a request refers to a file without reading it, and an unreadable file ends the action`() throws {
        var chat = try chat("[]")
        let run = Action.Run("upload", ["to": "bo", "image": "/photos/cake.jpg"])
        chat.feed(.act(Action(id: EntityID("a"), .run(run), asked: Timestamp(milliseconds: 0))))
        let request = try #require(chat.requests.first)
        let body = #"{"to":"bo","image":"","note":"a bo"}"#
        #expect(String(decoding: request.body, as: UTF8.self) == body)
        #expect(request.call.files == [.init(path: "/photos/cake.jpg", offset: #"{"to":"bo","image":""#.utf8.count)])
        chat.feed(.answered(request: request.id, .failure(kind: "file", message: "the file cannot be read")))
        #expect(
            chat.effects.contains {
                if case .report(.action(let report)) = $0 {
                    report.change == .refused(why: "the file cannot be read", status: nil)
                } else {
                    false
                }
            })
    }
}
