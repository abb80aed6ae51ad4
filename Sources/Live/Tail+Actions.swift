import Network
public import Pipeline

// Actions of the user of a running tail.
extension Tail {
    /// Performs an action. The model shows it at once, and reports describe its progress. Can be called on any thread;
    /// ignored while the tail does not run.
    public nonisolated func act(_ action: Action) {
        loop.run { [self] in assumeIsolated { $0.feed(.act(action)) } }
    }
}
