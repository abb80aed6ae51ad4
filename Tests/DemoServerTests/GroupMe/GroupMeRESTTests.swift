import Testing
import WeirEvents
import WeirJSON
import WeirWire

@testable import WeirDemoServer

@Suite struct `The GroupMe backend's REST service` {
    @Test func `users are identified by their tokens in the header or in the query`() throws {
        var stage = GroupMeStage()
        #expect(try GroupMe.user(from: stage.ask("GET", "/v3/users/me").body).name == "Mia")
        #expect(try GroupMe.user(from: stage.ask("GET", "/v3/users/me", as: "9000001").body).name == "Dee")
        let (status, body) = stage.ask("GET", "/v3/users/me", token: "nobody's")
        #expect(status == 401 && GroupMe.Refusal(body: body).isUnauthorized)
        let token = try #require(stage.backend.tokens.token(of: "20000002")).reveal()
        #expect(token.utf8.count == 40)
        let request = RESTRequest(method: "GET", path: "/v3/users/me", query: "token=\(token)")
        let answer = stage.backend.handle(request, at: stage.now).response
        #expect(try GroupMe.user(from: answer.body[...]).name == "Ann")
        #expect(stage.ask("GET", "/v2/users/me").status == 404 && stage.ask("PUT", "/v3/users/me").status == 404)
    }

    @Test func `groups are listed by page, with or without members, and former groups separately`() throws {
        var stage = GroupMeStage()
        let all = try GroupMe.groups(from: stage.ask("GET", "/v3/groups").body)
        #expect(all.map(\.group.name) == ["Family", "Hikers"] && all[0].members?.count == 4)
        let second = try GroupMe.groups(from: stage.ask("GET", "/v3/groups?page=2&per_page=1").body)
        #expect(second == [all[1]])
        #expect(try GroupMe.groups(from: stage.ask("GET", "/v3/groups?page=3&per_page=1").body).isEmpty)
        let omitted = try GroupMe.groups(from: stage.ask("GET", "/v3/groups?omit=memberships").body)
        #expect(omitted.allSatisfy { $0.members == nil && $0.group.membersCount == nil })
        let former = try GroupMe.groups(from: stage.ask("GET", "/v3/groups/former").body)
        #expect(former.map(\.group.name) == ["Book club"])
        let (status, body) = stage.ask("GET", "/v3/groups/10000003")
        #expect(status == 404 && body.isEmpty)
        let states = try GroupMe.standings(from: stage.ask("GET", "/v3/memberships/states").body)
        #expect(states.map(\.state) == [.active, .active, .exited])
        #expect(try GroupMe.group(from: stage.ask("GET", "/v3/groups/10000001").body) == all[0])
    }

