package import WeirJSON
import WeirPipeline
import WeirWire

/// Something that happens on the server.
package enum DeclaredDeed: Hashable, Sendable {
    case tell(DeclaredNews)
    /// Creates a row of an entity, with fields by name.
    case make(String, id: String? = nil, JSONValue)
    case change(String, id: String, JSONValue)
    case delete(String, id: String)
    case drop(forgetting: Bool)
}

/// The events on a declared backend's server and their times: the steps of a scenario, or events generated from a seed.
struct DeclaredScript: Sendable {
    private enum Source: Sendable {
        case steps(ArraySlice<ProfileScenario.Step>)
        case chance(DeclaredCast)
    }

    private var source: Source
    /// The time of the next event, in milliseconds since the script began; `nil` when none is left.
    private(set) var due: Int64?
    /// The users other than the token's owner. They perform the events without an explicit actor.
    var others: [DeclaredUser] = []

    init(_ steps: [ProfileScenario.Step]) {
        source = .steps(steps[...])
        due = steps.first.map { ($0.after ?? .zero).microseconds / 1_000 }
    }

    init(seed: UInt64) {
        source = .chance(DeclaredCast(seed: seed))
        due = 1_000
    }

    /// Removes and returns the next event and its actor.
    mutating func next(_ speech: DeclaredSpeech, _ tables: DeclaredTables) -> (deed: DeclaredDeed, by: String?)? {
        guard let now = due else { return nil }
        switch source {
        case .steps(var steps):
            guard let step = steps.popFirst() else { return nil }
            source = .steps(steps)
            due = steps.first.map { now + ($0.after ?? .zero).microseconds / 1_000 }
            return (step.deed, step.by)
        case .chance(var cast):
            let deed = cast.deed(speech, tables, others, at: DeclaredService.epoch + now)
            due = now + cast.pause()
            source = .chance(cast)
            return deed.map { ($0.deed, $0.by) }
        }
    }
}

extension ProfileScenario.Step {
    fileprivate var deed: DeclaredDeed {
        if let emit {
            return .tell(DeclaredNews(name: emit, arguments: payload.map { [$0.json] } ?? [], room: room))
        }
        let fields = row?.json ?? .object([])
        if let create { return .make(create, id: id, fields) }
        if let change { return .change(change, id: id ?? "", fields) }
        if let delete { return .delete(delete, id: id ?? "") }
        return .drop(forgetting: drop == .sessions)
    }
}

extension DeclaredService {
    /// The time at which `advance` must be called next.
    var deadline: Moment? { clock.deadline(next: script.due.map { Self.epoch + $0 }) }

    /// Performs the events of the script that are due.
    mutating func advance(to now: Moment) -> [Effect] {
        guard clock.runs(at: now) else { return [] }
        let time = clock.time(at: now)
        var effects: [Effect] = []
        while let due = script.due, Self.epoch + due <= time {
            if let (deed, by) = script.next(speech, tables) { effects += perform(deed, by: by, at: Self.epoch + due) }
        }
        return effects
    }

    private mutating func perform(_ deed: DeclaredDeed, by id: String?, at time: Int64) -> [Effect] {
        if case .drop(let forgetting) = deed { return [.drop(forgetting: forgetting)] }
        return tell(act(deed, by: id, at: time))
    }

    /// Performs a deed and returns the event that reports it. A deed that a client's change has made impossible is
    /// skipped.
    package mutating func act(_ deed: DeclaredDeed, by id: String?, at time: Int64) -> DeclaredNews? {
        let user = id.map { self.user(named: $0) } ?? script.others.first
        switch deed {
        case .tell(let news): return news
        case .drop: return nil
        case .make(let name, let id, let fields):
            guard let entity = tables.entity(name) else { return nil }
            var row = entity.row(fields)
            JSONPlace(entity.key).fill(id.map { .string($0) }, into: &row)
            let json = speech.completed(row, of: entity, by: user, at: time)
            guard let row = try? tables.insert(json, into: entity) else { return nil }
            return speech.news(of: .made, row.json, entity, by: user, at: time)
        case .change(let name, let id, let fields):
            guard let entity = tables.entity(name), let known = tables.row(id, of: entity) else { return nil }
            var json = entity.row(fields, over: known.json)
            if entity.newer.map({ fields[$0] == nil }) ?? false { json = speech.touched(json, of: entity, at: time) }
            guard let row = try? tables.change(id, of: entity, to: json) else { return nil }
            return speech.news(of: .changed, row.json, entity, by: user, at: time)
        case .delete(let name, let id):
            guard let entity = tables.entity(name), let row = try? tables.remove(id, of: entity) else { return nil }
            return speech.news(of: .deleted, row.json, entity, by: user, at: time)
        }
    }

    private func user(named id: String) -> DeclaredUser {
        accountEntity.flatMap { entity in tables.row(id, of: entity).map { DeclaredUser($0, of: entity) } }
            ?? DeclaredUser(id: id, name: id)
    }
}

