import Testing

@testable import WeirPipeline

/// Tests for the state machine that tracks how far back a place is known. Entries are numbers that equal
/// their positions unless they moved.
@Suite struct ReachTests {
    private typealias Line = Reach<Int, Int>

    private func page(_ numbers: some Sequence<Int>) -> [Line.Entry] {
        numbers.map { Line.Entry(id: $0, position: $0) }
    }

    private func take(
        _ reach: inout Line, _ numbers: some Sequence<Int>, before cursor: Int? = nil, isLast: Bool = false,
        isCurrent: Bool = true, held: Set<Int> = [], count: Int = 0, pages: Int = 3
    ) -> Line.Step {
        reach.take(
            page(numbers), before: cursor, isLast: isLast, isCurrent: isCurrent, held: held,
            Line.Wish(count: count, pages: pages))
    }

    private func reaches(_ reach: inout Line, _ numbers: some Sequence<Int>, of count: Int) -> Bool {
        reach.reaches(page(numbers), of: count)
    }

    private func lost(_ reach: inout Line, _ cursor: Int) -> Line.Step { reach.lost(cursor, Line.Wish(pages: 3)) }

    /// A line of which 91 to 100 are known.
    private func known() -> Line {
        var reach = Line(beginning: 0)
        _ = take(&reach, 91...100)
        return reach
    }

    private func ended(_ step: Line.Step) -> Line.End? { if case .done(let end) = step { end } else { nil } }

    @Test func `the first page is the known window, and a page that reaches its beginning completes it`() {
        var reach = Line(beginning: 0)
        #expect(ended(take(&reach, 91...100))?.start == 91)
        #expect(reach.start == 91)
        // The newest page is kept whole.
        #expect(ended(take(&reach, 86...105))?.start == 86)
        #expect(reach.start == 86 && reach.hole == nil && !reach.isWalking)
    }

    @Test func `pages are followed back to the beginning of the window, though known entries moved forward`() {
        var reach = known()
        reach.missed(after: 100)
        #expect(take(&reach, 121...140, held: [95, 130]) == .ask(before: 121))
        #expect(take(&reach, 101...121, before: 121) == .ask(before: 101))
        let end = ended(take(&reach, 81...101, before: 101))
        // Entries older than the known window are dropped again.
        #expect(end == Line.End(start: 91, unseen: [], isWhole: false, leftHole: false))
        #expect(reach.hole == nil)
    }

    @Test func `a walk back to a position keeps a window that covers it, and moves one that does not`() {
        var reach = known()
        #expect(reach.covers(91) && !reach.covers(90))
        reach.goBack(to: 95)
        #expect(take(&reach, 101...110) == .ask(before: 101))
        #expect(ended(take(&reach, 81...101, before: 101))?.start == 91)
        reach.goBack(to: 85)
        #expect(take(&reach, 101...110) == .ask(before: 101))
        #expect(ended(take(&reach, 81...101, before: 101))?.start == 81)
        #expect(reach.covers(85))
    }

    @Test func `a place read to its beginning covers everything, until a bounded walk ends after that`() {
        var reach = Line(beginning: 0)
        #expect(ended(take(&reach, 91...100, isLast: true))?.start == nil)
        #expect(reach.covers(0))
        reach.missed(after: 100)
        _ = take(&reach, 191...200, pages: 1)
        #expect(reach.start == 191 && !reach.covers(190))
    }

    @Test func `kept entries that no page contained are reported at the end`() {
        var reach = known()
        let end = ended(take(&reach, [90, 92, 93, 101], held: [91, 92, 93, 101]))
        #expect(end?.unseen == [91])
    }

    @Test func `a bound that ends a walk leaves a hole, and a deeper walk fills it`() {
        var reach = known()
        reach.missed(after: 100)
        _ = take(&reach, 181...200, pages: 2)
        let end = ended(take(&reach, 161...181, before: 181, pages: 2))
        #expect(end?.start == 161)
        #expect(end?.leftHole == true)
        #expect(reach.hole == Line.Hole(from: 100, to: 161, count: nil))
        // The next walk without a gap leaves the hole unchanged.
        _ = take(&reach, 181...200, pages: 2)
        #expect(ended(take(&reach, 161...181, before: 181, pages: 2))?.leftHole == false)
        #expect(reach.hole == Line.Hole(from: 100, to: 161, count: nil))
        reach.goBack(to: 130)
        _ = take(&reach, 181...200, pages: 2)
        _ = take(&reach, 161...181, before: 181, pages: 2)
        _ = take(&reach, 141...161, before: 161, pages: 2)
        #expect(ended(take(&reach, 121...141, before: 141, pages: 2))?.start == 121)
        #expect(reach.hole == Line.Hole(from: 100, to: 121, count: nil))
        reach.goBack(to: nil)
        _ = take(&reach, 121...200, pages: 2)
        #expect(ended(take(&reach, 95...121, before: 121, pages: 2))?.start == 95)
        #expect(reach.hole == nil && reach.start == 95)
    }

    @Test func `without a gap, the bound drops older entries and leaves no hole`() {
        var reach = known()
        #expect(ended(take(&reach, 121...140, pages: 1))?.start == 121)
        #expect(reach.hole == nil && reach.start == 121)
    }

    @Test func `two gaps, each with a bounded walk after it, leave one hole from the first to the last`() {
        var reach = known()
        reach.missed(after: 100)
        _ = take(&reach, 181...200, pages: 1)
        reach.missed(after: 200)
        #expect(ended(take(&reach, 281...300, pages: 1))?.leftHole == true)
        #expect(reach.hole == Line.Hole(from: 100, to: 281, count: nil))
    }

