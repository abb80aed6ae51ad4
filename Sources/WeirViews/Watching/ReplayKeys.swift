package import WeirModel
package import WeirPipeline
package import WeirTerminal
package import WeirWire

/// Maps keys to commands of a player. Pure. Three keys ask for a line of text, which is typed character by character.
package struct ReplayKeys {
    /// A command to the player.
    package enum Command: Hashable, Sendable {
        case togglePause, step, stepBack
        case previousMark, nextMark
        /// Move forward by this time, or back if it is negative.
        case move(Duration)
        case faster, slower
        /// Go to the next event whose line matches this regular expression.
        case search(String)
        /// Go to a position in the syntax of `RecordingPosition`, or to a record number.
        case goTo(String)
        /// Set a mark with this label at the current position.
        case mark(String)
        case help, quit
    }

    /// A question that the user answers with a line of text.
    enum Question: Hashable {
        case search, goTo, mark

        var words: String {
            switch self {
            case .search: "search for (a regular expression): "
            case .goTo: "go to (+90s, n:812, mark:NAME, 2026-01-02T14:03:22Z): "
            case .mark: "name of the mark: "
            }
        }
    }

    private enum State {
        /// A key is a command. → asking
        case listening
        /// Keys are characters of the answer. → listening
        case asking(Question, answer: String)
    }

    /// The maximum length of an answer, in Unicode scalars.
    private static let longestAnswer = 200
    private var state = State.listening
    /// The last search. An empty answer repeats it.
    private var lastSearch = ""

    package init() {}

    /// The open question followed by the answer typed so far; `nil` if no question is open.
    package var question: String? {
        guard case .asking(let question, let answer) = state else { return nil }
        return question.words + answer
    }

    /// Handles a key and returns its command, or `nil` if there is nothing to do yet.
    package mutating func press(_ key: TerminalKey) -> Command? {
        switch state {
        case .listening: return command(of: key)
        case .asking(let question, var answer):
            switch key {
            case .enter:
                state = .listening
                return self.answer(question, answer)
            case .escape: state = .listening
            case .backspace:
                if answer.isEmpty {
                    state = .listening
                } else {
                    answer.removeLast()
                    state = .asking(question, answer: answer)
                }
            case .character(let scalar):
                guard answer.unicodeScalars.count < Self.longestAnswer else { return nil }
                answer.unicodeScalars.append(scalar)
                state = .asking(question, answer: answer)
            case .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .tab, .backTab, .delete, .control: break
            }
            return nil
        }
    }

    private mutating func command(of key: TerminalKey) -> Command? {
        switch key {
        case .character(" "): return .togglePause
        case .character("."), .enter: return .step
        case .character(","): return .stepBack
        case .character("["): return .previousMark
        case .character("]"): return .nextMark
        case .character("/"): state = .asking(.search, answer: "")
        case .character("g"): state = .asking(.goTo, answer: "")
        case .character("m"): state = .asking(.mark, answer: "")
        case .character("?"): return .help
        case .character("q"): return .quit
        case .left(let isShifted): return .move(.seconds(isShifted ? -60 : -5))
        case .right(let isShifted): return .move(.seconds(isShifted ? 60 : 5))
        case .up: return .faster
        case .down: return .slower
        case .character, .control, .backspace, .delete, .escape, .tab, .backTab, .home, .end, .pageUp, .pageDown: break
        }
        return nil
    }

    private mutating func answer(_ question: Question, _ answer: String) -> Command? {
        switch question {
        case .search:
            if !answer.isEmpty { lastSearch = answer }
            return lastSearch.isEmpty ? nil : .search(lastSearch)
        case .goTo: return answer.isEmpty ? nil : .goTo(answer)
        case .mark: return .mark(answer.isEmpty ? "mark" : answer)
        }
    }

    /// The help text of the keys, one string per line.
    package static let help = [
        "space  pause, resume         .  one event forward    ,  one event back",
        "left, right  5 s (shift: 60 s)      up, down  faster, slower",
        "[ ]  previous, next mark            /  search      g  go to      m  mark this place",
        "?  these keys      q  quit",
    ]
}

/// A user interface on another thread that sees all of a replay and steers it.
///
/// The methods are called on the replay's thread. The entries played in between reach an outlet with the part `every`.
package protocol ReplayWatcher: AnyObject, Sendable {
    /// The replay moves to a record. Discard everything reported after that record number and that time. Everything up
    /// to there is reported again, before `arrives(_:)` is called.
    func moves(to number: Int, at time: Moment)
    /// The move is complete, and this is the model. It includes the diffs reported during the move.
    func arrives(_ model: SectionedCollection<Item>)
    /// The initial state of a stream is complete, and this is the model.
    func begins(_ model: SectionedCollection<Item>)
    /// A stream has ended, for this reason.
    func ends(_ why: String)
    /// The position or the state of the replay has changed.
    func stands(_ progress: ReplayProgress)
    /// Shows a line of text to the user.
    func says(_ line: String)
}

/// The position and the state of a replay.
package struct ReplayProgress: Hashable, Sendable {
    /// The number of the last record played.
    package var number: Int
    /// The time of that record in the recording.
    package var time: Moment
    /// The wall clock of that record, in microseconds since 1970; `nil` before the first one.
    package var wall: Int64?
    /// Whether the replay is paused.
    package var isPaused: Bool
    /// The pace for display, such as `2×`.
    package var pace: String
    /// The times of all known marks, in order.
    package var marks: [Moment]

    package init(number: Int, time: Moment, wall: Int64?, isPaused: Bool, pace: String, marks: [Moment]) {
        (self.number, self.time, self.wall) = (number, time, wall)
        (self.isPaused, self.pace, self.marks) = (isPaused, pace, marks)
    }
}
