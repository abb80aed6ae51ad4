import DemoServer
import Pipeline
package import Wire

/// One thing that happens in a history, at a time of its own.
package struct Step: Hashable, Sendable {
    /// What happens.
    package enum Action: Hashable, Sendable {
        /// Person `user` does something.
        case act(SimulatedAct, user: Int, a: Int, b: Int)
        /// The user of the session wants something done.
        case deed(Deed, a: Int, b: Int)
        /// Something goes wrong.
        case fault(Fault, a: Int, b: Int)
    }
    /// Milliseconds since the simulation began.
    package var at: Int
    package var action: Action

    package init(at: Int, _ action: Action) {
        self.at = at
        self.action = action
    }
}

/// What the user of the session wants done. Channels and messages are numbers among those that the model shows.
package enum Deed: String, CaseIterable, Sendable {
    /// Sends a message to channel `a`, or a reply to message `a`.
    case send, answer
    /// Edits the own message `a`, or deletes it.
    case amend, retract
    /// Reacts to message `a` with emoji `b`; none for 0.
    case cheer
    /// Reads channel `a`.
    case see
    /// Looks at workspace `a`, and leaves the one before.
    case look
    /// Leaves room `a` for `b` seconds, then joins it again.
    case pause
    /// Adds person `b` to channel `a`, takes person `b` out of it, or gives it the name `b`.
    case invite, expel, title
}

/// All that decides a simulation: the same history gives the same run, byte by byte.
package struct History: Hashable, Sendable {
    /// Where the messages come from: Twake's proxy with ids only (A), or the core with whole messages (B), or the last server, which tells
    /// the same otherwise (C); or GroupMe; or a gateway that a profile declares.
    package enum Era: String, Hashable, Sendable, CaseIterable {
        case a, b, c
        case groupMe = "groupme"
        case declared

        /// Whether a history of it says which Engine.IO is spoken.
        var speaksEngineIO: Bool { self != .groupMe && self != .declared }
    }

    /// What the session follows beside channels and what is said in them.
    package enum Watching: String, Hashable, Sendable, CaseIterable {
        /// Nothing.
        case channels
        /// Members, accounts, places.
        case people
        /// What a person who watches wants to see: accounts, places, who is there.
        case usual
        /// All there is.
        case everything

        var following: Configuration.Following {
            switch self {
            case .channels: []
            case .people: [.members, .accounts, .places]
            case .usual: .usual
            case .everything: [.members, .accounts, .places, .presence]
            }
        }

        /// Where a history does not say it.
        static func standard(_ seed: UInt64) -> Watching { seed % 5 == 0 ? .people : .channels }
    }

    package var era: Era
    /// Of no meaning where Engine.IO is not spoken.
    package var revision: EngineIO.Revision
    package var watching: Watching
    /// How many heads of each channel the session is to show, however old; 0 for a page.
    package var depth: Int
    /// How many messages of each channel the session catches up with; nil for as many as it does by itself.
    package var catchUp: Int?
    /// What the delays of the network, the world's ids and the session's jitter are made from.
    package var seed: UInt64
    /// In the order of their times.
    package var steps: [Step]

    /// How long Twake's tokens are good. Of one history in six they are renewed all the time, before they end, and refused where that is late.
    var tokenLife: Duration { seed % 6 == 2 && era.speaksEngineIO ? .seconds(10) : .seconds(3_600) }

    /// How often the session looks at everything again, though it knows of no gap: what is lost without a sign is found so, and by nothing
    /// else. Where nothing is, in three histories of four it never looks, so that a wrong step is not made good by it.
    var lookAgain: Duration? { seed % 4 == 3 || losesSilently ? .seconds(300) : nil }

    /// Whether anything happens in it that no client can know of.
    var losesSilently: Bool { steps.contains { isSilent($0.action) } }

    private func isSilent(_ action: Step.Action) -> Bool {
        switch (action, era) {
        // What is lost without a sign; and a room that was asked for three times in vain is asked for again at the next full look.
        case (.fault(.lose, _, _), _), (.fault(.mute, _, _), _): true
        // A server that lies about what there is.
        case (.fault(.spoil, let a, _), _): Spoil.allCases[a % Spoil.allCases.count] == .missing
        // No frame of era A tells that a message was moved (3.1). Nor has it a room for workspaces.
        case (.act(.move, _, _, _), .a), (.act(.retitle, _, _, _), .a), (.act(.found, _, _, _), .a): true
        // GroupMe tells nobody of a pin that is taken back (1.10), nor those who left a group of its end, nor of a group that one makes
        // for oneself elsewhere.
        case (.act(.pin, _, _, let b), .groupMe): b % 2 == 1
        case (.act(.erase, _, _, _), .groupMe): true
        case (.act(.create, let user, _, let b), .groupMe): user % 4 == 0 && b & 0b1110 == 0
        case (.act, _), (.deed, _), (.fault, _): false
        }
    }

    package init(
        era: Era, revision: EngineIO.Revision, seed: UInt64, watching: Watching? = nil, depth: Int = 0,
        catchUp: Int? = nil, steps: [Step]
    ) {
        self.era = era
        self.revision = revision
        self.seed = seed
        self.watching = watching ?? .standard(seed)
        self.depth = depth
        self.catchUp = catchUp
        self.steps = steps
    }
}

