import Testing
import WeirThreads
import TestSupport
import WeirJSON

@testable import WeirSocketIO

/// A reader that is slower than the server.
@Suite struct BackPressureTests {
    private static let count = 60_000

    /// Waits until the client has stopped reading.
    private func untilPaused(_ client: SocketIOClient) async throws {
        while try await #require(client.readers.driver).isReadingPaused == false { await Task.yield() }
    }

    @Test(.timeLimit(.minutes(2)))
    func `a slow reader pauses the socket, and no event is lost`() async throws {
        try await withServer { server in
            let client = SocketIOClient(server.url)
            let ticks = client.events(named: "tick", bound: 10)
            try await client.connect()
            try await client.emit("flood", Self.count)
            try await untilPaused(client)
            #expect(ticks.waitingCount < Self.count / 10)
            var expected = 0
            for await tick in ticks {
                guard try tick.decode(Int.self) == expected else {
                    Issue.record("\(tick) instead of \(expected)")
                    break
                }
                expected += 1
                if expected == Self.count { break }
            }
            await client.disconnect()
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `a request inside a slow reader's loop is answered`() async throws {
        try await withServer { server in
            let client = SocketIOClient(server.url)
            let ticks = client.events(named: "tick", bound: 10_000)
            try await client.connect()
            try await client.emit("flood", Self.count)
            try await untilPaused(client)
            for await _ in ticks {
                let answer: Int = try await client.request("echo", 5)
                #expect(answer == 5)
                break
            }
            await client.disconnect()
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `a reader that gives up releases the socket`() async throws {
        try await withServer { server in
            let client = SocketIOClient(server.url)
            var ticks: SocketIOEvents? = client.events(named: "tick", bound: 1)
            let said = client.events(named: "said")
            try await client.connect()
            try await client.emit("flood", Self.count)
            try await client.emit("say", 1)
            try await untilPaused(client)
            #expect(ticks != nil)
            ticks = nil
            for await event in said {
                #expect(event[0] == 1)
                break
            }
            await client.disconnect()
        }
    }

    @Test func `a queue is deep by its bytes too, and relieved at half`() async {
        let reliefs = Mailbox<Int>()
        let queue = ReaderQueue<Int>(bound: 100, .pause, weigh: { $0 }, relieved: { reliefs.put(1) })
        queue.push([3 << 20, 3 << 20])
        #expect(!queue.isFull(hard: false))
        queue.push([3 << 20, 1])
        #expect(queue.isFull(hard: false))
        #expect(!queue.isFull(hard: true))
        _ = await queue.next()
        #expect(queue.isFull(hard: false))
        _ = await queue.next()
        #expect(!queue.isFull(hard: false))
        #expect(reliefs.all == [1])
        queue.push([128 << 20])
        #expect(queue.isFull(hard: true))
    }

    @Test func `several tasks share a sequence`() async throws {
        let queue = ReaderQueue<Int>(bound: 4, .pause)
        let sum = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var sum = 0
                    while let next = await queue.next() { sum += next }
                    return sum
                }
            }
            for number in 1...1000 { queue.push([number]) }
            queue.finish()
            return await group.reduce(0, +)
        }
        #expect(sum == 500_500)
    }

    @Test func `a queue that keeps the newest drops the oldest`() async {
        let queue = ReaderQueue<Int>(bound: 3, .keepNewest)
        queue.push(Array(0..<10))
        queue.finish()
        var rest: [Int] = []
        while let next = await queue.next() { rest.append(next) }
        #expect(rest == [7, 8, 9])
    }
}
