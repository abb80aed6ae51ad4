import WeirEvents
import WeirJSON
import WeirModel

/// Computes the `EventGuide` of each GroupMe event.
///
/// It decodes a specimen and reads its fields. Then it runs the handlers, once for each relation of a conversation to
/// the model, and records what they change and fetch.
enum GroupMeGuide {
    static let all: [EventGuide] = {
        let told: [GroupMe.Event] = [.joined(family), .joinRefused(family, message: ""), .left(family)]
        return told.map { guide(of: $0, nil) } + GroupMeSpecimens.all.compactMap { guide(of: $0) }
    }()

    /// The name of the object whose state decides how events are treated.
    private static let subject = "conversation"
    private static let family = GroupMe.Channel.conversation(.group(GroupMeSpecimens.group))

    /// Returns the guide of a specimen's event, or `nil` when the specimen is malformed.
    static func guide(of specimen: GroupMeSpecimens.Specimen) -> EventGuide? {
        let data = specimen.payload
        return (try? GroupMe.Event(channel: specimen.channel, data: data)).map { guide(of: $0, data) }
    }

    private static func guide(of event: GroupMe.Event, _ data: RawJSON?) -> EventGuide {
        let (name, members) = parts(of: event)
        let handlers = handlers(of: event)
        return EventGuide(
            kind: Event.groupMe(event).kind, wireNames: [name],
            fields: data.map { EventGuide.Field.all(in: $0, also: members, at: "subject") } ?? [], handlers: handlers,
            treatments: handlers.isEmpty ? [] : [(subject, treatments(of: event))])
    }

    // MARK: What it is

    /// Returns the event's name on the wire, and the fields that the decoding table of its subject accepts.
    private static func parts(of event: GroupMe.Event) -> (name: String, members: [String]) {
        switch event {
        case .joined, .joinRefused: ("/meta/subscribe", [])
        case .left: ("/meta/unsubscribe", [])
        case .push(let push): parts(of: push.content)
        }
    }

    private static func parts(of content: GroupMe.Push.Content) -> (name: String, members: [String]) {
        switch content {
        case .line(let message): ("line.create" + type(of: message), [])
        case .direct(let message): ("direct_message.create" + type(of: message), [])
        case .liked: ("like.create", [])
        case .favorite: ("favorite", [])
        case .unliked: ("like.delete", [])
        case .reaction: ("reaction", [])
        case .added: ("membership.create", GroupMe.Group.wireNames)
        case .removed: ("membership.destroy", [])
        case .group: ("group.update", GroupMe.Group.wireNames)
        case .deleted: ("message.deleted, line.delete", [])
        case .updated: ("message.update, line.update", [])
        case .read: ("read_receipt.create", GroupMe.ReadReceipt.wireNames)
        case .typing: ("typing", [])
        case .ping: ("ping", [])
        case .subscribed: ("subscribe", [])
        case .unknown: ("", [])
        }
    }

    /// Returns the event type of a system message with a leading space, or an empty string for any other message.
    private static func type(of message: GroupMe.Message) -> String { message.event.map { " \($0.type)" } ?? "" }

    // MARK: Who handles it

    private static func handlers(of event: GroupMe.Event) -> [String] {
        guard case .push(let push) = event else { return [] }
        if case .typing = push.content { return ["typing"] }
        var names: [String] = []
        for name in push.facts.map({ handler(of: $0) }) where !names.contains(name) { names.append(name) }
        return names
    }

    private static func handler(of fact: GroupMe.Fact) -> String {
        switch fact {
        case .said: "messages"
        case .deleted: "deletions"
        case .edited: "edits"
        case .pinned: "pins"
        case .reacted: "reactions"
        case .membersChanged: "members"
        case .groupChanged: "groups"
        case .joined, .left: "own memberships"
        case .read: "receipts"
        }
    }

    // MARK: What is done

    /// The relation of a conversation, and of the event's message, to the model.
    private enum Knowledge: CaseIterable {
        case unknown, listed, followed, held

