import ModelOracle
import Testing
import WeirModel

/// Transitions that other libraries describe as their hardest, as data: sections in order,
/// each with its rank and its rows.
///
/// Where those libraries allow an id twice, the second one has a different id here; their empty sections are omitted. A
/// row with `!` has different contents.
@Suite struct KnownTransitionTests {
    /// A state in a short notation such as "1: 11 12 | 2: 21!".
    private struct Sketch {
        var rows: [Row] = []
        var ranks: [Int: Int64] = [:]

        init(_ text: String) {
            var seen: [Int: Int] = [:]
            for (rank, section) in text.split(separator: "|").enumerated() {
                let parts = section.split(separator: ":")
                var key = Int(parts[0].filter { $0 != " " }) ?? 0
                while ranks[key] != nil { key += 100 }
                ranks[key] = Int64(rank + 1)
                for (place, word) in (parts.count > 1 ? parts[1] : "").split(separator: " ").enumerated() {
                    let id = Int(word.filter { $0 != "!" }) ?? 0
                    seen[id, default: 0] += 1
                    rows.append(
                        Row(
                            id + 1_000 * ((seen[id] ?? 1) - 1), in: key, at: place,
                            content: word.contains("!") ? 1 : 0))
                }
            }
        }
    }

    @discardableResult
    private func transition(_ old: String, _ new: String) throws -> Batch<Row> {
        let (old, new) = (Sketch(old), Sketch(new))
        return try ModelTests.transition(from: old.rows, to: new.rows, ranks: (old.ranks, new.ranks))
    }

    @Test func `RxDataSources' hardest case, which takes two passes there, is one batch`() throws {
        let batch = try transition("1: 1111 | 2: 2222", "2: 0 | 1:")
        #expect(batch.sectionDeletions.map(\.key) == [1] && batch.sectionMoves.map(\.key) == [2])
        #expect(batch.deletions.count == 2 && batch.insertions.count == 1 && batch.moves.isEmpty)
        let full = try transition("1: 1111 1112 | 2: 2222", "2: 0 | 1: 1112")
        #expect(full.sectionMoves.count == 2 && full.viewForm().sectionMoves.count == 1)
    }

    @Test(arguments: [
        ("4: 10 11 12 | 9: 25 26 27", "9: 11 26 27 | 4: 10 12"),
        (
            "10: 26 | 7: 5 29 | 1: 14 | 5: 16 | 4: | 8: 3 15 19 23 | 3: 20",
            "10: 26 | 1: 14 | 9: 3 | 5: 16 8 | 8: 15 19 23 | 3: 20 | 2: 7"
        ),
        (
            "4: 5 | 6: 20 14 | 9: | 2: 2 26 | 8: 23 | 10: 8 18 13 | 1: 28 25 6 11 10 29 24 7 19",
            "4: 5 | 6: 20 14 | 9: 16 | 7: 17 15 4 | 2: 2 26 23 | 8: | 10: 8 18 13 | 1: 28 25 6 11 10 29 24 7 19"
        ),
    ])
    func `RxDataSources' tricky transitions are correct`(old: String, new: String) throws { try transition(old, new) }

    @Test(arguments: [
        ("0: 0 1 | 1: 2 3 | 2: 4 5", "0: 0 1 | 2: 4 6 5 | 3: 7 8 | 3: 9 10"),
        ("0: 0 1 | 1: 2 3 | 2: 4 5", "1: 3 5 | 3: 6 7 8 9 | 2: 10 4 2 | 0: 1"),
        ("0: 0 1 | 1: 2 3 | 2: 4 5", "0: | 4: 8 9 | 0: 10 11 | 2: 4 5 12 | 3: 6 7 | 1: 2 13 3"),
        ("0:", "0: 0 0 0 | 1: 0 0 0"),
        ("0: 0 0 0 | 1: 2 3 | 2: 4 5", "0: 0 4 2 | 1: 0 3 5 | 3: | 2: 0 1 6 0 0"),
        ("0: 0 | 1: 1", "1: 2 1! | 0: 0!"),
        ("0: 0 1 | 1: 2 3 | 2: 1 2", "0: 1! 3 | 1: 2 0! | 3: 4 5"),
        ("0: 0 1 | 1: 2 3", "0: | 1: 1! 3"),
        ("0: 0 1 | 1: 2 3 | 2: 4 5", "4: 8 9 | 0: 0 1 2 | 3: 6 7 | 1: 3 | 2: 5!"),
        ("0: 0 1 | 1: 2 3", "1: 3! 2 | 0: 1 0!"),
        (
            "1: 65 66 67 68 | 2: 69 70 71 72 73 | 3: 74 75 76 77 | 4: 78 79 80 81",
            "1: 65 66 67 68 | 2: 71 | 3: 69 70 72 73 | 3: 74 75 76 77 | 4: 78 79 80 81"
        ),
    ])
    func `DifferenceKit's complicated transitions, 1 to 11, are correct`(old: String, new: String) throws {
        try transition(old, new)
    }

    @Test func `Moving one row to a later section is one record, unlike in Heckel's algorithm`() throws {
        let old = line(0..<10, in: 0) + line(10..<20, in: 1)
        let later = try ModelTests.transition(
            from: old, to: old.map { $0.id == 2 ? Row(2, in: 1, at: 4) : $0 })
        #expect(later.moves.count == 1 && later.updates.isEmpty)
        let earlier = try ModelTests.transition(
            from: old, to: old.map { $0.id == 15 ? Row(15, in: 0, at: 4) : $0 })
        #expect(earlier.moves.count == 1 && earlier.updates.isEmpty)
    }

    @Test func `The words of Heckel's paper are compared correctly`() throws {
        // A word's id consists of its letters and of its occurrence number.
        let words: (String) -> [Int] = { text in
            var ids: [Substring: Int] = [:]
            var counts: [Substring: Int] = [:]
            return text.split(separator: " ").map { word in
                if ids[word] == nil { ids[word] = word.utf8.reduce(0) { ($0 * 31 + Int($1)) % 1_000_003 } }
                counts[word, default: 0] += 1
                return (ids[word] ?? 0) + 10_000_000 * (counts[word] ?? 0)
            }
        }
        let old = words(
            "much writing is like snow , a mass of long words and phrases falls upon the relevant facts covering up the "
                + "details .")
        let new = words(
            "a mass of latin words falls upon the relevant facts like soft snow , covering up the details .")
        #expect(Set(old).count == 23 && Set(new).count == 19)
        let batch = try ModelTests.transition(from: line(old), to: line(new))
        #expect(batch.deletions.count == 6 && batch.insertions.count == 2)
        // "like", "snow" and "," pass the ten words that stay before "covering".
        #expect(batch.moves.count == 3)
    }
}
