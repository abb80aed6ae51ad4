import Testing
import WeirJSON
import WeirWire

@testable import WeirPipeline

@Suite struct ConfigurationTests {
    @Test func `a configuration read from a recording's header equals the one written`() throws {
        let configuration = Configuration(
            backend: .twake, path: "/s/", namespaces: ["/n", "/m"], revision: .v3, transport: .upgrade, company: "c",
            workspace: "w",
            rooms: ["a", "b"],
            maximumAttempts: 4, reconnect: Backoff(base: .milliseconds(3), cap: .seconds(7)), concurrentRequests: 3,
            history: 40, following: [.usual, .members])
        #expect(try Configuration(json: configuration.json) == configuration)
    }

    @Test func `a replay uses the limits in the recording's header, each at its minimum or its maximum`() throws {
        var configuration = Configuration(backend: .twake)
        #expect(try Configuration(json: configuration.json).limits == Limits())
        (configuration.limits.message, configuration.limits.body) = (Limits.range.lowerBound, Limits.range.upperBound)
        (configuration.limits.attachments, configuration.limits.attachmentCount) = (5000, 1000)
        configuration.limits.depth = 8
        #expect(try Configuration(json: configuration.json).limits == configuration.limits)
        // The first recordings have only three limits.
        let three = RawJSON(unchecked: ArraySlice(#"{"backend":"twake","limits":[4096,33554432,5000]}"#.utf8))
        (configuration.limits.attachmentCount, configuration.limits.depth) = (Limits().attachmentCount, Limits().depth)
        #expect(try Configuration(json: three).limits == configuration.limits)
    }

    @Test(arguments: [
        "4095,4096,4096,10,64", "4096,33554433,4096,10,64", "4096,4096,4096,1001,64", "4096,4096,4096,10,7",
    ])
    func `a header with limits that no option accepts is refused`(limits: String) {
        let text = #"{"backend":"twake","limits":[\#(limits)]}"#
        #expect(throws: JSONError.self) { try Configuration(json: RawJSON(unchecked: ArraySlice(text.utf8))) }
    }

    @Test(arguments: [
        #"{"backend":"twake","namespace":"/a,b"}"#, #"{"backend":"twake","reconnect_us":[1,9223372036854775807]}"#,
        #"{"backend":"twake","reconnect_us":[-1,5]}"#, #"{"backend":"twake","reconnect_us":[5]}"#, "[]",
    ])
    func `a header that would mislead a session is refused`(text: String) {
        #expect(throws: JSONError.self) { try Configuration(json: RawJSON(unchecked: ArraySlice(text.utf8))) }
    }

    @Test func `a header of a later version is read, and an unknown backend is refused`() throws {
        let later = RawJSON(unchecked: ArraySlice(#"{"backend":"socketio","new":[1,{"x":2}]}"#.utf8))
        #expect(try Configuration(json: later).backend == .socketio)
        let unknown = RawJSON(unchecked: ArraySlice(#"{"backend":"irc"}"#.utf8))
        #expect(throws: JSONError.self) { try Configuration(json: unknown) }
    }
}
