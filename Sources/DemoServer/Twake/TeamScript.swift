import Wire

/// The steps of the scenario `workspace`: a fixed opening of fifteen seconds that shows everything once, then endless
/// talk. A beat (a user writes, reacts, reads, …) comes about once a second.
struct TeamScript: Sendable {
    typealias Step = Scenario.Step

    /// A message that later steps may answer, edit or react to.
    private struct Said: Sendable {
        var label: String
        var author: String
        var channel: String
        var at: Int64
        var isHead: Bool
    }

    /// A conversation that is in progress.
    private struct Talk: Sendable {
        var topic: Conversations.Topic
        var line: Int
        var label: String
        var people: [String]
    }

    /// A channel that the script created and will delete.
    private struct Project: Sendable {
        var label: String
        var owner: String
        var name: String
        var age: Int
    }

    /// The length of the opening, in milliseconds.
    static let opening: Int64 = 15_000
    /// The number of recent messages that steps may refer to.
    private static let memory = 40

    private var random: RandomSource
    private var pending: [Step]
    private var beatAt = TeamScript.opening
    private var serial = 0
    private var said: [Said] = []
    private var talks: [Talk] = []
    private var deck: [Conversations.Topic] = []
    private var project: Project?
    private var projects = 0

    init(seed: UInt64) {
        random = RandomSource(seed: seed)
        pending = Self.openingSteps(&random)
    }

    /// Returns the next step, which is never earlier than the previous one.
    mutating func next() -> Step? {
        while pending.first.map({ $0.at >= beatAt }) ?? true {
            pending += beat(at: beatAt)
            sortPending()
            beatAt += Int64(random.within(700...1_300))
        }
        return pending.isEmpty ? nil : pending.removeFirst()
    }

