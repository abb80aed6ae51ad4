import Wire

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
