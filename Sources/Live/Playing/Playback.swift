import Wire

/// Decides when the next record of a replay is played and what a key does. Pure: it is fed keys, the real time and the times of
/// records, and nothing that is printed depends on it.
///
/// A recording's times are mapped to a *paced* time: pauses longer than the idle limit count as that limit, and with a rate each event
/// takes the same span. Paced time runs at the speed against the real clock from the last anchor on; an anchor is set whenever
/// something else than passing time moves the position.
struct Playback {
    /// How paced time runs.
    enum Pace: Hashable {
        /// It does not: everything is due at once.
        case maximum
        /// So many times as fast as the real time.
        case factor(Double)
        /// Every event takes `1 / rate` seconds, whatever the recording says.
        case rate(Double)
    }

    /// A pace as it is typed: `max`, 0.01 to 1000 times, or `20/s`.
    static func pace(typed text: String) -> Pace? {
        if text == "max" { return .maximum }
        if text.hasSuffix("/s") {
            guard let rate = Double(text.dropLast(2)), rate >= slowest, rate <= 1e6 else { return nil }
            return .rate(rate)
        }
        guard let factor = Double(text), factor >= slowest, factor <= fastest else { return nil }
        return .factor(factor)
    }

    /// The pace as it is typed.
    var typedPace: String {
        switch pace {
        case .maximum: "max"
        case .factor(let factor): Self.short(factor)
        case .rate(let rate): Self.short(rate) + "/s"
        }
    }

    private static func short(_ number: Double) -> String {
        number == number.rounded() ? "\(Int(number))" : "\(number)"
    }

    /// What is to be done now.
    enum Decision: Hashable {
        /// Play the next record.
        case play
        /// Nothing before that real moment, unless a key comes.
        case wait(until: Moment)
        /// Nothing until a key comes.
        case hold
    }

    /// Where paced time stood at a real moment.
    private struct Anchor {
        var real: Moment
        var paced: Double
    }

    private enum State {
        /// Records are due as time passes. → paused
        case playing(Anchor)
        /// Nothing is due. → playing, stepping
        case paused
        /// Everything is due until an event was shown. → paused, playing
        case stepping
    }

    private static let slowest = 0.01
    private static let fastest = 1000.0
    /// Half a century, however slow the replay and whatever the file says.
    private static let furthest = 1e15

    private(set) var pace: Pace
    private let idleLimit: Duration?
    private var state: State
    /// Paced time of the last record, and its time in the recording.
    private var paced = 0.0
    private var last: Moment

    /// A playback that stands at `position`, at the real moment `now`.
    init(pace: Pace, idleLimit: Duration?, isPaused: Bool, from position: Moment, at now: Moment) {
        self.pace = pace
        self.idleLimit = idleLimit
        last = position
        state = isPaused ? .paused : .playing(Anchor(real: now, paced: 0))
    }

    /// Whether everything is due at once, so that nobody needs to look at the clock.
    var runsFree: Bool {
        switch (state, pace) {
        case (.playing, .maximum), (.stepping, _): true
        case (.playing, .factor), (.playing, .rate), (.paused, _): false
        }
    }

    var isPaused: Bool { if case .paused = state { true } else { false } }
    var isStepping: Bool { if case .stepping = state { true } else { false } }

    /// The speed, for people.
    var paceText: String {
        switch pace {
        case .maximum: "max"
        case .factor(let factor): factor == factor.rounded() ? "\(Int(factor))×" : "\(factor)×"
        case .rate(let rate): rate == rate.rounded() ? "\(Int(rate))/s" : "\(rate)/s"
        }
    }

    /// What is to be done, when the next record has this time. `isEvent` says whether it counts for a rate.
    func decide(next time: Moment, isEvent: Bool, at now: Moment) -> Decision {
        switch state {
        case .paused: return .hold
        case .stepping: return .play
        case .playing(let anchor):
            guard let speed else { return .play }
            let ahead = (advanced(to: time, isEvent: isEvent) - anchor.paced) / speed
            let due = anchor.real.microseconds + Int64(min(max(ahead, 0), Self.furthest))
            return due <= now.microseconds ? .play : .wait(until: Moment(microseconds: due))
        }
    }

    /// A record of this time was played, and so many events were shown for it.
    mutating func played(_ time: Moment, isEvent: Bool, shown events: Int) {
        paced = advanced(to: time, isEvent: isEvent)
        last = max(last, time)
        if events > 0, isStepping { state = .paused }
    }

    /// The position was moved.
    mutating func moved(to position: Moment, at now: Moment) {
        paced = 0
        last = position
        if case .playing = state { state = .playing(Anchor(real: now, paced: 0)) }
    }

    /// Nothing more is to be played before somebody wants it.
    mutating func pause() { state = .paused }

    mutating func togglePause(at now: Moment) {
        switch state {
        case .playing: state = .paused
        case .paused, .stepping: state = .playing(Anchor(real: now, paced: paced))
        }
    }

    /// Goes on.
    mutating func resume(at now: Moment) { if isPaused || isStepping { togglePause(at: now) } }

    /// Plays so fast from here on.
    mutating func play(at pace: Pace, now: Moment) {
        let reached = self.reached(at: now)
        self.pace = pace
        if case .playing = state { state = .playing(Anchor(real: now, paced: reached)) }
    }

    /// Plays one event, then pauses.
    mutating func step() { state = .stepping }

    /// The next of the speeds 0.01, 0.02, 0.05, 0.1 … 1000, max; a rate is doubled or halved.
    mutating func changeSpeed(isFaster: Bool, at now: Moment) {
        let reached = self.reached(at: now)
        switch pace {
        case .maximum: if !isFaster { pace = .factor(Self.fastest) }
        case .factor(let factor):
            let speeds = Self.speeds
            if isFaster {
                pace = speeds.first { $0 > factor * 1.001 }.map { .factor($0) } ?? .maximum
            } else {
                pace = .factor(speeds.last { $0 < factor / 1.001 } ?? Self.slowest)
            }
        case .rate(let rate): pace = .rate(min(max(isFaster ? rate * 2 : rate / 2, Self.slowest), 1e6))
        }
        if case .playing = state { state = .playing(Anchor(real: now, paced: reached)) }
    }

    private static let speeds: [Double] = [
        0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000,
    ]

    /// Paced microseconds that pass in a real one; nil when everything is due at once.
    private var speed: Double? {
        switch pace {
        case .maximum: nil
        case .factor(let factor): factor
        case .rate: 1
        }
    }

    /// Paced time at a record of this time.
    private func advanced(to time: Moment, isEvent: Bool) -> Double {
        switch pace {
        case .rate(let rate): return paced + (isEvent ? 1e6 / rate : 0)
        case .maximum, .factor:
            let pause = max(time - last, .zero)
            return paced + Double(min(pause, idleLimit ?? pause).microseconds)
        }
    }

    /// Paced time now: between the last record's and the next one's.
    private func reached(at now: Moment) -> Double {
        guard case .playing(let anchor) = state, let speed else { return paced }
        return max(paced, anchor.paced + Double((now - anchor.real).microseconds) * speed)
    }
}
