import Testing
import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

@testable import WeirPipeline

/// Tests for presence and typing (Twake TW-22).
@Suite struct PresenceTests {
    typealias F = Frames
    private let online = Item.Section("online", EntityID("C"))
    private let room = "/users/online/C"
    private let people: Transcript.Service = [
        ("user_ids=", F.list(#"{"id":"U2","username":"u2","last_activity":\#(Frames.epoch)}"#))
    ]

    /// A tail of company C that knows U1 and U2 and has queried their presence.
    private func quiet() -> Transcript { Transcript.discovered(following: .usual, service: people) }

    private func status(_ user: String, _ isOnline: Bool, company: String = "C", room: String? = nil) -> String {
        F.resource(
            "event", "user:online", room: room ?? self.room,
            #"{"online":[{"company_id":"\#(company)","user_id":"\#(user)","is_online":\#(isOnline)}]}"#, path: "null")
    }

    private func shown(_ transcript: Transcript) -> [String] {
        transcript.session.model.elements(in: online).compactMap(\.presence).map {
            "\($0.user) \($0.isOnline ? "there" : "gone")"
        }
    }

    private func typing(_ user: String, _ isWriting: Bool, channel: String = "CH", thread: String = "") -> String {
        #"42["realtime:event",{"name":"/companies/C/workspaces","data":{"type":"writing","event":{"thread_id":"\#(thread)","channel_id":"\#(channel)","user_id":"\#(user)","name":"N \#(user)","is_writing":\#(isWriting)}}}]"#
    }

    private func told(_ transcript: Transcript) -> [String] {
        transcript.effects.compactMap {
            if case .report(.typing(let report)) = $0 {
                "\(report.change) \(report.user) \(report.typing)"
            } else {
                nil
            }
        }
    }

    // MARK: - Presence

    @Test func `an online user is a row with the time they were last seen`() {
        var transcript = quiet()
        transcript.receive(status("U2", true))
        #expect(shown(transcript) == ["U2 there"])
        let row = transcript.session.model[.presence(EntityID("U2"), in: EntityID("C"))]?.presence
        #expect(row?.lastSeen == Timestamp(milliseconds: Int64(F.epoch)))
        transcript.receive(status("U2", false))
        #expect(shown(transcript) == ["U2 gone"])
    }

    @Test func `a repeated status changes nothing, and a user never seen online is not a row`() {
        var transcript = quiet()
        transcript.receive(status("U2", true))
        let diffs = transcript.diffs.count
        transcript.receive(status("U2", true))
        transcript.receive(status("U3", false))
        #expect(transcript.diffs.count == diffs)
    }

    @Test func `the first servers' format, an array of pairs, is understood, too`() {
        var transcript = quiet()
        transcript.receive(F.resource("event", "user:online", room: room, #"[["U2",true]]"#, path: "null"))
        #expect(shown(transcript) == ["U2 there"])
    }

    @Test func `all known users are queried when the room is joined, and every five minutes`() {
        var transcript = quiet()
        transcript.receive(status("U3", true))
        var questions: [(second: Int, text: String)] = []
        for second in 1...700 {
            transcript.pass(.seconds(1))
            questions += transcript.sent.filter { $0.contains("online:get") }.map { (second, $0) }
            transcript.receive("2")
        }
        #expect(questions.allSatisfy { $0.text.contains(#""data":["U1","U2","U3"]"#) })
        #expect((2...3).contains(questions.count))
        #expect(zip(questions, questions.dropFirst()).allSatisfy { $1.second - $0.second == 300 })
    }

    @Test func `the answer reports departed users, which no event does`() throws {
        var transcript = quiet()
        transcript.receive(status("U2", true))
        let question = try #require(ask(&transcript, within: 301))
        transcript.receive(#"43\#(question)[{"data":[["U2",false],["U1",true]]}]"#)
        #expect(shown(transcript) == ["U1 there", "U2 gone"])
    }

    @Test func `an event received after the question was sent wins over its answer`() throws {
        var transcript = quiet()
        transcript.feed(.unwant(rooms: [room]))
        transcript.feed(.want(rooms: [room], source: .cli))
        transcript.receive(F.joined(room))
        let question = try #require(ask(&transcript))
        transcript.receive(status("U2", true))
        transcript.receive(#"43\#(question)[{"data":[["U2",false]]}]"#)
        #expect(shown(transcript) == ["U2 there"])
    }

    /// Lets the next question be sent and returns the id that its answer must carry.
    private func ask(_ transcript: inout Transcript, within seconds: Int = 1) -> String? {
        for _ in 0..<seconds {
            transcript.pass(.seconds(1))
            for text in transcript.sent where text.contains("online:get") {
                return String(text.dropFirst(2).prefix { $0 != "[" })
            }
            transcript.receive("2")
        }
        return nil
    }

    @Test func `an unreadable answer is reported and changes nothing else`() throws {
        var transcript = quiet()
        transcript.feed(.unwant(rooms: [room]))
        transcript.feed(.want(rooms: [room], source: .cli))
        transcript.receive(F.joined(room))
        let question = try #require(ask(&transcript))
        transcript.receive(#"43\#(question)[{"data":7}]"#)
        #expect(transcript.undecodable.count == 1)
        #expect(transcript.ending == nil)
    }

    @Test func `a user not heard of for a quarter of an hour is offline`() {
        var transcript = quiet()
        transcript.receive(status("U2", true))
        transcript.idle(899)
        #expect(shown(transcript) == ["U2 there"])
        transcript.idle(2)
        #expect(shown(transcript) == ["U2 gone"])
    }

    @Test func `a user that was online when an earlier session ended is not shown as online`() {
        var row = JSONWriter()
        Item.presence(Twake.OnlineStatus(user: EntityID("U2"), isOnline: true), in: EntityID("C")).encode(into: &row)
        var memory = Memory(user: "U1")
        memory.append(row: row.bytes)
        var transcript = Transcript(Configuration(backend: .twake, revision: .v4, following: .usual))
        transcript.feed(.remembered(memory))
        #expect(transcript.session.model.count == 0)
        #expect(transcript.notices.isEmpty)
    }

    @Test func `a room named without a company is joined, and the clock can advance`() {
        var transcript = Transcript(
            Configuration(backend: .twake, revision: .v4, rooms: [room], following: .usual))
        transcript.authenticate()
        transcript.receive(F.joined(room))
        transcript.idle(1_000)
        #expect(shown(transcript).isEmpty)
        #expect(transcript.ending == nil)
    }

    @Test func `users online in another company are not shown, and selecting another company starts afresh`() {
        var transcript = quiet()
        transcript.feed(.want(rooms: ["/users/online"], source: .cli))
        transcript.receive(status("U2", true, company: "D", room: "/users/online"))
        #expect(shown(transcript).isEmpty)
        transcript.receive(status("U2", true))
        transcript.feed(.select("/companies/D/workspaces"))
        #expect(shown(transcript).isEmpty)
    }

    @Test func `a server that invents users creates a bounded number of rows`() {
        var transcript = quiet()
        for index in 0..<TwakePresenceBook.maximum + 50 { transcript.receive(status("P\(index)", true)) }
        #expect(transcript.session.model.elementCount(in: online) == TwakePresenceBook.maximum)
    }

    @Test func `unless presence is followed, there are no rows and typing is not reported`() {
        var transcript = Transcript.discovered(following: [.places])
        transcript.feed(.want(rooms: [room], source: .cli))
        transcript.receive(status("U2", true))
        #expect(shown(transcript).isEmpty)
        transcript.receive(typing("U2", true))
        #expect(told(transcript).isEmpty)
    }

    // MARK: - Typing

    @Test func `typing is reported when it begins and ends, and is never a row`() {
        var transcript = quiet()
        let diffs = transcript.diffs.count
        transcript.receive(typing("U2", true))
        #expect(told(transcript) == [#"started U2 ["N U2"]"#])
        transcript.receive(typing("U3", true))
        #expect(told(transcript) == [#"started U3 ["N U2", "N U3"]"#])
        transcript.receive(typing("U2", true))
        #expect(told(transcript).isEmpty)
        transcript.receive(typing("U2", false))
        #expect(told(transcript) == [#"stopped U2 ["N U3"]"#])
        transcript.receive(typing("U2", false))
        #expect(told(transcript).isEmpty)
        #expect(transcript.diffs.count == diffs)
    }

    @Test func `typing without an end is assumed to end after eight seconds`() {
        var transcript = quiet()
        transcript.receive(typing("U2", true))
        transcript.pass(.seconds(5))
        transcript.receive(typing("U2", true))
        transcript.pass(.seconds(7))
        #expect(told(transcript).isEmpty)
        transcript.pass(.seconds(1))
        #expect(told(transcript) == ["expired U2 []"])
    }

    @Test func `a message ends its sender's typing, in its own place only`() {
        var transcript = quiet()
        transcript.receive(typing("U2", true))
        transcript.receive(typing("U2", true, thread: "M1"))
        transcript.receive(F.feed("created", F.message("M5", "done", at: 5000)))
        #expect(told(transcript) == ["stopped U2 []"])
        transcript.receive(F.feed("created", F.message("R5", thread: "M1", "done", at: 6000)))
        #expect(told(transcript) == ["stopped U2 []"])
    }

    @Test func `the user's own typing and typing in other users' channels are not reported`() {
        var transcript = quiet()
        transcript.receive(typing("U1", true))
        #expect(told(transcript).isEmpty)
        transcript.receive(typing("U2", true, channel: "SECRET"))
        #expect(told(transcript).isEmpty)
    }

    @Test func `when too many users type, the first to begin is dropped`() {
        var book = TypingBook()
        for index in 0...TypingBook.maximum {
            let (isNew, dropped) = book.begin(
                .init(
                    user: EntityID("P\(index)"), name: nil, channel: EntityID("CH"), thread: nil, until: .zero))
            #expect(isNew)
            #expect(dropped?.user == (index == TypingBook.maximum ? EntityID("P0") : nil))
        }
        #expect(book.names(in: EntityID("CH"), nil).count == TypingBook.maximum)
    }
}
