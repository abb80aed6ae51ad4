import WeirDemoServer
import WeirWire

extension History {
    /// The kind of server in a history.
    package enum Peer: String, Hashable, Sendable, CaseIterable { case twake, groupMe = "groupme", declared }

    /// Creates the history of a seed. A quarter of all histories has no faults; the others have up to a dozen.
    package init(seed: UInt64, of peer: Peer = .twake) {
        switch peer {
        case .twake: self.init(twakeSeed: seed)
        case .groupMe: self.init(groupMeSeed: seed)
        case .declared: self.init(declaredSeed: seed)
        }
        pauseRooms()
    }

    /// Adds pauses: in a quarter of the histories the user leaves rooms for a while.
    private mutating func pauseRooms() {
        var random = RandomSource(seed: seed &* 0x9E37_79B9 &+ 3_001)
        let span = steps.last?.at ?? 0
        for _ in 0..<max(0, Int.random(in: -8...2, using: &random)) {
            let at = Int.random(in: 0...span, using: &random)
            let seconds = [0, 1, 5, 30].randomElement(using: &random) ?? 0
            let step = Step(at: at, .deed(.pause, a: Int.random(in: 0..<12, using: &random), b: seconds))
            steps.insert(step, at: steps.firstIndex { $0.at > at } ?? steps.endIndex)
        }
    }

    private init(twakeSeed seed: UInt64) {
        var random = RandomSource(seed: seed &* 0x9E37_79B9 &+ 77)
        let acts = Int.random(in: 3...36, using: &random)
        let faults = Int.random(in: 0..<4, using: &random) == 0 ? 0 : Int.random(in: 1...12, using: &random)
        let span = [4_000, 15_000, 60_000, 200_000].randomElement(using: &random) ?? 4_000
        var steps: [Step] = []
        for _ in 0..<acts {
            steps.append(Step(at: Int.random(in: 0...span, using: &random), Self.act(&random)))
        }
        for _ in 0..<faults {
            steps.append(Step(at: Int.random(in: 0...span, using: &random), Self.fault(&random)))
        }
        // In half of the histories the session's user acts too.
        for _ in 0..<max(0, Int.random(in: -8...8, using: &random)) {
            steps.append(Step(at: Int.random(in: 0...span, using: &random), Self.deed(&random)))
        }
        // In one of ten histories the user wants more than one page, and the channels and threads have more than one.
        let depth = Int.random(in: 0..<10, using: &random) == 0 ? Int.random(in: 21...70, using: &random) : 0
        if depth > 0 { Self.fill(&steps, within: span, &random) }
        // Often many steps happen at nearly the same time.
        if Int.random(in: 0..<3, using: &random) == 0 { Self.gather(&steps, &random) }
        let catchUp = Self.crowd(&steps, within: span, bounds: 20...120, &random)
        let order = steps.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        self.init(
            era: [Era.a, .b, .c].randomElement(using: &random) ?? .a,
            revision: Bool.random(using: &random) ? .v3 : .v4, seed: seed, watching: Self.watching(&random),
            depth: depth, catchUp: catchUp, steps: order.map(\.element))
    }

    static func watching(_ random: inout RandomSource) -> Watching {
        draw([(.channels, 6), (.people, 1), (.usual, 2), (.everything, 2)], &random) ?? .channels
    }

