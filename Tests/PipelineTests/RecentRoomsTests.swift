import Events
import Testing
import Wire

@testable import Pipeline

@Suite struct RecentRoomsTests {
    private func feed(_ channel: Int) -> String { "/companies/c/workspaces/w/channels/channel-\(channel)/feed" }

    @Test func `every event has its own room, however many there are and whichever came before`() {
        var book = RoomBook()
        let wanted = (0..<6000).map { feed($0) }
        for room in wanted { _ = book.want(room, source: .cli) }
        var recent = RecentRooms()
        var random = RandomSource(seed: 3)
        for _ in 0..<50_000 {
            let isFirst = Int.random(in: 0..<3, using: &random) == 0
            let text = isFirst ? wanted[0] : feed(.random(in: 0..<9000, using: &random))
            let room = recent.become(text, book)
            #expect(room.text == text && room.isWanted == book.isWanted(text))
        }
        #expect(recent.become(wanted[7], book).name == Twake.RoomName(wanted[7]))
    }

    @Test func `a room is looked up again when others are wanted`() {
        var book = RoomBook()
        var recent = RecentRooms()
        #expect(!recent.become(feed(1), book).isWanted)
        _ = book.want(feed(1), source: .cli)
        #expect(recent.become(feed(1), book).isWanted)
        _ = recent.become(feed(2), book)
        _ = book.unwant(feed(1))
        #expect(!recent.become(feed(1), book).isWanted)
        #expect(!recent.become(feed(2), book).isWanted)
    }

    @Test func `short and empty names are rooms, too`() {
        var recent = RecentRooms()
        for text in ["", "a", "/me", "12345678", "/users/online", "", "a"] {
            #expect(recent.become(text, RoomBook()).text == text)
        }
    }

    @Test func `the rooms of the last two events are likely to be those of the next`() {
        var recent = RecentRooms()
        for text in ["a", "b", "b", "c", "b"] { _ = recent.become(text, RoomBook()) }
        #expect(recent.likely.last == "b" && recent.likely.other == "c")
    }
}
