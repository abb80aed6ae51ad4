public import Events

/// A report on the progress of an action.
public struct ActionReport: Hashable, Sendable {
    /// The stages of an action.
    public enum Change: Hashable, Sendable {
        /// The action was requested. The model shows it from now on.
        case queued
        /// The request of the action goes out. Attempts count from 1.
        case sending(attempt: Int)
        /// The server performed the action. `subject` is what it created or changed, if the answer contains it.
        case done(subject: EntityID?)
        /// The server refused the action, or the action cannot be performed. `status` is the HTTP status of a refusal
        /// that has one. The words are untrusted.
        case refused(why: String, status: Int?)
        /// The server could not be reached, or cannot perform the action now. The session tries again.
        case delayed(why: String, retryIn: Duration)
        /// The action was withdrawn before it was done.
        case dropped
    }
    /// The action that the report is about.
    public var action: Action
    /// The stage that the action reached.
    public var change: Change
    /// Creates a report of an action's new stage.
    init(_ action: Action, _ change: Change) {
        self.action = action
        self.change = change
    }
}