    /// Adds many messages, mostly before the session begins.
    static func fill(_ steps: inout [Step], within span: Int, _ random: inout RandomSource) {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let at = Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 0...span, using: &random) : 0
            let user = Int.random(in: 0..<4, using: &random)
            let place = Int.random(in: 0..<3, using: &random)
            steps.append(
                Step(at: at, .act(.flood, user: user, a: place, b: Int.random(in: 0..<40, using: &random))))
        }
    }

    /// In one of 25 histories adds a busy crowd while the client is away, which mostly continues after its return.
    /// Returns how many messages the session catches up with; in half of these histories that is fewer than exist.
    static func crowd(
        _ steps: inout [Step], within span: Int, bounds: ClosedRange<Int>, _ random: inout RandomSource
    ) -> Int? {
        guard Int.random(in: 0..<25, using: &random) == 0 else { return nil }
        let start = Int.random(in: 0...span, using: &random)
        let away = [Fault.restart, .sleep, .stall].randomElement(using: &random) ?? .restart
        steps.append(Step(at: start, .fault(away, a: 50_000, b: 0)))
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let at = start + Int.random(in: 1_000...50_000, using: &random)
            let (a, b) = (Int.random(in: 0..<40, using: &random), Int.random(in: 0..<40, using: &random))
            steps.append(Step(at: at, .act(.burst, user: 0, a: a, b: b)))
        }
        for _ in 0..<Int.random(in: 0...10, using: &random) {
            steps.append(Step(at: start + 50_000 + Int.random(in: 0...1_500, using: &random), act(&random)))
        }
        return Bool.random(using: &random) ? Int.random(in: bounds, using: &random) : nil
    }

    static func gather(_ steps: inout [Step], _ random: inout RandomSource) {
        guard let center = steps.randomElement(using: &random)?.at else { return }
        for index in steps.indices where Bool.random(using: &random) {
            steps[index].at = center + Int.random(in: 0...300, using: &random)
        }
    }

    private static let acts: [(SimulatedAct, weight: Int)] = [
        (.post, 10), (.reply, 10), (.edit, 6), (.delete, 5), (.react, 5), (.pin, 2), (.move, 2), (.create, 4),
        (.rename, 4), (.erase, 1), (.direct, 3), (.add, 4), (.remove, 2), (.leave, 2), (.read, 5), (.unread, 1),
        (.favorite, 1), (.level, 1), (.typing, 1), (.flood, 1),
        (.come, 2), (.go, 2), (.retitle, 1), (.found, 1),
    ]

    private static let faults: [(Fault, weight: Int)] = [
        (.cut, 6), (.kick, 2), (.restart, 3), (.expire, 3), (.sleep, 3), (.crash, 3), (.lose, 2), (.double, 4),
        (.stall, 4),
        (.hold, 6), (.spoil, 14), (.refuse, 2), (.stumble, 3), (.mute, 2), (.stray, 3),
    ]

    static func draw<Choice>(_ choices: [(Choice, weight: Int)], _ random: inout RandomSource) -> Choice? {
        var rest = Int.random(in: 0..<max(1, choices.reduce(0) { $0 + $1.weight }), using: &random)
        for (choice, weight) in choices {
            if rest < weight { return choice }
            rest -= weight
        }
        return nil
    }

    private static func act(_ random: inout RandomSource) -> Step.Action {
        let act = draw(acts, &random) ?? .post
        let user = Int.random(in: 0..<4, using: &random)
        // Most activity concerns the newest messages.
        let a =
            Bool.random(using: &random) ? Int.random(in: 0..<3, using: &random) : Int.random(in: 0..<12, using: &random)
        return .act(act, user: user, a: a, b: Int.random(in: 0..<40, using: &random))
    }

    private static func deed(_ random: inout RandomSource) -> Step.Action {
        let deeds: [(Deed, weight: Int)] = [
            (.send, 8), (.answer, 4), (.amend, 3), (.retract, 2), (.cheer, 2), (.see, 1), (.look, 2),
        ]
        let deed = draw(deeds, &random) ?? .send
        return .deed(deed, a: Int.random(in: 0..<4, using: &random), b: Int.random(in: 0..<4, using: &random))
    }

    private static func fault(_ random: inout RandomSource) -> Step.Action {
        let fault = draw(faults, &random) ?? .cut
        let few = Int.random(in: 1...3, using: &random)
        let wait = [300, 2_000, 8_000, 40_000].randomElement(using: &random) ?? 300
        switch fault {
        case .cut: return .fault(fault, a: Int.random(in: 0..<2, using: &random), b: 0)
        case .crash: return .fault(fault, a: Int.random(in: 0..<4, using: &random), b: 0)
        case .kick, .expire: return .fault(fault, a: 0, b: 0)
        case .restart, .stall: return .fault(fault, a: wait, b: 0)
        case .sleep:
            let nap = [5_000, 60_000, 4_000_000].randomElement(using: &random) ?? 5_000
            return .fault(fault, a: nap, b: 0)
        case .lose, .double, .refuse, .mute: return .fault(fault, a: few, b: 0)
        case .hold: return .fault(fault, a: Int.random(in: 0..<6, using: &random), b: min(wait, 8_000))
        case .spoil:
            let kind = Int.random(in: 0..<Spoil.allCases.count, using: &random)
            return .fault(fault, a: kind, b: Int.random(in: 1...8, using: &random))
        case .stumble: return .fault(fault, a: Int.random(in: 0..<30, using: &random), b: 0)
        case .stray: return .fault(fault, a: Int.random(in: 0..<Stray.all.count, using: &random), b: 0)
        }
    }
}
