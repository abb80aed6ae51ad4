import WeirWire

/// The scenario `workspace`: a small team with channels, direct channels, earlier messages, and new ones.
extension Scenario {
    static func workspace(seed: UInt64) -> Scenario {
        var random = RandomSource(seed: seed)
        let history = teamHistory(&random)
        return Scenario(cast: .team, history: history, steps: .team(TeamScript(seed: random.next())))
    }

    /// Returns the history: the creation of channels and direct channels, then old conversations, then the read markers
    /// of `ana`.
    private static func teamHistory(_ random: inout RandomSource) -> [Step] {
        var steps = channelSteps()
        for (index, person) in ["bruno", "zofie"].enumerated() {
            steps.append(step("ana", .openDirect(with: [person]), label: "direct-\(person)"))
            steps.append(step(person, .post(channel: "direct-\(person)", text: Conversations.asides[index])))
        }
        for (index, topic) in random.shuffled(Conversations.topics).prefix(10).enumerated() {
            steps += conversation(topic, label: "old\(index)", &random)
        }
        for channel in ["general", "engineering", "support", "leads", "direct-bruno", "direct-zofie"] {
            steps.append(step("ana", .markRead(channel: channel)))
        }
        for _ in 0..<4 {
            guard let remark = random.pick(Conversations.remarks),
                let author = random.pick(Cast.members(of: remark.channel))
            else { continue }
            steps.append(step(author, .post(channel: remark.channel, text: remark.text)))
        }
        let start = -Int64(steps.count) * 45_000
        for index in steps.indices { steps[index].at = start + Int64(index) * 45_000 }
        // This step is added last, so that it does not shift the times of the others.
        let plan = "1. Boats out by nine\n2. Lunch on the pier\n3. Photographs, then home\n"
        if let first = steps.first(where: { $0.label == "old0" }) {
            let file = UserAction<String>.attach(message: "old0", name: "plan.txt", text: plan)
            steps.append(Step(at: -1_000, by: first.by, action: file))
        }
        return steps
    }

    private static func channelSteps() -> [Step] {
        Cast.channels.flatMap { channel -> [Step] in
            let people = Cast.members(of: channel.label)
            var new = NewChannel(workspace: "main", name: channel.name)
            new.icon = channel.icon
            new.description = channel.description
            new.isPrivate = channel.label == "leads"
            new.isDefault = channel.label == "general"
            new.members = Array(people.dropFirst())
            var steps = [step(people.first ?? "bruno", .createChannel(new), label: channel.label)]
            if channel.label == "random" {
                steps.append(step("ana", .changeMembership(channel: "random", isFavorite: nil, level: .mentions)))
            }
            return steps
        }
    }

    private static func conversation(_ topic: Conversations.Topic, label: String, _ random: inout RandomSource)
        -> [Step]
    {
        var people = random.shuffled(Cast.members(of: topic.channel))
        var steps: [Step] = []
        for (index, line) in topic.lines.enumerated() {
            let author = people[index % max(1, min(people.count, 3))]
            if index == 0 {
                steps.append(step(author, .post(channel: topic.channel, text: line), label: label))
            } else {
                steps.append(step(author, .reply(message: label, text: line)))
            }
        }
        people.removeFirst()
        if let emoji = random.pick(Conversations.emoji), let fan = random.pick(people) {
            steps.append(step(fan, .react(message: label, names: [emoji])))
        }
        return steps
    }

    private static func step(_ by: String, _ action: UserAction<String>, label: String? = nil) -> Step {
        Step(at: 0, by: by, action: action, label: label)
    }
}

extension Scenario.Cast {
    /// The team. `ana` is the user whose view the demonstrations follow.
    static let team = Scenario.Cast(
        company: "Tidewater", workspaces: [Place(label: "main", name: "Harbour")],
        people: [
            Person(label: "ana", username: "ana.lima", firstName: "Ana", lastName: "Lima", hasPicture: true),
            Person(label: "bruno", username: "bruno.keller", firstName: "Bruno", lastName: "Keller", hasPicture: true),
            Person(label: "zofie", username: "zofie.dvorakova", firstName: "Žofie", lastName: "Dvořáková"),
            Person(label: "wei", username: "li.wei", firstName: "李", lastName: "伟"),
            Person(label: "amira", username: "amira.elsayed", firstName: "Amira", lastName: "El-Sayed"),
            Person(label: "soren", username: "soren.kjaer", firstName: "Søren", lastName: "Kjær"),
            Person(label: "ngozi", username: "ngozi.okafor", firstName: "Ngozi", lastName: "Okafor"),
            Person(label: "mateo", username: "mateo.nunez", firstName: "Mateo", lastName: "Núñez 🎸"),
        ],
        me: "ana")

