import Glibc
import Testing
import TestSupport
import WeirThreads
import WeirWire

@testable import WeirNetwork

/// An actor whose jobs run on a loop.
private actor Pinned {
    let loop: EventLoop
    var log: [Int] = []
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    init(_ loop: EventLoop) { self.loop = loop }
    func add(_ number: Int) { log.append(number) }
    func isOnLoop() -> Bool { loop.isOnLoop }
    /// Starts a job that waits for `released`, and then drops its reference to the actor.
    func endLater(after released: Mailbox<Int>, _ ended: Mailbox<Int>) {
        Task {
            released.wait { !$0.isEmpty }
            add(1)
            ended.put(1)
        }
    }
}

@Suite struct EventLoopTests {
    @Test("Work runs on the loop in the order of submission")
    func order() throws {
        try withLoop { loop in
            let seen = Mailbox<Int>()
            for number in 0..<1000 { loop.run { seen.put(number) } }
            #expect(seen.wait { $0.count == 1000 } == Array(0..<1000))
            #expect(loop.perform { loop.isOnLoop } == true)
            #expect(!loop.isOnLoop)
        }
    }

    @Test("An actor pinned to the loop runs on its thread")
    func pinnedActor() async throws {
        let loop = try EventLoop(name: "weir-test")
        let actor = Pinned(loop)
        #expect(await actor.isOnLoop())
        for number in 0..<100 { await actor.add(number) }
        #expect(await actor.log == Array(0..<100))
        await Task.detached { loop.shutDown() }.value
    }

    @Test("A socket's callback may assume the isolation of an actor pinned to the loop")
    func assumeIsolated() throws {
        try withLoop { loop in
            let actor = Pinned(loop)
            let counts = Mailbox<Int>()
            let handler = TestHandler(onMessages: { messages, _ in
                actor.assumeIsolated { actor in
                    actor.log.append(messages.count)
                    counts.put(actor.log.reduce(0, +))
                }
            })
            let server = try HTTPServer(on: loop, handler: handler)
            let client = try TestClient(loop, WebSocketRequest(url: socketURL(server)))
            client.onLoop { client in for _ in 0..<5 { client.send(.text("x")) } }
            #expect(counts.wait { $0.last == 5 }.last == 5)
            server.close()
        }
    }

    @Test(
        "After a standstill, pending socket data is read before a timer fires, whenever it was set",
        arguments: [true, false])
    func standstill(isSetBefore: Bool) throws {
        let (order, sockets) = (Mailbox<String>(), Mailbox<ServerWebSocket>())
        let serving = try EventLoop(name: "weir-test-server")
        defer { serving.shutDown() }
        let server = try HTTPServer(on: serving, handler: TestHandler(onOpen: { sockets.put($0) }))
        defer { server.close() }
        try withLoop { loop in
            let client = try TestClient(loop, WebSocketRequest(url: socketURL(server))) { _, event in
                guard case .received(let messages) = event else { return }
                guard messages == [.text("stop")] else { return order.put("message") }
                let due = loop.now + .milliseconds(50)
                let set = { _ = loop.schedule(at: due) { order.put("timer") } }
                if isSetBefore { set() }
                serving.run { sockets.all.first?.send(.text("x")) }
                // The thread is blocked, as if the process were stopped.
                while loop.now - due < .milliseconds(700) {}
                if !isSetBefore { set() }
            }
            client.waitForOpen()
            let socket = try sockets.first()
            serving.run { socket.send(.text("stop")) }
            #expect(order.wait { $0.count == 2 } == ["message", "timer"])
        }
    }

