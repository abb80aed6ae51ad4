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
        guard let operation = operation(deed, a, b) else { return }
        figures.deeds += 1
        let time = Timestamp(milliseconds: Self.epoch + now.microseconds / 1_000)
        let action = Action(id: EntityID("deed \(deeds.count)"), operation, asked: time)
        deeds.append(action)
        feed(.act(action))
    }

    private mutating func look(_ number: Int) {
        let places = server.workspaces
        let place = places[number % places.count]
        figures.looks += 1
        self.place = place
        feed(.select(room: "/companies/\(server.company)/workspaces/\(place)/channels?type=public"))
    }

    private func operation(_ deed: Deed, _ a: Int, _ b: Int) -> Action.Operation? {
        let text = "Deed \(deeds.count)"
        switch deed {
        case .send: return channel(a).map { .send(channel: $0, thread: nil, text: text) }
        case .answer:
            return message(a, own: false).map {
                .send(channel: $0.channel, thread: $0.thread ?? $0.message, text: text)
            }
        case .amend: return message(a, own: true).map { .edit($0, text: text) }
        case .retract: return message(a, own: true).map { .delete($0) }
        case .cheer: return message(a, own: false).map { .react($0, names: b % 3 == 0 ? [] : [b % 3 == 1 ? "👍" : "🎉"]) }
        case .see: return channel(a).map { .markRead(channel: $0) }
        case .look: return nil
        }
    }

    private func channel(_ number: Int) -> EntityID? {
        let ids: [EntityID] = session.model.sectionKeys.flatMap { session.model.elements(in: $0) }.compactMap { item in
            if case .twakeChannel(let channel) = item.entity { channel.id } else { nil }
        }
        return ids.isEmpty ? nil : ids[number % ids.count]
    }

    /// One of the messages that the model shows, the newest first; those that are on their way included.
    private func message(_ number: Int, own: Bool) -> Action.MessageReference? {
        var found: [Action.MessageReference] = []
        for item in session.model.sectionKeys.flatMap({ session.model.elements(in: $0) }) {
            guard case .twakeMessage(let message) = item.entity, let channel = message.channel,
                message.text != "Deleted message", !own || message.user == server.me
            else { continue }
            found.append(
                Action.MessageReference(
                    channel: channel, message: item.id.id, thread: message.isHead ? nil : message.thread))
        }
        return found.isEmpty ? nil : found[found.count - 1 - number % found.count]
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
        let truth = server.truth
        let channels = Set(truth.channels.map(\.id))
        let messages = truth.channels.flatMap { $0.threads.flatMap(\.messages) }
        let times = Dictionary(messages.map { ($0.id, $0.createdAt) }) { first, _ in first }
        var latest: [EntityID: Timestamp] = [:]
        for (index, deed) in deeds.enumerated() {
            let fate = fates[deed.id]
            if case .done = fate { figures.deedsDone += 1 }
            guard case .send(let channel, _, let text) = deed.operation else { continue }
            let count = messages.count { $0.text == text }
            if count > 1, !movedDeeds.contains(text) { faults.append("deed \(index) was done \(count) times") }
            if case .dropped = fate, count > 0, !deedsInDoubt.contains(deed.id) {
                faults.append("deed \(index) was done, but is said to have failed")
            }
            guard case .done(let subject?) = fate, channels.contains(channel) else { continue }
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
        for thread in server.truth.channels.flatMap(\.threads) {
            for message in thread.messages where message.text.hasPrefix("Deed ") { places[message.text] = thread.id }
        }
        return places
    }

    /// Performs a move, and notes which of our messages are elsewhere by it.
    mutating func noteMovedDeeds(_ move: (inout Self) -> Void) {
        let before = deedPlaces
        move(&self)
        for (text, thread) in deedPlaces where before[text] != thread { movedDeeds.insert(text) }
    }
}
