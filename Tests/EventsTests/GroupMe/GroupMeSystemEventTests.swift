import Testing
import WeirJSON

@testable import WeirEvents

@Suite struct `GroupMe system events` {
    private typealias Person = GroupMe.Person
    private static let ann = Person(id: "20000002", nickname: "Ann")
    private static let cal = Person(id: "20000003", nickname: "Cal")

    private func content(_ text: String) throws -> GroupMe.SystemEvent.Content {
        GroupMe.SystemEvent(try RawJSON(text)).content
    }

    static let memberships: [(String, GroupMe.MembershipChange)] = [
        (
            #"{"type":"membership.announce.added","data":{"added_users":[{"id":20000003,"nickname":"Cal"}],"adder_user":{"id":20000002,"nickname":"Ann"}}}"#,
            .added([cal], by: ann)
        ),
        (
            #"{"type":"membership.announce.joined","data":{"user":{"id":20000003,"nickname":"Cal"}}}"#, .joined(cal)
        ),
        (
            #"{"type":"membership.announce.rejoined","data":{"user":{"id":20000003,"nickname":"Cal"}}}"#,
            .rejoined(cal)
        ),
        (
            #"{"type":"membership.notifications.exited","data":{"removed_user":{"id":20000003,"nickname":"Cal"}}}"#,
            .exited(cal)
        ),
        (
            #"{"type":"membership.notifications.removed","data":{"remover_user":{"id":20000002,"nickname":"Ann"},"removed_user":{"id":20000003,"nickname":"Cal"}}}"#,
            .removed(cal, by: ann)
        ),
        (
            #"{"type":"membership.notifications.autokicked","data":{"user":{"id":20000003,"nickname":"Cal"}}}"#,
            .autokicked(cal)
        ),
        (
            #"{"type":"membership.nickname_changed","data":{"user":{"id":20000003,"nickname":"Cal"},"name":"Calvin"}}"#,
            .renamed(cal, to: "Calvin")
        ),
        (
            #"{"type":"membership.name_change","data":{"user":{"id":20000003,"nickname":"Cal"},"name":"Calvin"}}"#,
            .renamed(cal, to: "Calvin")
        ),
        (
            #"{"type":"membership.avatar_changed","data":{"user":{"id":20000003,"nickname":"Cal"},"avatar_url":"https://i.groupme.com/…"}}"#,
            .pictured(cal, url: "https://i.groupme.com/…")
        ),
        (
            #"{"type":"membership.announce.coco.added","data":{"added_users":[{"id":20000003,"nickname":"Cal"},{"id":20000002,"nickname":"Ann"}]}}"#,
            .added([cal, ann], by: nil)
        ),
        (
            #"{"type":"membership.announce.removed","data":{"removed_user":{"id":20000003,"nickname":"Cal"}}}"#,
            .removed(cal, by: nil)
        ),
        (
            #"{"type":"membership.notifications.added","data":{"added_users":[{"id":20000003,"nickname":"Cal"}]}}"#,
            .added([cal], by: nil)
        ),
        (
            #"{"type":"membership.notifications.admin.new_pending_user","data":{"user":{"id":20000003,"nickname":"Cal"}}}"#,
            .pending(cal)
        ),
    ]

    @Test(arguments: memberships)
    func `a membership event contains the members`(_ text: String, _ change: GroupMe.MembershipChange) throws {
        #expect(try content(text) == .membership(change))
    }

