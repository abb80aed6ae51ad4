import Testing
import WeirJSON
import WeirWire

@testable import WeirEvents

@Suite struct `GroupMe entities in Weir's files` {
    private func expectRoundTrip<Entity: Equatable>(
        _ entity: Entity, _ encode: (Entity) -> (inout JSONWriter) -> Void,
        _ decode: (inout JSONReader) throws(DecodingFailure) -> Entity
    ) throws {
        var writer = JSONWriter()
        encode(entity)(&writer)
        let bytes = writer.bytes
        var reader = JSONReader(bytes.span)
        let copy = try decode(&reader)
        #expect(copy == entity, "\(String(decoding: bytes, as: UTF8.self))")
        #expect(reader.offset == bytes.count)
    }

    @Test func `a GroupMe entity reads back as written, whatever its contents`() throws {
        var maker = GroupMeMaker(seed: 8)
        for _ in 0..<1000 {
            try expectRoundTrip(maker.group(), GroupMe.Group.encode, GroupMe.Group.init(decoding:))
            try expectRoundTrip(maker.member(), GroupMe.Member.encode, GroupMe.Member.init(decoding:))
            try expectRoundTrip(maker.message(), GroupMe.Message.encode, GroupMe.Message.init(decoding:))
            try expectRoundTrip(maker.user(), GroupMe.User.encode, GroupMe.User.init(decoding:))
            try expectRoundTrip(maker.receipt(), GroupMe.ReadReceipt.encode, GroupMe.ReadReceipt.init(decoding:))
            try expectRoundTrip(maker.chat(), GroupMe.Chat.encode, GroupMe.Chat.init(decoding:))
        }
    }