    static let channels: [(label: String, name: String, icon: String, description: String)] = [
        ("general", "General", "📣", "News for everybody"), ("engineering", "Engineering", "🛠️", "Builds, bugs, reviews"),
        ("design", "Design", "🎨", "How it looks and why"), ("support", "Support", "🛟", "What our users ask"),
        ("random", "Random", "🎲", "Everything else"), ("leads", "Leads", "🧭", "Planning and people"),
        ("offsite", "Offsite 2020", "🏔️", "Done, and photographed"),
    ]

    /// Returns the initial members of one of the team's channels.
    static func members(of channel: String) -> [String] {
        switch channel {
        case "engineering": ["bruno", "ana", "zofie", "wei", "mateo"]
        case "design": ["amira", "zofie", "soren"]
        case "support": ["ngozi", "ana", "soren", "amira"]
        case "leads": ["bruno", "ana", "amira"]
        case "offsite": ["mateo", "ana", "ngozi"]
        case "general", "random": ["bruno", "ana", "zofie", "wei", "amira", "soren", "ngozi", "mateo"]
        default: []
        }
    }
}

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

/// The first fifteen seconds: every kind of server event, once, in a coherent story.
extension TeamScript {
    static func openingSteps(_ random: inout RandomSource) -> [Step] {
        let cheers = random.shuffled(Conversations.emoji)
        let lunch = random.pick(["ramen on the corner 🍜", "pierogi 🥟", "the falafel place 🧆"]) ?? "soup"
        let version = "4.\(random.within(2...9))"
        let steps = deployment(version, cheers) + release(version, cheers) + directs(lunch) + corrections(cheers)
        return steps.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    /// A thread in Engineering with replies, an edit, reactions, and read markers.
    private static func deployment(_ version: String, _ cheers: [String]) -> [Step] {
        [
            at(150, "bruno", .typing(channel: "engineering", message: nil, isWriting: true)),
            at(
                800, "bruno", .post(channel: "engineering", text: "Deploy of \(version) starts in five minutes 🚀"),
                "deploy"),
            at(800, "bruno", .typing(channel: "engineering", message: nil, isWriting: false)),
            at(1_250, "zofie", .react(message: "deploy", names: [cheers[0]])),
            at(1_500, "wei", .typing(channel: "engineering", message: "deploy", isWriting: true)),
            at(2_200, "wei", .reply(message: "deploy", text: "@ana.lima can you watch the error rate?"), "watch"),
            at(2_200, "wei", .typing(channel: "engineering", message: "deploy", isWriting: false)),
            at(2_700, "ana", .reply(message: "deploy", text: "Watching. 0.02 % so far."), "watching"),
            at(
                3_300, "bruno",
                .edit(message: "deploy", text: "Deploy of \(version) starts in ten minutes 🚀 (slow build)")),
            at(8_200, "ana", .markRead(channel: "engineering")),
            at(8_700, "mateo", .reply(message: "deploy", text: "Canary is at 10 %, all quiet 🤫"), "canary"),
            at(9_200, "wei", .react(message: "canary", names: [cheers[1], "👀"])),
            at(12_400, "bruno", .reply(message: "deploy", text: "\(version) is everywhere. Thank you all!"), "done"),
            at(12_900, "ana", .react(message: "done", names: ["🎉"])),
            at(14_600, "ana", .markRead(channel: "engineering")),
        ]
    }

    /// A channel is created, used and renamed; a message is pinned.
    private static func release(_ version: String, _ cheers: [String]) -> [Step] {
        var new = NewChannel(workspace: "main", name: "Release")
        new.icon = "🏁"
        new.description = "What is in \(version)"
        new.members = ["ana", "bruno", "zofie"]
        return [
            at(3_800, "amira", .createChannel(new), "release"),
            at(
                4_500, "amira",
                .post(
                    channel: "release", text: "Notes for \(version), please add yours:\n• faster lists\n• no more twins"
                ), "notes"),
            at(5_000, "zofie", .reply(message: "notes", text: "• “All read.” on phones 🎨"), "notes-2"),
            at(6_700, "amira", .changeChannel("release", name: "Release \(version)", icon: nil, description: nil)),
            at(7_200, "ana", .react(message: "notes", names: [cheers[2]])),
            at(11_900, "amira", .pin(message: "notes", isPinned: true)),
        ]
    }

    /// A direct channel is opened, answered, and read.
    private static func directs(_ lunch: String) -> [Step] {
        [
            at(5_500, "wei", .openDirect(with: ["ana"]), "direct-wei"),
            at(6_000, "wei", .typing(channel: "direct-wei", message: nil, isWriting: true)),
            at(6_300, "wei", .post(channel: "direct-wei", text: "Lunch? I think of \(lunch)"), "lunch"),
            at(9_700, "ana", .reply(message: "lunch", text: "Yes! 12:30?"), "lunch-2"),
            at(10_900, "ana", .markRead(channel: "direct-wei")),
            at(11_400, "bruno", .post(channel: "direct-bruno", text: "Found it: it was the proxy."), "proxy"),
        ]
    }

    /// A message is deleted and sent again; `ana` and another user join a channel, `ana` leaves one; the workspace is
    /// renamed.
    private static func corrections(_ cheers: [String]) -> [Step] {
        [
            at(
                7_700, "ngozi", .post(channel: "support", text: "Ticket 4711 is solved; the customer says 谢谢"), "solved"
            ),
            at(10_100, "soren", .post(channel: "general", text: "Demo at 01:00 tomorrow"), "typo"),
            at(10_600, "soren", .delete(message: "typo")),
            at(
                11_000, "soren", .post(channel: "general", text: "@all demo at 10:00 tomorrow, five minutes each 🎤"),
                "demo"),
            at(400, "zofie", .presence(isOnline: true)),
            at(2_500, "mateo", .presence(isOnline: true)),
            // No client receives this. After the server's restart, clients ask for the presence.
            at(8_500, "zofie", .presence(isOnline: false)),
            at(12_600, "soren", .renameWorkspace("main", name: "Harbour & Docks ⚓️")),
            at(13_100, "amira", .addMember(channel: "release", user: "wei")),
            at(13_300, "amira", .addMember(channel: "design", user: "ana")),
            at(13_700, "mateo", .react(message: "demo", names: [cheers[3]])),
            at(14_000, "soren", .post(channel: "design", text: "@ana.lima welcome to Design 👋"), "welcome"),
            at(14_300, "ana", .removeMember(channel: "offsite", user: "ana")),
        ]
    }

    private static func at(_ at: Int64, _ by: String, _ action: UserAction<String>, _ label: String? = nil) -> Step {
        Step(at: at, by: by, action: action, label: label)
    }
}

/// The texts of the team in the scenario `workspace`.
enum Conversations {
    /// A head message and its replies, in one channel.
    struct Topic: Hashable, Sendable {
        var channel: String
        var lines: [String]
    }

