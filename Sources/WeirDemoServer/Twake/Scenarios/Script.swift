import WeirEvents

/// A player for a scenario. It resolves names, assigns ids, and performs each step on the world at its time.
struct Script: Sendable {
    /// The number of messages that an endless script can still refer to. Twice as many are kept at most.
    private static let memory = 2_000

    /// The user with the label `me` in the scenario.
    let me: EntityID
    /// The server's time when the script starts, in milliseconds since 1970.
    let epoch: Int64
    private(set) var next: Scenario.Step?
    /// The number of steps that the world refused because a client had changed their target.
    private(set) var skipped = 0
    private var steps: Scenario.Steps
    private var position = 0
    private var names = Names()
    private let ids: IDSource

    private struct Names: Sendable {
        var people: [String: EntityID] = [:]
        var places: [String: EntityID] = [:]
        var channels: [String: EntityID] = [:]
        var messages: [String: EntityID] = [:]
        /// The names of messages in the order of creation, so that the oldest can be forgotten.
        var order: [String] = []
    }

    /// Creates a scenario's world as it is at the start of the script, and the script that continues from it.
    static func begin(_ scenario: Scenario, seed: UInt64, epoch: Int64) -> (script: Script, world: World) {
        let cast = IDSource(seed: seed, stream: .cast)
        var names = Names()
        let born = epoch - 90 * 86_400_000
        let workspaces = scenario.cast.workspaces.enumerated().map { index, place in
            Workspace(id: cast.uuid(1 + index), name: place.name, createdAt: born)
        }
        let users = scenario.cast.people.enumerated().map { index, person in
            User(
                id: cast.uuid(1_000 + index), username: person.username, firstName: person.firstName,
                lastName: person.lastName,
                createdAt: born, hasPicture: person.hasPicture)
        }
        for (place, workspace) in zip(scenario.cast.workspaces, workspaces) { names.places[place.label] = workspace.id }
        for (person, user) in zip(scenario.cast.people, users) { names.people[person.label] = user.id }
        var world = World(
            company: Company(id: cast.uuid(0), name: scenario.cast.company), workspaces: workspaces, users: users,
            seed: seed)
        var script = Script(
            scenario.steps, me: names.people[scenario.cast.me] ?? cast.uuid(1_000), names: names, seed: seed,
            epoch: epoch)
        script.play(scenario.history, into: &world, seed: seed)
        return (script, world)
    }

    private init(_ steps: Scenario.Steps, me: EntityID, names: Names, seed: UInt64, epoch: Int64) {
        self.steps = steps
        self.me = me
        self.names = names
        self.epoch = epoch
        ids = IDSource(seed: seed, stream: .script)
        next = takeNext()
    }

    /// The server's time of the next step, in milliseconds since 1970; `nil` when the script is over.
    var nextAt: Int64? { next.map { epoch + $0.at } }

    /// Performs the next step at its own time, and returns its frames.
    mutating func step(in world: inout World) -> [Frame] {
        guard let step = next else { return [] }
        position += 1
        next = takeNext()
        return perform(step, in: &world, ids: ids, serial: position)
    }

    private mutating func play(_ history: [Scenario.Step], into world: inout World, seed: UInt64) {
        let ids = IDSource(seed: seed, stream: .history)
        for (serial, step) in history.enumerated() { _ = perform(step, in: &world, ids: ids, serial: serial) }
        _ = world.advance(to: epoch)
        skipped = 0
    }

    private mutating func perform(_ step: Scenario.Step, in world: inout World, ids: IDSource, serial: Int) -> [Frame] {
        let now = epoch + step.at
        guard let user = names.people[step.by], let action = resolve(step.action) else {
            skipped += 1
            return []
        }
        do {
            let outcome = try world.perform(action, by: user, at: now, newID: newID(for: action, ids, serial, at: now))
            if let label = step.label, let subject = outcome.subject { remember(label, subject, made: action) }
            return outcome.frames
        } catch {
            skipped += 1
            return []
        }
    }

    private func newID(for action: UserAction<EntityID>, _ ids: IDSource, _ serial: Int, at now: Int64) -> EntityID {
        action.makesMessage ? ids.timeUUID(serial, at: now) : ids.uuid(serial)
    }

    private mutating func remember(_ label: String, _ subject: EntityID, made action: UserAction<EntityID>) {
        guard action.makesMessage else {
            names.channels[label] = subject
            return
        }
        names.messages[label] = subject
        guard case .team = steps else { return }
        names.order.append(label)
        if names.order.count > 2 * Self.memory {
            for old in names.order.prefix(Self.memory) { names.messages[old] = nil }
            names.order.removeFirst(Self.memory)
        }
    }

    private mutating func takeNext() -> Scenario.Step? {
        switch steps {
        case .list(let list):
            return list.indices.contains(position) ? list[position] : nil
        case .team(var team):
            let step = team.next()
            steps = .team(team)
            return step
        }
    }

    /// Returns the action with ids instead of names; `nil` when a name is unknown because the step that should have
    /// created it was refused.
    private func resolve(_ action: UserAction<String>) -> UserAction<EntityID>? {
        action.resolved(
            person: { names.people[$0] }, place: { names.places[$0] }, channel: { names.channels[$0] },
            message: { names.messages[$0] })
    }
}
