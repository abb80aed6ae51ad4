import ModelOracle
import Testing
import WeirWire

@testable import WeirModel

@Suite struct ChunkTests {
    /// Counts the instances that are not freed.
    private final class Living: Sendable {
        let number: Int
        let count: Count

        init(_ number: Int, _ count: Count) {
            self.number = number
            self.count = count
            count.value += 1
        }

        deinit { count.value -= 1 }
    }

    private final class Count: @unchecked Sendable {
        var value = 0
    }

    private struct Entry: Sendable {
        let living: Living
    }

    /// A chunk, and the array that it must equal.
    private struct Pair {
        var chunk = Chunk<Entry>()
        var array: [Int] = []

        func expectEqual() {
            #expect(chunk.map(\.living.number) == array)
            #expect(chunk.count == array.count && chunk.isEmpty == array.isEmpty)
        }

        mutating func insert(_ number: Int, at index: Int, _ count: Count) {
            chunk.insert(Entry(living: Living(number, count)), at: index)
            array.insert(number, at: index)
        }

        mutating func remove(at index: Int) {
            let removed = array.remove(at: index)
            #expect(chunk.remove(at: index).living.number == removed)
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a chunk behaves like an array, keeps its copies intact, and releases its elements`(_ seed: UInt64) {
        var dice = RandomSource(seed: seed)
        let count = Count()
        do {
            var pair = Pair()
            var kept: [Pair] = []
            for number in 0..<2000 {
                let size = pair.array.count
                switch Int.random(in: 0..<10, using: &dice) {
                case 0...4: pair.insert(number, at: Int.random(in: 0...size, using: &dice), count)
                case 5...6 where size > 0: pair.remove(at: Int.random(in: 0..<size, using: &dice))
                case 7 where size > 0:
                    let index = Int.random(in: 0..<size, using: &dice)
                    pair.chunk[index] = Entry(living: Living(number, count))
                    pair.array[index] = number
                case 8 where size > 1:
                    let index = Int.random(in: 1..<size, using: &dice)
                    let upper = Pair(chunk: pair.chunk.split(at: index), array: Array(pair.array[index...]))
                    pair.array.removeSubrange(index...)
                    upper.expectEqual()
                    if Int.random(in: 0..<2, using: &dice) == 0 {
                        pair.chunk.append(contentsOf: upper.chunk)
                        pair.array += upper.array
                    }
                case 9: kept.append(pair)
                default: break
                }
                if kept.count > 5 { kept.remove(at: Int.random(in: 0..<kept.count, using: &dice)).expectEqual() }
                pair.expectEqual()
            }
        }
        #expect(count.value == 0)
    }
}
