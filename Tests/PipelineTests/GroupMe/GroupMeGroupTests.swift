import Testing
import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

@testable import WeirPipeline

/// Tests for the user's actions on groups: creating them with members, adding members, rejoining.
struct GroupMeGroupTests {
    /// A session of a member of the group "Family" without pending requests.
    private func peer() -> GroupMeTranscript {
        var peer = GroupMeTranscript.ready()
        peer.answer("messages?limit=100", GroupMeTranscript.page([1]))
        peer.answer("/groups/10000001", #"{"id":"10000001","name":"Family","members":[]}"#)
        return peer
    }

    private func act(_ operation: Action.Operation) -> Input {
        .act(Action(id: EntityID("A1"), operation, asked: Timestamp(milliseconds: 1)))
    }

    private func picnic(icon: String = "", _ members: [String]) -> Action.Operation {
        .createChannel(.init(kind: .private, name: "Picnic", icon: icon, members: members.map { EntityID($0) }))
    }

    /// The outcomes of the actions: the error of a refused one, the id from a completed one.
    private func ends(_ peer: GroupMeTranscript) -> [String] {
        peer.reports.compactMap { report in
            guard case .action(let action) = report else { return nil }
            return switch action.change {
            case .done(let subject): subject?.description ?? "done"
            case .refused(let why, _): why
            case .queued, .sending, .dropped, .delayed: nil
            }
        }
    }

    private func body(of part: String, _ peer: GroupMeTranscript) throws -> String {
        let request = try #require(peer.transcript.requests.last { $0.method == "POST" && $0.target.contains(part) })
        return String(decoding: request.body, as: UTF8.self)
    }

    @Test func `a group with members is created, and then they are added under their names in the directs`() throws {
        var peer = peer()
        peer.feed(act(picnic(["20000002", "20000003"])))
        #expect(try body(of: "/v3/groups", peer) == #"{"name":"Picnic","share":false}"#)
        peer.answer("/v3/groups", #"{"id":"10000009","name":"Picnic","members":[]}"#)
        peer.answer("/chats", #"[{"other_user":{"id":20000002,"name":"Ann"},"created_at":1,"updated_at":2}]"#)
        #expect(
            try body(of: "/v3/groups/10000009/members/add", peer)
                == #"{"members":[{"nickname":"Ann","user_id":"20000002","guid":"A1-20000002"},"#
                + #"{"nickname":"20000003","user_id":"20000003","guid":"A1-20000003"}]}"#)
        let pending = peer.transcript.session.model.elements(in: .members(EntityID("10000009")))
        #expect(pending.map(\.id.id.description) == ["20000002", "20000003"])
        #expect(pending.allSatisfy { $0.delivery == .pending })
        #expect(peer.texts(of: .groups).contains("Picnic"))
        peer.answer("members/add", #"{"results_id":"R1"}"#)
        #expect(ends(peer) == ["10000009"])
    }

    @Test func `refused members leave an existing group, which the refusal names`() throws {
        var peer = peer()
        peer.feed(act(picnic(["20000002"])))
        peer.answer("/v3/groups", #"{"id":"10000009","name":"Picnic","members":[]}"#)
        peer.answer("/chats", "[]")
        peer.answer("members/add", status: 401, body: #"{"meta":{"code":40102,"errors":["device"]}}"#)
        #expect(ends(peer) == ["group 10000009 was created, but no members were added: device"])
        #expect(peer.texts(of: .groups).contains("Picnic"))
    }

    @Test func `a group whose members are still to be added is stored with its known data`() throws {
        var draft = Action.ChannelDraft(kind: .private, name: "n", members: [EntityID("20000002")])
        draft.made = EntityID("10000009")
        let action = Action(id: EntityID("A1"), .createChannel(draft), asked: Timestamp(milliseconds: 1))
        var writer = JSONWriter()
        action.encode(into: &writer)
        #expect(Action(try JSONValue(parsing: writer.bytes[...])) == action)
        #expect(!action.operation.makesSomething)
    }

    @Test func `a member added by id gets a nickname once the results contain it`() throws {
        var peer = peer()
        peer.feed(act(.addMember(channel: EntityID("10000001"), user: EntityID("20000003"))))
        peer.answer("/chats", "[]")
        peer.answer("members/add", #"{"results_id":"R1"}"#)
        peer.pass(.milliseconds(500))
        peer.answer("members/results/R1", status: 503)
        let members = Item.Section.members(EntityID("10000001"))
        #expect(peer.texts(of: members).isEmpty)
        while !peer.targets.contains(where: { $0.contains("results/R1") }),
            peer.transcript.now.microseconds < 60_000_000
        {
            peer.pass(.milliseconds(100))
        }
        peer.answer(
            "members/results/R1",
            #"{"members":[{"id":"1000000003","user_id":"20000003","nickname":"Bobby","guid":"A1-20000003"}]}"#)
        #expect(peer.texts(of: members) == ["Bobby"])
    }

    @Test func `a group that was left is rejoined by its name and becomes a room again`() throws {
        var peer = peer()
        let rejoin = Action.Operation.rejoinChannel(channel: EntityID("#book CLUB"))
        peer.feed(act(rejoin))
        peer.answer("/groups/former", #"[{"id":"10000003","name":"Book club"}]"#)
        #expect(try body(of: "/v3/groups/join", peer) == #"{"group_id":"10000003"}"#)
        #expect(peer.texts(of: .formerGroups).isEmpty, "it is shown where it will be")
        peer.answer("/v3/groups/join", #"{"group":{"id":"10000003","name":"Book club"}}"#)
        #expect(ends(peer) == ["10000003"])
        #expect(peer.texts(of: .groups).contains("Book club"))
        peer.feed(.act(Action(id: EntityID("A2"), rejoin, asked: Timestamp(milliseconds: 1))))
        #expect(ends(peer) == ["10000003", "10000003"], "who is in it need not go back")
    }

    @Test func `a group that was not left cannot be rejoined`() {
        var peer = peer()
        peer.feed(act(.rejoinChannel(channel: EntityID("10000007"))))
        peer.answer("/groups/former", "[]")
        peer.answer("/groups/10000007", status: 404)
        #expect(ends(peer) == ["you left no group 10000007 that you may go back into"])
    }

    @Test func `former groups are listed separately, as rooms that cannot be joined`() {
        var peer = GroupMeTranscript()
        peer.open()
        peer.answer("/users/me", #"{"id":"20000001","name":"Me"}"#)
        peer.answer("/groups/former", #"[{"id":"10000003","name":"Book club"}]"#)
        let former = peer.transcript.session.formerRooms
        #expect(former.map(\.name) == ["/group/10000003"] && former.first?.title == "Book club")
        #expect(peer.transcript.session.roomViews.allSatisfy { $0.facts.name != "/group/10000003" })
    }

    @Test(arguments: ["cake.png", "https://example.com/cake.png", "🎂"])
    func `a group's picture must be one of the image service`(icon: String) {
        for operation in [
            picnic(icon: icon, []),
            .editChannel(channel: EntityID("10000001"), .init(icon: icon)),
        ] {
            var peer = peer()
            peer.feed(act(operation))
            #expect(
                ends(peer) == [
                    "the picture of a group must have an address of the image service, https://i.groupme.com/…"
                ])
        }
    }

    @Test func `a group is shared and unshared, and rolled back when the service refuses`() throws {
        var peer = peer()
        let address = "https://groupme.com/join_group/10000001/X"
        let shared = { (peer: GroupMeTranscript) in
            peer.transcript.session.model.rows(in: .groups).first?.group?.shareURL
        }
        func edit(_ id: String, _ visibility: Action.ChannelDraft.Kind) -> Input {
            let change = Action.ChannelChange(visibility: visibility)
            let operation = Action.Operation.editChannel(channel: EntityID("#family"), change)
            return .act(Action(id: EntityID(id), operation, asked: Timestamp(milliseconds: 1)))
        }
        peer.feed(edit("A1", .public))
        #expect(try body(of: "/groups/10000001/update", peer) == #"{"share":true}"#)
        peer.answer("/update", #"{"id":"10000001","name":"Family","members":[],"share_url":"\#(address)"}"#)
        #expect(shared(peer) == address && ends(peer) == ["10000001"])
        peer.feed(edit("A2", .private))
        #expect(try body(of: "/groups/10000001/update", peer) == #"{"share":false}"#)
        #expect(shared(peer) == nil)
        peer.answer("/update", status: 400, body: #"{"meta":{"code":400,"errors":["not yours"]}}"#)
        #expect(shared(peer) == address && ends(peer) == ["10000001", "not yours"])
    }

    @Test func `an uploaded picture becomes the picture of the created or changed group`() throws {
        let address = "https://i.groupme.com/1x1.png.0123456789abcdef"
        var peer = peer()
        var made = Action(id: EntityID("A1"), picnic([]), asked: Timestamp(milliseconds: 1))
        made.attach(address)
        peer.feed(.act(made))
        #expect(try body(of: "/v3/groups", peer).contains(#""image_url":"\#(address)""#))
        let operation = Action.Operation.editChannel(
            channel: EntityID("10000001"), .init(name: "Us"))
        var changed = Action(id: EntityID("A2"), operation, asked: Timestamp(milliseconds: 1))
        changed.attach(address)
        peer.feed(.act(changed))
        #expect(
            try body(of: "/groups/10000001/update", peer) == #"{"name":"Us","image_url":"\#(address)"}"#)
    }
}