    static let groups: [(String, GroupMe.GroupChange)] = [
        (#""group.name_change","data":{"name":"New name""#, .name("New name")),
        (#""group.topic_change","data":{"topic":"New description""#, .description("New description")),
        (#""group.topic_removed","data":{"x":null"#, .description(nil)),
        (
            #""group.avatar_change","data":{"avatar_url":"https://i.groupme.com/1024x1536.jpeg.…""#,
            .picture(url: "https://i.groupme.com/1024x1536.jpeg.…")
        ),
        (
            #""group.type_change","data":{"type":"closed","message_edit_period":15"#, .type(.closed, editPeriod: 15)
        ),
        (
            #""group.role_change_admin","data":{"role":"admin","member":{"id":20000003,"nickname":"Cal"}"#,
            .role(.admin, of: cal)
        ),
        (#""group.theme_change","data":{"theme_name":"ideas""#, .theme("ideas")),
        (#""group.chat_theme_settings_removed","data":{"x":1"#, .theme(nil)),
        (
            #""group.like_icon_set","data":{"like_icon":{"pack_id":1,"pack_index":1,"type":"emoji"}"#,
            .likeIcon(.powerUp(pack: 1, index: 1))
        ),
        (#""group.like_icon_removed","data":{"x":1"#, .likeIcon(nil)),
        (
            #""group.shared","data":{"share_url":"https://groupme.com/join_group/10000001/XXXXXXXX","share_qr_code_url":"https://image.groupme.com/qr/join_group/10000001/XXXXXXXX/preview""#,
            .shared(url: "https://groupme.com/join_group/10000001/XXXXXXXX")
        ),
        (#""group.unshared","data":{"x":1"#, .shared(url: nil)),
        (#""group.requires_approval_enabled","data":{"x":1"#, .requiresApproval(true)),
        (#""group.requires_approval_disabled","data":{"x":1"#, .requiresApproval(false)),
        (#""group.visibility_set.searchable","data":{"x":1"#, .visibility("searchable")),
        (#""group.visibility_set.hidden","data":{"x":1"#, .visibility("hidden")),
        (#""group.visibility_set.community","data":{"x":1"#, .visibility("community")),
        (#""group.office_mode_enabled","data":{"x":1"#, .officeMode(true)),
        (#""group.office_mode_disabled","data":{"x":1"#, .officeMode(false)),
        (#""group.added_to_directory","data":{"directory_name":"Campus""#, .directory("Campus")),
    ]

    @Test(arguments: groups)
    func `a group event contains the change and its author`(_ text: String, _ change: GroupMe.GroupChange) throws {
        let event = #"{"type":\#(text),"user":{"id":20000002,"nickname":"Ann"}}}"#
        #expect(try content(event) == .group(change, by: Self.ann))
    }

    @Test func `an event about a new owner contains the old and the new owner`() throws {
        let text = #"""
            {"type":"group.owner_changed","data":{"old_owner":{"id":20000002,"nickname":"Ann"},"new_owner":{"id":20000003,"nickname":"Cal"}}}
            """#
        #expect(try content(text) == .group(.owner(from: Self.ann, to: Self.cal), by: nil))
    }

    static let topics: [(String, GroupMe.TopicChange)] = [
        (
            #""group.subgroup_created","data":{"user":{"id":20000002,"nickname":"Ann"},"subgroup_topic":"test topic","subgroup_avatar_url":null,"subgroup_id":10000009"#,
            .init(action: .created, name: "test topic", topic: "10000009")
        ),
        (
            #""group.subgroup_removed","data":{"user":{"id":20000002,"nickname":"Ann"},"subgroup_topic":"old","subgroup_id":10000009"#,
            .init(action: .removed, name: "old", topic: "10000009")
        ),
        (
            #""group.subgroup_name_change","data":{"user":{"id":20000002,"nickname":"Ann"},"subgroup_topic":"test","parent_id":10000001"#,
            .init(action: .renamed, name: "test", parent: "10000001")
        ),
        (
            #""group.subgroup_description_change","data":{"user":{"id":20000002,"nickname":"Ann"},"subgroup_topic":"t","subgroup_description":"new","parent_id":10000001"#,
            .init(action: .description("new"), name: "t", parent: "10000001")
        ),
        (
            #""group.subgroup_avatar_change","data":{"user":{"id":20000002,"nickname":"Ann"},"subgroup_topic":"t","subgroup_avatar_url":"https://i.groupme.com/…","parent_id":10000001"#,
            .init(action: .picture(url: "https://i.groupme.com/…"), name: "t", parent: "10000001")
        ),
        (
            #""group.subgroup_type_change","data":{"user":{"id":20000002,"nickname":"Ann"},"subgroup_topic":"t","parent_id":10000001,"type":"closed","message_edit_period":15"#,
            .init(action: .type(.closed, editPeriod: 15), name: "t", parent: "10000001")
        ),
        (
            #""group.subgroup_like_icon_change","data":{"user":{"id":20000002,"nickname":"Ann"},"subgroup_topic":"t","parent_id":10000001,"like_icon":{"pack_id":1,"pack_index":36,"type":"emoji"}"#,
            .init(action: .likeIcon(.powerUp(pack: 1, index: 36)), name: "t", parent: "10000001")
        ),
        (
            #""group.subgroup_description_removed","data":{"user":{"id":20000002,"nickname":"Ann"},"parent_id":10000001"#,
            .init(action: .description(nil), parent: "10000001")
        ),
        (
            #""group.subgroup_attribute_change","data":{"user":{"id":20000002,"nickname":"Ann"},"parent_id":10000001"#,
            .init(action: .attribute, parent: "10000001")
        ),
    ]

    @Test(arguments: topics)
    func `a topic event contains the topic, or the group`(_ text: String, _ change: GroupMe.TopicChange) throws {
        #expect(try content(#"{"type":\#(text)}}"#) == .topic(change, by: Self.ann))
    }

    static let others: [(String, GroupMe.SystemEvent.Content)] = [
        (
            #""message.deleted","data":{"message_id":"178534605527047935","deleted_at":1785346362,"deletion_actor":"sender"}"#,
            .message(
                .deleted(
                    .init(
                        message: "178534605527047935", at: Timestamp(milliseconds: 1_785_346_362_000), actor: .sender)))
        ),
        (
            #""message.update","data":{"message_id":"178534605527047935","sender_id":"20000002","updated_at":1785346382,"message":{"text":"new text","attachments":[]}}"#,
            .message(
                .edited(
                    .init(
                        message: "178534605527047935", sender: "20000002",
                        at: Timestamp(milliseconds: 1_785_346_382_000), text: "new text", attachments: [])))
        ),
        (
            #""message.pinned","data":{"message_id":"178534605527047935","pinned":true,"pinned_by":"20000002","pinned_at":1785346387}"#,
            .message(
                .pinned(
                    "178534605527047935", true, at: Timestamp(milliseconds: 1_785_346_387_000), by: "20000002"))
        ),
        (
            #""message.unpinned","data":{"message_id":"178534605527047935"}"#,
            .message(.pinned("178534605527047935", false, at: nil, by: nil))
        ),
        (
            #""group.call.started","data":{"meeting_id":"https://…","user":{"id":"20000002","nickname":"Ann"}}"#,
            .call(.started(meeting: "https://…", by: ann))
        ),
        (
            #""group.call.ended","data":{"call_duration":9770,"user":{"id":"system","nickname":"system"}}"#,
            .call(.ended(duration: 9770))
        ),
        (
            #""poll.created","data":{"conversation":{"id":"10000001"},"poll":{"id":"1785346360560113","subject":"Up or down?"},"user":{"id":"20000002","nickname":"Ann"}}"#,
            .poll(
                .init(action: .created, poll: .init(id: "1785346360560113", subject: "Up or down?"), by: ann))
        ),
        (
            #""poll.reminder","data":{"conversation":{"id":"10000001"},"poll":{"expiration":1785347000,"id":"1785346360560113","subject":"Up or down?"}}"#,
            .poll(
                .init(
                    action: .reminder,
                    poll: .init(
                        id: "1785346360560113", subject: "Up or down?",
                        expiration: Timestamp(milliseconds: 1_785_347_000_000)), by: nil))
        ),
        (
            #""poll.finished","data":{"conversation":{"id":"10000001"},"options":[{"id":"1","title":"Up"},{"id":"2","title":"Down","voter_ids":["20000002"],"votes":1}],"poll":{"id":"1785346360560113","subject":"Up or down?"}}"#,
            .poll(
                .init(
                    action: .finished,
                    poll: .init(
                        id: "1785346360560113", subject: "Up or down?",
                        options: [
                            .init(id: "1", title: "Up", votes: 0, voters: []),
                            .init(id: "2", title: "Down", votes: 1, voters: ["20000002"]),
                        ]), by: nil))
        ),
        (
            #""calendar.event.created","data":{"event":{"id":"0123456789abcdef0123456789abcdef","name":"Party"},"url":"https://group.me/…","user":{"id":"20000002","nickname":"Ann"}}"#,
            .calendar(
                .init(
                    action: .created, id: "0123456789abcdef0123456789abcdef", name: "Party", url: "https://group.me/…",
                    by: ann))
        ),
        (
            #""calendar.event.updated","data":{"event":{"id":"…","name":"Party 2"},"updated_fields":["calendar.event.field.name"],"user":{"id":"20000002","nickname":"Ann"}}"#,
            .calendar(
                .init(action: .updated(["calendar.event.field.name"]), id: "…", name: "Party 2", url: nil, by: ann))
        ),
        (
            #""calendar.event.cancelled","data":{"event":{"id":"…","name":"Party"},"user":{"id":"20000002","nickname":"Ann"}}"#,
            .calendar(.init(action: .cancelled, id: "…", name: "Party", url: nil, by: ann))
        ),
        (
            #""calendar.event.starting","data":{"call_started":false,"event_name":"Party","minutes":"0"}"#,
            .calendar(.init(action: .starting(minutes: 0, isCall: false), id: nil, name: "Party", url: nil, by: nil))
        ),
        (
            #""calendar.event.user.going","data":{"event":{"id":"…","name":"Party"},"user":{"id":"20000002","nickname":"Ann"}}"#,
            .calendar(.init(action: .going, id: "…", name: "Party", url: nil, by: ann))
        ),
        (
            #""calendar.event.user.not_going","data":{"event":{"id":"…","name":"Party"},"user":{"id":"20000002","nickname":"Ann"}}"#,
            .calendar(.init(action: .notGoing, id: "…", name: "Party", url: nil, by: ann))
        ),
        (
            #""calendar.event.user.undecided","data":{"event":{"id":"…","name":"Party"},"user":{"id":"20000002","nickname":"Ann"}}"#,
            .calendar(.init(action: .undecided, id: "…", name: "Party", url: nil, by: ann))
        ),
        (#""bot.add","data":{"user":{"id":20000002,"nickname":"Ann"},"bot":"jerry"}"#, .bot(.added("jerry"), by: ann)),
        (#""bot.del","data":{"user":{"id":20000002,"nickname":"Ann"},"bot":"tom"}"#, .bot(.removed("tom"), by: ann)),
        (
            #""bot.rename","data":{"user":{"id":20000002,"nickname":"Ann"},"bot_name_old":"jerry","bot_name_new":"tom"}"#,
            .bot(.renamed(from: "jerry", to: "tom"), by: ann)
        ),
        (
            #""copilot.group.privacy_notice","data":{"trigger_message":"178534605527047935"}"#,
            .privacyNotice("178534605527047935")
        ),
    ]

    @Test(arguments: others)
    func `an event about a message, a call, a poll, a calendar or a bot contains the data of the wire`(
        _ text: String, _ expected: GroupMe.SystemEvent.Content
    ) throws {
        #expect(try content(#"{"type":\#(text)}"#) == expected)
    }

    @Test(arguments: [
        #"{"type":"membership.announce.hatched","data":{"user":{"id":1,"nickname":"A"}}}"#, #"{"type":"brand.new"}"#,
        #"{"type":"message.deleted","data":{}}"#, #"{"type":"group.name_change","data":{"name":{"x":1}}}"#,
        #"{"type":7,"data":[]}"#, "[]", "null", #""text""#, "{}", #"{"type":"membership.announce.joined","data":null}"#,
    ])
    func `an event of an unknown type or form is kept as it is, and invalidates nothing`(_ text: String) throws {
        let event = GroupMe.SystemEvent(try RawJSON(text))
        #expect(event.content == .unknown && event.json.description == text)
    }

    @Test func `a sentence of 2014 is decoded without an event`() throws {
        let sentences: [(String, GroupMe.SystemEvent.Content)] = [
            (
                "Ann removed Cal from the group",
                .membership(.removed(.init(nickname: "Cal"), by: .init(nickname: "Ann")))
            ),
            (
                "Ann added Bob, Cal and Dee to the group.",
                .membership(
                    .added(["Bob", "Cal", "Dee"].map { Person(nickname: $0) }, by: .init(nickname: "Ann")))
            ),
            (
                "Ann changed the group's name to New, and better",
                .group(.name("New, and better"), by: .init(nickname: "Ann"))
            ),
            ("Ann changed the group's avatar", .group(.picture(url: nil), by: .init(nickname: "Ann"))),
            ("Foo changed name to Bar", .membership(.renamed(.init(nickname: "Foo"), to: "Bar"))),
        ]
        for (sentence, expected) in sentences {
            #expect(GroupMe.SystemEvent.Content(sentence: sentence) == expected, "\(sentence)")
        }
        for sentence in ["Ann liked your message", " removed x from the group", "", "hello"] {
            #expect(GroupMe.SystemEvent.Content(sentence: sentence) == nil)
        }
    }

    @Test func `an event takes precedence over the sentence, and a user's sentence is not an event`() throws {
        var message = GroupMe.Message(id: "1", conversation: .group("1"), text: "Ann removed Cal from the group")
        message.sender = "20000002"
        message.senderType = .user
        #expect(message.occurrence == nil)
        message.sender = "0"
        message.senderType = nil
        message.senderName = "GroupMe"
        #expect(message.isSystem)
        #expect(message.occurrence == .membership(.removed(.init(nickname: "Cal"), by: .init(nickname: "Ann"))))
        message.event = GroupMe.SystemEvent(
            try RawJSON(#"{"type":"membership.announce.joined","data":{"user":{"id":20000003,"nickname":"Cal"}}}"#))
        #expect(message.occurrence == .membership(.joined(Self.cal)))
    }
}
