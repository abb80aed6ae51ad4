import Testing
import WeirJSON

@testable import WeirPipeline

/// Tests for the contents of a profile, and for the errors about an invalid one.
@Suite struct ProfileTests {
    private func problems(_ text: String) -> [String] {
        do throws(Profile.Invalid) {
            _ = try Profile(parsing: Array(text.utf8))
            return []
        } catch {
            return error.problems.map { "\($0.line):\($0.column): \($0.message)" }
        }
    }

    @Test func `a profile needs only a name`() throws {
        #expect(try Profile(parsing: Array("name: mine\n".utf8)) == Profile(name: "mine"))
        #expect(problems("{}") == ["1:1: the key 'name' is missing: The name of the backend, as in --backend."])
    }

    @Test func `a name is a word other than that of a built-in backend`() {
        #expect(
            problems("name: \"a b\"") == [
                "1:7: invalid name 'a b'; a name is a letter, then letters, digits, '_' and '-'"
            ])
        #expect(problems("name: twake") == ["1:7: 'twake' is a built-in backend; choose another name"])
    }

    @Test func `all errors are reported at once, each with its position`() {
        let text = """
            name: mine
            realtime: {protocl: socketio, path: /x}
            entities:
              message: {fields: {text: {type: txt}}, newer: edited}
            events:
              - {event: message, when: 'payload.a = ', entity: mesage}
              - {kind: x}
            reads:
              list: {get: "/rooms/{rom}", every: 5x}
            """
        #expect(
            problems(text) == [
                "2:12: unknown key 'protocl'; did you mean 'protocol'?",
                "4:35: unknown word 'txt'; did you mean 'text'?",
                "4:49: unknown field 'edited'; allowed: text",
                "6:28: invalid condition: a value is missing",
                "6:52: unknown entity 'mesage'; did you mean 'message'?",
                "7:5: the key 'event' is missing: The name on the wire.",
                "9:15: unknown place '{rom}'; did you mean 'room'?",
                "9:38: invalid duration '5x'; write it like 500ms, 2s, 1.5m or 1h",
            ])
    }

    @Test func `a written profile reads back as the same profile`() throws {
        let text = """
            name: all
            realtime: {path: /ws/, namespace: /chat, auth: {t: "{token}"}, emit: [hello, {event: sub, arguments: [[1, "a"]]}]}
            services: {api: /v1, other: {url: /v2, header: X-Key, token: false, rate: 3}}
            entities:
              channel: {key: cid, fields: {name: , n: {type: integer}}, sort: -n, once: true}
              message: {fields: {text: body.text}, parent: cid, section: messages}
            rooms: {name: "chat:{id}", join: enter, leave: exit, list: channels, reads: log, history: log, who: log}
            events:
              - {event: m, when: payload.type = new, kind: message, room: cid, actor: u.name, actor_id: u.id, text: body.text,
                 time: ts, entity: message, at: data, then: {unknown: fetch}, reads: log}
              - {event: gone, says: gone, room: id, why: reason}
            reads:
              channels: /channels
              log: {get: "/log/{id}", service: other, query: {n: "5"}, rows: list, entity: message, replaces: window,
                    pages: {query: before, last: id, most: 3}, every: 90s, missing: remove}
            start: channels
            account: channels
            """
        let profile = try Profile(parsing: Array(text.utf8))
        #expect(try Profile(parsing: Array(profile.json.bytes)) == profile)
        #expect(profile.events[0].then.unknown == .fetch)
        #expect(profile.rooms?.join?.event == "enter")
    }
}
