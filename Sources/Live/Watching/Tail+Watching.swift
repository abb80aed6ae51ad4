import Network
import Pipeline

// What a view wants of a tail.
extension Tail {
    /// Does what a view of this tail wants, as far as it is a tail's matter; `say` is told why something is not done. Any thread.
    package nonisolated func perform(_ effect: Watch.Effect, _ say: @escaping @Sendable (String) -> Void) {
        loop.run { [self] in
            assumeIsolated { tail in
                switch effect {
                case .join(let room): tail.call(.join, room, say)
                case .leave(let room): tail.call(.leave, room, say)
                case .mute(let room, let isMuted): tail.call(isMuted ? .mute : .unmute, room, say)
                case .quit: tail.conclude(.limitReached)
                case .mark(let label): tail.mark(label, author: "key")
                case .copy, .play: break
                }
            }
        }
    }

    private func call(_ method: RoomCall.Method, _ room: String, _ say: @escaping @Sendable (String) -> Void) {
        perform(RoomCall(method: method, rooms: [room])) { result in
            if case .failure(let error) = result { say(error.message) }
        }
    }
}

extension Replay {
    /// Does what a view of this replay wants, as far as it is a replay's matter. Any thread.
    package func perform(_ effect: Watch.Effect) {
        switch effect {
        case .play(let command): perform(command)
        case .quit: perform(PlayControl.Command.quit)
        case .join, .leave, .mute, .mark, .copy: break
        }
    }
}
