import JSONText
import Live
import Network
import Pipeline
import TestSupport
import Testing
import Wire

@Suite(.serialized) struct ControlTests {
    private func ask(_ path: String, _ request: String) throws -> JSONValue {
        let answer = try LocalSocketClient.ask(path: path, line: Array(request.utf8))
        return try JSONValue(parsing: answer[...])
    }

    private func states(_ answer: JSONValue) -> [String: String] {
        guard case .array(let rooms) = answer["result"] else { return [:] }
        var states: [String: String] = [:]
        for room in rooms {
            if case .string(let name) = room["room"], case .string(let state) = room["state"] { states[name] = state }
        }
        return states
    }

    @Test(.enabled(if: environment("socketio5") != nil, "python-socketio is not installed: run Tests/run"))
    func `rooms of a running tail are listed, joined and left through its socket`() async throws {
        let server = try PythonServer(try #require(environment("socketio5")))
        defer { server.stop() }
        let watcher = Watcher()
        let path = try temporaryFolder() + "/t.sock"
        let tail = try tail(port: server.port, rooms: ["/a"], watcher: watcher) { $0.controlPath = path }
        async let summary = tail.run()
        await watcher.reports.wait { $0.rooms(.joined) == ["/a"] }
        #expect(states(try ask(path, #"{"jsonrpc":"2.0","id":1,"method":"rooms.list"}"#)) == ["/a": "joined"])
        _ = try ask(path, #"{"jsonrpc":"2.0","id":2,"method":"rooms.join","params":{"rooms":["/b"]}}"#)
        await watcher.reports.wait { $0.rooms(.joined) == ["/a", "/b"] }
        let left = try ask(path, #"{"jsonrpc":"2.0","id":3,"method":"rooms.leave","params":{"rooms":["/a"]}}"#)
        #expect(states(left) == ["/b": "joined"])
        #expect(left["id"] == .integer(3))
        await watcher.reports.wait { $0.rooms(.left) == ["/a"] }
        let unknown = try ask(path, #"{"jsonrpc":"2.0","id":"x","method":"run","params":{"command":"id"}}"#)
        #expect(unknown["error"]?["code"] == .integer(-32601))
        let nonsense = try ask(path, "hello")
        #expect(nonsense["error"]?["code"] == .integer(-32600))
        tail.stop()
        #expect(await summary.outcome == .interrupted(signal: 0))
    }
}
