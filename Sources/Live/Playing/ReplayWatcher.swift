package import Pipeline
package import SectionedModel
package import Wire

/// Somebody on another thread who sees all of a replay and steers it. Called on the replay's thread; an outlet of the part `every`
/// is told what is played meanwhile.
package protocol ReplayWatcher: AnyObject, Sendable {
    /// The replay goes somewhere: what it told behind the record of that number, and behind that time, is told anew up to there, at once.
    func moves(to number: Int, at time: Moment)
    /// There it is, and the model is this. Diffs between the two are in it.
    func arrives(_ model: SectionedCollection<Item>)
    /// What was told so far is where a stream begins; the model is this.
    func begins(_ model: SectionedCollection<Item>)
    /// Nothing more comes of a stream.
    func ends(_ why: String)
    /// How far it is.
    func stands(_ standing: ReplayStanding)
    /// A line for who looks on.
    func says(_ line: String)
}

/// How far a replay is.
package struct ReplayStanding: Hashable, Sendable {
    /// Number of the record that was played last.
    package var number: Int
    /// Its time in the recording.
    package var time: Moment
    /// Its wall clock; nil before one was played.
    package var wall: Int64?
    /// Whether nothing is played until somebody wants it.
    package var isPaused: Bool
    /// The speed, for people.
    package var pace: String
    /// The marks there are, by their times.
    package var marks: [Moment]
}
