import Testing
import WeirEvents
import WeirModel
import WeirWire

@testable import WeirPipeline

/// Tests for catching up on missed messages, within the bound and beyond it.
@Suite struct CatchUpTests {
    typealias F = Frames
    private let messages = Item.Section.messages(EntityID("CH"))

    private func page(_ range: some Sequence<Int>) -> String { F.list(range.map { F.head("M\($0)", "\($0)", at: $0) }) }

    /// A session that has joined the channel's room and waits for its messages.
    private func joined(catchUp: Int) -> Transcript {
        var configuration = Configuration(
            backend: .twake, revision: .v4, company: "C", workspace: "W", rooms: [F.feedRoom])
        configuration.catchUp = catchUp
        var transcript = Transcript(configuration)
        transcript.authenticate()
        transcript.receive(F.joined(F.feedRoom))
        return transcript
    }

    /// A session that shows heads 81 to 100 and has since lost its connection and reconnected.
    private func missing(catchUp: Int = 1_000) throws -> Transcript {
        var transcript = joined(catchUp: catchUp)
        transcript.answer("/feed?limit=20&replies", page(81...100))
        transcript.cut()
        transcript.pass(try #require(transcript.retryIn))
        transcript.authenticate()
        transcript.receive(F.joined(F.feedRoom))
        return transcript
    }

    /// The pages from the newest back to 91 and older, of a channel with heads up to 200.
    private static let pages = [
        ("/feed?limit=20&replies", 181...200), ("page_token=M181&", 162...181), ("page_token=M162&", 143...162),
        ("page_token=M143&", 124...143), ("page_token=M124&", 105...124), ("page_token=M105&", 86...105),
        ("page_token=M86&", 67...86),
    ]

    @Test func `pages are followed back to the oldest message shown, whatever moved forward meanwhile`() throws {
        var transcript = try missing()
        for (part, range) in Self.pages { transcript.answer(part, page(range)) }
        #expect(transcript.session.isSettled)
        #expect(transcript.texts(in: messages) == (81...200).map { "\($0)" })
        #expect(transcript.session.model[.hole(EntityID("CH"))] == nil)
    }

    @Test func `once everything is fetched, the gap contains the number of missed messages`() throws {
        var transcript = try missing()
        for (part, range) in Self.pages {
            #expect(transcript.gaps.isEmpty)
            transcript.answer(part, page(range))
        }
        #expect(transcript.gaps.map(\.cause) == [.refetched] && transcript.gaps.map(\.missed) == [100])
        // The connection is lost again before the walk continues.
        transcript = try missing()
        transcript.answer("/feed?limit=20&replies", page(181...200))
        transcript.cut()
        transcript.pass(try #require(transcript.retryIn))
        transcript.authenticate()
        transcript.receive(F.joined(F.feedRoom))
        transcript.settle(Self.pages.map { ($0, page($1)) })
        #expect(transcript.gaps.map(\.missed) == [100])
    }

    @Test func `a gap begins with the last event received, even when that event was decoded earlier`() throws {
        var transcript = joined(catchUp: 1)
        transcript.pass(.seconds(3))
        let frame = Array(F.joined(F.feedRoom).utf8)
        let event = try #require(FrameDecoder(Configuration(backend: .twake)).decode(frame[...]))
        let (connection, heard) = (transcript.connection, transcript.now)
        var effects: [Effect] = []
        let isHandled = transcript.session.handle(event, on: connection, n: 100, at: heard, into: &effects)
        #expect(isHandled)
        transcript.pass(.seconds(2))
        transcript.cut()
        transcript.pass(try #require(transcript.retryIn))
        transcript.authenticate()
        #expect(transcript.gaps.map(\.from) == [heard])
    }

    @Test func `a deleted head is removed and a changed one is updated, whichever page shows it`() throws {
        var transcript = try missing()
        for (part, range) in Self.pages[..<5] { transcript.answer(part, page(range)) }
        func heads(_ numbers: some Sequence<Int>) -> String {
            F.list(numbers.filter { $0 != 90 }.map { F.head("M\($0)", $0 == 83 ? "edited" : "\($0)", at: $0) })
        }
        transcript.answer("page_token=M105&", heads(85...105))
        transcript.answer("page_token=M85&", heads(66...85))
        transcript.answer("/threads/M90/messages/M90", status: 404, #"{"statusCode":404}"#)
        #expect(!transcript.texts(in: messages).contains("90"))
        #expect(transcript.texts(in: messages).contains("edited"))
    }

    @Test func `when the bound ends catching up, the model and a gap describe the hole, and history fills it`() throws {
        var transcript = try missing(catchUp: 40)
        for (part, range) in Self.pages[..<4] { transcript.answer(part, page(range)) }
        #expect(transcript.session.isSettled)
        let hole = Hole(
            of: messages, from: Timestamp(milliseconds: Int64(F.epoch + 100)),
            to: Timestamp(milliseconds: Int64(F.epoch + 124)))
        #expect(transcript.gaps.map(\.cause) == [.catchUp, .refetched])
        #expect(transcript.gaps.map(\.hole) == [hole, nil])
        #expect(transcript.session.model[.hole(EntityID("CH"))]?.hole == hole)
        #expect(transcript.session.model.sectionKeys.contains(.holes))
        #expect(transcript.texts(in: messages) == (124...200).map { "\($0)" })
        transcript.feed(.look(room: F.feedRoom, part: .messages, since: nil))
        for (part, range) in Self.pages[..<6] { transcript.answer(part, page(range)) }
        #expect(transcript.session.isSettled)
        #expect(transcript.session.model[.hole(EntityID("CH"))] == nil)
        #expect(!transcript.session.model.sectionKeys.contains(.holes))
        #expect(transcript.texts(in: messages) == (86...200).map { "\($0)" })
    }

    @Test func `leaving a room removes its hole`() throws {
        var transcript = try missing(catchUp: 1)
        for (part, range) in Self.pages[..<2] { transcript.answer(part, page(range)) }
        #expect(transcript.session.model[.hole(EntityID("CH"))] != nil)
        transcript.feed(.unwant(rooms: [F.feedRoom]))
        #expect(transcript.session.model[.hole(EntityID("CH"))] == nil)
    }

    @Test func `a thread that moves forward while it ends a page does not end catching up`() throws {
        var transcript = try missing()
        transcript.answer("/feed?limit=20&replies", page(181...200))
        // M181 got a reply meanwhile, so the page that ends with it is the newest page again.
        let moved = F.head("M181", "181", at: 300)
        transcript.answer("page_token=M181&", F.list((182...200).map { F.head("M\($0)", "\($0)", at: $0) } + [moved]))
        transcript.answer("page_token=M182&", page((162...182).filter { $0 != 181 }))
        #expect(transcript.requests.contains { $0.target.contains("page_token=M162&") })
    }

    @Test func `a failed page is retried, and one whose last message is gone is fetched with another cursor`() throws {
        var transcript = try missing()
        transcript.answer("/feed?limit=20&replies", page(181...200))
        transcript.refuse("page_token=M181&", status: 500)
        transcript.pass(.seconds(1))
        transcript.refuse("page_token=M181&", status: 400)
        transcript.answer("page_token=M182&", page((162...182).filter { $0 != 181 }))
        #expect(transcript.requests.contains { $0.target.contains("page_token=M162&") })
    }

    /// A page of a thread with 1,500 replies, ending with the last reply of `range`.
    private func thread(_ range: ClosedRange<Int>) -> String {
        F.list(range.map { F.message("R\($0)", thread: "M1", "\($0)", at: 1_000 + $0) })
    }

    private func longThread(catchUp: Int) -> Transcript {
        var transcript = joined(catchUp: catchUp)
        transcript.answer("/feed?", F.list(F.head("M1", "hi", at: 1, replies: 1_500)))
        transcript.answer("/threads/M1/messages?limit=1000", thread(501...1_500))
        return transcript
    }

    @Test func `a thread longer than a page is read page by page`() {
        var transcript = longThread(catchUp: 1_000)
        transcript.answer("page_token=R501&", thread(1...501))
        #expect(transcript.session.isSettled)
        #expect(transcript.session.model.elementCount(in: .thread(EntityID("M1"))) == 1_500)
        #expect(transcript.session.model[.hole(EntityID("M1"))] == nil)
    }

    @Test func `the model counts the messages missing from a thread longer than the bound, and history fills it`() {
        var transcript = longThread(catchUp: 20)
        #expect(transcript.session.isSettled)
        #expect(transcript.session.model.elementCount(in: .thread(EntityID("M1"))) == 1_000)
        let hole = transcript.session.model[.hole(EntityID("M1"))]?.hole
        #expect(hole?.section == .thread(EntityID("M1")) && hole?.count == 500)
        #expect(transcript.gaps.map(\.hole) == [hole])
        transcript.feed(.look(room: F.feedRoom, part: .messages, since: nil))
        transcript.answer("/feed?", F.list(F.head("M1", "hi", at: 1, replies: 1_500)))
        transcript.answer("/threads/M1/messages?limit=1000", thread(501...1_500))
        transcript.answer("page_token=R501&", thread(1...501))
        #expect(transcript.session.isSettled)
        #expect(transcript.session.model.elementCount(in: .thread(EntityID("M1"))) == 1_500)
        #expect(transcript.session.model[.hole(EntityID("M1"))] == nil)
    }

    @Test func `a hole round-trips through a diff log, and the bound through a recording`() throws {
        let row = Item.hole(
            Hole(of: messages, from: Timestamp(milliseconds: 5), to: Timestamp(milliseconds: 9), count: 3),
            of: EntityID("CH"))
        var model = SectionedCollection<Item>(keepsChecksum: true)
        var log = DiffHistory(model)
        model.put(row)
        log.commit(&model)
        var cursor = try DiffLogCursor(log.log)
        try cursor.seek(to: 1)
        #expect(cursor.model[.hole(EntityID("CH"))] == row)
        #expect(cursor.model.checksum == model.checksum)
        var configuration = Configuration(backend: .twake)
        configuration.catchUp = 40
        #expect(try Configuration(json: configuration.json).catchUp == 40)
        #expect(try Configuration(json: Configuration(backend: .twake).json).catchUp == 1_000)
    }
}
