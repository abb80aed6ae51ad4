import Events
import JSONText
import SectionedModel
import Wire

/// `EventGuide` for GroupMe: a specimen of each event is decoded and its fields are read off; then the handlers treat it, in each way a
/// conversation can stand to the model, and what they apply and ask for is read off, too.
enum GroupMeGuide {
    static let all: [EventGuide] = {
        let told: [GroupMe.Event] = [.joined(family), .joinRefused(family, message: ""), .left(family)]
        return (told + GroupMeSpecimens.all.compactMap { event($0.channel, $0.data) }).map { guide(of: $0) }
    }()

    /// The same by kind; what is done is told once where all events of a kind agree.
    static let kinds: [EventGuide] = {
        var kinds: [EventGuide] = []
        for event in all {
            if let index = kinds.firstIndex(where: { $0.kind == event.kind }) {
                kinds[index].include(event)
            } else {
                kinds.append(event)
                kinds[kinds.count - 1].treatments = []
                kinds[kinds.count - 1].include(event)
            }
        }
        for index in kinds.indices where kinds[index].treatments.count == 1 {
            kinds[index].treatments[0].subject = subject
        }
        return kinds.sorted { $0.kind < $1.kind }
    }()

    /// What events are measured by.
    fileprivate static let subject = "conversation"

    /// An event as it is decoded; nil for one that is malformed.
    private static func event(_ channel: String, _ data: String) -> GroupMe.Event? {
        try? GroupMe.Event(channel: channel, data: RawJSON(unchecked: ArraySlice(data.utf8)))
    }

    private static let family = GroupMe.Channel.conversation(.group(GroupMeSpecimens.group))

    private static func guide(of event: GroupMe.Event) -> EventGuide {
        let (name, fields) = parts(of: event)
        let handlers = handlers(of: event)
        return EventGuide(
            kind: Event.groupMe(event).kind, wireNames: [name], fields: fields, handlers: handlers,
            treatments: handlers.isEmpty ? [] : [(subject, treatments(of: event))])
    }

    // MARK: What it is

    private static func parts(of event: GroupMe.Event) -> (name: String, fields: [EventGuide.Field]) {
        switch event {
        case .joined, .joinRefused: ("/meta/subscribe", EventGuide.Field.all(ofCase: event))
        case .left: ("/meta/unsubscribe", EventGuide.Field.all(ofCase: event))
        case .push(let push): parts(of: push.content)
        }
    }

    private static func parts(of content: GroupMe.Push.Content) -> (name: String, fields: [EventGuide.Field]) {
        switch content {
        case .line(let message): parts(of: message, in: "line.create")
        case .direct(let message): parts(of: message, in: "direct_message.create")
        case .liked(let reacting): ("like.create", EventGuide.Field.all(of: reacting))
        case .favorite(let reacting): ("favorite", EventGuide.Field.all(of: reacting))
        case .unliked(let reacting): ("like.delete", EventGuide.Field.all(of: reacting))
        case .reaction(let reacting): ("reaction", EventGuide.Field.all(of: reacting))
        case .added(let group): ("membership.create", EventGuide.Field.all(of: group))
        case .removed: ("membership.destroy", EventGuide.Field.all(ofCase: content))
        case .group(let group): ("group.update", EventGuide.Field.all(of: group))
        case .deleted(let message): ("message.deleted, line.delete", EventGuide.Field.all(of: message))
        case .updated(let message): ("message.update, line.update", EventGuide.Field.all(of: message))
        case .read(let receipt): ("read_receipt.create", EventGuide.Field.all(of: receipt))
        case .typing(let typing): ("typing", EventGuide.Field.all(of: typing))
        case .ping: ("ping", [])
        case .subscribed: ("subscribe", EventGuide.Field.all(ofCase: content))
        case .unknown: ("", EventGuide.Field.all(ofCase: content))
        }
    }

    /// A message; of the server's own, what its event tells.
    private static func parts(
        of message: GroupMe.Message, in name: String
    ) -> (name: String, fields: [EventGuide.Field]) {
        guard let event = message.event else { return (name, EventGuide.Field.all(of: message)) }
        return ("\(name) \(event.type)", EventGuide.Field.all(ofCase: event.content))
    }

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

    /// How a conversation, and the message an event is about, can stand to the model.
    private enum Standing: CaseIterable {
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
        Standing.allCases.map { standing in
            let (applies, fetched) = treat(event, standing)
            return EventGuide.Treatment(standing: standing.words, applies: applies, refetch: fetched)
        }
    }

    /// The handlers treat the event: whether they changed the model or told of it, and what they asked for (a moment later, so that
    /// what comes in a burst is asked for once).
    private static func treat(_ event: GroupMe.Event, _ standing: Standing) -> (applies: Bool, fetched: String) {
        var backend = GroupMeBackend(Configuration(backend: .groupme, following: [.usual, .members]))
        backend.user = GroupMeSpecimens.user
        var transaction = Transaction(requestLimit: 1)
        var rooms = RoomBook()
        if standing != .unknown { fill(&transaction) }
        if standing == .followed || standing == .held {
            for place in GroupMeSpecimens.places {
                _ = rooms.want(GroupMe.Channel.conversation(place).description, source: .list)
            }
        }
        if standing == .held { hold(event, in: &transaction) }
        _ = transaction.model.commit()
        backend.handle(.groupMe(event), ackID: nil, rooms: rooms, into: &transaction)
        var fetched: [String] = []
        var isTold = false
        for plan in transaction.plans {
            if case .typing = plan { isTold = true }
            guard case .fetch(let key, _) = plan, let resource = key.groupMe, !fetched.contains(resource.words) else {
                continue
            }
            fetched.append(resource.words)
        }
        return (transaction.model.commit() != nil || isTold, fetched.joined(separator: " and "))
    }

    private static func fill(_ transaction: inout Transaction) {
        transaction.model.put(.group(GroupMe.Group(id: GroupMeSpecimens.group, name: "Family")))
        let partner = GroupMe.User(id: GroupMeSpecimens.partner)
        transaction.model.put(.chat(GroupMe.Chat(conversation: GroupMeSpecimens.direct, partner: partner)))
    }

    private static func hold(_ event: GroupMe.Event, in transaction: inout Transaction) {
        guard case .push(let push) = event else { return }
        for fact in push.facts {
            switch fact {
            case .said(let message):
                transaction.model.put(.said(message))
                // Its conversation knows of it.
                let row = transaction.model[.conversation(message.conversation)]
                if let group = row?.group { transaction.model.put(.group(group.following(message))) }
                if let chat = row?.chat { transaction.model.put(.chat(chat.following(message))) }
            case .deleted(let id, let place, _), .edited(let id, let place, _, _, _), .pinned(let id, let place, _),
                .reacted(let id, let place, _):
                transaction.model.put(.said(GroupMe.Message(id: id, conversation: place)))
            case .membersChanged, .groupChanged, .joined, .left, .read: break
            }
        }
    }
}

extension EventGuide {
    /// Takes in an event of the same kind: what is done is listed by the names that it is done for.
    fileprivate mutating func include(_ event: EventGuide) {
        var others = event
        others.treatments = []
        merge(others)
        guard let cases = event.treatments.first?.cases else { return }
        let names = event.wireNames.joined(separator: ", ")
        if let index = treatments.firstIndex(where: { $0.cases == cases }) {
            treatments[index].subject += ", \(names)"
        } else {
            treatments.append(("\(GroupMeGuide.subject), for \(names)", cases))
        }
    }
}

extension GroupMeResource {
    /// What is asked for, whatever it is of.
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
        case .addedMembers: "who was added"
        }
    }
}
