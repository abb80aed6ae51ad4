package import WeirJSON
import WeirPipeline

/// An event that a declared backend's server sends to clients.
package struct DeclaredNews: Hashable, Sendable {
    package var name: String
    /// The arguments of a Socket.IO event; for a plain WebSocket, one element with the message's data.
    package var arguments: [JSONValue]
    /// The id of the room that receives the event; `nil` for every client.
    package var room: String?

    package init(name: String, arguments: [JSONValue], room: String? = nil) {
        (self.name, self.arguments, self.room) = (name, arguments, room)
    }
}

/// The inverse of a profile's event rules: it creates the events that the server emits when something happens.
struct DeclaredSpeech: Hashable, Sendable {
    /// The kinds of change to a row.
    enum Change: Hashable, Sendable { case made, changed, deleted }

    let profile: Profile

    private var isNamed: Bool { profile.realtime.transport == .socketio }

    /// The entity whose rows are rooms.
    var roomEntity: Profile.Entity? {
        let name = profile.reads.first { $0.name == profile.rooms?.list }?.entity ?? "channel"
        return profile.entities.first { $0.name == name }
    }

    /// Returns the event for a changed row: by a rule that carries its entity, otherwise by a rule that makes clients
    /// refetch it.
    func news(
        of change: Change, _ row: JSONValue, _ entity: Profile.Entity, by user: DeclaredUser?, at time: Int64
    ) -> DeclaredNews? {
        let isRoom = entity.name == roomEntity?.name
        let key = JSONPlace(entity.key).value(in: row)
        let room = isRoom ? key : entity.parent.flatMap { JSONPlace($0).value(in: row) }
        for rule in rules(for: change, of: entity) {
            let carried = rule.entity == nil ? nil : change == .deleted ? entity.reference(to: row) : row
            guard var news = news(by: rule, carrying: carried, room: room, user, at: time) else { continue }
            // Clients that have joined no room must also learn about a new one.
            if isRoom || rule.says == .room || rule.says == .gone { news.room = nil }
            return news
        }
        return nil
    }

    /// Returns the rules that can report a change, the most suitable first.
    private func rules(for change: Change, of entity: Profile.Entity) -> [Profile.EventRule] {
        let carrying = profile.events.filter { $0.entity == entity.name }
        func removes(_ rule: Profile.EventRule) -> Bool { rule.then.newer == .remove && rule.then.unknown == .remove }
        let asking = profile.events.filter { rule in
            rule.entity == nil
                && rule.reads.contains { name in profile.reads.first { $0.name == name }?.entity == entity.name }
        }
        if change == .deleted { return carrying.filter(removes) + asking }
        let telling = carrying.filter { !removes($0) }
        // If creation and change have separate events, their names show which is which.
        let changing = telling.filter { rule in
            let words = (rule.event + " " + (rule.kind ?? "")).lowercased()
            return ["updat", "edit", "chang", "patch", "modif"].contains { words.contains($0) }
        }
        let making = telling.filter { !changing.contains($0) }
        return (change == .made ? making + changing : changing + making) + asking
    }

    /// Returns an event as a message of a plain WebSocket or a channel. `usualName` is the key of its name if the
    /// profile defines none.
    func message(of news: DeclaredNews, usualName: String? = nil) -> JSONValue {
        let parts = profile.realtime.message
        var message = JSONValue.object([])
        (parts?.data.map(JSONPlace.init) ?? JSONPlace([])).put(news.arguments.first ?? .object([]), into: &message)
        let name = parts?.name.map(JSONPlace.init) ?? usualName.map { JSONPlace([.key($0)]) }
        name?.put(.string(news.name), into: &message)
        return message
    }

    /// Returns an event that reports a state of the connection or of a room; `nil` when no rule does.
    func news(
        saying word: Profile.EventRule.Saying, room: JSONValue? = nil, why: String? = nil, to user: DeclaredUser?,
        at time: Int64
    ) -> DeclaredNews? {
        for rule in profile.events where rule.says == word {
            if let news = news(by: rule, carrying: nil, room: room, user, why: why, at: time) { return news }
        }
        return nil
    }

