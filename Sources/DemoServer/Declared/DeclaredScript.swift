package import JSONText
import Pipeline
import Wire

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
