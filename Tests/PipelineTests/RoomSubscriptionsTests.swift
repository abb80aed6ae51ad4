import Testing
import WeirWire

@testable import WeirPipeline

@Suite struct RoomSubscriptionsTests {
    private func second(_ seconds: Int64) -> Moment { Moment(microseconds: seconds * 1_000_000) }

    private func book(_ names: String..., at now: Moment) -> RoomSubscriptions {
        var book = RoomSubscriptions()
        for name in names { _ = book.want(name, source: .cli) }
        _ = book.takeWanted(at: now)
        return book
    }

    @Test func `the deadline is that of the oldest unanswered join`() {
        var book = book("/a", "/b", at: second(0))
        _ = book.want("/c", source: .cli)
        _ = book.takeWanted(at: second(3))
        #expect(book.deadline == second(10))
        _ = book.joined("/a", at: second(4))
        #expect(book.deadline == second(10))
        _ = book.refused("/b", why: "no")
        #expect(book.deadline == second(13))
        _ = book.unwant("/c")
        #expect(book.deadline == nil)
    }

    @Test func `a join repeated late comes before one requested meanwhile`() {
        var book = book("/a", at: second(0))
        _ = book.want("/b", source: .cli)
        _ = book.takeWanted(at: second(12))
        #expect(book.advance(to: second(15)).again == ["/a"])
        #expect(book.deadline == second(20))
        #expect(book.advance(to: second(20)).again == ["/a"])
        #expect(book.deadline == second(22))
    }

    @Test func `a room wanted again has the deadline of its new join, and a lost connection has none`() {
        var book = book("/a", at: second(0))
        _ = book.unwant("/a")
        _ = book.want("/a", source: .cli)
        #expect(book.deadline == nil)
        _ = book.takeWanted(at: second(5))
        #expect(book.deadline == second(15))
        _ = book.joined("/a", at: second(6))
        #expect(book.connectionLost() == ["/a"])
        #expect(book.deadline == nil)
    }
}
