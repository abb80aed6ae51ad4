import Recording
import Wire

/// Places that a replay can go back to: the whole state as it was there.
///
/// A state shares what did not change with the ones beside it, so that keeping one costs what changed since the one before. They stand
/// at even distances, counted in entries; when there are too many, every second one is given up and the distance doubles: any place is
/// at most one distance behind a waypoint.
struct Waypoints {
    /// A state.
    struct Waypoint {
        var position: TimelinePosition
        var tracks: [Track.Bookmark]
    }

    /// No more are kept. A million events, each with an answer now and then, stay at the closest distance.
    private static let most = 384
    /// Entries between two of them, at first. Some milliseconds to play.
    private static let closest = 4096

    private(set) var all: [Waypoint] = []
    private(set) var distance = closest

    /// Whether a state with this position is to be kept.
    func wants(_ position: TimelinePosition) -> Bool {
        guard let last = all.last else { return true }
        return position.entries >= last.position.entries + distance
    }

    mutating func add(_ waypoint: Waypoint) {
        all.append(waypoint)
        guard all.count > Self.most else { return }
        // The first one is the beginning, and stays.
        all = all.indices.filter { $0.isMultiple(of: 2) }.map { all[$0] }
        distance *= 2
    }

    /// The last one of which a condition holds, that holds for none behind one for which it does not.
    func last(where holds: (TimelinePosition) -> Bool) -> Waypoint? {
        var bounds = all.startIndex..<all.endIndex
        while !bounds.isEmpty {
            let middle = bounds.lowerBound + bounds.count / 2
            if holds(all[middle].position) {
                bounds = middle + 1..<bounds.upperBound
            } else {
                bounds = bounds.lowerBound..<middle
            }
        }
        return bounds.lowerBound > 0 ? all[bounds.lowerBound - 1] : nil
    }
}

/// How far a timeline was played.
struct TimelinePosition: Hashable {
    /// Entries played, of all recordings.
    var entries = 0
    /// Events shown by them.
    var events = 0
    /// Number of the last record.
    var number = 0
    /// Time of the last record.
    var time = Moment.zero
    /// Its wall clock; nil before the first one.
    var wall: Int64?
}