    /// Returns an event that matches a rule; `nil` when no example can be found for the rule's condition.
    func news(
        by rule: Profile.EventRule, carrying row: JSONValue?, room: JSONValue?, _ user: DeclaredUser?,
        why: String? = nil, at time: Int64
    ) -> DeclaredNews? {
        func place(_ path: ProfilePath?) -> JSONPlace? { path.map { JSONPlace($0, inEventWithName: isNamed) } }
        var payload: JSONValue = isNamed ? .array([.string(rule.event), .object([])]) : .object([])
        if let row { (place(rule.at) ?? JSONPlace(isNamed ? [.element(1)] : [])).put(row, into: &payload) }
        if let condition = rule.when {
            guard let fitting = condition.example(from: payload, inEventWithName: isNamed) else { return nil }
            payload = fitting
        }
        place(rule.room)?.fill(room, into: &payload)
        place(rule.actorID)?.fill(user.map { .string($0.id) }, into: &payload)
        place(rule.actor)?.fill(user.map { .string(rule.actorID == nil ? $0.id : $0.name) }, into: &payload)
        place(rule.why)?.fill(why.map { .string($0) }, into: &payload)
        // Only an event without a row has a text of its own.
        if row == nil { place(rule.text)?.fill(user.map { .string($0.name) }, into: &payload) }
        place(rule.time)?.fill(.string(ISODate.text(milliseconds: time)), into: &payload)
        if let condition = rule.when, !condition.holds(of: payload.raw) { return nil }
        let arguments = isNamed ? Array((payload.arrayValue ?? []).dropFirst()) : [payload]
        return DeclaredNews(name: rule.event, arguments: arguments, room: room?.plainText)
    }
}

/// A user: the owner of a token, or the actor of a step in a scenario.
struct DeclaredUser: Hashable, Sendable {
    /// The key of the user's row.
    var id: String
    /// The display name of the user.
    var name: String
}

// Fields of a row that the server itself sets.
extension DeclaredSpeech {
    /// Returns a new row with its creator and its creation time, in the fields that the profile defines for them.
    func completed(
        _ row: JSONValue, of entity: Profile.Entity, by user: DeclaredUser?, at time: Int64
    ) -> JSONValue {
        var row = row
        let now = JSONValue.string(ISODate.text(milliseconds: time))
        if let rule = rules(for: .made, of: entity).first, rule.entity != nil {
            place(rule.actorID, inRowOf: rule)?.fill(user.map { .string($0.id) }, into: &row)
            let name = user.map { JSONValue.string(rule.actorID == nil ? $0.id : $0.name) }
            place(rule.actor, inRowOf: rule)?.fill(name, into: &row)
            place(rule.time, inRowOf: rule)?.fill(now, into: &row)
        }
        for field in entity.fields where field.type == .time && field.name != entity.newer {
            let isSorted = entity.sort == field.name || entity.sort == "-" + field.name
            if field.required || isSorted { field.place.fill(now, into: &row) }
        }
        return row
    }

    /// Returns a changed row with a higher value in the field that orders its versions.
    func touched(_ row: JSONValue, of entity: Profile.Entity, at time: Int64) -> JSONValue {
        guard let field = entity.fields.first(where: { $0.name == entity.newer }) else { return row }
        var row = row
        switch (field.type, field.place.value(in: row)) {
        case (.integer, .integer(let number)), (.number, .integer(let number)):
            field.place.put(.integer(number + 1), into: &row)
        case (.integer, _), (.number, _): field.place.put(.integer(1), into: &row)
        case (.any, _), (.text, _), (.boolean, _), (.time, _), (.id, _):
            field.place.put(.string(ISODate.text(milliseconds: time)), into: &row)
        }
        return row
    }

    /// Returns where a value of an event lies within the row that the event carries; `nil` when it lies outside the
    /// row.
    func place(_ path: ProfilePath?, inRowOf rule: Profile.EventRule) -> JSONPlace? {
        guard let steps = path.map({ JSONPlace($0, inEventWithName: isNamed) })?.steps else { return nil }
        let way = rule.at.map { JSONPlace($0, inEventWithName: isNamed) }?.steps ?? (isNamed ? [.element(1)] : [])
        return steps.count > way.count && steps.starts(with: way) ? JSONPlace(Array(steps[way.count...])) : nil
    }

    /// Whether an event reports this kind of change for the entity's rows.
    func tells(_ change: Change, of entity: Profile.Entity) -> Bool { !rules(for: change, of: entity).isEmpty }

    /// Returns the names of the fields that are set by the server or by a client's action.
    func ownFields(of entity: Profile.Entity) -> Set<String> {
        var names = Set(
            profile.writes.filter { $0.entity == entity.name }.compactMap(\.echo) + [entity.newer].compactMap { $0 })
        guard let rule = rules(for: .made, of: entity).first, rule.entity != nil else { return names }
        let places = [rule.actor, rule.actorID, rule.time].compactMap { place($0, inRowOf: rule) }
        for field in entity.fields where places.contains(field.place) { names.insert(field.name) }
        return names
    }
}
