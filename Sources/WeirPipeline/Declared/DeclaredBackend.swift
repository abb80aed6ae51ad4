import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

/// A backend declared by a profile.
///
/// An event's rule decides whether its rows are applied or its reads are fetched. An answer is authoritative, except
/// for rows that an event changed while it was in flight; `newer` decides for each row. After a reconnect, the reads of
/// joined rooms are fetched again.
struct DeclaredBackend: Backend {
    let profile: Profile
    /// The readers of the profile's rules, in their order.
    private let readers: [EventReader]
    /// The same readers, grouped by event name on the wire.
    private let rules: [String: [EventReader]]
    let entities: [String: Profile.Entity]
    let reads: [String: Profile.Read]
    /// Whether the list of rooms is fetched, because the user did not name every room.
    private let discoversRooms: Bool
    private var token: Secret?
    /// The user's id; `nil` until a read returns it.
    var user: String?
    /// The periodic reads, with the time at which each is due.
    var polls: [DeclaredResource: Moment] = [:]
    /// The reads of single rows, and whether each still runs.
    var rowPolls: [DeclaredResource: RowPoll] = [:]
    /// The reads for each row, by entity. Empty in a session without a realtime connection.
    let readsOfRows: [String: [Profile.Read]]
    /// The ids of rooms by lower-case name, from the last list. Its new rows are staged and not yet in a section.
    var listedNames: [String: String] = [:]
    /// Rows of windows that may have changed or gone unnoticed. The next current answer either lists such a row or
    /// removes it, however old it is.
    var doubted: Set<Item.ID> = []
    /// New rows of an overtaken answer. They are treated in the same way, until an event confirms them.
    var unproven: Set<Item.ID> = []
    /// The rows that events removed while the answer to a sent message is pending. The answer may contain one of them.
    var removedMeanwhile: Set<Item.ID> = []
    /// Whether the connection has become ready.
    private var isReady = false
    /// The rooms that are no longer wanted, whose answers may still arrive. The number is limited.
    private(set) var abandoned: [String] = []
    private static let mostAbandoned = 1000
    /// The resources whose failure the session has reported to the user.
    var told = ReportedFailures()

    init(_ profile: Profile, _ configuration: Configuration) {
        self.profile = profile
        let entities = Dictionary(profile.entities.map { ($0.name, $0) }) { first, _ in first }
        self.entities = entities
        readers = profile.events.enumerated().map { EventReader($0.element, index: $0.offset, entities) }
        rules = Dictionary(grouping: readers) { $0.rule.event }
        reads = Dictionary(profile.reads.map { ($0.name, $0) }) { first, _ in first }
        let ofRows = profile.reads.filter { $0.each != nil && configuration.connects }
        readsOfRows = Dictionary(grouping: ofRows) { $0.each ?? "" }
        discoversRooms = configuration.asksForRooms && configuration.connects
    }

    // MARK: - Connection

    func connectPayload(token: Secret?) -> RawJSON? { publishing(token: token) }

    func publishing(token: Secret?) -> RawJSON? {
        let values = places(nil, token)
        if let auth = profile.realtime.auth { return auth.filled(values) }
        return token.map { token in .object { $0.member("token", token.reveal()) } }
    }

    mutating func connected(token: Secret?, by spoken: RealtimeProtocol, into context: inout HandlerContext) {
        self.token = token
        isReady = false
        for emission in profile.realtime.emit {
            guard let emission = emission.filled(places(nil, token)) else { continue }
            context.plans.append(.emit(emission))
        }
        subscribeToOwn(into: &context)
        if !profile.events.contains(where: { $0.says == .ready }) { beReady(into: &context) }
    }

    /// The channels other than rooms. A channel whose name contains the user's id is missing until the id is known.
    private var ownChannels: [Bayeux.Channel] {
        profile.realtime.subscribe.compactMap { $0.filled(places(nil, token)).flatMap { Bayeux.Channel($0) } }
    }

    func subscribeToOwn(into context: inout HandlerContext) {
        for channel in ownChannels {
            context.plans.append(.subscribe(channel, ext: publishing(token: token)))
        }
    }

