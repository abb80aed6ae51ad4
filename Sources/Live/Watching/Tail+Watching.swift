import Network
package import Pipeline

// Performing the effects of a view.
extension Tail {
    /// Performs an effect of the view, if it concerns the tail. May be called from any thread.
    ///
    /// - Parameter tell: Called with inputs for the view: the reason for a failure, or the draft that was loaded.
    package nonisolated func perform(_ effect: Watch.Effect, _ tell: @escaping @Sendable (Watch.Input) -> Void) {
        let say: @Sendable (String) -> Void = { tell(.said($0)) }
        loop.run { [self] in
            assumeIsolated { tail in
                switch effect {
                case .join(let room): tail.call(.join, room, say)
                case .leave(let room): tail.call(.leave, room, say)
                case .mute(let room, let isMuted): tail.call(isMuted ? .mute : .unmute, room, say)
                case .quit: tail.conclude(.limitReached)
                case .mark(let label): tail.mark(label, author: "key")
                case .emit, .answer: tail.emit(effect, say)
                case .act(let operation): tail.act(operation)
                case .keepDraft(let place, let text): tail.keepDraft(text, for: place) { if let why = $0 { say(why) } }
                case .findDraft(let place):
                    tail.findDraft(for: place) { if let text = $0 { tell(.draft(place, text)) } }
                case .copy, .play: break
                }
            }
        }
    }

    private func emit(_ effect: Watch.Effect, _ say: @escaping @Sendable (String) -> Void) {
        do throws(EmitText.Problem) {
            guard let emit = try effect.emit(patience: configuration.emitPatience) else { return }
            self.say(emit) { say($0.sentence) }
        } catch {
            say(error.message)
        }
    }

    private func call(_ method: RoomCall.Method, _ room: String, _ say: @escaping @Sendable (String) -> Void) {
        perform(RoomCall(method: method, rooms: [room])) { result in
            if case .failure(let error) = result { say(error.message) }
        }
    }
}

extension Replay {
    /// Performs an effect of the view, if it concerns the replay. May be called from any thread.
    package func perform(_ effect: Watch.Effect) {
        switch effect {
        case .play(let command): perform(command)
        case .quit: perform(ReplayKeys.Command.quit)
        case .join, .leave, .mute, .mark, .copy, .emit, .answer, .act, .keepDraft, .findDraft: break
        }
    }
}

extension Watch.Effect {
    /// Returns the emit for the effect; `nil` for other effects.
    package func emit(patience: Duration?) throws(EmitText.Problem) -> Emit? {
        switch self {
        case .emit(let line): return try Emit(line: line, patience: patience)
        case .answer(let id, let namespace, let text):
            var text = EmitText(text)
            return Emit(answering: id, try text.arguments(), namespace: namespace)
        case .join, .leave, .mute, .mark, .copy, .play, .quit, .act, .keepDraft, .findDraft: return nil
        }
    }
}
