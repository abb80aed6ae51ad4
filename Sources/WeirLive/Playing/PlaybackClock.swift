import WeirWire

/// Decides when the next record of a replay is played. Pure: it receives commands, the real time and the times of
/// records. Nothing that is printed depends on it.
///
/// A recording's times are mapped to a *paced* time: pauses longer than the idle limit count as that limit, and with a
/// rate each event takes the same span. Since the last anchor, paced time has run at the chosen speed against the real
/// clock. An anchor is set whenever anything other than passing time moves the position.
struct PlaybackClock {
    /// How paced time advances relative to the real time.
    enum Pace: Hashable {
        /// Paced time does not run: every record is due at once.
        case maximum
        /// Paced time runs this many times as fast as the real time.
        case factor(Double)
        /// Every event takes `1 / rate` seconds, whatever its time in the recording.
        case rate(Double)
    }

    /// Parses a pace: `max`, a factor from 0.01 to 1000, or a rate such as `20/s`, from 0.01 to 1,000,000. Returns
    /// `nil` for any other text.
    static func pace(typed text: String) -> Pace? {
        if text == "max" { return .maximum }
        if text.hasSuffix("/s") {
            guard let rate = Double(text.dropLast(2)), rate >= slowest, rate <= 1e6 else { return nil }
            return .rate(rate)
        }
        guard let factor = Double(text), factor >= slowest, factor <= fastest else { return nil }
        return .factor(factor)
    }

    /// The pace in the syntax that `pace(typed:)` parses.
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

    /// The next step of the replay.
    enum Decision: Hashable {
        /// Play the next record now.
        case play
        /// Play nothing before this real time, unless a key arrives.
        case wait(until: Moment)
        /// Play nothing until a key arrives.
        case hold
    }

    /// The paced time at a real time. Paced time is in microseconds.
    private struct Anchor {
        var real: Moment
        var paced: Double
    }

    private enum State {
        /// Records become due as time passes. → paused
        case playing(Anchor)
        /// No record is due. → playing, stepping
        case paused
        /// Every record is due until an event has been shown. → paused, playing
        case stepping
    }

    private static let slowest = 0.01
    private static let fastest = 1000.0
    /// The longest wait, in microseconds: about 32 years. It bounds the due time, however slow the replay is and
    /// whatever the file contains.
    private static let furthest = 1e15

    private(set) var pace: Pace
    private let idleLimit: Duration?
    private var state: State
    /// The paced time of the last record in microseconds, and its time in the recording.
    private var paced = 0.0
    private var last: Moment

    /// Creates a playback at `position`, starting at the real time `now`.
    init(pace: Pace, idleLimit: Duration?, isPaused: Bool, from position: Moment, at now: Moment) {
        self.pace = pace
        self.idleLimit = idleLimit
        last = position
        state = isPaused ? .paused : .playing(Anchor(real: now, paced: 0))
    }

    /// Whether every record is due at once, so that the clock need not be read.
    var runsFree: Bool {
        switch (state, pace) {
        case (.playing, .maximum), (.stepping, _): true
        case (.playing, .factor), (.playing, .rate), (.paused, _): false
        }
    }

    var isPaused: Bool { if case .paused = state { true } else { false } }
    var isStepping: Bool { if case .stepping = state { true } else { false } }

    /// The pace for display, such as `2×` or `20/s`.
    var paceText: String {
        switch pace {
        case .maximum: "max"
        case .factor(let factor): factor == factor.rounded() ? "\(Int(factor))×" : "\(factor)×"
        case .rate(let rate): rate == rate.rounded() ? "\(Int(rate))/s" : "\(rate)/s"
        }
    }

    /// Returns what to do when the next record has this time. `isEvent` is whether the record counts as an event for a
    /// rate.
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

    /// Notes that a record with this time was played and showed this many events. A step ends once an event is shown.
    mutating func played(_ time: Moment, isEvent: Bool, shown events: Int) {
        paced = advanced(to: time, isEvent: isEvent)
        last = max(last, time)
        if events > 0, isStepping { state = .paused }
    }

    /// Sets a new anchor after the replay moved to `position`.
    mutating func moved(to position: Moment, at now: Moment) {
        paced = 0
        last = position
        if case .playing = state { state = .playing(Anchor(real: now, paced: 0)) }
    }

    /// Pauses until the user continues.
    mutating func pause() { state = .paused }

    mutating func togglePause(at now: Moment) {
        switch state {
        case .playing: state = .paused
        case .paused, .stepping: state = .playing(Anchor(real: now, paced: paced))
        }
    }

    /// Continues a paused or stepping replay.
    mutating func resume(at now: Moment) { if isPaused || isStepping { togglePause(at: now) } }

    /// Changes the pace from now on.
    mutating func play(at pace: Pace, now: Moment) {
        let reached = self.reached(at: now)
        self.pace = pace
        if case .playing = state { state = .playing(Anchor(real: now, paced: reached)) }
    }

    /// Plays until one event is shown, then pauses.
    mutating func step() { state = .stepping }

    /// Changes to the next of the factors 0.01, 0.02, 0.05, 0.1 … 1000, `max`. A rate is doubled or halved.
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

    /// The paced microseconds per real microsecond; `nil` if every record is due at once.
    private var speed: Double? {
        switch pace {
        case .maximum: nil
        case .factor(let factor): factor
        case .rate: 1
        }
    }

    /// Returns the paced time of a next record with this time in the recording.
    private func advanced(to time: Moment, isEvent: Bool) -> Double {
        switch pace {
        case .rate(let rate): return paced + (isEvent ? 1e6 / rate : 0)
        case .maximum, .factor:
            let pause = max(time - last, .zero)
            return paced + Double(min(pause, idleLimit ?? pause).microseconds)
        }
    }

    /// Returns the current paced time, which is at least that of the last record.
    private func reached(at now: Moment) -> Double {
        guard case .playing(let anchor) = state, let speed else { return paced }
        return max(paced, anchor.paced + Double((now - anchor.real).microseconds) * speed)
    }
}