// A history as text: what a failing seed prints, and a test contains.
extension Step: CustomStringConvertible {
    /// `1200 post 2 0 5`, or `1300 cut 0 0`.
    package var description: String {
        switch action {
        case .act(let act, let user, let a, let b): "\(at) \(act.rawValue) \(user) \(a) \(b)"
        case .deed(let deed, let a, let b): "\(at) \(deed.rawValue) \(a) \(b)"
        case .fault(let fault, let a, let b): "\(at) \(fault.rawValue) \(a) \(b)"
        }
    }

    /// The step a line describes; nil when it describes none.
    package init?(_ line: some StringProtocol) {
        let words = line.split(separator: " ")
        let numbers = words.dropFirst(2).compactMap { Int($0) }
        guard words.count >= 4, numbers.count == words.count - 2, numbers.allSatisfy({ $0 >= 0 }),
            let at = Int(words[0]), at >= 0
        else { return nil }
        if let act = SimulatedAct(rawValue: String(words[1])), numbers.count == 3 {
            self.init(at: at, .act(act, user: numbers[0], a: numbers[1], b: numbers[2]))
        } else if let deed = Deed(rawValue: String(words[1])), numbers.count == 2 {
            self.init(at: at, .deed(deed, a: numbers[0], b: numbers[1]))
        } else if let fault = Fault(rawValue: String(words[1])), numbers.count == 2 {
            self.init(at: at, .fault(fault, a: numbers[0], b: numbers[1]))
        } else {
            return nil
        }
    }
}

extension History: CustomStringConvertible {
    /// A line `era b, Engine.IO 4, seed 17`, or `era groupme, seed 17`, which may go on `, watching usual, history 45, catch-up 60`, and one for each
    /// step.
    package var description: String {
        var line =
            "era \(era.rawValue)" + (era.speaksEngineIO ? ", Engine.IO \(revision.rawValue)" : "") + ", seed \(seed)"
        if watching != .standard(seed) { line += ", watching \(watching.rawValue)" }
        if depth != 0 { line += ", history \(depth)" }
        if let catchUp { line += ", catch-up \(catchUp)" }
        return ([line] + steps.map(\.description)).joined(separator: "\n")
    }

    /// The history a text describes; nil when a line describes nothing.
    package init?(_ text: String) {
        let lines = text.split(separator: "\n")
        var rest = (lines.first ?? "").split { $0 == " " || $0 == "," }[...]
        guard rest.popFirst() == "era", let era = rest.popFirst().flatMap({ Era(rawValue: String($0)) }) else {
            return nil
        }
        var revision = EngineIO.Revision.v4
        if era.speaksEngineIO {
            guard rest.popFirst() == "Engine.IO",
                let read = rest.popFirst().flatMap({ Int($0) }).flatMap({ EngineIO.Revision(rawValue: $0) })
            else { return nil }
            revision = read
        }
        guard rest.popFirst() == "seed", let seed = rest.popFirst().flatMap({ UInt64($0) }) else { return nil }
        let steps = lines.dropFirst().compactMap { Step($0) }
        guard steps.count == lines.count - 1 else { return nil }
        self.init(era: era, revision: revision, seed: seed, steps: steps)
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { return nil }
            switch name {
            case "watching":
                guard let watching = Watching(rawValue: String(value)) else { return nil }
                self.watching = watching
            case "history":
                guard let depth = Int(value), (1...1_000).contains(depth) else { return nil }
                self.depth = depth
            case "catch-up":
                guard let catchUp = Int(value), (1...10_000).contains(catchUp) else { return nil }
                self.catchUp = catchUp
            default: return nil
            }
        }
    }
}