    func isOwn(_ channel: Bayeux.Channel) -> Bool { ownChannels.contains { $0.name == channel.name } }

    mutating func subscribed(_ channel: Bayeux.Channel, into context: inout HandlerContext) {
        if !isOwn(channel) { context.plans.append(.joined(room: channel.name)) }
    }

    mutating func refused(_ channel: Bayeux.Channel, why: String, into context: inout HandlerContext) {
        context.plans.append(
            isOwn(channel) ? .tokenRefused(why) : .joinRefused(room: channel.name, why: why))
    }

    private mutating func beReady(into context: inout HandlerContext) {
        guard !isReady else { return }
        isReady = true
        context.plans.append(.ready)
        discover(into: &context)
    }

    /// Fetches the user's account, the list of rooms, and the reads that the profile names for the start.
    private func discover(into context: inout HandlerContext) {
        var names = profile.account.map { [$0] } ?? []
        if discoversRooms, let list = profile.rooms?.list { names.append(list) }
        for name in names + profile.start { fetch(name, of: nil, into: &context) }
    }

    mutating func resync(into context: inout HandlerContext) { discover(into: &context) }

    var deadline: Moment? { polls.values.min() }

    mutating func advance(to due: Moment, into context: inout HandlerContext) {
        for resource in polls.keys.sorted() where polls[resource].map({ $0 <= due }) == true {
            polls[resource] = nil
            if let row = resource.row, context.model[row] == nil {
                rowPolls[resource] = nil
            } else {
                context.fetch(ResourceKey(resource))
            }
        }
    }

    /// Returns a function that returns the value of a template's place.
    func places(_ room: String?, _ token: Secret?) -> (String) -> String? {
        let (profile, user) = (profile, user)
        return { place in
            switch place {
            case "room": room
            case "id": room.map { profile.id(ofRoom: $0) }
            case "user": user
            case "token": token?.reveal()
            default: nil
            }
        }
    }

    // MARK: - Events

    func decode(_ event: WireEvent) throws(DecodingFailure) -> Event {
        var (name, payload, channel) = (event.name, event.payload, String?.none)
        if case .bayeux(let delivery) = event {
            channel = profile.rooms?.name.value(in: delivery.channel) == nil ? nil : delivery.channel
            if let path = profile.realtime.message?.name {
                name = path.inValue.value(in: payload)?.plainText ?? delivery.channel
            }
            payload = profile.realtime.message?.data?.inValue.value(in: payload) ?? payload
        }
        for reader in rules[name] ?? [] where reader.rule.when?.holds(of: payload) ?? true {
            var event = try reader.event(payload, in: profile)
            event.room = event.room ?? channel
            return Event(event)
        }
        return Event(DeclaredEvent(name: name, rule: nil, payload: payload, kind: "event", room: channel))
    }

    mutating func handle(
        _ event: borrowing Event, ackID: Int?, rooms: RoomSubscriptions, into context: inout HandlerContext
    ) {
        guard let event = event.value as? DeclaredEvent, let index = event.rule else { return }
        let rule = readers[index].rule
        if let saying = rule.says { hear(saying, event, rule, into: &context) }
        var fetches = rule.entity == nil
        if let entity = readers[index].entity {
            let parent = event.room.map { EntityID(profile.id(ofRoom: $0)) }
            for row in event.rows {
                let known = context.model[entity.itemID(row.id)]
                let place = entity.parent == nil ? nil : row.parent ?? known?.sectionKey.parent ?? parent
                if let room = event.room, isUnfollowed(room, rooms), let place, place == parent { continue }
                let freshness = entity.freshness(row, known)
                // An answer in flight would restore the state before the event.
                if rule.then[freshness] != .nothing || freshness == .unknown { overtake(entity, place, in: &context) }
                switch rule.then[freshness] {
                case .apply:
                    guard known == nil || !entity.once else { continue }
                    let item = entity.row(row, over: known, parent: parent)
                    put(item, over: known, into: &context)
                    unproven.remove(item.id)
                case .remove:
                    context.model.remove(entity.itemID(row.id))
                    if !context.watchesMessages {
                        removedMeanwhile = []
                    } else {
                        removedMeanwhile.insert(entity.itemID(row.id))
                    }
                case .fetch: fetches = true
                case .nothing: break
                }
            }
        }
        if fetches { for name in rule.reads { fetch(name, of: event.room, into: &context) } }
    }