        var words: String {
            switch self {
            case .unknown: "not known yet"
            case .listed: "known, its room not joined"
            case .followed: "its room joined"
            case .held: "its room joined, the message held"
            }
        }
    }

    private static func treatments(of event: GroupMe.Event) -> [EventGuide.Treatment] {
        Knowledge.allCases.map { knowledge in
            let (applies, fetched) = treat(event, knowledge)
            return EventGuide.Treatment(standing: knowledge.words, applies: applies, refetch: fetched)
        }
    }

    /// Runs the handlers on an event. Returns whether they changed the model or reported typing, and which resources
    /// they fetch. The fetches are delayed, so that a burst of events causes one.
    private static func treat(_ event: GroupMe.Event, _ knowledge: Knowledge) -> (applies: Bool, fetched: String) {
        var backend = GroupMeBackend(Configuration(backend: .groupme, following: [.usual, .members]))
        backend.user = GroupMeSpecimens.user
        var context = HandlerContext(requestLimit: 1)
        var rooms = RoomSubscriptions()
        if knowledge != .unknown { fill(&context) }
        if knowledge == .followed || knowledge == .held {
            for place in GroupMeSpecimens.places {
                _ = rooms.want(GroupMe.Channel.conversation(place).description, source: .list)
            }
        }
        if knowledge == .held { hold(event, in: &context) }
        _ = context.model.commit()
        backend.handle(.groupMe(event), ackID: nil, rooms: rooms, into: &context)
        var fetched: [String] = []
        var isTold = false
        for plan in context.plans {
            if case .typing = plan { isTold = true }
            guard case .fetch(let key, _) = plan, let resource = key.groupMe, !fetched.contains(resource.words) else {
                continue
            }
            fetched.append(resource.words)
        }
        return (context.model.commit() != nil || isTold, fetched.joined(separator: " and "))
    }

    private static func fill(_ context: inout HandlerContext) {
        context.model.put(.group(GroupMe.Group(id: GroupMeSpecimens.group, name: "Family")))
        let partner = GroupMe.User(id: GroupMeSpecimens.partner)
        context.model.put(.chat(GroupMe.Chat(conversation: GroupMeSpecimens.direct, partner: partner)))
    }

    private static func hold(_ event: GroupMe.Event, in context: inout HandlerContext) {
        guard case .push(let push) = event else { return }
        for fact in push.facts {
            switch fact {
            case .said(let message):
                context.model.put(.said(message))
                // Let the conversation's row refer to the message.
                let row = context.model[.conversation(message.conversation)]
                if let group = row?.group { context.model.put(.group(group.following(message))) }
                if let chat = row?.chat { context.model.put(.chat(chat.following(message))) }
            case .deleted(let id, let place, _), .edited(let id, let place, _, _, _), .pinned(let id, let place, _),
                .reacted(let id, let place, _):
                context.model.put(.said(GroupMe.Message(id: id, conversation: place)))
            case .membersChanged, .groupChanged, .joined, .left, .read: break
            }
        }
    }
}

extension GroupMeResource {
    /// A description of the resource without its ids.
    fileprivate var words: String {
        switch self {
        case .me: "the account"
        case .groups: "the list of groups"
        case .formerGroups: "the list of former groups"
        case .group: "the group and its members"
        case .chats: "the list of directs"
        case .newest: "the newest messages"
        case .window: "all messages that are shown"
        case .around: "the messages around it"
        case .addedMembers: "the added members"
        }
    }
}

/// One specimen of each push type and of each event of a system message (GroupMe GM-8, GM-25).
///
/// A message is decoded without a table, so its specimen contains every field that servers send (GroupMe GM-10). All
/// other specimens contain only the required fields.
enum GroupMeSpecimens {
    struct Specimen: Sendable {
        var channel: String
        var data: String
        var payload: RawJSON { RawJSON(unchecked: ArraySlice(data.utf8)) }
    }

    static let user: GroupMe.UserID = "1"
    static let partner: GroupMe.UserID = "2"
    static let group: GroupMe.GroupID = "10"
    static let direct = GroupMe.ConversationID.direct(between: user, and: partner)
    static let places = [GroupMe.ConversationID.group(group), direct]

