import JSONText
import Testing
import Wire

@testable import Pipeline

@Suite struct ConfigurationTests {
    @Test func `what is written into a recording's head makes the same configuration again`() throws {
        let configuration = Configuration(
            backend: .twake, path: "/s/", namespaces: ["/n", "/m"], revision: .v3, transport: .upgrade, company: "c",
            workspace: "w",
            rooms: ["a", "b"],
            maximumAttempts: 4, reconnect: Backoff(base: .milliseconds(3), cap: .seconds(7)), concurrentRequests: 3,
            history: 40, following: [.usual, .members])
        #expect(try Configuration(json: configuration.json) == configuration)
    }

    @Test(arguments: [
        #"{"backend":"twake","namespace":"/a,b"}"#, #"{"backend":"twake","reconnect_us":[1,9223372036854775807]}"#,
        #"{"backend":"twake","reconnect_us":[-1,5]}"#, #"{"backend":"twake","reconnect_us":[5]}"#, "[]",
    ])
    func `a head that would lead a session astray is refused`(text: String) {
        #expect(throws: JSONError.self) { try Configuration(json: RawJSON(unchecked: ArraySlice(text.utf8))) }
    }

    @Test func `a head of a later version is read, an unknown backend is refused`() throws {
        let later = RawJSON(unchecked: ArraySlice(#"{"backend":"socketio","new":[1,{"x":2}]}"#.utf8))
        #expect(try Configuration(json: later).backend == .socketio)
        let unknown = RawJSON(unchecked: ArraySlice(#"{"backend":"irc"}"#.utf8))
        #expect(throws: JSONError.self) { try Configuration(json: unknown) }
    }
}
