package import WeirEvents
import WeirJSON
import WeirWire

/// An endless script of users who talk in groups and direct conversations. The seed decides which user does what and when. The target of
/// each step depends on the world at that time.
package struct GroupMeScript: Sendable {
    /// The intended actions. `back` selects a message, counted back from the newest suitable one.
    enum Wish: Hashable, Sendable {
        case say(GroupMe.ConversationID, String)
        case picture(GroupMe.ConversationID)
        case answer(GroupMe.ConversationID, String)
        case type(GroupMe.ConversationID)
        case edit(GroupMe.ConversationID, back: Int, String)
        case delete(GroupMe.ConversationID, back: Int)
        case react(GroupMe.ConversationID, back: Int, String?)
        case pin(GroupMe.ConversationID, back: Int)
        case read(GroupMe.ConversationID)
        case change(GroupMe.GroupID, name: String?, description: String?)
        case rename(GroupMe.GroupID, String)
        case leave(GroupMe.GroupID)
        case rejoin(GroupMe.GroupID)
        case remove(GroupMe.GroupID, GroupMe.UserID)
        case add(GroupMe.GroupID, GroupMe.UserID)
        /// Creates a group and adds the watching user to it.
        case found(String)
        /// Deletes the oldest group that the script created.
        case disband
    }

    struct Step: Hashable, Sendable {
        /// The time in milliseconds since the script began; negative for events before it.
        var at: Int64
        var by: GroupMe.UserID
        var wish: Wish
    }

    /// The user whose view demonstrations and tests follow.
    let me = Cast.mia
    /// The server's time when the script starts, in milliseconds since 1970.
    let epoch: Int64
    /// The number of steps that the world refused because a client had changed their target.
    private(set) var skipped = 0
    private var random: RandomSource
    private var pending: [Step]
    private var beatAt = GroupMeScript.opening
    /// Groups that the script will delete, in this order.
    private var founded: [GroupMe.GroupID] = []
    private var serial = 0
    /// Whether generated steps follow the opening.
    private let isEndless: Bool

    /// Returns the world at the start of the script, and the script that continues from it.
    static func begin(
        seed: UInt64, epoch: Int64, isEndless: Bool = true
    ) -> (script: GroupMeScript, world: GroupMeWorld) {
        var world = GroupMeWorld(users: Cast.users(born: epoch / 1000 - 90 * 86_400))
        var script = GroupMeScript(seed: seed, epoch: epoch, isEndless: isEndless)
        for step in Cast.founding + Cast.history { _ = script.perform(step, in: &world) }
        script.skipped = 0
        return (script, world)
    }

    private init(seed: UInt64, epoch: Int64, isEndless: Bool, steps: [Step] = Self.openingSteps) {
        self.epoch = epoch
        self.isEndless = isEndless
        random = RandomSource(seed: seed)
        pending = steps
    }

    /// Returns an empty script. Only the owner's actions change the world.
    static func silent(epoch: Int64) -> GroupMeScript {
        GroupMeScript(seed: 0, epoch: epoch, isEndless: false, steps: [])
    }

    /// The server's time of the next step, in milliseconds since 1970; `nil` when the script is over.
    var nextAt: Int64? { pending.first.map { epoch + $0.at } }

    /// Performs the next step at its own time, and returns its publications.
    mutating func step(in world: inout GroupMeWorld) -> [GroupMePublication] {
        guard !pending.isEmpty else { return [] }
        let step = pending.removeFirst()
        if isEndless { think() }
        return perform(step, in: &world)
    }

    /// Generates steps ahead of time, so that all steps can be performed in the order of their times.
    private mutating func think() {
        while pending.first.map({ $0.at >= beatAt }) ?? true {
            pending += beat(at: beatAt)
            pending = pending.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
                .map(\.element)
            beatAt += Int64(random.within(700...1_300))
        }
    }

    private mutating func perform(_ step: Step, in world: inout GroupMeWorld) -> [GroupMePublication] {
        serial += 1
        let now = epoch + step.at
        guard let action = action(for: step, in: world), let outcome = try? world.perform(action, by: step.by, at: now)
        else {
            skipped += 1
            return []
        }
        if case .disband = step.wish { founded.removeFirst() }
        guard case .found = step.wish, let group = outcome.group else { return outcome.publications }
        if step.at > Self.opening { founded.append(group) }
        let added = try? world.perform(.add(group, [me], nicknames: []), by: step.by, at: now)
        return outcome.publications + (added?.publications ?? [])
    }

    private func action(for step: Step, in world: GroupMeWorld) -> GroupMeAction? {
        let guid = "script-\(serial)"
        switch step.wish {
        case .say(let place, let text): return .say(place, text: text, guid: guid)
        case .picture(let place):
            let picture = JSONValue.fields([
                "type": .string("image"), "url": .string("https://i.groupme.com/1x1.png.0123456789abcdef"),
            ])
            return .say(place, text: nil, attachments: [picture], guid: guid)
        case .answer(let place, let text):
            guard let message = said(in: place, back: 0, in: world) else { return nil }
            let id = JSONValue.string(message.description)
            let reply = JSONValue.fields(["type": .string("reply"), "reply_id": id, "base_reply_id": id])
            return .say(place, text: text, attachments: [reply], guid: guid)
        case .type(let place): return .type(place)
        case .edit(let place, let back, let text):
            return said(in: place, by: step.by, back: back, in: world).map { .edit(place, $0, text: text) }
        case .delete(let place, let back):
            return said(in: place, by: step.by, back: back, in: world).map { .delete(place, $0) }
        case .react(let place, let back, let code):
            return said(in: place, back: back, in: world).map { .react(place, $0, code.map { .unicode($0) }) }
        case .pin(let place, let back): return said(in: place, back: back, in: world).map { .pin(place, $0, true) }
        case .read(let place): return said(in: place, back: 0, in: world).map { .read(place, $0) }
        case .change, .rename, .leave, .rejoin, .remove, .add, .found, .disband: return groupAction(for: step)
        }
    }

    private func groupAction(for step: Step) -> GroupMeAction? {
        switch step.wish {
        case .change(let group, let name, let description):
            .change(group, name: name, description: description, imageURL: nil)
        case .rename(let group, let nickname): .rename(group, nickname: nickname)
        case .leave(let group): .remove(group, step.by)
        case .rejoin(let group): .rejoin(group)
        case .remove(let group, let user): .remove(group, user)
        case .add(let group, let user): .add(group, [user], nicknames: [])
        case .found(let name): .make(name: name, description: "For a while", imageURL: nil, isShared: false)
        case .disband: founded.first.map { .destroy($0) }
        case .say, .picture, .answer, .type, .edit, .delete, .react, .pin, .read: nil
        }
    }

    /// Returns a message that is not deleted, counted back from the newest. `user` restricts the senders.
    private func said(
        in place: GroupMe.ConversationID, by user: GroupMe.UserID? = nil, back: Int, in world: GroupMeWorld
    ) -> GroupMe.MessageID? {
        let messages = world.threads[place]?.messages.suffix(60) ?? []
        let candidates = messages.filter { message in
            message.sender != nil && message.deletedAt == nil && (user == nil || message.sender == user)
        }
        guard !candidates.isEmpty else { return nil }
        return candidates[candidates.index(candidates.endIndex, offsetBy: -1 - back % candidates.count)].id
    }
}

