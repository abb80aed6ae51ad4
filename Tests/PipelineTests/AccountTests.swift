import Testing
import WeirJSON
import WeirModel
import WeirWire

@testable import WeirEvents
@testable import WeirPipeline

/// Tests for the accounts of message senders and of the user.
@Suite struct AccountTests {
    typealias F = Frames
    private let messages = Item.Section("messages", EntityID("CH"))
    private let accounts = Item.Section("accounts")

    private func account(_ id: String, _ first: String, _ last: String = "Li") -> String {
        #"{"id":"\#(id)","username":"\#(id.lowercased())","first_name":"\#(first)","last_name":"\#(last)","picture":"","deleted":false,"last_activity":\#(F.epoch)}"#
    }

    private func sender(_ transcript: Transcript, of message: String) -> String? {
        transcript.session.model[.message(EntityID(message))]?.message?.senderName
    }

    private func messages(from users: [String]) -> Transcript {
        var transcript = Transcript.discovered(following: [.accounts])
        for (index, user) in users.enumerated() {
            let text = F.message("N\(index)", "text", at: 2000 + index)
            transcript.receive(F.feed("created", text.replacing(#""user_id":"U2""#, with: #""user_id":"\#(user)""#)))
        }
        return transcript
    }

    @Test func `the user's own account becomes a row without private fields`() {
        let own =
            #"{"id":"U1","username":"u","first_name":"Una","preference":{"locale":"en"},"companies":[{"role":"member","status":"active","company":{"id":"C","name":"Co"}}]}"#
        let transcript = Transcript.discovered(following: [.accounts], service: [("/users/me", F.one(own))])
        let row = transcript.session.model[.account(EntityID("U1"))]?.account
        #expect(row?.name == "Una")
        #expect(row?.preference == nil && row?.companies.isEmpty == true)
    }

    @Test func `no account is fetched unless accounts are followed`() {
        let transcript = Transcript.discovered(following: [])
        #expect(transcript.ids(in: accounts).isEmpty)
    }

    @Test
    func `an unknown sender is fetched once however often they write, and their messages get the name`() {
        var transcript = messages(from: ["U3", "U3", "U3"])
        transcript.pass(.milliseconds(200))
        #expect(transcript.requests.map(\.target) == ["/internal/services/users/v1/users?user_ids=U3"])
        transcript.answer("user_ids=U3", F.list(account("U3", "Ada")))
        #expect(["N0", "N1", "N2"].allSatisfy { sender(transcript, of: $0) == "Ada Li" })
        transcript.receive(
            F.feed("created", F.message("N9", "x", at: 3000).replacing(#""user_id":"U2""#, with: #""user_id":"U3""#)))
        #expect(sender(transcript, of: "N9") == "Ada Li")
        transcript.pass(.seconds(1))
        #expect(transcript.requests.isEmpty)
    }

    @Test func `the senders of a page are fetched together`() {
        let heads = (1...3).map { index in
            F.head("H\(index)", "hi", at: index).replacing(#""user_id":"U2""#, with: #""user_id":"P\#(index)""#)
        }
        var targets: [String] = []
        var transcript = Transcript(
            Configuration(
                backend: .twake, revision: .v4, company: "C", workspace: "W", rooms: [F.feedRoom],
                following: [.accounts]))
        transcript.authenticate()
        transcript.receive(F.joined(F.feedRoom))
        transcript.answer("/feed", F.list(heads))
        transcript.pass(.seconds(1))
        targets += transcript.requests.map(\.target)
        #expect(targets == ["/internal/services/users/v1/users?user_ids=P1%2CP2%2CP3"])
    }

    @Test func `a renamed user is renamed everywhere and fetched again`() {
        var transcript = messages(from: ["U3"])
        transcript.quiet([("user_ids=U3", F.list(account("U3", "Ada")))])
        transcript.feed(.want(rooms: ["/users/U3"], source: .cli))
        transcript.receive(F.joined("/users/U3"))
        transcript.receive(F.resource("saved", "user", room: "/users/U3", account("U3", "Eva")))
        #expect(sender(transcript, of: "N0") == "Eva Li")
        #expect(transcript.asked == ["/internal/services/users/v1/users"])
        transcript.quiet([("user_ids=U3", F.list(account("U3", "Eva", "Lo")))])
        #expect(sender(transcript, of: "N0") == "Eva Lo")
        #expect(transcript.session.model[.account(EntityID("U3"))]?.account?.name == "Eva Lo")
    }

    @Test func `an account that could not be fetched is retried until there is an answer`() {
        var transcript = messages(from: ["U3"])
        transcript.pass(.milliseconds(200))
        for _ in 0..<10 {
            transcript.refuse("user_ids=U3", status: 500)
            transcript.pass(.seconds(60))
            #expect(transcript.requests.map(\.target) == ["/internal/services/users/v1/users?user_ids=U3"])
        }
        transcript.answer("user_ids=U3", F.list(account("U3", "Ada")))
        #expect(sender(transcript, of: "N0") == "Ada Li")
    }

    @Test func `a user reported to have no account is fetched again with the next full resync`() {
        let head = F.head("H1", "hi", at: 1).replacing(#""user_id":"U2""#, with: #""user_id":"U3""#)
        let page = ("/feed", F.list(head))
        var transcript = Transcript.discovered(following: [.accounts], service: [page])
        transcript.pass(.milliseconds(200))
        transcript.quiet([page, ("user_ids=U3", F.list())])
        #expect(!transcript.ids(in: accounts).contains("U3"))
        while transcript.requests.isEmpty, transcript.now < Moment(microseconds: 400_000_000) {
            transcript.receive("2")
            transcript.pass(.seconds(10))
        }
        transcript.quiet([page, ("user_ids=U3", F.list(account("U3", "Ada")))])
        transcript.pass(.milliseconds(200))
        transcript.quiet([page, ("user_ids=U3", F.list(account("U3", "Ada")))])
        #expect(sender(transcript, of: "H1") == "Ada Li")
    }

    @Test func `a user unknown to the server is not fetched again`() {
        var transcript = messages(from: ["U3"])
        transcript.quiet([("user_ids=U3", F.list())])
        transcript.receive(
            F.feed("created", F.message("N9", "x", at: 3000).replacing(#""user_id":"U2""#, with: #""user_id":"U3""#)))
        transcript.pass(.seconds(1))
        #expect(transcript.requests.isEmpty)
        #expect(!transcript.ids(in: accounts).contains("U3"))
    }

    @Test func `a server that invents users causes a bounded number of account requests`() {
        var book = TwakeAccountBook()
        let crowd = (0..<3 * TwakeAccountBook.maximum).map { EntityID("P\($0)") }
        let asked = book.take(crowd, .b).reduce(0) { sum, resource in
            if case .accounts(_, let users) = resource { sum + users.count } else { sum }
        }
        #expect(asked == TwakeAccountBook.maximum)
        #expect(book.take([EntityID(String(repeating: "x", count: 5_000))], .b).isEmpty)
        #expect(TwakeAccountBook().knows(EntityID("P1")) == false)
    }

    @Test func `era A fetches one user at a time`() {
        var book = TwakeAccountBook()
        #expect(book.take([EntityID("P1"), EntityID("P2"), EntityID("P1")], .a).count == 2)
        #expect(TwakeEndpoints.accounts(.a, [EntityID("P1")]).call.target == "/internal/mobile/user?id=P1")
    }

    @Test func `remembered accounts are refetched, and removed when the user does not exist`() {
        var memory = Memory(user: "U1")
        for user in ["U8", "U9"] {
            var account = Twake.Account(id: EntityID(user))
            account.firstName = "Old"
            var row = JSONWriter()
            Item.account(account).encode(into: &row)
            memory.append(row: row.bytes)
        }
        var transcript = Transcript(
            Configuration(backend: .twake, revision: .v4, company: "C", workspace: "W", following: [.accounts]))
        transcript.feed(.remembered(memory))
        #expect(transcript.ids(in: accounts) == ["U8", "U9"])
        transcript.authenticate()
        transcript.quiet([("user_ids=", F.list(account("U8", "New")))])
        #expect(transcript.ids(in: accounts) == ["U1", "U8"])
        #expect(transcript.session.model[.account(EntityID("U8"))]?.account?.firstName == "New")
    }
}