    /// Sorts stably, so that steps with the same time keep the order of creation.
    private mutating func sortPending() {
        pending = pending.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    // MARK: - Beats

    private mutating func beat(at now: Int64) -> [Step] {
        switch random.below(100) {
        case ..<42: talk(at: now)
        case ..<54: remark(at: now)
        case ..<72: reaction(at: now)
        case ..<78: edit(at: now)
        case ..<81: deletion(at: now)
        case ..<88: aside(at: now)
        case ..<96: reading(at: now)
        default: projectWork(at: now)
        }
    }

    /// Returns the next line of one of two parallel conversations.
    private mutating func talk(at now: Int64) -> [Step] {
        if talks.count < 2 {
            if deck.isEmpty { deck = random.shuffled(Conversations.topics) }
            let topic = deck.removeFirst()
            let people = random.shuffled(Scenario.Cast.members(of: topic.channel))
            talks.append(Talk(topic: topic, line: 0, label: newLabel(), people: people))
        }
        let index = random.below(talks.count)
        var talk = talks[index]
        let author = talk.people[talk.line % max(1, min(3, talk.people.count))]
        let text = talk.topic.lines[talk.line]
        let steps =
            talk.line == 0
            ? write(
                author, .post(channel: talk.topic.channel, text: text), in: talk.topic.channel, label: talk.label,
                at: now)
            : write(
                author, .reply(message: talk.label, text: text), in: talk.topic.channel, to: talk.label,
                label: newLabel(), at: now)
        talk.line += 1
        if talk.line < talk.topic.lines.count { talks[index] = talk } else { talks.remove(at: index) }
        return steps
    }

    private mutating func remark(at now: Int64) -> [Step] {
        guard let remark = random.pick(Conversations.remarks),
            let author = random.pick(Scenario.Cast.members(of: remark.channel))
        else { return [] }
        return write(
            author, .post(channel: remark.channel, text: remark.text), in: remark.channel, label: newLabel(), at: now)
    }

    private mutating func reaction(at now: Int64) -> [Step] {
        guard let message = pickSaid(before: now), let fan = random.pick(Scenario.Cast.members(of: message.channel)),
            let emoji = random.pick(Conversations.emoji)
        else { return [] }
        let takesBack = random.oneIn(6)
        return [step(now, fan, .react(message: message.label, names: takesBack ? [] : [emoji]))]
    }

    private mutating func edit(at now: Int64) -> [Step] {
        guard let message = pickSaid(before: now) else { return [] }
        let version = random.within(2...9)
        return [
            step(
                now, message.author, .edit(message: message.label, text: "Edited, version \(version): see the ticket ✏️")
            )
        ]
    }

    private mutating func deletion(at now: Int64) -> [Step] {
        let replies = said.filter { !$0.isHead && $0.at < now - 500 }
        guard let message = random.pick(replies) else { return [] }
        said.removeAll { $0.label == message.label }
        return [step(now, message.author, .delete(message: message.label))]
    }

    private mutating func aside(at now: Int64) -> [Step] {
        guard let person = random.pick(["bruno", "zofie", "wei"]), let text = random.pick(Conversations.asides) else {
            return []
        }
        let author = random.oneIn(3) ? "ana" : person
        return write(
            author, .post(channel: "direct-\(person)", text: text), in: "direct-\(person)", label: newLabel(), at: now)
    }

    private mutating func reading(at now: Int64) -> [Step] {
        let mine = [
            "general", "engineering", "support", "random", "leads", "direct-bruno", "direct-zofie", "direct-wei",
        ]
        if random.oneIn(4), let other = random.pick(["bruno", "zofie", "amira"]) {
            return [step(now, other, .markRead(channel: "general"))]
        }
        guard let channel = random.pick(mine) else { return [] }
        return [step(now, "ana", .markRead(channel: channel))]
    }

    /// Creates a channel, writes in it, renames it, and finally deletes it.
    private mutating func projectWork(at now: Int64) -> [Step] {
        guard var work = project else { return beginProject(at: now) }
        work.age += 1
        project = work
        switch work.age {
        case 1, 3:
            return write(
                work.owner, .post(channel: work.label, text: "First things first: who does what? 🗒️"), in: work.label,
                label: nil, at: now)
        case 2:
            return [
                step(
                    now, work.owner, .changeChannel(work.label, name: "\(work.name) (on)", icon: nil, description: nil))
            ]
        case 4:
            return [step(now, work.owner, .removeMember(channel: work.label, user: "ana"))]
        case 5:
            return [step(now, work.owner, .addMember(channel: work.label, user: "ana"))]
        default:
            project = nil
            return [step(now, work.owner, .deleteChannel(work.label))]
        }
    }

    private mutating func beginProject(at now: Int64) -> [Step] {
        let plan = Conversations.projects[projects % Conversations.projects.count]
        projects += 1
        let label = "project-\(projects)"
        let owner = random.pick(["amira", "soren", "ngozi", "mateo"]) ?? "amira"
        project = Project(label: label, owner: owner, name: plan.name, age: 0)
        var new = NewChannel(workspace: "main", name: plan.name)
        new.icon = plan.icon
        new.members = ["ana", "bruno"]
        return [step(now, owner, .createChannel(new), label: label)]
    }

    // MARK: - Parts of beats

    /// Returns a message after a short time of writing, with typing events half of the time.
    private mutating func write(
        _ author: String, _ action: UserAction<String>, in channel: String, to head: String? = nil, label: String?,
        at now: Int64
    ) -> [Step] {
        let sent = now + Int64(random.within(500...1_100))
        if let label {
            said.append(Said(label: label, author: author, channel: channel, at: sent, isHead: head == nil))
            if said.count > Self.memory { said.removeFirst() }
        }
        let message = step(sent, author, action, label: label)
        guard random.oneIn(2) else { return [message] }
        return [
            step(now, author, .typing(channel: channel, message: head, isWriting: true)), message,
            step(sent, author, .typing(channel: channel, message: head, isWriting: false)),
        ]
    }

    private mutating func pickSaid(before now: Int64) -> Said? {
        random.pick(said.filter { $0.at < now && !$0.channel.hasPrefix("project") })
    }

    private mutating func newLabel() -> String {
        serial += 1
        return "m\(serial)"
    }

    private func step(_ at: Int64, _ by: String, _ action: UserAction<String>, label: String? = nil) -> Step {
        Step(at: at, by: by, action: action, label: label)
    }
}
