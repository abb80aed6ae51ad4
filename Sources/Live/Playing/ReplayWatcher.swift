package import Pipeline
package import SectionedModel
package import Wire

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
}