    /// Whether the event belongs to a room that is not wanted. Its rows would never be removed, and joining the room
    /// later reads them anyway.
    private func isUnfollowed(_ room: String, _ rooms: RoomSubscriptions) -> Bool {
        rooms[room] == nil && (profile.rooms?.list ?? profile.rooms?.join?.event) != nil
    }

    /// Marks requests for the section as overtaken: the server may have answered before the event happened.
    func overtake(_ entity: Profile.Entity, _ parent: EntityID?, in context: inout HandlerContext) {
        context.refetcher.markStale { key in
            guard let resource = key.declared, reads[resource.read]?.entity == entity.name else { return false }
            guard let room = resource.room, let parent else { return true }
            return EntityID(profile.id(ofRoom: room)) == parent
        }
    }

    private mutating func hear(
        _ saying: Profile.EventRule.Saying, _ event: DeclaredEvent, _ rule: Profile.EventRule,
        into context: inout HandlerContext
    ) {
        let why = rule.why?.value(inEvent: event.payload)?.plainText
        switch (saying, event.room) {
        case (.ready, _): beReady(into: &context)
        case (.unauthorized, _): context.plans.append(.tokenRefused(why ?? "the server refused the token"))
        case (.joined, let room?): context.plans.append(.joined(room: room))
        case (.refused, let room?): context.plans.append(.joinRefused(room: room, why: why ?? "no reason given"))
        case (.left, let room?): context.plans.append(.left(room: room))
        case (.room, let room?): context.want(room)
        case (.gone, let room?): context.plans.append(.unwant(room: room))
        case (.joined, nil), (.refused, nil), (.left, nil), (.room, nil), (.gone, nil): break
        }
    }

    // MARK: - Rooms

    func join(_ room: String, token: Secret?) -> HandlerContext.RoomRequest? {
        guard let rooms = profile.rooms else { return nil }
        if profile.realtime.transport == .bayeux {
            return Bayeux.Channel(room).map { .subscribe($0, ext: publishing(token: token)) }
        }
        guard let join = rooms.join else { return .unasked }
        var emission = Profile.Emission()
        (emission.event, emission.arguments, emission.message) = (join.event, join.arguments, join.message)
        guard let filled = emission.filled(places(room, token)) else { return nil }
        switch join.answer {
        case .none: return .emit(filled, answer: .none)
        case .ack: return .emit(filled, answer: .acknowledgement)
        case .event: return .emit(filled)
        }
    }

    func leave(_ room: String, token: Secret?) -> HandlerContext.RoomRequest? {
        if profile.realtime.transport == .bayeux { return Bayeux.Channel(room).map { .unsubscribe($0) } }
        let saysLeft = profile.events.contains { $0.says == .left }
        return profile.rooms?.leave?.filled(places(room, token)).map { .emit($0, answer: saysLeft ? .event : .none) }
    }

    func refusal(_ answer: RawJSON, of room: String) -> String? {
        guard let join = profile.rooms?.join, let refused = join.refused else { return nil }
        let first = answer.elements.first ?? answer
        guard refused.holds(of: first) else { return nil }
        return join.why?.inValue.value(in: first)?.plainText ?? "no reason given"
    }

    func facts(of room: String, in model: SectionedCollection<Item>) -> RoomFacts {
        RoomFacts(name: room, title: roomRow(room, in: model)?.channelName)
    }

    private func roomRow(_ room: String, in model: SectionedCollection<Item>) -> Item? {
        model[roomID(profile.id(ofRoom: room))]
    }

    /// The entity of the rows that represent rooms.
    var roomEntity: String { profile.rooms?.list.flatMap { reads[$0]?.entity } ?? "channel" }

    /// Returns the id of the row that represents the room with this id.
    func roomID(_ id: String) -> Item.ID { Item.ID(Item.Kind(rawValue: roomEntity), EntityID(id)) }