    static let topics: [Topic] = [
        Topic(
            channel: "engineering",
            lines: [
                "The nightly build is red again: three tests time out on the small machines.",
                "Same three as last week?", "Yes. They wait for a fixed time instead of the event.",
                "I'll make them wait for the thing itself.", "Thank you! That test has cost us days 🙏",
            ]),
        Topic(
            channel: "engineering",
            lines: [
                "Memory of the gateway grew by 40 MB since Monday.", "Since the cache change, I think.",
                "Is there a bound on it?", "There is now: 10 000 entries, oldest out first.",
                "Flat for an hour. Closing 📉",
            ]),
        Topic(
            channel: "engineering",
            lines: [
                "Who can review the reconnect change?", "I can, after lunch.",
                "What happens when the token expires in between?",
                "It asks for a new one and joins every room again.", "Approved ✅",
            ]),
        Topic(
            channel: "engineering",
            lines: [
                "Does anybody know why we store times in seconds here?", "History. Everything new is in milliseconds.",
                "So 1620987774 and 1620987774000 are the same instant 🙃", "Only on a good day.",
            ]),
        Topic(
            channel: "design",
            lines: [
                "New empty state for the inbox: “Nothing to read. Enjoy it.”",
                "I like it. Is there a shorter one for phones?",
                "“All read.”", "Perfect. Shipping both 🎨",
            ]),
        Topic(
            channel: "design",
            lines: [
                "Contrast of the grey badge is 3.9:1, we need 4.5:1.", "Then #5f6368 instead of #80868b?",
                "That gives 6.0:1 👍",
                "Updated in the library.",
            ]),
        Topic(
            channel: "support",
            lines: [
                "A customer in São Paulo sees messages twice after the train tunnel.",
                "Do they have the version from Tuesday?", "The one before.",
                "Then it is the duplicate we fixed. Ask them to update.",
                "They did, and it is gone. Obrigado 🇧🇷",
            ]),
        Topic(
            channel: "support",
            lines: [
                "Ticket 4711: the counter says 3, the list shows 2.", "Was one of the threads deleted meanwhile?",
                "Yes, a minute before.", "Then the counter is right again after the next refresh; noted as a bug 🐞",
            ]),
        Topic(
            channel: "general",
            lines: [
                "Tomorrow at 10:00: everybody shows what they built this week, five minutes each.",
                "Can I go first? I have a train at 11.", "Sure!", "I'll bring cake 🍰",
            ]),
        Topic(
            channel: "general",
            lines: [
                "Please welcome our two interns, who start on Monday 👋", "Welcome! Which team?",
                "One in design, one in support.", "And both get a plant for their desk 🪴",
            ]),
        Topic(
            channel: "random",
            lines: [
                "Lunch? There is ramen on the corner 🍜", "Yes! 12:15?", "Make it 12:30, I am in a call.",
                "12:30 then. Table for five.",
            ]),
        Topic(
            channel: "random",
            lines: [
                "The office cat has been sitting on the router since nine.", "That explains the latency 🐈",
                "She says it is warm there.", "Ship it.",
            ]),
        Topic(
            channel: "random",
            lines: [
                "Today's word: «Feierabend» – the end of work, and the evening that begins with it.",
                "In Japanese: お疲れ様でした", "In Danish we say «fyraften», the same word!", "In Arabic: يعطيك العافية 🌙",
            ]),
        Topic(
            channel: "leads",
            lines: [
                "Hiring: three good candidates for the platform role.", "Interviews on Thursday?",
                "Thursday afternoon, yes.", "I'll prepare the exercise.",
            ]),
    ]