    @Test func `a written GroupMe entity has fixed names and times in milliseconds, without nil fields`() throws {
        var message = GroupMe.Message(id: "2", conversation: .direct("1", "20"), text: "hi")
        message.createdAt = Timestamp(milliseconds: 5)
        message.reactions = [.init(.unicode("👍"), users: ["1"]), .init(.powerUp(pack: 1, index: 2), users: [])]
        message.deletion = .init()
        var writer = JSONWriter()
        message.encode(into: &writer)
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"id":"2","conversation_id":"1+20","text":"hi","created_at":5,"reactions":[{"type":"unicode","code":"👍","user_ids":["1"]},{"type":"emoji","pack_id":1,"pack_index":2,"user_ids":[]}],"deleted":true}"#
        )
    }

    @Test func `a written user contains no private fields`() throws {
        var user = GroupMe.User(id: "20000001", name: "Me")
        user.email = "me@example.org"
        user.phoneNumber = "+1 5555550100"
        var writer = JSONWriter()
        user.publicPart.encode(into: &writer)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"id":"20000001","name":"Me"}"#)
    }

    @Test(arguments: [
        ("group", "{}", "id: missing"), ("message", #"{"id":"1"}"#, "group_id: missing"),
        ("member", #"{"user_id":"1"}"#, "group_id: missing"),
        ("receipt", #"{"message_id":"1"}"#, "conversation_id: missing"),
        ("chat", #"{"other_user":{"id":"1"}}"#, "conversation_id: missing"),
        ("user", #"{"name":"x"}"#, "id: missing"),
    ])
    func `an entity without a required field is refused`(_ type: String, _ text: String, _ message: String) throws {
        let bytes = Array(text.utf8)
        do {
            var reader = JSONReader(bytes.span)
            switch type {
            case "group": _ = try GroupMe.Group(decoding: &reader)
            case "message": _ = try GroupMe.Message(decoding: &reader)
            case "member": _ = try GroupMe.Member(decoding: &reader)
            case "receipt": _ = try GroupMe.ReadReceipt(decoding: &reader)
            case "chat": _ = try GroupMe.Chat(decoding: &reader)
            default: _ = try GroupMe.User(decoding: &reader)
            }
            Issue.record("it was read")
        } catch {
            #expect(error.message == message)
        }
    }
}

@Suite struct `GroupMe attachments` {
    @Test(arguments: [
        (
            #"{"type":"image","url":"u","source_url":"s","blur_hash":"b"}"#,
            GroupMe.Attachment.Content.image(url: "u", isLinked: false)
        ),
        (#"{"type":"linked_image","url":"u"}"#, .image(url: "u", isLinked: true)),
        (#"{"type":"video","url":"u","preview_url":"p"}"#, .video(url: "u", preview: "p")),
        (#"{"type":"audio","url":"u","duration":3.5,"peaks":[1,2],"transcript_url":"t"}"#, .audio(url: "u")),
        (#"{"type":"file","file_id":"f"}"#, .file(id: "f")),
        (
            #"{"type":"location","name":"Home","lat":"1.5","lng":"-2"}"#,
            .location(name: "Home", latitude: "1.5", longitude: "-2")
        ),
        (
            #"{"type":"emoji","placeholder":"�","charmap":[[1,57],[2,3]]}"#,
            .emoji(
                placeholder: "\u{FFFD}", pictures: [.powerUp(pack: 1, index: 57), .powerUp(pack: 2, index: 3)])
        ),
        (
            #"{"type":"mentions","user_ids":["20000002","-1"],"loci":[[0,4],[5,9000]]}"#,
            .mentions([.init(user: "20000002", place: 0..<4), .init(user: .everybody, place: 5..<9005)])
        ),
        (#"{"type":"mentions","user_ids":["1"],"loci":[[-1,2]]}"#, .mentions([.init(user: "1", place: nil)])),
        (
            #"{"type":"reply","reply_id":"5","base_reply_id":"4","user_id":"20000002"}"#,
            .reply(to: "5", base: "4", user: "20000002")
        ),
        (#"{"type":"poll","poll_id":"1785346360560113"}"#, .poll("1785346360560113")),
        (#"{"type":"event","event_id":"e","view":"full"}"#, .calendar("e", view: "full")),
        (#"{"type":"split","token":"t"}"#, .split(token: "t")),
        (#"{"type":"autokicked_member","user_id":20000003}"#, .autokicked("20000003")),
        (#"{"type":"copilot_card","x":1}"#, .copilot(isCard: true)),
        (#"{"type":"partial_image","id":"i","content":"c"}"#, .partialImage(id: "i")),
        (#"{"type":"hologram","url":7}"#, .unknown(type: "hologram")),
    ])
    func `each type of attachment is read without loss`(_ text: String, _ content: GroupMe.Attachment.Content) throws {
        let attachment = GroupMe.Attachment(try RawJSON(text))
        #expect(attachment.content == content && attachment.json.description == text)
    }

    @Test(arguments: ["7", "null", #"{"type":"image"}"#, #"{"type":"poll","poll_id":{}}"#, #"{"type":7}"#])
    func `an attachment of unknown form never invalidates the message`(_ text: String) throws {
        let attachment = GroupMe.Attachment(try RawJSON(text))
        if case .unknown = attachment.content {} else { Issue.record("\(attachment)") }
        #expect(attachment.json.description == text)
    }
}

/// Generates entities with each optional field present or absent, and texts that need escapes.
struct GroupMeMaker {
    private var generator: RandomSource

    init(seed: UInt64) { generator = RandomSource(seed: seed) }

    private mutating func flip() -> Bool { Bool.random(using: &generator) }

    private mutating func number() -> Int { Int.random(in: 0...1_000_000, using: &generator) }

    private mutating func text() -> String? {
        flip() ? ["hi", "\"\\\n", "👍 é", "\u{202E}", "null", "-1"].randomElement(using: &generator) : nil
    }

    private mutating func time() -> Timestamp? {
        flip() ? Timestamp(milliseconds: Int64.random(in: -5...2_000_000_000_000, using: &generator)) : nil
    }

    private mutating func id<Subject>() -> GroupMe.ID<Subject> { GroupMe.ID(String(number() + 1)) }

    private mutating func maybe<Subject>() -> GroupMe.ID<Subject>? { flip() ? id() : nil }

    private mutating func flag() -> Bool? { flip() ? flip() : nil }

    private mutating func count() -> Int? { flip() ? number() : nil }

    private mutating func symbol() -> GroupMe.ReactionSymbol {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: .unicode("❤️")
        case 1: .powerUp(pack: number(), index: number())
        default: .unknown(RawJSON(unchecked: Array(#"{"type":"gif","url":"\n"}"#.utf8)[...]))
        }
    }

    mutating func group() -> GroupMe.Group {
        var group = GroupMe.Group(id: id(), name: text())
        group.type = flip() ? .closed : flip() ? "secret" : nil
        group.description = text()
        group.imageURL = text()
        group.creator = maybe()
        group.createdAt = time()
        group.updatedAt = time()
        group.messagesCount = count()
        group.lastMessage = maybe()
        group.lastMessageAt = time()
        group.lastMessageUpdatedAt = time()
        group.preview = flip() ? .init(nickname: text(), text: text(), imageURL: text()) : nil
        group.membersCount = count()
        group.mostMembers = count()
        group.shareURL = text()
        group.likeIcon = flip() ? symbol() : nil
        group.theme = text()
        group.mutedUntil = time()
        group.requiresApproval = flag()
        group.unreadCount = count()
        group.lastRead = maybe()
        group.lastReadAt = time()
        group.parent = maybe()
        group.topicsCount = count()
        group.editPeriod = count()
        group.deletionModes = flip() ? ["admin", "sender"] : flip() ? [] : nil
        return group
    }

    mutating func member() -> GroupMe.Member {
        var member = GroupMe.Member(id: maybe(), group: id(), user: id(), nickname: text())
        member.name = text()
        member.imageURL = text()
        member.isMuted = flag()
        member.isAutokicked = flag()
        member.roles = flip() ? [.admin, .owner] : flip() ? [] : nil
        member.guid = text()
        return member
    }

    mutating func conversation() -> GroupMe.ConversationID {
        flip() ? .group(id()) : .direct(between: id(), and: id())
    }

    mutating func message() -> GroupMe.Message {
        var message = GroupMe.Message(id: id(), conversation: conversation(), text: text())
        message.sender = flip() ? maybe() : .system
        message.senderType = flip() ? .service : nil
        message.senderName = text()
        message.avatarURL = text()
        message.recipient = maybe()
        message.createdAt = time()
        message.updatedAt = time()
        message.sourceGUID = text()
        message.saysSystem = flag()
        message.attachments =
            flip()
            ? [#"{"type":"image","url":"u\n"}"#, #"{"type":"reply","reply_id":"5","base_reply_id":"5"}"#].map {
                .init(RawJSON(unchecked: Array($0.utf8)[...]))
            } : []
        message.favoritedBy = flip() ? ["1", "2"] : flip() ? [] : nil
        message.reactions = flip() ? [.init(symbol(), users: [id(), id()])] : flip() ? [] : nil
        message.event =
            flip()
            ? GroupMe.SystemEvent(
                RawJSON(unchecked: Array(#"{"type":"bot.add","data":{"bot":"jerry","user":{"id":1}}}"#.utf8)[...]))
            : nil
        message.pin = flip() ? .init(at: time(), by: maybe()) : nil
        message.deletion = flip() ? .init(at: time(), actor: flip() ? .admin : nil) : nil
        message.parent = maybe()
        message.platform = text()
        return message
    }

    mutating func user() -> GroupMe.User {
        var user = GroupMe.User(id: id(), name: text(), imageURL: text())
        user.locale = text()
        user.shareURL = text()
        user.createdAt = time()
        user.updatedAt = time()
        return user
    }

    mutating func receipt() -> GroupMe.ReadReceipt {
        .init(conversation: conversation(), message: id(), user: maybe(), readAt: time())
    }

    mutating func chat() -> GroupMe.Chat {
        var chat = GroupMe.Chat(conversation: conversation(), partner: user())
        chat.createdAt = time()
        chat.updatedAt = time()
        chat.messagesCount = count()
        chat.lastMessage = flip() ? message() : nil
        return chat
    }
}