    @Test("After the shutdown nothing is called, and an actor pinned to the loop still answers")
    func afterShutDown() async throws {
        let loop = try EventLoop(name: "weir-test")
        let actor = Pinned(loop)
        let seen = Mailbox<Int>()
        await Task.detached {
            loop.run { seen.put(1) }
            loop.run { _ = loop.schedule(at: loop.now + .milliseconds(1)) { seen.put(2) } }
            loop.shutDown()
            loop.run { seen.put(3) }
            loop.shutDown()
        }.value
        #expect(await actor.isOnLoop())
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 { group.addTask { await actor.add(number) } }
        }
        #expect(await actor.log.sorted() == Array(0..<100))
        #expect(seen.all == [1])
    }

    @Test("A job that releases the last reference to its loop ends well")
    func lastReference() async throws {
        for _ in 0..<20 {
            let (released, ended) = (Mailbox<Int>(), Mailbox<Int>())
            var actor: Pinned? = Pinned(try EventLoop(name: "weir-test"))
            weak let gone = actor
            let loop = Monitor(actor?.loop)
            await Task.detached { loop.change { $0 }?.shutDown() }.value
            loop.change { $0 = nil }
            await actor?.endLater(after: released, ended)
            actor = nil
            released.put(1)
            await ended.wait { !$0.isEmpty }
            while gone != nil { await Task.yield() }
        }
    }

    @Test("The shutdown closes sockets without events")
    func shutDownWithSockets() throws {
        let loop = try EventLoop(name: "weir-test")
        let handler = TestHandler()
        let server = try HTTPServer(on: loop, handler: handler)
        let client = try TestClient(loop, WebSocketRequest(url: socketURL(server)))
        client.waitForOpen()
        let told = handler.events.wait { !$0.isEmpty }.count
        loop.shutDown()
        #expect(client.events.all.count == 1)
        #expect(handler.events.all.count == told)
        server.close()
        // The port is free again.
        let again = try listen(address: "127.0.0.1", port: server.port)
        close(again.descriptor)
    }

    @Test("Work that reschedules itself does not keep the loop from ending")
    func endlessWork() throws {
        let loop = try EventLoop(name: "weir-test")
        let runs = Mailbox<Int>()
        @Sendable func again() {
            if runs.all.count < 1000 { runs.put(1) }
            loop.run(again)
        }
        loop.run(again)
        runs.wait { $0.count > 100 }
        loop.shutDown()
        #expect(!loop.isOnLoop)
    }

    @Test("A timer for the far future stays pending and does not fire now")
    func farTimer() throws {
        try withLoop { loop in
            let fired = Mailbox<Int>()
            loop.run {
                _ = loop.schedule(at: Moment(microseconds: .max)) { fired.put(-1) }
                _ = loop.schedule(at: Moment(microseconds: .min)) { fired.put(1) }
            }
            #expect(fired.wait { !$0.isEmpty } == [1])
            let turns = Mailbox<Int>()
            loop.run { loop.run { turns.put(0) } }
            turns.wait { !$0.isEmpty }
            #expect(fired.all == [1])
        }
    }

    @Test("Timers fire in the order of their deadlines, never early, and never after a cancellation")
    func timers() throws {
        try withLoop { loop in
            let fired = Mailbox<(Int, late: Int64)>()
            loop.run {
                let start = loop.now
                for number in [7, 3, 9, 1, 5, 5, 0] {
                    let deadline = start + .milliseconds(number * 3)
                    _ = loop.schedule(at: deadline) { fired.put((number, (loop.now - deadline).microseconds)) }
                }
                let cancelled = loop.schedule(at: start + .milliseconds(10)) { fired.put((-1, 0)) }
                _ = loop.schedule(at: start + .milliseconds(5)) { cancelled.cancel() }
                // A timer that is due at once, set by a timer that fires.
                _ = loop.schedule(at: start + .milliseconds(30)) {
                    _ = loop.schedule(at: .zero) { fired.put((100, 0)) }
                }
            }
            let all = fired.wait { $0.count == 8 }
            #expect(all.map(\.0) == [0, 1, 3, 5, 5, 7, 9, 100])
            #expect(all.allSatisfy { $0.late >= 0 })
        }
    }

    @Test("A timer is precise to much less than a millisecond")
    func precision() throws {
        try withLoop { loop in
            let late = Mailbox<Int64>()
            @Sendable func next(_ left: Int) {
                guard left > 0 else { return }
                let deadline = loop.now + .microseconds(700)
                _ = loop.schedule(at: deadline) {
                    late.put((loop.now - deadline).microseconds)
                    next(left - 1)
                }
            }
            loop.run { next(50) }
            let all = late.wait { $0.count == 50 }.sorted()
            // Takes the best of fifty runs: a busy machine may be late, but not always.
            #expect((0..<500).contains(all[0]))
        }
    }
}

@Suite struct TimerQueueTests {
    @Test("After random insertions and cancellations, the remaining timers come in order")
    func random() {
        var random = RandomSource(seed: 1)
        var queue = TimerQueue()
        let seen = Mailbox<Int64>()
        var expected: [Int64] = []
        var numbers: [(UInt64, Int64)] = []
        for _ in 0..<2000 {
            let deadline = Int64.random(in: 0..<500, using: &random)
            let number = queue.insert(at: Moment(microseconds: deadline)) { seen.put(deadline) }
            numbers.append((number, deadline))
        }
        for (number, deadline) in numbers {
            if Bool.random(using: &random) { queue.cancel(number) } else { expected.append(deadline) }
        }
        #expect(queue.nextDeadline()?.microseconds == expected.min())
        while let work = queue.popDue(at: Moment(microseconds: 1000)) { work() }
        #expect(seen.all == expected.sorted())
        #expect(queue.nextDeadline() == nil)
    }
}