extension GroupMeScript {
    /// Generates the steps of about one second.
    private mutating func beat(at now: Int64) -> [Step] {
        let people = [Cast.ann, Cast.bob, Cast.cal]
        let place = random.oneIn(4) ? Cast.hikers : Cast.family
        let person = place == Cast.family ? random.pick(people) ?? Cast.ann : random.oneIn(2) ? Cast.ann : Cast.dee
        switch random.below(100) {
        case ..<50: return talk(person, in: place, at: now)
        case ..<64:
            let direct = random.oneIn(2) ? (Cast.withAnn, Cast.ann) : (Cast.withDee, Cast.dee)
            return talk(random.oneIn(4) ? me : direct.1, in: direct.0, at: now)
        case ..<76:
            let code = random.oneIn(6) ? nil : random.pick(Cast.reactions)
            return [Step(at: now, by: person, wish: .react(place, back: random.below(8), code))]
        case ..<81:
            return [
                Step(at: now, by: person, wish: .edit(place, back: random.below(3), random.pick(Cast.edits) ?? "…"))
            ]
        case ..<84: return [Step(at: now, by: person, wish: .delete(place, back: 1 + random.below(3)))]
        case ..<88: return [Step(at: now, by: random.oneIn(2) ? Cast.ann : me, wish: .read(Cast.withAnn))]
        case ..<90: return [Step(at: now, by: person, wish: .pin(place, back: random.below(5)))]
        default: return change(by: person, in: place, at: now)
        }
    }