    @Test func `a second gap during the walk for the first does not move the hole's beginning`() {
        var reach = known()
        reach.missed(after: 100)
        #expect(take(&reach, 181...200) == .ask(before: 181))
        reach.missed(after: 200)
        // The page of the previous walk arrives late, when no walk waits for it.
        #expect(take(&reach, 281...300) == .ask(before: 281))
        #expect(take(&reach, 161...181, before: 181) == .none)
        _ = take(&reach, 261...281, before: 281, pages: 2)
        #expect(reach.hole == Line.Hole(from: 100, to: 261, count: nil))
    }

    @Test func `a page that is not the next one is fetched with another cursor, and then from the beginning`() {
        var reach = known()
        #expect(take(&reach, 121...140) == .ask(before: 121))
        // 121 has moved forward: the page ends with the newest entry again.
        #expect(take(&reach, [138, 139, 140, 121 + 1_000], before: 121) == .ask(before: 122))
        #expect(lost(&reach, 122) == .ask(before: 123))
        #expect(take(&reach, 101...123, before: 123) == .ask(before: 101))
        for cursor in [101, 102] { #expect(lost(&reach, cursor) == .ask(before: cursor + 1)) }
        #expect(lost(&reach, 103) == .again)
        #expect(!reach.isWalking)
    }

    @Test func `endless pages from a server end a walk as a bound does`() {
        var reach = known()
        reach.missed(after: 100)
        var requests = 0
        var steps = [take(&reach, 121...140)]
        while let step = steps.popLast(), requests < 1_000 {
            requests += 1
            switch step {
            case .ask(let cursor): steps.append(take(&reach, 200...210, before: cursor))
            case .again: steps.append(take(&reach, 121...140))
            case .none, .done: break
            }
        }
        #expect(requests < 50)
        #expect(reach.hole == Line.Hole(from: 100, to: 121, count: nil))
    }

    @Test func `a cursor that does not move, an empty page and the last page each end a walk`() {
        for (numbers, isLast) in [([121], false), ([], false), ([], true), (Array(110...121), true)] {
            var reach = known()
            #expect(take(&reach, 121...140) == .ask(before: 121))
            #expect(ended(take(&reach, numbers, before: 121, isLast: isLast))?.start == nil)
            #expect(!reach.isWalking && reach.start == numbers.first ?? 121)
        }
    }

    @Test func `entries with one position are distinguished, and none is skipped`() {
        var reach = known()
        let page = (0..<20).map { Line.Entry(id: $0, position: 101) }
        let wish = Line.Wish(pages: 9)
        #expect(reach.take(page, before: nil, isLast: false, isCurrent: true, wish) == .ask(before: 0))
        let next = (20..<40).map { Line.Entry(id: $0, position: 101) } + [page[0]]
        #expect(reach.take(next, before: 0, isLast: false, isCurrent: true, wish) == .ask(before: 20))
    }

    @Test func `a walk over a crowd larger than a page goes on until all kept entries were seen`() {
        var reach = Line(beginning: 0)
        let wish = Line.Wish(pages: 9)
        let crowd = (0..<40).map { Line.Entry(id: $0, position: 101) }
        _ = reach.take(Array(crowd[20...]), before: nil, isLast: false, isCurrent: true, wish)
        let held = Set(0..<40)
        #expect(
            reach.take(Array(crowd[20...]), before: nil, isLast: false, isCurrent: true, held: held, wish)
                == .ask(before: 20))
        let end = ended(reach.take(Array(crowd[...20]), before: 20, isLast: false, isCurrent: true, wish))
        #expect(end?.unseen == [])
    }

    @Test func `an overtaken page starts a walk only if something was missed and no walk has started`() {
        var reach = known()
        #expect(take(&reach, 121...140, isCurrent: false) == .none)
        reach.missed(after: 100)
        #expect(take(&reach, 121...140, isCurrent: false) == .ask(before: 121))
        #expect(take(&reach, 122...141, isCurrent: false) == .none)
        #expect(take(&reach, 101...121, before: 121, isCurrent: false) == .ask(before: 101))
        #expect(ended(take(&reach, 81...101, before: 101))?.start == 91)
    }

    @Test func `with the server's count, a hole contains the number of missing entries`() {
        var reach = Line(beginning: 0)
        #expect(reaches(&reach, 91...100, of: 100))
        _ = take(&reach, 91...100)
        #expect(reaches(&reach, 95...104, of: 104))
        // 105 to 180 were never announced.
        #expect(!reaches(&reach, 181...200, of: 200))
        _ = take(&reach, 181...200, pages: 1)
        #expect(reach.hole == Line.Hole(from: 104, to: 181, count: 76))
    }

    @Test func `a place that was empty is known from the beginning`() {
        var reach = Line(beginning: 0)
        #expect(ended(take(&reach, [], isLast: true))?.start == nil)
        reach.missed(after: nil)
        #expect(take(&reach, 81...100) == .ask(before: 81))
        #expect(ended(take(&reach, 1...81, before: 81, isLast: true)) != nil)
        #expect(reach.start == 1)
    }

    @Test func `remembered parts form one window, in whatever order they come`() {
        for parts in [[1...60, 61...100], [61...100, 1...60]] {
            var reach = Line(beginning: 0)
            for part in parts { reach.remember(page(part), passesOver: false) }
            #expect(reach.start == 1)
            #expect(take(&reach, 81...110) == .ask(before: 81))
            #expect(take(&reach, 41...80, before: 81) == .ask(before: 41))
            #expect(ended(take(&reach, 1...40, before: 41, isLast: true)) != nil)
            #expect(reach.hole == nil)
        }
    }
}
