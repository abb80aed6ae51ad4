import Network
import Pipeline

// What a view wants of a tail.
extension Tail {
    /// Does what a view of this tail wants, as far as it is a tail's matter. Any thread.
    package nonisolated func perform(_ effect: Watch.Effect) {
        loop.run { [self] in
            assumeIsolated { tail in
                switch effect {
                case .join(let room): tail.feed(.want(rooms: [room], source: .ctl))
                case .leave(let room): tail.feed(.unwant(rooms: [room]))
                case .quit: tail.conclude(.limitReached)
                case .mark(let label): tail.mark(label, author: "key")
                case .copy, .play: break
                }
            }
        }
    }
}

extension Replay {
    /// Does what a view of this replay wants, as far as it is a replay's matter. Any thread.
    package func perform(_ effect: Watch.Effect) {
        switch effect {
        case .play(let command): perform(command)
        case .quit: perform(PlayControl.Command.quit)
        case .join, .leave, .mark, .copy: break
        }
    }
}
