import Testing
import TestSupport
import WeirJSON
import WeirThreads
import WeirWire

@testable import WeirLive
@testable import WeirViews

/// Tests observed properties, including clients that were cut off and come back.
@Suite(.timeLimit(.minutes(3))) struct ControlObservationTests {
    typealias Property = ControlObservations.Property

    /// A set of properties whose values a test changes.
    private struct World {
        var observations: ControlObservations
        var values: [Property: Int64] = [:]

        init(keeping kept: Int = 1024) { observations = ControlObservations(keeping: kept) }

        mutating func observe(_ client: UInt, _ properties: [Property], once: Bool = false, after: Int? = nil)
            throws(ControlError) -> ControlObservations.Beginning
        {
            try observations.add(of: client, properties, isOnce: once, until: nil, after: after) { [values] in
                .integer(values[$0] ?? 0)
            }
        }

        mutating func change(_ property: Property, to value: Int64) -> [ControlObservations.Message] {
            values[property] = value
            return observations.look(at: .zero) { [values] in .integer(values[$0] ?? 0) }
        }
    }

    /// Returns the numbers of the changes in the messages.
    private func numbers(_ messages: [ControlObservations.Message]) -> [Int] {
        messages.compactMap { if case .changed(_, _, let change) = $0 { change.number } else { nil } }
    }

    @Test func `a client that was cut off resumes after its last change while that is still in the ring`() throws {
        var world = World()
        #expect(try world.observe(1, [.events, .gaps]).number == 0)
        #expect(numbers(world.change(.events, to: 1)) == [1])
        world.observations.removeAll(of: 1)
        #expect(world.change(.events, to: 2) == [] && world.change(.gaps, to: 1) == [])
        #expect(world.change(.events, to: 3) == [])
        let back = try world.observe(2, [.events], after: 1)
        #expect(back.lost == 0 && back.number == 4 && back.values == [.events: .integer(3)])
        #expect(numbers(back.missed) == [2, 4], "the change of another property is none of its business")
        #expect(numbers(world.change(.events, to: 4)) == [5])
    }

    @Test func `if changes have left the ring, the client learns how many were lost`() throws {
        var world = World(keeping: 4)
        _ = try world.observe(1, [.events])
        world.observations.removeAll(of: 1)
        for value in 1...20 { #expect(world.change(.events, to: Int64(value)) == []) }
        let back = try world.observe(1, [.events], after: 3)
        #expect(back.lost == 13 && numbers(back.missed) == [17, 18, 19, 20])
        #expect(back.values == [.events: .integer(20)])
        let late = try world.observe(1, [.events], after: 16)
        #expect(late.lost == 0 && numbers(late.missed) == [17, 18, 19, 20])
        #expect(try world.observe(1, [.events], after: 20).missed == [])
        #expect(throws: ControlError.self) { try world.observe(1, [.events], after: 21) }
    }

    @Test func `an observation of one change ends with a missed change`() throws {
        var world = World()
        _ = try world.observe(1, [.events])
        _ = world.change(.events, to: 1)
        _ = world.change(.events, to: 2)
        world.observations.removeAll(of: 1)
        let back = try world.observe(1, [.events], once: true, after: 0)
        #expect(numbers(back.missed) == [1])
        #expect(back.missed.last == .ended(client: 1, observation: 2, why: "once"))
        #expect(world.observations.isEmpty)
        #expect(world.change(.events, to: 3) == [])
    }

    @Test func `each client receives changes on its own, and only of the properties it observes`() throws {
        var world = World()
        _ = try world.observe(1, [.events])
        _ = try world.observe(2, [.gaps, .events], once: true)
        _ = try world.observe(3, [.gaps])
        let told = world.change(.events, to: 7)
        let change = ControlObservations.Change(number: 1, property: .events, value: .integer(7))
        #expect(
            told == [
                .changed(client: 1, observation: 1, change), .changed(client: 2, observation: 2, change),
                .ended(client: 2, observation: 2, why: "once"),
            ])
        #expect(numbers(world.change(.gaps, to: 1)) == [2])
    }

    @Test func `a client that comes back receives the changes of this run that it missed`() async throws {
        _ = try await ControlledTail.run { path, _, watcher in
            let run = try hearOnce(path)
            let seen = watcher.reports.all.events.count
            await watcher.reports.wait { $0.events.count > seen + 2 }
            let second = try UnixClient(path)
            let resumed = #"{"properties":["events"],"after":1,"run":"\#(run)"}"#
            second.send(line: #"{"method":"observe","id":2,"params":\#(resumed)}"#)
            #expect(second.readLine()?.contains(#""lost":0"#) == true)
            #expect(second.readLine()?.contains(#""number":2,"property":"events""#) == true)
            let other = try refusal(path, "observe", #"{"properties":["events"],"after":1,"run":"another"}"#)
            #expect(other.code == -32002 && other.message.contains("the run has changed"))
        }
    }

    /// Observes one change, is cut off, and returns the id of the run.
    private func hearOnce(_ path: String) throws -> String {
        let client = try UnixClient(path)
        client.send(line: #"{"method":"observe","id":1,"params":{"properties":["events"]}}"#)
        let began = try JSONValue(parsing: Array(try #require(client.readLine()).utf8)[...])
        #expect(client.readLine()?.contains(#""number":1,"property":"events""#) == true)
        guard case .string(let run)? = began["result"]?["run"] else {
            Issue.record("no run in \(began)")
            return ""
        }
        return run
    }
}
