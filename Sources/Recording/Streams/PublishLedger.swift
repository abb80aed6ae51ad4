package import Wire

/// What was handed over to be published in one stream, in its order, and what the stream is known to have of it.
///
/// Many messages are on their way at once, any of them may fail, and a message that is sent again would stand after those that were stored
/// meanwhile. So each one says what must stand before it, and the stream refuses it otherwise: the first on its way names the sequence of
/// the last chunk that is known to be stored; the others name the message before them. After any failure nothing more is sent, what is on
/// its way counts for nothing, and the stream is asked for its last chunk: everything up to that is stored, everything after it is sent again.
/// So the order in the stream is the order here, and a message that was stored and whose answer was lost is not stored twice, however long
/// that takes.
///
/// Others may publish in the same stream, under other names. Then the message before is not ours: one message is sent at a time for a while.
///
/// A value: it is given what happened and when, and says what is to be done. `Payload` is what the hand sends.
package struct PublishLedger<Payload: Sendable>: Sendable {
    /// What is to be published.
    package struct Message: Sendable {
        /// Unique in the stream; the same when it is sent again.
        package var id: String
        /// Bytes it takes, about.
        package var bytes: Int
        /// Where the recording's text ends with it; nil for what is no chunk.
        package var end: Int?
        /// What is sent.
        package var payload: Payload

        /// A message.
        package init(id: String, bytes: Int, end: Int?, payload: Payload) {
            (self.id, self.bytes, self.end, self.payload) = (id, bytes, end, payload)
        }
    }

    /// What must stand in the stream before a message.
    package enum Expectation: Hashable, Sendable {
        /// Anything.
        case nothing
        /// The last chunk has this sequence; 0 where there is none.
        case lastChunk(UInt64)
        /// The last message of all has this id.
        case lastID(String)
    }

    /// The last chunk in the stream.
    package struct Last: Hashable, Sendable {
        /// Its sequence.
        package var sequence: UInt64
        /// Where the recording's text ends with it.
        package var end: Int
        /// A chunk.
        package init(sequence: UInt64, end: Int) { (self.sequence, self.end) = (sequence, end) }

        /// No chunk is there.
        package static var none: Self { Self(sequence: 0, end: 0) }
    }

    /// Why a message was not stored.
    package enum Refusal: Hashable, Sendable {
        /// The message before it is not the one that it names.
        case order
        /// Nobody can store it now, and why.
        case unavailable(String)
    }

    /// What happened.
    package enum Input: Sendable {
        case offered(Message)
        /// The message that was sent with this ticket is stored.
        case stored(Ticket, sequence: UInt64)
        case refused(Ticket, Refusal)
        /// The connection is gone.
        case disconnected
        /// The answer to `Effect.ask`.
        case found(Last)
        /// The question was not answered, and why.
        case unanswered(String)
        /// Time passed: the moment of `deadline` came.
        case woke
    }

    /// A message that was sent: its number here, and in which attempt.
    package struct Ticket: Hashable, Sendable {
        /// Numbered from 0, in order.
        package var number: Int
        /// Counted up after each failure.
        package var attempt: Int
        /// A ticket.
        package init(number: Int, attempt: Int) { (self.number, self.attempt) = (number, attempt) }
    }

    /// What is to be done.
    package enum Effect: Sendable {
        case publish(Message, Ticket, Expectation)
        /// Find the last chunk.
        case ask
        /// The stream is not what it was: it holds what is not ours, or lost what it had. Nothing more is done.
        case fail(Failure)
    }

    /// Why nothing more can be published.
    package enum Failure: Hashable, Sendable {
        /// The last chunk ends elsewhere: at that byte.
        case foreign(end: Int)
    }

    private enum State {
        /// Messages are sent as they come. → resting, failed
        case flowing
        /// Nothing is sent until then. → asking
        case resting(until: Moment)
        /// The stream was asked. → flowing, resting, failed
        case asking
        case failed
    }

    private struct Entry {
        var message: Message
        var isStored = false
        var sent = Moment.zero
    }

    /// Messages on their way at most.
    private let window: Int
    /// Bytes on their way at most; one message may have more.
    private let windowBytes: Int
    /// An answer that takes longer is not waited for.
    private let patience: Duration
    private static var firstPause: Duration { .milliseconds(100) }
    private static var longestPause: Duration { .seconds(5) }
    /// After others were seen in the stream, so many messages are sent one at a time.
    private static var politeness: Int { 64 }

    private var state = State.flowing
    private var entries: [Entry] = []
    /// How many of `entries` are on their way, the first ones.
    private var sent = 0
    private var sentBytes = 0
    /// Number of the first entry.
    private var base = 0
    private var attempt = 0
    private var pause = PublishLedger.firstPause
    /// How many messages are still sent one at a time.
    private var single = 0
    private var last: Last

    /// Since when nothing could be stored, and why; nil while it can.
    package private(set) var trouble: (since: Moment, why: String)?
    /// Bytes of what is not known to be stored.
    package private(set) var bytes = 0

    /// Goes on after a stream's last chunk.
    package init(
        after last: Last = .none, window: Int = 256, windowBytes: Int = 8 << 20, patience: Duration = .seconds(2)
    ) {
        precondition(window > 0, "a window of nothing")
        self.last = last
        self.window = window
        self.windowBytes = windowBytes
        self.patience = patience
    }

    /// How many messages are not known to be stored.
    package var count: Int { entries.count }

    /// What is not known to be stored, in order.
    package var unstored: [Message] { entries.map(\.message) }

    /// Where the text ends that is known to be stored.
    package var end: Int { last.end }

    /// When the ledger wants to be woken, whatever else happens; nil for never.
    package var deadline: Moment? {
        switch state {
        case .flowing: sent > 0 ? entries[0].sent + patience : nil
        case .resting(let until): until
        case .asking, .failed: nil
        }
    }

    /// Takes what happened and adds what is to be done.
    package mutating func handle(_ input: Input, at now: Moment, into effects: inout [Effect]) {
        switch input {
        case .offered(let message):
            entries.append(Entry(message: message))
            bytes += message.bytes
        case .stored(let ticket, let sequence): store(ticket, sequence)
        case .refused(let ticket, let refusal):
            guard ticket.attempt == attempt, case .flowing = state else { return }
            refuse(ticket, refusal, at: now)
        case .disconnected: if case .flowing = state, sent > 0 { fail("the connection is gone", at: now) }
        case .found(let found): resume(after: found, at: now, &effects)
        case .unanswered(let why): if case .asking = state { fail(why, at: now) }
        case .woke: wake(at: now, &effects)
        }
        send(at: now, &effects)
    }

    private mutating func wake(at now: Moment, _ effects: inout [Effect]) {
        guard let deadline, now >= deadline else { return }
        if case .resting = state {
            state = .asking
            effects.append(.ask)
        } else {
            fail("no answer came within \(patience.components.seconds) s", at: now)
        }
    }

    private mutating func store(_ ticket: Ticket, _ sequence: UInt64) {
        let index = ticket.number - base
        guard ticket.attempt == attempt, case .flowing = state, entries.indices.contains(index), index < sent else {
            return
        }
        entries[index].isStored = true
        if let end = entries[index].message.end, sequence > last.sequence || end > last.end {
            last = Last(sequence: sequence, end: end)
        }
        let stored = entries.prefix(sent).prefix { $0.isStored }.count
        guard stored > 0 else { return }
        remove(stored)
        single = max(0, single - stored)
        trouble = nil
        pause = Self.firstPause
    }

    /// Takes the first ones away, which are stored.
    private mutating func remove(_ count: Int) {
        for (index, entry) in entries.prefix(count).enumerated() {
            bytes -= entry.message.bytes
            if index < sent { sentBytes -= entry.message.bytes }
        }
        entries.removeFirst(count)
        base += count
        sent = max(0, sent - count)
    }

    private mutating func refuse(_ ticket: Ticket, _ refusal: Refusal, at now: Moment) {
        switch refusal {
        case .unavailable(let why): fail(why, at: now)
        case .order:
            // What was before it is stored: then somebody else wrote.
            let isFirst = ticket.number == base
            if isFirst { single = Self.politeness }
            let isNews = trouble == nil
            fail("the stream has other messages than it should", at: now)
            if isFirst, isNews {
                trouble = nil
                state = .resting(until: now)
            }
        }
    }

    private mutating func fail(_ why: String, at now: Moment) {
        trouble = (trouble?.since ?? now, why)
        attempt += 1
        sent = 0
        sentBytes = 0
        for index in entries.indices { entries[index].isStored = false }
        state = .resting(until: now + pause)
        pause = min(pause * 2, Self.longestPause)
    }

    private mutating func resume(after found: Last, at now: Moment, _ effects: inout [Effect]) {
        guard case .asking = state else { return }
        // Also where it is the last that is known: an answer may have come before that of the message before.
        if let index = entries.firstIndex(where: { $0.message.end == found.end }) {
            remove(index + 1)
        } else if found.end != last.end {
            state = .failed
            effects.append(.fail(.foreign(end: found.end)))
            return
        }
        last = found
        state = .flowing
    }

    private mutating func send(at now: Moment, _ effects: inout [Effect]) {
        guard case .flowing = state else { return }
        // What failed may fail again: one message tries.
        let most = single > 0 || trouble != nil ? 1 : window
        while sent < entries.count, sent < most,
            sent == 0 || sentBytes + entries[sent].message.bytes <= windowBytes
        {
            entries[sent].sent = now
            let message = entries[sent].message
            let ticket = Ticket(number: base + sent, attempt: attempt)
            effects.append(.publish(message, ticket, expectation(of: sent)))
            sentBytes += message.bytes
            sent += 1
        }
    }

    private func expectation(of index: Int) -> Expectation {
        guard index > 0 else { return entries[0].message.end == nil ? .nothing : .lastChunk(last.sequence) }
        return .lastID(entries[index - 1].message.id)
    }
}
