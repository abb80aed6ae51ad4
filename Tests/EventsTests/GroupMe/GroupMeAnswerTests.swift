import Testing
import WeirJSON
import WeirWire

@testable import WeirEvents

@Suite struct `Answers of GroupMe's REST service` {
    private func body(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

    private static let group = #"""
        {"id":"10000001","group_id":"10000001","name":"Family","type":"private","description":"","image_url":"https://i.groupme.com/…","creator_user_id":"20000001","created_at":1730821439,"updated_at":1766619877,"phone_number":"+1 5555550100","muted_until":null,"messages":{"count":46070,"last_message_id":"178527829500000001","last_message_created_at":1785278295,"last_message_updated_at":1785278295,"preview":{"nickname":"Ann","text":"…","image_url":"","attachments":[]}},"max_members":5000,"theme_name":null,"like_icon":{"type":"emoji","pack_id":1,"pack_index":57},"requires_approval":false,"show_join_question":false,"join_question":null,"message_deletion_period":2147483647,"message_deletion_mode":["admin","sender"],"message_edit_period":15,"children_count":0,"share_url":null,"share_qr_code_url":null,"members":[{"id":"1000000001","user_id":"20000002","nickname":"Ann","name":"Ann Example","image_url":"","muted":false,"autokicked":false,"roles":["admin","owner"]}],"members_count":0,"unread_count":null,"last_read_message_id":null,"last_read_at":null}
        """#

    @Test func `an answer about a group contains the group and its members`() throws {
        let record = try GroupMe.group(from: body(#"{"response":\#(Self.group),"meta":{"code":200}}"#))
        #expect(record.group.name == "Family" && record.group.description == nil && record.group.type == .private)
        #expect(record.group.messagesCount == 46070 && record.group.lastMessage == "178527829500000001")
        #expect(record.group.lastMessageAt?.milliseconds == 1_785_278_295_000 && record.group.preview?.text == "…")
        #expect(record.group.likeIcon == .powerUp(pack: 1, index: 57) && record.group.membersCount == 1)
        #expect(record.group.deletionModes == ["admin", "sender"] && record.group.creator == "20000001")
        var ann = GroupMe.Member(id: "1000000001", group: "10000001", user: "20000002", nickname: "Ann")
        ann.name = "Ann Example"
        ann.isMuted = false
        ann.isAutokicked = false
        ann.roles = [.admin, .owner]
        #expect(record.members == [ann])
        #expect(try GroupMe.groups(from: body(#"{"response":[\#(Self.group)],"meta":{"code":200}}"#)) == [record])
    }

    @Test func `an answer without members leaves them unknown`() throws {
        let records = try GroupMe.groups(
            from: body(#"{"response":[{"id":"1","members":null,"members_count":0},{"id":2,"members":[]},{"id":3}]}"#))
        #expect(records.map(\.members) == [nil, [], nil] && records.map(\.group.membersCount) == [nil, 0, nil])
        #expect(records.map(\.group.id) == ["1", "2", "3"])
    }

    @Test func `an answer about a group without messages has no last message`() throws {
        let record = try GroupMe.group(
            from: body(
                #"{"response":{"id":"1","messages":{"count":0,"last_message_id":null,"last_message_created_at":null,"preview":{"nickname":null,"text":null}}}}"#
            ))
        #expect(record.group.lastMessage == nil && record.group.lastMessageAt == nil && record.group.preview == nil)
    }

    static let ends = [
        "", #"{"meta":{"code":304}}"#, #"{"response":null,"meta":{"code":200}}"#, #"{"response":null}"#,
        #"{"response":[]}"#, #"{"response":{"count":12,"messages":[]},"meta":{"code":200}}"#,
        #"{"response":{"messages":null}}"#, #"{"response":{"direct_messages":[]}}"#,
    ]

    @Test(arguments: ends)
    func `each form of an empty answer means that there are no more messages`(_ text: String) throws {
        #expect(try GroupMe.messages(from: body(text), of: .group("1")).messages.isEmpty)
    }

    @Test(arguments: [
        #"{"meta":{"code":429,"errors":["slow down"]}}"#, #"{"response":null,"meta":{"code":404,"errors":["gone"]}}"#,
        #"{"response":{"count":1}}"#, #"{"response":[{"id":"1"}]}"#, "{}", "<html>", "null",
        #"{"response":{"messages":[{"text":"no id"}]}}"#,
    ])
    func `a failed answer is not the last page`(_ text: String) {
        #expect(throws: DecodingFailure.self) { try GroupMe.messages(from: body(text), of: .group("1")) }
    }

    @Test func `messages of an answer keep their order, and belong to the requested conversation by default`() throws {
        let page = try GroupMe.messages(
            from: body(
                #"{"response":{"count":3,"messages":[{"id":"3","group_id":"7","created_at":3},{"id":"2","created_at":2,"favorited_by":["5","5","6"],"pinned_by":""}],"read_receipt":{"message_id":"2","user_id":"5","read_at":4}}}"#
            ), of: .group("1"))
        #expect(page.count == 3 && page.messages.map(\.id) == ["3", "2"])
        #expect(page.messages.map(\.conversation) == [.group("7"), .group("1")])
        #expect(page.messages[1].favoritedBy == ["5", "6"] && page.messages[1].pin == nil)
        #expect(page.receipt?.user == "5" && page.receipt?.conversation == .group("1"))
    }

    @Test func `the answer to a sent message contains the message`() throws {
        for key in ["message", "direct_message"] {
            let sent = try GroupMe.message(
                from: body(#"{"response":{"\#(key)":{"id":"5","source_guid":"G","text":"hi"}},"meta":{"code":201}}"#),
                of: .direct("1", "2"))
            #expect(sent.sourceGUID == "G" && sent.conversation == .direct("1", "2"))
        }
    }

    @Test func `an answer about chats identifies the conversation by either participant`() throws {
        let chats = try GroupMe.chats(
            from: body(
                #"{"response":[{"created_at":1,"updated_at":2,"messages_count":3,"last_message":{"id":"5","conversation_id":"20000001+20000002","sender_id":"20000002","recipient_id":"20000001","text":"x"},"other_user":{"id":20000002,"name":"Ann","avatar_url":"u"}},{"other_user":{"id":"9000001","name":"Bob"}}]}"#
            ), user: "20000001")
        #expect(chats.map(\.conversation) == [.direct("20000001", "20000002"), .direct("9000001", "20000001")])
        #expect(chats[0].partner == .init(id: "20000002", name: "Ann", imageURL: "u"))
        #expect(chats[0].lastMessage?.id == "5" && chats[1].lastMessage == nil)
    }

    @Test func `an answer about members contains the result, wrapped or not`() throws {
        #expect(try GroupMe.resultsID(from: body(#"{"response":{"results_id":"GUID"},"meta":{"code":202}}"#)) == "GUID")
        let added = try GroupMe.addedMembers(
            from: body(
                #"{"response":{"members":[{"id":"1000000003","user_id":"20000003","nickname":"Cal","muted":false,"image_url":null,"autokicked":false,"app_installed":true,"guid":"g"}],"failed":[{"code":1}]}}"#
            ), to: "10000001")
        #expect(added.members.map(\.guid) == ["g"] && added.failures == 1 && added.members[0].group == "10000001")
        let states = try GroupMe.standings(
            from: body(#"{"response":[{"group_id":"1","state":"exited_removed"},{"group_id":2,"state":"new"}]}"#))
        #expect(states == [.init(group: "1", state: .exitedRemoved), .init(group: "2", state: "new")])
    }

    @Test func `an answer about the user contains the data a session begins with`() throws {
        let user = try GroupMe.user(
            from: body(
                #"{"response":{"id":"20000001","user_id":"20000001","name":"Me","email":"me@example.org","phone_number":"+1 5555550100","image_url":null,"created_at":1,"updated_at":2,"mfa":{"enabled":false},"tags":[]},"meta":{"code":200}}"#
            ))
        #expect(user.id == "20000001" && user.name == "Me" && user.publicPart.email == nil)
        #expect(throws: DecodingFailure.self) { try GroupMe.user(from: body("")) }
    }

    @Test func `an answer about reactions contains all of them, or leaves them unknown`() throws {
        #expect(
            try GroupMe.reactions(
                from: body(#"{"response":{"reactions":[{"type":"unicode","code":"❤️","user_ids":["1"]}]}}"#))
                == [.init(.unicode("❤️"), users: ["1"])])
        #expect(try GroupMe.reactions(from: body(#"{"response":{"reactions":[]}}"#)) == [])
        for text in ["", #"{"response":null,"meta":{"code":200}}"#, #"{"response":{}}"#, #"{"response":true}"#] {
            #expect(try GroupMe.reactions(from: body(text)) == nil)
        }
    }

    @Test func `an answer of the image service has no envelope`() throws {
        #expect(
            try GroupMe.pictureURL(
                from: body(
                    #"{"payload":{"url":"https://i.groupme.com/1x1","picture_url":"https://i.groupme.com/1x1"}}"#))
                == "https://i.groupme.com/1x1")
    }

    @Test func `a refusal contains a reason, whatever its form`() {
        let refusal = GroupMe.Refusal(body: body(#"{"meta":{"code":40102,"errors":["unauthorized",7]}}"#))
        #expect(refusal.code == 40102 && refusal.errors == ["unauthorized", "7"] && refusal.isUnauthorized)
        for text in ["", "<html>", "[]", "null"] {
            #expect(GroupMe.Refusal(body: body(text)) == GroupMe.Refusal(body: body("{}")), "\(text)")
        }
    }

    @Test func `an answer mutated ten thousand times decodes or is refused inside its text`() {
        var generator = RandomSource(seed: 10)
        let bodies = [#"{"response":[\#(Self.group)],"meta":{"code":200}}"#] + Self.ends
        var counts = (decoded: 0, refused: 0)
        for round in 0..<10_000 {
            let bytes = `Nothing a peer sends traps`.mutated(body(bodies[round % bodies.count]), &generator)[...]
            do throws(DecodingFailure) {
                if round % bodies.count == 0 {
                    _ = try GroupMe.groups(from: bytes)
                } else {
                    _ = try GroupMe.messages(from: bytes, of: .group("1"))
                }
                counts.decoded += 1
            } catch {
                #expect((0...bytes.count).contains(error.offset) && !error.message.isEmpty)
                counts.refused += 1
            }
            _ = GroupMe.Refusal(body: bytes)
        }
        #expect(counts.decoded > 500 && counts.refused > 1000, "\(counts)")
    }
}
