import WeirDemoServer
import WeirWire

extension History {
    /// Creates the history of a seed for GroupMe. The proportions are those of the other backends: a quarter has no
    /// faults, and half have actions by the session's user.
    init(groupMeSeed seed: UInt64) {
        var random = RandomSource(seed: seed &* 0x9E37_79B9 &+ 1_077)
        let acts = Int.random(in: 3...36, using: &random)
        let faults = Int.random(in: 0..<4, using: &random) == 0 ? 0 : Int.random(in: 1...12, using: &random)
        let deeds = max(0, Int.random(in: -8...8, using: &random))
        let span = [4_000, 15_000, 60_000, 200_000].randomElement(using: &random) ?? 4_000
        var steps: [Step] = []
        func add(_ count: Int, _ action: (inout RandomSource) -> Step.Action) {
            for _ in 0..<count {
                steps.append(Step(at: Int.random(in: 0...span, using: &random), action(&random)))
            }
        }
        add(acts, Self.groupMeAct)
        add(faults) { Self.fault(of: Self.groupMeFaults, strays: Stray.ofGroupMe.count, &$0) }
        add(deeds, Self.groupMeDeed)
        // In one of ten histories the user wants more than one page, and the conversations have more than one.
        let depth = Int.random(in: 0..<10, using: &random) == 0 ? Int.random(in: 101...250, using: &random) : 0
        for _ in 0..<(depth > 0 ? 5 : 1) { Self.fill(&steps, within: span, depth > 0, &random) }
        // Often many steps happen at nearly the same time.
        if Int.random(in: 0..<3, using: &random) == 0 { Self.gather(&steps, &random) }
        let catchUp = Self.crowd(&steps, within: span, bounds: 100...250, &random)
        let order = steps.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        self.init(
            era: .groupMe, revision: .v4, seed: seed, watching: Self.watching(&random), depth: depth,
            catchUp: catchUp, steps: order.map(\.element))
    }

    private static func fill(_ steps: inout [Step], within span: Int, _ isDeep: Bool, _ random: inout RandomSource) {
        if isDeep || Int.random(in: 0..<5, using: &random) == 0 { fill(&steps, within: span, &random) }
    }

    private static let groupMeActs: [(SimulatedAct, weight: Int)] = [
        (.post, 12), (.reply, 5), (.edit, 7), (.delete, 5), (.react, 8), (.pin, 3), (.create, 3), (.rename, 4),
        (.erase, 1), (.direct, 5), (.add, 4), (.remove, 2), (.leave, 2), (.come, 2), (.read, 5), (.retitle, 3),
        (.typing, 1), (.flood, 1),
    ]

    /// The faults with their weights. Tokens do not expire.
    private static let groupMeFaults: [(Fault, weight: Int)] = [
        (.cut, 6), (.kick, 4), (.restart, 3), (.sleep, 3), (.crash, 3), (.lose, 2), (.double, 4), (.stall, 4),
        (.hold, 6), (.spoil, 14), (.refuse, 2), (.stumble, 3), (.mute, 2), (.stray, 4),
    ]

    private static func groupMeAct(_ random: inout RandomSource) -> Step.Action {
        let act = draw(groupMeActs, &random) ?? .post
        let user = Int.random(in: 0..<4, using: &random)
        // Most activity concerns the newest messages.
        let a = Int.random(in: 0..<(Bool.random(using: &random) ? 3 : 12), using: &random)
        return .act(act, user: user, a: a, b: Int.random(in: 0..<40, using: &random))
    }

    private static func groupMeDeed(_ random: inout RandomSource) -> Step.Action {
        let deeds: [(Deed, weight: Int)] = [
            (.send, 8), (.answer, 4), (.cheer, 5), (.amend, 1), (.retract, 1), (.see, 1), (.invite, 2), (.expel, 1),
            (.title, 2),
        ]
        let deed = draw(deeds, &random) ?? .send
        return .deed(deed, a: Int.random(in: 0..<4, using: &random), b: Int.random(in: 0..<4, using: &random))
    }

    /// Returns one of these faults, for a server without eras that has `strays` stray frames.
    static func fault(
        of faults: [(Fault, weight: Int)], strays: Int, _ random: inout RandomSource
    ) -> Step.Action {
        let fault = draw(faults, &random) ?? .cut
        let wait = [300, 2_000, 8_000, 40_000].randomElement(using: &random) ?? 300
        func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
        switch fault {
        case .cut: return .fault(fault, a: below(2), b: 0)
        case .kick: return .fault(fault, a: below(10), b: 0)
        case .crash: return .fault(fault, a: below(4), b: 0)
        case .expire: return .fault(fault, a: 0, b: 0)
        case .restart, .stall: return .fault(fault, a: wait, b: 0)
        case .sleep: return .fault(fault, a: [5_000, 60_000, 4_000_000][below(3)], b: 0)
        case .lose, .double, .refuse, .mute: return .fault(fault, a: 1 + below(3), b: 0)
        case .hold: return .fault(fault, a: below(3), b: min(wait, 8_000))
        case .spoil: return .fault(fault, a: below(Spoil.allCases.count), b: 1 + below(8))
        case .stumble: return .fault(fault, a: below(30), b: 0)
        case .stray: return .fault(fault, a: below(strays), b: 0)
        }
    }
}