    /// Generates a message, often preceded by a typing event.
    private mutating func talk(_ user: GroupMe.UserID, in place: GroupMe.ConversationID, at now: Int64) -> [Step] {
        let sent = now + Int64(random.within(500...1_100))
        let text = random.pick(Cast.lines) ?? "…"
        let wish: Wish =
            switch random.below(12) {
            case 0: .picture(place)
            case 1, 2: .answer(place, text)
            default: .say(place, text)
            }
        let message = Step(at: sent, by: user, wish: wish)
        return random.oneIn(2) ? [Step(at: now, by: user, wish: .type(place)), message] : [message]
    }

    /// Generates a change to a group or its members.
    private mutating func change(
        by user: GroupMe.UserID, in place: GroupMe.ConversationID, at now: Int64
    ) -> [Step] {
        guard let group = place.group else { return [] }
        let owner = place == Cast.family ? me : Cast.ann
        func step(_ wish: Wish, _ who: GroupMe.UserID, after wait: Int64 = 0) -> Step {
            Step(at: now + wait, by: who, wish: wish)
        }
        switch random.below(6) {
        case 0: return [step(.change(group, name: random.pick(Cast.names(of: place)), description: nil), user)]
        case 1: return [step(.change(group, name: nil, description: random.pick(Cast.descriptions)), user)]
        case 2: return [step(.rename(group, random.pick(Cast.nicknames(of: user)) ?? "x"), user)]
        case 3: return user == owner ? [] : [step(.leave(group), user), step(.rejoin(group), user, after: 4_000)]
        case 4:
            return user == owner
                ? [] : [step(.remove(group, user), owner), step(.add(group, user), owner, after: 4_000)]
        default:
            return [
                step(.found(random.pick(Cast.plans) ?? "Plan"), Cast.cal),
                step(.disband, Cast.cal, after: Int64(random.within(15_000...30_000))),
            ]
        }
    }
}

extension GroupMeScript {
    /// The users, their conversations, and the texts of their messages.
    package enum Cast {
        package static let mia: GroupMe.UserID = "20000001"
        package static let ann: GroupMe.UserID = "20000002"
        package static let bob: GroupMe.UserID = "20000003"
        package static let cal: GroupMe.UserID = "20000004"
        /// An id with fewer digits. It sorts before the others as a number, but after them as text.
        package static let dee: GroupMe.UserID = "9000001"

        package static func users(born: Int64) -> [GroupMeWorld.User] {
            [(mia, "Mia"), (ann, "Ann"), (bob, "Bob"), (cal, "Cal"), (dee, "Dee")].map { id, name in
                GroupMeWorld.User(id: id, name: name, createdAt: born)
            }
        }

        // The groups in the order in which they are created.
        static let family = GroupMe.ConversationID.group("10000001")
        static let hikers = GroupMe.ConversationID.group("10000002")
        package static let withAnn = GroupMe.ConversationID.direct(between: mia, and: ann)
        static let withDee = GroupMe.ConversationID.direct(between: mia, and: dee)

        private static let day: Int64 = 86_400_000

        static let founding: [Step] = [
            Step(at: -30 * day, by: mia, wish: .found("Family")),
            Step(at: -30 * day + 1_000, by: mia, wish: .add("10000001", ann)),
            Step(at: -30 * day + 2_000, by: mia, wish: .add("10000001", bob)),
            Step(at: -30 * day + 3_000, by: mia, wish: .add("10000001", cal)),
            Step(at: -20 * day, by: ann, wish: .found("Hikers")),
            Step(at: -20 * day + 1_000, by: ann, wish: .add("10000002", dee)),
            Step(at: -10 * day, by: cal, wish: .found("Book club")),
            Step(at: -10 * day + 1_000, by: cal, wish: .add("10000003", ann)),
            Step(at: -9 * day, by: mia, wish: .leave("10000003")),
        ]

        /// The last hours before the start: more than one page of messages in the first group.
        static let history: [Step] = {
            var steps: [Step] = []
            let people = [ann, bob, cal, mia]
            for index in 0..<30 {
                let at = -7_200_000 + Int64(index) * 200_000
                steps.append(Step(at: at, by: people[index % 4], wish: .say(family, lines[index % lines.count])))
                if index % 7 == 3 { steps.append(Step(at: at + 500, by: bob, wish: .react(family, back: 0, "❤️"))) }
            }
            for index in 0..<8 {
                let at = -3_600_000 + Int64(index) * 60_000
                let who = [dee, ann, mia][index % 3]
                steps.append(Step(at: at, by: who, wish: .say(hikers, lines[(index + 5) % lines.count])))
            }
            for index in 0..<6 {
                let at = -1_800_000 + Int64(index) * 30_000
                steps.append(Step(at: at, by: index % 2 == 0 ? ann : mia, wish: .say(withAnn, lines[index + 9])))
                steps.append(
                    Step(at: at + 9_000, by: index % 2 == 0 ? dee : mia, wish: .say(withDee, lines[index + 3])))
            }
            return steps.sorted { $0.at < $1.at }
        }()

        static let lines = [
            "Who is bringing the cake? 🎂", "I can be there at six", "The bus is late again",
            "Has anybody seen my keys?",
            "They are under the blue hat 🧢", "Thank you!!", "Let us meet at the bridge", "Rain from three o'clock ☔️",
            "Then we start earlier", "Works for me", "I will take the long way round", "Do we need a map?",
            "The old one is in the car", "Who has the tickets?", "Ann has them", "No, Bob and Cal have them",
            "Call me when you are there 📞", "It is much quieter up here", "The soup was good",
            "Next time with dumplings 🥟",
        ]
        static let edits = [
            "At seven, not at six ✏️", "The red hat, I mean", "Bob alone has them", "From four o'clock, then",
        ]
        static let reactions = ["👍", "❤️", "😂", "🎉"]
        static let descriptions = ["Cakes, keys and buses", "Everything but work", "Plans for the weekend"]
        static let plans = ["Surprise 🎁", "Saturday", "Trip to the lake"]

        static func names(of place: GroupMe.ConversationID) -> [String] {
            place == family
                ? ["Family", "Family 🏡", "The whole family"] : ["Hikers", "Hikers & friends", "Up the hill"]
        }

        static func nicknames(of user: GroupMe.UserID) -> [String] {
            switch user {
            case ann: ["Ann", "Annie", "Ann changed name to Ann"]
            case bob: ["Bob", "Bobby"]
            case cal: ["Cal", "Cal and Bob, Jr", "Calvin"]
            default: ["Dee", "Dee Dee"]
            }
        }
    }

