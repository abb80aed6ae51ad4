public import Events

/// What became of an action.
public struct ActionReport: Hashable, Sendable {
    /// How far it is.
    public enum Change: Hashable, Sendable {
        /// It was asked for; the model shows it from now on.
        case queued
        /// Its request goes out.
        case sending(attempt: Int)
        /// The server did it; what it made or changed, where the answer says.
        case done(subject: EntityID?)
        /// The server refused it, or it cannot be done; `status` where the server said it with one. The words are untrusted.
        case refused(why: String, status: Int?)
        /// The server could not be reached, or could not do it now: it is tried again.
        case delayed(why: String, retryIn: Duration)
        /// It was taken back before it was done.
        case dropped
    }
    /// The action.
    public var action: Action
    /// What became of it.
    public var change: Change
    /// A report of an action.
    init(_ action: Action, _ change: Change) {
        self.action = action
        self.change = change
    }
}
