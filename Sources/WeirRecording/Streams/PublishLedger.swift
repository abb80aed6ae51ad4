package import WeirWire

/// The messages to publish in one stream, in order, and how many of them the stream is known to have stored.
///
/// Many messages are in flight at once. Any of them may fail, and a message that is sent again would follow those
/// stored meanwhile. So each message names its predecessor, and the stream refuses it if something else precedes it:
/// the first message in flight names the sequence of the last chunk known to be stored; each other message names the id
/// of the message before it. After any failure the ledger sends nothing more, ignores the answers to what is in flight,
/// and asks the stream for its last chunk. Everything up to that chunk is stored; everything after it is sent again. So
/// the stream has the order of the ledger, and a message that was stored but whose acknowledgement was lost is not
/// stored twice, however long that takes.
///
/// Other publishers may use the same stream under other names. The preceding message is then not one of this ledger, so
/// the ledger sends one message at a time for a while.
///
/// The ledger is a value: it takes inputs and times and returns effects. `Payload` is the content that the caller
/// sends.
package struct PublishLedger<Payload: Sendable>: Sendable {
    /// A message to publish in the stream.
    package struct Message: Sendable {
        /// The message id, unique in the stream. It stays the same when the message is sent again.
        package var id: String
        /// The approximate size in bytes.
        package var bytes: Int
        /// The offset in the recording's text at which the message ends; `nil` if the message is not a chunk.
        package var end: Int?
        /// The content that the caller sends.
        package var payload: Payload

        package init(id: String, bytes: Int, end: Int?, payload: Payload) {
            (self.id, self.bytes, self.end, self.payload) = (id, bytes, end, payload)
        }
    }

    /// The condition on the messages that precede a new one in the stream.
    package enum Expectation: Hashable, Sendable {
        /// No condition on preceding messages.
        case nothing
        /// The last chunk has this sequence, or 0 if the stream has no chunk.
        case lastChunk(UInt64)
        /// The last message of the whole stream has this id.
        case lastID(String)
    }

    /// The position of the stream's last chunk.
    package struct Last: Hashable, Sendable {
        /// The chunk's sequence in the stream.
        package var sequence: UInt64
        /// The offset in the recording's text at which the chunk ends.
        package var end: Int
        package init(sequence: UInt64, end: Int) { (self.sequence, self.end) = (sequence, end) }

        /// The position before the first chunk.
        package static var none: Self { Self(sequence: 0, end: 0) }
    }

    /// The reasons for which a stream does not store a message.
    package enum Refusal: Hashable, Sendable {
        /// The preceding message is not the one that the message names.
        case order
        /// The cluster cannot store the message now. The value is the reason.
        case unavailable(String)
    }

    /// The events that the ledger handles.
    package enum Input: Sendable {
        case offered(Message)
        /// The message sent with this ticket is stored.
        case stored(Ticket, sequence: UInt64)
        case refused(Ticket, Refusal)
        /// The connection to the cluster is lost.
        case disconnected
        /// The answer to `Effect.ask`: the position of the last chunk.
        case found(Last)
        /// `Effect.ask` was not answered. The value is the reason.
        case unanswered(String)
        /// The time of `deadline` has passed.
        case woke
    }

    /// Identifies one attempt to send a message.
    package struct Ticket: Hashable, Sendable {
        /// The number of the message, counted from 0.
        package var number: Int
        /// The number of failures before this attempt.
        package var attempt: Int
        package init(number: Int, attempt: Int) { (self.number, self.attempt) = (number, attempt) }
    }

    /// The effects that the caller performs.
    package enum Effect: Sendable {
        case publish(Message, Ticket, Expectation)
        /// Find the last chunk of the stream and answer with `found` or `unanswered`.
        case ask
        /// The stream contains foreign messages or has lost stored ones. The ledger stops.
        case fail(Failure)
    }

    /// The reasons for which nothing more can be published.
    package enum Failure: Hashable, Sendable {
        /// The stream's last chunk ends at this offset, at which no chunk of the ledger ends.
        case foreign(end: Int)
    }

    private enum State {
        /// Messages are sent as they arrive. → resting, failed
        case flowing
        /// Nothing is sent until the given time. → asking
        case resting(until: Moment)
        /// The ledger waits for the answer to `ask`. → flowing, resting, failed
        case asking
        case failed
    }

    private struct Entry {
        var message: Message
        var isStored = false
        var sent = Moment.zero
    }

    /// The maximum number of messages in flight.
    private let window: Int
    /// The maximum number of bytes in flight; a single message may exceed it.
    private let windowBytes: Int
    /// The time after which a missing acknowledgement counts as a failure.
    private let patience: Duration
    private static var firstPause: Duration { .milliseconds(100) }
    private static var longestPause: Duration { .seconds(5) }
    /// The number of messages sent one at a time after another publisher was noticed.
    private static var politeness: Int { 64 }

    private var state = State.flowing
    private var entries: [Entry] = []
    /// The number of messages in flight: the first ones of `entries`.
    private var sent = 0
    private var sentBytes = 0
    /// The number of the first entry.
    private var base = 0
    private var attempt = 0
    private var pause = PublishLedger.firstPause
    /// The number of messages that are still sent one at a time.
    private var single = 0
    private var last: Last

    /// The time of the first failure and the latest reason, while nothing can be stored; otherwise `nil`.
    package private(set) var trouble: (since: Moment, why: String)?
    /// The number of bytes that are not known to be stored.
    package private(set) var bytes = 0

    /// Creates a ledger that continues after a stream's last chunk.
    package init(
        after last: Last = .none, window: Int = 256, windowBytes: Int = 8 << 20, patience: Duration = .seconds(2)
    ) {
        precondition(window > 0, "a window of nothing")
        self.last = last
        self.window = window
        self.windowBytes = windowBytes
        self.patience = patience
    }

    /// The number of messages that are not known to be stored.
    package var count: Int { entries.count }

    /// The messages that are not known to be stored, in order.
    package var unstored: [Message] { entries.map(\.message) }

    /// The offset in the recording's text up to which everything is stored.
    package var end: Int { last.end }

    /// The time at which the ledger needs the input `woke`; `nil` for never.
    package var deadline: Moment? {
        switch state {
        case .flowing: sent > 0 ? entries[0].sent + patience : nil
        case .resting(let until): until
        case .asking, .failed: nil
        }
    }

    /// Handles an input and appends the resulting effects.
    package mutating func handle(_ input: Input, at now: Moment, into effects: inout [Effect]) {
        switch input {
        case .offered(let message):
            entries.append(Entry(message: message))
            bytes += message.bytes
        case .stored(let ticket, let sequence): store(ticket, sequence)
        case .refused(let ticket, let refusal):
            guard ticket.attempt == attempt, case .flowing = state else { return }
            refuse(ticket, refusal, at: now)
        case .disconnected: if case .flowing = state, sent > 0 { fail("the connection was lost", at: now) }
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

    /// Removes the first entries, which are stored.
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
            // The predecessor of the first message in flight is stored, so another publisher has written since.
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
        // Also check when `found` equals `last`: a message may be acknowledged before the one that precedes it.
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
        // After a failure the next one is likely, so a single message probes the stream.
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
