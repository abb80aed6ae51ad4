import Events
import JSONText
import SectionedModel

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
