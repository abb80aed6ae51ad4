package import Events

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
