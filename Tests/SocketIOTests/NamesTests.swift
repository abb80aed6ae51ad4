// This file imports Foundation and the module alone, as an application does.
import Foundation
import Testing
import WeirSocketIO

@Suite struct NamesTests {
    /// Types with the usual names of networking libraries. An application may have its own.
    private struct HTTPClient {}
    private struct EventLoop {}

    @Test func `the module alone suffices, together with Foundation`() async throws {
        let value: JSONValue = ["url": "x", "count": 2]
        #expect(value["count"]?.int == 2)
        #expect("\(value)" == #"{"url":"x","count":2}"#)
        #expect(throws: JSONError.self) { try JSONValue(parsing: ArraySlice("{".utf8)) }
        #expect(try value.decode([String: JSONValue].self)["url"] == "x")
        // Ambiguous, if the module exported the type of the same name.
        let error = URLError(.badURL)
        #expect(error.code == .badURL)
        _ = (HTTPClient(), EventLoop())
        let client = SocketIOClient("chat", auth: value)
        await #expect(throws: SocketIOError.self) { try await client.connect() }
    }
}
