import WeirDemoServer
import WeirWire

extension History {
    /// Creates the history of a seed for a declared backend. The proportions are those of the other backends: a quarter
    /// has no faults, and half have actions by the session's user.
    init(declaredSeed seed: UInt64) {
        var random = RandomSource(seed: seed &* 0x9E37_79B9 &+ 2_077)
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
        add(acts) { random in
            let act = Self.draw(Self.declaredActs, &random) ?? .post
            let user = Int.random(in: 0..<4, using: &random)
            // Most activity concerns the newest messages.
            let a = Int.random(in: 0..<(Bool.random(using: &random) ? 3 : 12), using: &random)
            return .act(act, user: user, a: a, b: Int.random(in: 0..<40, using: &random))
        }
        add(faults) { Self.fault(of: Self.declaredFaults, strays: Stray.ofDeclared.count, &$0) }
        add(deeds) { random in
            let deed = Self.draw([(Deed.send, 6), (.amend, 3), (.retract, 2)], &random) ?? .send
            return .deed(deed, a: Int.random(in: 0..<4, using: &random), b: 0)
        }
        // Some histories contain more messages than fit into one page.
        if Int.random(in: 0..<4, using: &random) == 0 { Self.fill(&steps, within: span, &random) }
        // Often many steps happen at nearly the same time.
        if Int.random(in: 0..<3, using: &random) == 0 { Self.gather(&steps, &random) }
        _ = Self.crowd(&steps, within: span, bounds: 1...1, &random)
        let order = steps.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        self.init(era: .declared, revision: .v4, seed: seed, steps: order.map(\.element))
    }

    private static let declaredActs: [(SimulatedAct, weight: Int)] = [
        (.post, 14), (.edit, 9), (.delete, 7), (.create, 4), (.rename, 5), (.erase, 2), (.typing, 1), (.flood, 1),
    ]

    /// The faults with their weights. Tokens do not expire, and joins have no answers.
    private static let declaredFaults: [(Fault, weight: Int)] = [
        (.cut, 8), (.kick, 6), (.restart, 3), (.sleep, 3), (.crash, 3), (.lose, 2), (.double, 4), (.stall, 4),
        (.hold, 6), (.spoil, 14), (.refuse, 2), (.stumble, 4), (.stray, 4),
    ]
}
