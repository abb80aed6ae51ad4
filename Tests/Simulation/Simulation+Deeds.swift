import DemoServer
import Events
import Pipeline
import SectionedModel
import Wire

// What the user of the session wants done, and whether it was done once and in order.
extension Simulation {
    mutating func perform(_ deed: Deed, _ a: Int, _ b: Int) {
        // Nobody types on a machine that sleeps.
        guard asleepUntil == nil else { return }
        if deed == .look { return look(a) }
        if deed == .pause { return pause(a, for: .seconds(b)) }
        guard let operation = server.operation(deed, a, b, text: "Deed \(deeds.count)", on: session) else { return }
        figures.deeds += 1
        let time = Timestamp(milliseconds: Self.epoch + now.microseconds / 1_000)
        let action = Action(id: EntityID("deed \(deeds.count)"), operation, asked: time)
        deeds.append(action)
        feed(.act(action))
    }

    private mutating func look(_ number: Int) {
        guard let (place, room) = server.place(number) else { return }
        figures.looks += 1
        self.place = place
        feed(.select(room))
    }

    private mutating func pause(_ number: Int, for span: Duration) {
        let rooms = session.roomBook.entries
        guard !rooms.isEmpty else { return }
        figures.pauses += 1
        feed(.unwant(rooms: [rooms[number % rooms.count].name], lasting: span))
    }

    /// What failed is shown until the user takes it back.
    mutating func dropFailedDeeds() {
        for deed in deeds {
            if case .refused = fates[deed.id] { feed(.dropAction(deed.id)) }
        }
    }

    /// Each message of ours is there once at most; one that was said to be sent is there; one that was said to have failed is not; those
    /// of one channel are in the order in which they were asked for.
    ///
    /// Two things no client can know. A message that was moved to another thread before its answer came is not where it would be looked
    /// for, and era A's messages say nothing by which they could be known elsewhere: such a one may be there twice. And one of which
    /// nobody knows whether it was sent is given up with these words when its channel is gone, or is said to be: it may be there.
    mutating func checkDeeds() {
        let channels = server.conversations
        let messages = server.sayings
        let times = Dictionary(messages.map { ($0.id, $0.createdAt) }) { first, _ in first }
        var latest: [EntityID: Timestamp] = [:]
        for (index, deed) in deeds.enumerated() {
            let fate = fates[deed.id]
            if case .done = fate { figures.deedsDone += 1 }
            guard case .send(let channel, _, let text) = deed.operation else { continue }
            let count = messages.count { $0.text == text || $0.word == deed.id.description }
            if count > 1, !movedDeeds.contains(text) { faults.append("deed \(index) was done \(count) times") }
            if case .dropped = fate, count > 0, !deedsInDoubt.contains(deed.id) {
                faults.append("deed \(index) was done, but is said to have failed")
            }
            guard case .done(let subject) = fate, channels.contains(channel) else { continue }
            guard let subject else {
                // By its text alone it could not be found once somebody has edited it.
                let isKnown = messages.contains { $0.word != nil }
                if isKnown, count == 0 { faults.append("deed \(index) is said to be done, but is nowhere") }
                continue
            }
            guard let time = times[subject] else {
                faults.append("deed \(index) is said to be done, but is not there")
                continue
            }
            if let before = latest[channel], time < before {
                faults.append("deed \(index) was done before an earlier one of its channel")
            }
            latest[channel] = time
        }
    }

    /// Where our messages are, by their texts.
    private var deedPlaces: [String: EntityID] {
        var places: [String: EntityID] = [:]
        for message in server.sayings where message.text.hasPrefix("Deed ") { places[message.text] = message.thread }
        return places
    }

    /// Performs a move, and notes which of our messages are elsewhere by it.
    mutating func noteMovedDeeds(_ move: (inout Self) -> Void) {
        let before = deedPlaces
        move(&self)
        for (text, thread) in deedPlaces where before[text] != thread { movedDeeds.insert(text) }
    }
}
