import Network
public import Pipeline

// What the user of a running tail wants done.
extension Tail {
    /// Has something done: the model shows it at once, and reports tell what becomes of it. Any thread. Ignored while the tail does not run.
    public nonisolated func act(_ action: Action) {
        loop.run { [self] in assumeIsolated { $0.feed(.act(action)) } }
    }
}