/// A generated world for a profile without a scenario: a few rows of each entity, and users who send or change
/// something about once a second. The same seed gives the same history.
struct DeclaredCast: Sendable {
    private var random: RandomSource

    init(seed: UInt64) { random = RandomSource(seed: RandomSource.mix(seed)) }

    private static let people = [("ana", "Ana"), ("bo", "Bo"), ("cleo", "Cleo")]
    private static let places = [("general", "General"), ("random", "Random"), ("help", "Help")]
    private static let phrases = [
        "Has anybody seen the keys?", "It works on my machine.", "Lunch at twelve?", "I will have a look.",
        "The build is green again.", "Who owns this?", "Thanks!", "Let us talk about it tomorrow.",
    ]

    /// Returns the milliseconds until the next event.
    mutating func pause() -> Int64 { Int64(random.within(700...1_300)) }

    // MARK: - The first rows

    /// Returns a few rows of each entity, with fields by name. Users and rooms come first, because other rows belong to
    /// them.
    static func rows(of profile: Profile, _ speech: DeclaredSpeech, seed: UInt64) -> [(String, [JSONValue])] {
        var cast = DeclaredCast(seed: seed &+ 1)
        let account = profile.reads.first { $0.name == profile.account }?.entity ?? "account"
        var rows: [(String, [JSONValue])] = []
        for entity in profile.entities where entity.name == account || entity.name == speech.roomEntity?.name {
            let names = entity.name == account ? people : places
            rows.append(
                (
                    entity.name,
                    names.enumerated().map { index, known in
                        let key = JSONValue.Member(entity.key.text, .string(known.0))
                        return .object([key] + cast.fields(of: entity, speech, named: known.1, index + 1))
                    }
                ))
        }
        for entity in profile.entities where !rows.contains(where: { $0.0 == entity.name }) {
            let parents =
                entity.parent == nil ? [nil, nil, nil] : places.prefix(2).flatMap { [$0.0, $0.0] }.map(Optional.some)
            rows.append(
                (entity.name, parents.enumerated().map { .object(cast.fields(of: entity, speech, in: $1, $0 + 1)) }))
        }
        return rows
    }

    /// Returns the fields of a row that its creator sets.
    private mutating func fields(
        of entity: Profile.Entity, _ speech: DeclaredSpeech, named name: String? = nil, in parent: String? = nil,
        _ number: Int
    ) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        if let parent, let path = entity.parent { members.append(.init(path.text, .string(parent))) }
        let own = speech.ownFields(of: entity)
        for field in entity.fields where !own.contains(field.name) {
            if let value = value(of: field, named: name, number) { members.append(.init(field.name, value)) }
        }
        return members
    }

    private mutating func value(of field: Profile.Field, named name: String?, _ number: Int) -> JSONValue? {
        switch field.type {
        case .text, .any:
            let isName = field.name == "name" || field.name == "title"
            return .string((isName ? name : nil) ?? random.pick(Self.phrases) ?? "")
        case .integer, .number: return .integer(Int64(number))
        case .boolean: return .bool(random.oneIn(2))
        case .id: return .string((random.pick(Self.people) ?? Self.people[0]).0)
        // The server sets the times.
        case .time: return nil
        }
    }

    // MARK: - What happens

    /// Returns something that can happen now, and the user who does it; `nil` if nothing is possible.
    mutating func deed(
        _ speech: DeclaredSpeech, _ tables: DeclaredTables, _ others: [DeclaredUser], at time: Int64
    ) -> (deed: DeclaredDeed, by: String)? {
        let user = random.pick(others) ?? DeclaredUser(id: "bo", name: "Bo")
        let profile = speech.profile
        let account = profile.reads.first { $0.name == profile.account }?.entity ?? "account"
        let told = profile.entities.filter {
            $0.name != account && $0.name != speech.roomEntity?.name && !$0.once && speech.tells(.made, of: $0)
        }
        let rooms = speech.roomEntity.map { tables.rows(of: $0) } ?? []
        let kind = random.below(10)
        let entity = random.pick(told)
        let room = random.pick(rooms)
        if kind == 9 || entity == nil {
            let plain = profile.events.filter { $0.entity == nil && $0.says == nil && $0.reads.isEmpty }
            let room = room.map { JSONValue.string($0.id) }
            if let rule = random.pick(plain),
                let news = speech.news(by: rule, carrying: nil, room: room, user, at: time)
            {
                return (.tell(news), user.id)
            }
        }
        guard let entity else { return nil }
        let rows = tables.rows(of: entity)
        if kind >= 6, rows.count > 3, let row = random.pick(rows) {
            if kind == 8, speech.tells(.deleted, of: entity) { return (.delete(entity.name, id: row.id), user.id) }
            let fields = fields(of: entity, speech, rows.count).filter { $0.key != "name" && $0.key != "title" }
            return (.change(entity.name, id: row.id, .object(fields)), user.id)
        }
        let parent = entity.parent == nil ? nil : room?.id
        return (.make(entity.name, .object(fields(of: entity, speech, in: parent, rows.count + 1))), user.id)
    }
}
