import Wire

// State that the view shares with the filter and the controls. Changes go both ways.
extension WatchDriver {
    /// Applies a filter setting that was changed outside the view.
    func takeFilter(into state: inout State, at now: Moment) {
        guard filter.revision != state.revision else { return }
        let (setting, revision) = filter.begin()
        (state.revision, state.told) = (revision, setting)
        state.watch.handle(.filters(setting), at: now, into: &state.effects)
        state.watch.log.countAnew()
        state.count = state.watch.log.counts
    }

    /// Publishes the filter that the user typed, once the edit is done, and the view's filter counts.
    func giveFilter(of state: inout State, at now: Moment) {
        let setting = state.watch.filters
        if setting != state.told {
            filter.change { $0 = setting }
            takeFilter(into: &state, at: now)
        }
        // Reports judged while the user edits the filter are not counted.
        guard !state.watch.editsFilter else { return }
        if state.watch.log.counts != state.count {
            // The view restarted its count. `begin()` keeps the counts so far.
            state.count = state.watch.log.counts
            _ = filter.begin()
        }
        filter.note(state.watch.log.tally, of: state.revision)
    }

    /// Applies a pause or a resume that was requested outside the view.
    func takePause(into state: inout State, at now: Moment) {
        guard let isPaused = controls?.isPaused, isPaused != state.isPaused else { return }
        state.isPaused = isPaused
        state.watch.handle(.held(isPaused), at: now, into: &state.effects)
    }

    /// Publishes a pause or a resume from the terminal.
    func givePause(of state: inout State) {
        guard let controls, state.watch.isHeld != state.isPaused else { return }
        state.isPaused = state.watch.isHeld
        controls.pause(state.isPaused)
    }
}
