import Glibc
import Testing
import TestSupport
import WeirNetwork
import WeirThreads

@Suite("Single-purpose threads")
struct ThreadTests {
    @Test("A finished thread leaves nothing mapped")
    func leavesNothing() throws {
        let loop = try EventLoop(name: "threads")
        defer { loop.shutDown() }
        let done = Mailbox<Int>()
        func runAll(_ round: Int) throws {
            runOnThread(named: "weir-one") { done.put(round) }
            loop.offload(named: "weir-two") {
                round
            } completion: {
                done.put($0)
            }
            let queue = try BatchThread<Int>(
                name: "weir-three", highWater: 1, onDrained: {}, body: { _ in true }, atEnd: { done.put(round) })
            queue.finish()
            done.wait { $0.count >= round * 3 }
        }
        // The C library keeps a few stacks for later threads.
        for round in 1...10 { try runAll(round) }
        let before = try mappings()
        for round in 11...60 { try runAll(round) }
        #expect(try mappings() - before < 50, "150 threads have each left a stack and its guard")
    }

    /// Returns the number of memory mappings of this process.
    private func mappings() throws -> Int {
        let file = try #require(fopen("/proc/self/maps", "r"))
        defer { fclose(file) }
        var lines = 0
        while case let byte = getc(file), byte != EOF { lines += byte == 10 ? 1 : 0 }
        return lines
    }
}