    func resources(of room: String, _ model: SectionedCollection<Item>) -> [ResourceKey] {
        (profile.rooms?.reads ?? []).compactMap { reads[$0] }.map { ResourceKey(DeclaredResource($0, of: room)) }
    }

    /// Marks requests for the room as overtaken. Their answers may be older than the subscription, which starts the
    /// events.
    mutating func joined(_ room: String, into context: inout HandlerContext) {
        abandoned.removeAll { $0 == room }
        context.refetcher.markStale { $0.declared?.room == room }
        let id = EntityID(profile.id(ofRoom: room))
        doubtWindows(context.model) { $0 == id }
    }

    mutating func missed(_ model: SectionedCollection<Item>) { doubtWindows(model) { _ in true } }

    /// Marks all held rows of window reads as doubtful. Rows older than the window may have changed or gone unnoticed.
    private mutating func doubtWindows(_ model: SectionedCollection<Item>, of isMeant: (EntityID?) -> Bool) {
        for read in profile.reads where read.replaces == .window {
            let name = read.entity.flatMap { entities[$0] }?.section(of: nil).name
            for section in model.sectionKeys where section.name == name && isMeant(section.parent) {
                doubted.formUnion(model.rows(in: section).map(\.id))
            }
        }
    }

    mutating func abandon(_ room: String, _ rooms: RoomSubscriptions, into context: inout HandlerContext) {
        let id = EntityID(profile.id(ofRoom: room))
        context.plans.append(.cancel(.channel(id)))
        abandoned.removeAll { $0 == room }
        abandoned.append(room)
        if abandoned.count > Self.mostAbandoned { abandoned.removeFirst() }
        polls = polls.filter { $0.key.room != room }
        for entity in profile.entities where entity.parent != nil {
            for row in context.model.rows(in: entity.section(of: id)) {
                context.model.remove(row.id)
                doubted.remove(row.id)
                unproven.remove(row.id)
            }
        }
    }

    func section(
        _ part: Session.RoomPart, of room: String, _ model: SectionedCollection<Item>
    ) -> (section: Item.Section, key: ResourceKey)? {
        let name = part == .messages ? profile.rooms?.history : profile.rooms?.who
        guard let read = name.flatMap({ reads[$0] }), let entity = read.entity.flatMap({ entities[$0] }) else {
            return nil
        }
        return (section(of: entity, room), ResourceKey(DeclaredResource(read, of: room)))
    }

    /// Returns the section of an entity's rows in a room. An entity without a parent has a single section.
    func section(of entity: Profile.Entity, _ room: String?) -> Item.Section {
        entity.section(of: entity.parent == nil ? nil : room.map { EntityID(profile.id(ofRoom: $0)) })
    }

    // MARK: - Memory

    func sections(of key: ResourceKey, in model: SectionedCollection<Item>) -> [Item.Section] {
        guard let resource = key.declared, let read = reads[resource.read], read.replaces == .all,
            let entity = read.entity.flatMap({ entities[$0] })
        else { return [] }
        return [section(of: entity, resource.room)]
    }

    func confirmation(of section: Item.Section, in model: SectionedCollection<Item>) -> Confirmation {
        for read in profile.reads where read.replaces != .none {
            guard let entity = read.entity.flatMap({ entities[$0] }), section.name == entity.section(of: nil).name
            else {
                continue
            }
            let room = section.parent.map { profile.room(of: $0.description) }
            return .by(ResourceKey(DeclaredResource(read, of: room)))
        }
        return .never
    }
}

extension Profile.Emission {
    /// Returns the event with its places filled, or `nil` when a place has no value.
    func filled(_ values: (String) -> String?) -> HandlerContext.Emission? {
        var list: [UInt8] = []
        for (index, argument) in arguments.enumerated() {
            guard let value = argument.filled(values) else { return nil }
            if index > 0 { list.append(UInt8(ascii: ",")) }
            list += value.bytes
        }
        var filled = HandlerContext.Emission(name: event, arguments: list.isEmpty ? nil : RawJSON(unchecked: list[...]))
        if let message {
            guard let text = message.filled(values) else { return nil }
            filled.message = text
        }
        return filled
    }
}