    /// Messages that get no replies.
    static let remarks: [(channel: String, text: String)] = [
        ("engineering", "Staging is back: 214 tests, all green 🟢"),
        ("engineering", "p99 of the feed is down to 38 ms."),
        ("engineering", "@ana.lima the trace you asked for is in the ticket."),
        ("general", "The door code changes tonight; the new one is in the vault 🔑"),
        ("general", "@all fire drill at 15:00, please take the stairs."),
        ("design", "Icons are exported again, 24 and 32 px."),
        ("support", "Queue is empty. I repeat: the queue is empty 🎉"),
        ("support", "Reminder: the status page is edited by whoever is on call."),
        ("random", "It snows ❄️ in April."), ("random", "Coffee machine: fixed. Coffee: still coffee ☕️"),
    ]

    /// Messages for direct channels between two users.
    static let asides = [
        "Do you have five minutes?", "I sent you the numbers.", "Thanks for yesterday 🙏",
        "Can we move our meeting to 14:30?",
        "Found it: it was the proxy.", "Your slides are great.", "I am five minutes late 🏃‍♀️",
        "Shall I take the call with them?",
    ]

    static let emoji = ["👍", "❤️", "🎉", "😄", "👀", "🚀", "🙏", "✅"]

    /// Names of channels that are created and later deleted.
    static let projects: [(name: String, icon: String)] = [
        ("Offsite in Porto", "🌊"), ("Incident 2217", "🚨"), ("Search prototype", "🔎"), ("Reading circle", "📚"),
        ("Translation: Čeština", "🌍"), ("Bike to work", "🚲"),
    ]
}