    @Test func `groups are created, changed and deleted, and their members are notified`() throws {
        var stage = GroupMeStage()
        let (status, body) = stage.ask("POST", "/v3/groups", #"{"name":"New","description":"d","share":true}"#)
        let made = try GroupMe.group(from: body)
        #expect(status == 201 && made.group.name == "New" && made.group.shareURL != nil)
        #expect(stage.ask("POST", "/v3/groups", #"{"name":""}"#).status == 400)
        let changed = try GroupMe.group(
            from: stage.ask("POST", "/v3/groups/10000001/update", #"{"name":"Kin","description":"x"}"#).body)
        #expect(changed.group.name == "Kin" && changed.group.description == "x")
        #expect(stage.told.map(\.channel).filter { $0 == "/user/20000002" }.count == 2)
        #expect(stage.told.allSatisfy { $0.push.facts.last == .groupChanged("10000001") })
        for isShared in [true, false] {
            let body = stage.ask("POST", "/v3/groups/10000001/update", #"{"share":\#(isShared)}"#).body
            #expect((try GroupMe.group(from: body).group.shareURL != nil) == isShared)
            #expect(stage.told.allSatisfy { $0.push.facts.last == .groupChanged("10000001") } && !stage.told.isEmpty)
        }
        #expect(stage.ask("POST", "/v3/groups/10000002/destroy").status == 403)
        #expect(stage.ask("POST", "/v3/groups/\(made.group.id)/destroy").status == 200)
        #expect(stage.ask("GET", "/v3/groups/\(made.group.id)").status == 404)
    }

    @Test func `members are added asynchronously, and removed by their membership id`() throws {
        var stage = GroupMeStage()
        let (status, body) = stage.ask(
            "POST", "/v3/groups/10000001/members/add",
            #"{"members":[{"user_id":"9000001","nickname":"Dee D","guid":"g1"},{"user_id":"77","guid":"g2"}]}"#)
        let id = try GroupMe.resultsID(from: body)
        #expect(status == 202)
        let told = stage.told.filter { $0.channel == "/user/9000001" }
        #expect(told.count == 2 && told.last?.push.content.isAdded == true)
        #expect(stage.ask("GET", "/v3/groups/10000001/members/results/\(id)").status == 503)
        let added = try GroupMe.addedMembers(
            from: stage.ask("GET", "/v3/groups/10000001/members/results/\(id)").body, to: "10000001")
        #expect(added.members.map(\.guid) == ["g1"] && added.members.map(\.nickname) == ["Dee D"])
        #expect(stage.ask("GET", "/v3/groups/10000001/members/results/none").status == 404)
        let dee = try #require(added.members.first?.id)
        #expect(stage.ask("POST", "/v3/groups/10000001/members/\(dee)/remove").status == 200)
        #expect(stage.told.contains { $0.channel == "/user/9000001" })
        #expect(stage.ask("POST", "/v3/groups/10000001/members/9000001/remove").status == 404)
        #expect(stage.ask("GET", "/v3/groups/10000001", as: "9000001").status == 404)
    }

    @Test func `messages are paged by three cursors, one of which skips`() throws {
        var stage = GroupMeStage()
        let newest = try stage.page("limit=5")
        #expect(newest.count == 5 && newest.map(\.place) == newest.map(\.place).sorted(by: >))
        let last = try #require(newest.last)
        let older = try stage.page("limit=5&before_id=\(last.id)")
        #expect(older.count == 5 && older.allSatisfy { $0.place < last.place })
        let first = try #require(try stage.page("limit=200").last)
        let following = try stage.page("limit=5&after_id=\(first.id)")
        #expect(following.map(\.place) == following.map(\.place).sorted() && first.place < following[0].place)
        let since = try stage.page("limit=5&since_id=\(first.id)")
        #expect(since == newest)
        #expect(stage.ask("GET", "/v3/groups/10000001/messages?limit=500").status == 400)
        #expect(stage.ask("GET", "/v3/groups/10000003/messages").status == 404)
    }

    @Test(arguments: GroupMeBackend.EmptyForm.allCases)
    func `an empty page is reported in each of four forms`(_ form: GroupMeBackend.EmptyForm) throws {
        var stage = GroupMeStage()
        let newest = try #require(try stage.page("limit=1").first)
        stage.backend.emptyForm = form
        let (status, body) = stage.ask("GET", "/v3/groups/10000001/messages?after_id=\(newest.id)")
        #expect(status == (form == .notModified ? 304 : 200) && body.isEmpty == (form == .notModified))
        #expect(try GroupMe.messages(from: body, of: .group("10000001")).messages.isEmpty)
    }

    @Test func `a message is accepted once, and a repetition within a minute is refused`() throws {
        var stage = GroupMeStage()
        let text = #"{"message":{"source_guid":"g","text":"hi","attachments":[{"type":"image","url":"u"}]}}"#
        let (status, body) = stage.ask("POST", "/v3/groups/10000001/messages", text)
        let sent = try GroupMe.message(from: body, of: .group("10000001"))
        #expect(
            status == 201 && sent.sourceGUID == "g"
                && sent.attachments.map(\.content) == [.image(url: "u", isLinked: false)])
        let pushes = stage.told.map(\.channel)
        #expect(pushes == ["/user/20000001", "/user/20000002", "/user/20000003", "/user/20000004"])
        let (again, refusal) = stage.ask("POST", "/v3/groups/10000001/messages", text)
        #expect(again == 409 && GroupMe.Refusal(body: refusal).code == 409 && stage.publications.isEmpty)
        #expect(stage.ask("POST", "/v3/groups/10000001/messages", text, as: "20000002").status == 201)
        #expect(stage.ask("POST", "/v3/groups/10000001/messages", "{}").status == 400)
        #expect(stage.ask("POST", "/v3/groups/10000001/messages", "{").status == 400)
        #expect(stage.ask("POST", "/v3/groups/10000003/messages", text).status == 404)
    }

    @Test func `directs are found by their partner`() throws {
        var stage = GroupMeStage()
        let chats = try GroupMe.chats(from: stage.ask("GET", "/v3/chats").body, user: "20000001")
        #expect(chats.map(\.conversation) == [.direct("9000001", "20000001"), .direct("20000001", "20000002")])
        let text = #"{"direct_message":{"source_guid":"g","recipient_id":"9000001","text":"hi"}}"#
        let sent = try GroupMe.message(
            from: stage.ask("POST", "/v3/direct_messages", text).body, of: chats[0].conversation)
        #expect(sent.recipient == "9000001" && stage.told.map(\.channel) == ["/user/9000001", "/user/20000001"])
        let page = try GroupMe.messages(
            from: stage.ask("GET", "/v3/direct_messages?other_user_id=9000001").body, of: chats[0].conversation)
        #expect(page.messages.first == sent && page.count == 7)
        #expect(
            stage.ask("POST", "/v3/direct_messages", #"{"direct_message":{"source_guid":"h","text":"x"}}"#).status
                == 404)
    }

    @Test func `a user has one reaction per message, and a second one changes nothing`() throws {
        var stage = GroupMeStage()
        let message = try #require(try stage.page("limit=20").first { $0.sender == "20000002" })
        let path = "/v3/messages/10000001/\(message.id)"
        let body = stage.ask("POST", "\(path)/like", #"{"like_icon":{"type":"unicode","code":"🎉"}}"#).body
        #expect(try GroupMe.reactions(from: body)?.last == .init(.unicode("🎉"), users: ["20000001"]))
        #expect(stage.told.map(\.channel) == ["/group/10000001", "/user/20000002"])
        let again = stage.ask("POST", "\(path)/like").body
        #expect(try GroupMe.reactions(from: again) == GroupMe.reactions(from: body) && stage.publications.isEmpty)
        let mine = try GroupMe.messages(
            from: stage.ask("GET", "/v3/groups/10000001/likes/mine").body, of: .group("10000001"))
        #expect(mine.messages.map(\.id) == [message.id])
        #expect(
            try GroupMe.reactions(from: stage.ask("POST", "\(path)/unlike").body)?.contains { $0.users == ["20000001"] }
                == false)
        #expect(stage.ask("POST", "/v3/messages/10000001/1/like").status == 404)
    }

    @Test func `pictures are accepted, and too many requests are refused`() throws {
        var stage = GroupMeStage()
        #expect(try GroupMe.pictureURL(from: stage.ask("POST", "/pictures", "PNG").body).hasPrefix("https://i.groupme"))
        stage.backend.mostRequests = 2
        stage.now = stage.now + .seconds(1)
        #expect((0..<3).map { _ in stage.ask("GET", "/v3/users/me").status } == [200, 200, 429])
        #expect(GroupMe.Refusal(body: stage.ask("GET", "/v3/users/me").body).code == 429)
        #expect(stage.ask("GET", "/v3/users/me", as: "20000002").status == 200)
        stage.now = stage.now + .seconds(1)
        #expect(stage.ask("GET", "/v3/users/me").status == 200)
        stage.backend.fail("/v3/groups", status: 503, times: 1)
        #expect([stage.ask("GET", "/v3/groups").status, stage.ask("GET", "/v3/groups").status] == [503, 200])
    }

    @Test func `both pushes of a deletion or an edit decode to one fact, and later answers agree`() throws {
        var stage = GroupMeStage()
        let message = try #require(try stage.page("limit=20").first { $0.sender == "20000001" })
        let place = GroupMe.ConversationID.group("10000001")
        for action in [GroupMeAction.edit(place, message.id, text: "new"), .delete(place, message.id)] {
            stage.publications = stage.backend.act(action, by: "20000001", at: stage.now).publications
            let channel = stage.told.first { $0.channel == "/group/10000001" }?.push.facts.last
            let user = stage.told.first { $0.channel == "/user/20000001" }?.push.facts.last
            #expect(channel != nil && channel == user)
        }
        let after = try #require(try stage.page("limit=200").first { $0.id == message.id })
        #expect(after.isDeleted && after.text == "This message was deleted")
    }
}

extension GroupMe.Push.Content {
    var isAdded: Bool { if case .added = self { true } else { false } }
}