    /// The length of the opening, in milliseconds.
    static let opening: Int64 = 15_000

    /// The steps of the opening, in which nearly everything happens once.
    static let openingSteps: [Step] = {
        let steps: [(Int64, GroupMe.UserID, Wish)] = [
            (300, Cast.ann, .type(Cast.family)), (1_000, Cast.ann, .say(Cast.family, "Good morning, all! ☀️")),
            (1_600, Cast.bob, .react(Cast.family, back: 0, "👍")),
            (2_000, Cast.bob, .answer(Cast.family, "Morning, Ann")), (2_600, Cast.cal, .picture(Cast.family)),
            (3_200, Cast.ann, .say(Cast.withAnn, "Mia, are you awake?")), (3_900, Cast.mia, .read(Cast.withAnn)),
            (4_400, Cast.mia, .say(Cast.withAnn, "Nearly")), (5_000, Cast.ann, .read(Cast.withAnn)),
            (5_500, Cast.cal, .say(Cast.family, "The bus is at nine")),
            (6_200, Cast.cal, .edit(Cast.family, back: 0, "The bus is at ten ✏️")),
            (7_000, Cast.dee, .say(Cast.withDee, "Hill on Sunday?")),
            (7_600, Cast.bob, .rename("10000001", "Bobby")),
            (8_200, Cast.ann, .change("10000001", name: "Family 🏡", description: nil)),
            (8_900, Cast.bob, .say(Cast.family, "Wrong window, sorry")),
            (9_500, Cast.bob, .delete(Cast.family, back: 0)),
            (10_100, Cast.mia, .pin(Cast.family, back: 1)), (10_800, Cast.cal, .found("Surprise 🎁")),
            (11_500, Cast.ann, .say(Cast.hikers, "Who has the map?")), (12_100, Cast.dee, .type(Cast.hikers)),
            (12_600, Cast.dee, .say(Cast.hikers, "In the car")), (13_200, Cast.cal, .leave("10000001")),
            (13_900, Cast.cal, .rejoin("10000001")), (14_500, Cast.mia, .react(Cast.hikers, back: 0, "🎉")),
        ]
        return steps.map { Step(at: $0.0, by: $0.1, wish: $0.2) }
    }()
}