    static let all: [Specimen] =
        pushes + systemEvents.map { name, data in push("line.create", line(name, data)) }
        + [
            push(
                "direct_message.create",
                #"{"id":"178534605500000009","chat_id":"1+2","created_at":1785346055,"sender_id":"system","sender_type":"system","text":"t","event":{"type":"message.update","data":{"message_id":"\#(message)","message":{"text":"u"}}}}"#
            )
        ]

    private static let message = "178534605500000001"

    private static let pushes = [
        push("line.create", said), push("direct_message.create", saidInDirect),
        push("like.create", reacting), push("favorite", reacting, on: "/group/10"),
        push("like.delete", reacting, on: "/group/10"), push("reaction", reacting, on: "/group/10"),
        push("membership.create", #"{"id":"10","name":"n"}"#), push("membership.destroy", #"{"group_id":"10"}"#),
        push("group.update", #"{"id":"10","name":"n"}"#),
        push("message.deleted", tombstone, on: "/group/10"), push("message.update", said, on: "/group/10"),
        push(
            "read_receipt.create", #"{"id":"\#(message)","chat_id":"1+2","message_id":"\#(message)","user_id":"2"}"#,
            on: "/direct_message/1_2"),
        Specimen(channel: "/group/10", data: #"{"type":"typing","user_id":"2","started":1}"#),
        Specimen(channel: "/user/1", data: #"{"type":"ping"}"#),
        Specimen(channel: "/user/1", data: #"{"type":"subscribe"}"#),
        Specimen(channel: "/user/1", data: #"{"type":"brand.new"}"#),
    ]

    /// The fields that group and direct messages share.
    private static let sent =
        #""id":"\#(message)","created_at":1785346055,"updated_at":1785346900,"sender_id":"2","sender_type":"user","user_id":"2","name":"n","avatar_url":"https://i.groupme.com/1","text":"t","source_guid":"g","attachments":[],"favorited_by":[],"reactions":[],"location":{"lat":"","lng":"","name":"n"},"platform":"gm""#
    private static let sentInGroup =
        #"\#(sent),"group_id":"10","system":false,"pinned_at":1785346057,"pinned_by":"2","parent_id":"9""#
    private static let said = "{\(sentInGroup)}"
    private static let saidInDirect = #"{\#(sent),"chat_id":"1+2","recipient_id":"1"}"#
    private static let tombstone = #"{\#(sentInGroup),"deleted_at":"2026-07-29T23:40:22Z","deletion_actor":"sender"}"#
    private static let reaction = #"{"type":"unicode","code":"👍","user_ids":["2"]}"#
    private static let reacting =
        #"{"line":{\#(sentInGroup),"favorited_at":1785346684},"reactions":[\#(reaction)],"user_id":"2","user_reaction":\#(reaction)}"#

    private static func push(_ type: String, _ subject: String, on channel: String = "/user/1") -> Specimen {
        Specimen(
            channel: channel,
            data: #"{"type":"\#(type)","alert":"a","subject":\#(subject),"received_at":1785346055000}"#)
    }

    private static func line(_ name: String, _ data: String) -> String {
        #"{"id":"178534605500000009","group_id":"10","created_at":1785346055,"sender_id":"system","system":true,"text":"t","event":{"type":"\#(name)","data":{\#(data)}}}"#
    }
}

extension GroupMeSpecimens {
    private static let by = #""user":{"id":2,"nickname":"Ann"}"#
    private static let removed = #""removed_user":{"id":3,"nickname":"Cal"}"#

    /// The events of system messages: the `type`, and the required members of `data`.
    static let systemEvents: [(name: String, data: String)] =
        memberships + settings + topics + [
            (
                "message.deleted",
                #""message_id":"178534605500000001","deleted_at":1785346362,"deletion_actor":"sender""#
            ),
            ("message.update", #""message_id":"178534605500000001","message":{"text":"u"}"#),
            ("message.pinned", #""message_id":"178534605500000001","pinned":true,"pinned_at":1785346362"#),
            ("message.unpinned", #""message_id":"178534605500000001","pinned":false"#),
            ("group.call.started", #""meeting_id":"m",\#(by)"#), ("group.call.ended", #""call_duration":1"#),
            ("poll.created", poll), ("poll.reminder", poll), ("poll.finished", poll),
            ("calendar.event.created", calendar), ("calendar.event.updated", calendar),
            ("calendar.event.cancelled", calendar), ("calendar.event.starting", #""event_name":"n","minutes":"0""#),
            ("calendar.event.user.going", calendar), ("calendar.event.user.not_going", calendar),
            ("calendar.event.user.undecided", calendar),
            ("bot.add", #"\#(by),"bot":"b""#), ("bot.del", #"\#(by),"bot":"b""#),
            ("bot.rename", #"\#(by),"bot_name_old":"b","bot_name_new":"c""#),
            ("copilot.group.privacy_notice", #""trigger_message":"178534605500000001""#),
        ]

    private static let poll = #""poll":{"id":"7","subject":"s"},\#(by)"#
    private static let calendar = #""event":{"id":"7","name":"n"},\#(by)"#

    private static let memberships = [
        ("membership.announce.added", #""added_users":[{"id":3,"nickname":"Cal"}],"adder_user":{"id":2}"#),
        ("membership.announce.coco.added", #""added_users":[{"id":3,"nickname":"Cal"}]"#),
        ("membership.notifications.added", #""added_users":[{"id":3,"nickname":"Cal"}]"#),
        ("membership.announce.joined", by), ("membership.announce.rejoined", by),
        ("membership.announce.removed", removed), ("membership.notifications.exited", removed),
        ("membership.notifications.removed", #"\#(removed),"remover_user":{"id":2}"#),
        ("membership.notifications.autokicked", by), ("membership.nickname_changed", #"\#(by),"name":"Annie""#),
        ("membership.name_change", #"\#(by),"name":"Annie""#), ("membership.avatar_changed", by),
        ("membership.notifications.admin.new_pending_user", by),
    ]

    private static let settings = [
        ("group.name_change", #"\#(by),"name":"n""#), ("group.topic_change", #"\#(by),"topic":"t""#),
        ("group.topic_removed", by), ("group.avatar_change", #"\#(by),"avatar_url":"https://i.groupme.com/1""#),
        ("group.type_change", #"\#(by),"type":"closed","message_edit_period":15"#),
        ("group.role_change_admin", #"\#(by),"role":"admin","member":{"id":3}"#),
        ("group.owner_changed", #""old_owner":{"id":2},"new_owner":{"id":3}"#),
        ("group.theme_change", #"\#(by),"theme_name":"ideas""#), ("group.chat_theme_settings_change", by),
        ("group.chat_theme_settings_removed", by),
        ("group.like_icon_set", #"\#(by),"like_icon":{"type":"emoji","pack_id":1,"pack_index":1}"#),
        ("group.like_icon_removed", by), ("group.shared", #"\#(by),"share_url":"https://groupme.com/join_group/10/X""#),
        ("group.unshared", by), ("group.requires_approval_enabled", by), ("group.requires_approval_disabled", by),
        ("group.visibility_set.searchable", by), ("group.visibility_set.hidden", by),
        ("group.visibility_set.community", by), ("group.office_mode_enabled", by), ("group.office_mode_disabled", by),
        ("group.added_to_directory", #"\#(by),"directory_name":"Campus""#),
    ]

    private static let topics = [
        ("group.subgroup_created", #"\#(by),"subgroup_topic":"t","subgroup_id":11"#),
        ("group.subgroup_removed", #"\#(by),"subgroup_topic":"t","subgroup_id":11"#),
        ("group.subgroup_name_change", topic), ("group.subgroup_description_change", topic),
        ("group.subgroup_description_removed", topic), ("group.subgroup_avatar_change", topic),
        ("group.subgroup_type_change", #"\#(topic),"type":"closed""#), ("group.subgroup_like_icon_change", topic),
        ("group.subgroup_attribute_change", topic),
    ]

    private static let topic = #"\#(by),"subgroup_topic":"t","parent_id":10"#
}