extension Profile.EventRule.Treatments {
    subscript(_ freshness: Profile.Entity.Freshness) -> Profile.EventRule.Treatment {
        switch freshness {
        case .unknown: unknown
        case .older: older
        case .same: same
        case .newer: newer
        }
    }

    /// Whether the row's id is the only field needed.
    var onlyRemoves: Bool { [unknown, older, same, newer].allSatisfy { $0 == .remove } }
}

extension RawJSON {
    /// The elements of an array, or the value itself if it is not an array.
    var elements: [RawJSON] {
        var reader = JSONReader(bytes.span)
        guard (try? reader.peek()) == .array, (try? reader.beginArray()) != nil else { return [self] }
        var elements: [RawJSON] = []
        while (try? reader.nextElement()) == true {
            guard let element = try? reader.skip() else { break }
            elements.append(slice(element))
        }
        return elements
    }
}

/// An event of a declared backend, decoded by the first rule that applies.
struct DeclaredEvent: BackendEvent, Hashable {
    /// The name on the wire, which is untrusted text.
    var name: String
    /// The index of the profile's rule for this event; `nil` when no rule applies.
    var rule: Int?
    /// The event as received: the name and the arguments, or a single value.
    var payload: RawJSON

    var kind: String
    var room: String?
    var actor: String?
    var actorID: String?
    var text: String?
    var serverTime: Timestamp?
    var mentions: [Mention] = []
    /// The rows that the event contains.
    var rows: [Profile.Entity.Reading] = []
    var isKnown: Bool { rule != nil }

    var summary: String {
        if let text { return text }
        return UntypedEvent(name: name, arguments: payload.arguments).summary
    }
}

/// A reader for the events of one rule.
///
/// A class, because copying the rule for every event would cost a twentieth of the event's time.
final class EventReader: Sendable {
    let rule: Profile.EventRule
    let entity: Profile.Entity?
    private let index: Int
    /// The paths of the room, the actor, the actor's id, the text, the time, the rows and the mentions.
    private let paths: [JSONPath?]
    /// The index of the field `mentions` in a row; `nil` if the rule has a path for them or the entity lacks the field.
    private let fieldOfMentions: Int?

    init(_ rule: Profile.EventRule, index: Int, _ entities: [String: Profile.Entity]) {
        (self.rule, self.index, entity) = (rule, index, rule.entity.flatMap { entities[$0] })
        paths = [rule.room, rule.actor, rule.actorID, rule.text, rule.time, rule.at ?? .whole, rule.mentions].map {
            $0?.inEvent
        }
        fieldOfMentions = rule.mentions == nil ? entity?.fields.firstIndex { $0.name == "mentions" } : nil
    }

    func event(_ payload: RawJSON, in profile: Profile) throws(DecodingFailure) -> DeclaredEvent {
        let found = JSONPath.values(at: paths, in: payload)
        var event = DeclaredEvent(
            name: rule.event, rule: index, payload: payload, kind: rule.kind ?? rule.event,
            room: found[0]?.plainText.map { profile.room(of: $0) }, actor: found[1]?.plainText,
            actorID: found[2]?.plainText, text: found[3]?.plainText, serverTime: found[4]?.time)
        event.mentions = found[6]?.mentions ?? []
        guard let entity else { return event }
        guard let rows = found[5] else {
            throw DecodingFailure(subject: rule.event, message: "nothing at \(rule.at?.text ?? ".")", offset: 0)
        }
        for row in rows.elements {
            do throws(Profile.Entity.Unreadable) {
                let reading = try entity.reading(row, onlyID: rule.then.onlyRemoves)
                event.rows.append(reading)
                guard let fieldOfMentions, fieldOfMentions < reading.values.count else { continue }
                event.mentions += reading.values[fieldOfMentions]?.mentions ?? []
            } catch {
                throw DecodingFailure(subject: rule.event, message: error.message, offset: 0)
            }
        }
        return event
    }
}

extension Profile {
    /// Returns the name of the room with this id.
    func room(of id: String) -> String { rooms?.name.filled { _ in id } ?? id }

    /// Returns the id in the name of a room.
    func id(ofRoom room: String) -> String { rooms?.name.value(in: room) ?? room }
}
