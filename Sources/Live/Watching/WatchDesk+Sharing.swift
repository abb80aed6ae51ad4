import Wire

// What the view has in common with others: they may change it, and are told what it makes of it.
extension WatchDesk {
    /// Somebody else may have changed what is shown.
    func takeFilter(into state: inout State, at now: Moment) {
        guard filter.revision != state.revision else { return }
        let (setting, revision) = filter.begin()
        (state.revision, state.told) = (revision, setting)
        state.watch.handle(.filters(setting), at: now, into: &state.effects)
        state.watch.log.countAnew()
        state.count = state.watch.log.counts
    }

    /// What somebody typed is for all, once it is done; so is what was left out.
    func giveFilter(of state: inout State, at now: Moment) {
        let setting = state.watch.filters
        if setting != state.told {
            filter.change { $0 = setting }
            takeFilter(into: &state, at: now)
        }
        // What is judged while it is typed is nobody's count.
        guard !state.watch.editsFilter else { return }
        if state.watch.log.counts != state.count {
            // It began to count anew: what it counted before stays counted.
            state.count = state.watch.log.counts
            _ = filter.begin()
        }
        filter.note(state.watch.log.tally, of: state.revision)
    }

    /// Somebody else may have paused the view, or had it go on.
    func takePause(into state: inout State, at now: Moment) {
        guard let isPaused = controls?.isPaused, isPaused != state.isPaused else { return }
        state.isPaused = isPaused
        state.watch.handle(.held(isPaused), at: now, into: &state.effects)
    }

    /// What is done at the terminal others may ask for.
    func givePause(of state: inout State) {
        guard let controls, state.watch.isHeld != state.isPaused else { return }
        state.isPaused = state.watch.isHeld
        controls.pause(state.isPaused)
    }
}
