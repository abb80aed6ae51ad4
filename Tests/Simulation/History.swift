import WeirDemoServer
import WeirPipeline
package import WeirWire

/// One event of a history, with its time.
package struct Step: Hashable, Sendable {
    /// The action of a step.
    package enum Action: Hashable, Sendable {
        /// Person `user` performs an act.
        case act(SimulatedAct, user: Int, a: Int, b: Int)
        /// The session's user requests an action.
        case deed(Deed, a: Int, b: Int)
        /// A fault occurs in the network or the server.
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

/// An action that the session's user requests. Channels and messages are given by their number among those that the
/// model shows.
package enum Deed: String, CaseIterable, Sendable {
    /// Sends a message to channel `a`, or a reply to message `a`.
    case send, answer
    /// Edits the user's own message `a`, or deletes it.
    case amend, retract
    /// Reacts to message `a` with emoji `b`; 0 removes the reaction.
    case cheer
    /// Marks channel `a` as read.
    case see
    /// Selects workspace `a` and leaves the previous one.
    case look
    /// Leaves room `a` for `b` seconds, then joins it again.
    case pause
    /// Adds person `b` to channel `a`, removes person `b` from it, or renames it to `b`.
    case invite, expel, title
}

/// Everything that determines a simulation. The same history always gives the same run, byte by byte.
package struct History: Hashable, Sendable {
    /// The origin of the messages. Twake: its proxy with ids only (A), the core with whole messages (B), or the last
    /// server, which reports the same in another form (C). Or GroupMe, or a gateway declared by a profile.
    package enum Era: String, Hashable, Sendable, CaseIterable {
        case a, b, c
        case groupMe = "groupme"
        case declared

        /// Whether histories of this era include an Engine.IO revision.
        var speaksEngineIO: Bool { self != .groupMe && self != .declared }
    }

    /// The kinds of rows that the session follows in addition to channels and their messages.
    package enum Watching: String, Hashable, Sendable, CaseIterable {
        /// Channels and their messages only.
        case channels
        /// Also members, accounts and places.
        case people
        /// The usual view of a person: accounts, places and presence.
        case usual
        /// Everything: members, accounts, places and presence.
        case everything

        var following: Configuration.Following {
            switch self {
            case .channels: []
            case .people: [.members, .accounts, .places]
            case .usual: .usual
            case .everything: [.members, .accounts, .places, .presence]
            }
        }

        /// Returns the value for a history that does not specify one.
        static func standard(_ seed: UInt64) -> Watching { seed % 5 == 0 ? .people : .channels }
    }

    package var era: Era
    /// The Engine.IO revision; meaningless in eras without Engine.IO.
    package var revision: EngineIO.Revision
    package var watching: Watching
    /// How many thread heads of each channel the session shows, however old; 0 means one page.
    package var depth: Int
    /// How many messages of each channel the session catches up with; `nil` for its default.
    package var catchUp: Int?
    /// The seed of the network's delays, the world's ids and the session's jitter.
    package var seed: UInt64
    /// The steps, in order of time.
    package var steps: [Step]

    /// The lifetime of Twake's tokens. In one of six histories they are short: they are renewed before they expire, and
    /// refused if that comes too late.
    var tokenLife: Duration { seed % 6 == 2 && era.speaksEngineIO ? .seconds(10) : .seconds(3_600) }

    /// How often the session repeats a full look without a known gap. Only this finds events that were lost silently.
    /// If none are, three of four histories have no full looks, so that these do not repair the results of a bug.
    var resyncInterval: Duration? { seed % 4 == 3 || losesSilently ? .seconds(300) : nil }

    /// Whether the history contains changes that no client can notice.
    var losesSilently: Bool { steps.contains { isSilent($0.action) } }

    private func isSilent(_ action: Step.Action) -> Bool {
        switch (action, era) {
        // Events are lost silently. A room whose join failed three times is requested again only by the next full look.
        case (.fault(.lose, _, _), _), (.fault(.mute, _, _), _): true
        // The server wrongly reports a resource as missing.
        case (.fault(.spoil, let a, _), _): Spoil.allCases[a % Spoil.allCases.count] == .missing
        // In era A, no frame reports that a message was moved (Twake TW-25), and there is no room for workspaces.
        case (.act(.move, _, _, _), .a), (.act(.retitle, _, _, _), .a), (.act(.found, _, _, _), .a): true
        // GroupMe does not report the removal of a pin (GroupMe GM-20), the end of a group to its former members, or a
        // group that the user creates alone elsewhere.
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

// The text form of a history, which a failing seed prints and a test contains.
extension Step: CustomStringConvertible {
    /// A line such as `1200 post 2 0 5` or `1300 cut 0 0`.
    package var description: String {
        switch action {
        case .act(let act, let user, let a, let b): "\(at) \(act.rawValue) \(user) \(a) \(b)"
        case .deed(let deed, let a, let b): "\(at) \(deed.rawValue) \(a) \(b)"
        case .fault(let fault, let a, let b): "\(at) \(fault.rawValue) \(a) \(b)"
        }
    }

    /// Parses a line; `nil` when it does not describe a step.
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
    /// A line such as `era b, Engine.IO 4, seed 17` or `era groupme, seed 17`, optionally with `, watching usual,
    /// history 45, catch-up 60`. It is followed by one line per step.
    package var description: String {
        var line =
            "era \(era.rawValue)" + (era.speaksEngineIO ? ", Engine.IO \(revision.rawValue)" : "") + ", seed \(seed)"
        if watching != .standard(seed) { line += ", watching \(watching.rawValue)" }
        if depth != 0 { line += ", history \(depth)" }
        if let catchUp { line += ", catch-up \(catchUp)" }
        return ([line] + steps.map(\.description)).joined(separator: "\n")
    }

    /// Parses a history; `nil` when any line is malformed.
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
