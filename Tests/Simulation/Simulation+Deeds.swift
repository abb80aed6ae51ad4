import WeirDemoServer
import WeirEvents
import WeirModel
import WeirPipeline
import WeirWire

// The actions of the session's user, and the checks that each was done once and in order.
extension Simulation {
    mutating func perform(_ deed: Deed, _ a: Int, _ b: Int) {
        // A sleeping machine has no user input.
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
        let rooms = session.subscriptions.entries
        guard !rooms.isEmpty else { return }
        figures.pauses += 1
        feed(.unwant(rooms: [rooms[number % rooms.count].name], lasting: span))
    }

    /// Discards failed actions. They stay visible until the user does this.
    mutating func dropFailedDeeds() {
        for deed in deeds {
            if case .refused = fates[deed.id] { feed(.dropAction(deed.id)) }
        }
    }

    /// Checks the messages that the session sent. Each exists at most once. One reported as sent exists, and one
    /// reported as failed does not. Those in the same channel are in the order in which they were requested.
    ///
    /// There are two exceptions that no client can detect. A message that was moved to another thread before its answer
    /// arrived is not where the client looks for it, and messages of era A contain nothing that identifies them
    /// elsewhere; it may exist twice. A message of unknown fate is given up, with a note to check, when its channel is
    /// gone or reported gone; it may exist.
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
                // After someone edited it, its text alone would not find it.
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

    /// The threads of the session's messages, by their texts.
    private var deedPlaces: [String: EntityID] {
        var places: [String: EntityID] = [:]
        for message in server.sayings where message.text.hasPrefix("Deed ") { places[message.text] = message.thread }
        return places
    }

    /// Performs a move, and notes which of the session's messages it moved.
    mutating func noteMovedDeeds(_ move: (inout Self) -> Void) {
        let before = deedPlaces
        move(&self)
        for (text, thread) in deedPlaces where before[text] != thread { movedDeeds.insert(text) }
    }
}
