import Testing
import WeirWire

@testable import WeirRecording

/// A stream that behaves like JetStream: a message with a known id is not stored again, and a message with a
/// wrong expected position is refused.
private struct PretendedStream {
    struct Stored: Equatable {
        var id: String
        var end: Int?
        var sequence: UInt64
    }

    var messages: [Stored] = []
    var next: UInt64 = 1
    /// Whether ids are remembered. A stream forgets them after a while.
    var remembers = true

    var lastChunk: PublishLedger<Int>.Last {
        messages.last { $0.end != nil }.map { .init(sequence: $0.sequence, end: $0.end ?? 0) } ?? .none
    }

    mutating func publish(
        _ message: PublishLedger<Int>.Message, _ expectation: PublishLedger<Int>.Expectation
    ) -> Result<UInt64, Refused> {
        if remembers, let known = messages.first(where: { $0.id == message.id }) { return .success(known.sequence) }
        switch expectation {
        case .nothing: break
        case .lastChunk(let sequence): if lastChunk.sequence != sequence { return .failure(Refused()) }
        case .lastID(let id): if messages.last?.id != id { return .failure(Refused()) }
        }
        messages.append(Stored(id: message.id, end: message.end, sequence: next))
        next += 1
        return .success(next - 1)
    }

    struct Refused: Error {}
}

@Suite struct `Ordered publishing` {
    typealias Ledger = PublishLedger<Int>

    private func message(_ number: Int, isChunk: Bool = true) -> Ledger.Message {
        .init(id: "m\(number)", bytes: 100, end: isChunk ? (number + 1) * 100 : nil, payload: number)
    }

    private func moment(_ milliseconds: Int64) -> Moment { Moment(microseconds: milliseconds * 1000) }

    private func published(_ effects: [Ledger.Effect]) -> [(number: Int, ticket: Ledger.Ticket, Ledger.Expectation)] {
        effects.compactMap { effect in
            if case .publish(let message, let ticket, let expectation) = effect {
                (message.payload, ticket, expectation)
            } else {
                nil
            }
        }
    }

    @Test("The first message expects the last chunk, and every other one the message before it")
    func expectations() {
        var ledger = Ledger(after: .init(sequence: 7, end: 0))
        var effects: [Ledger.Effect] = []
        for number in 0..<3 { ledger.handle(.offered(message(number)), at: .zero, into: &effects) }
        #expect(published(effects).map { $0.2 } == [.lastChunk(7), .lastID("m0"), .lastID("m1")])
        ledger.handle(.stored(.init(number: 0, attempt: 0), sequence: 8), at: .zero, into: &effects)
        #expect(ledger.count == 2)
        #expect(ledger.end == 100)
        #expect(ledger.bytes == 200)
    }

    @Test("Messages beyond the window wait until one is stored")
    func window() {
        var ledger = Ledger(window: 2)
        var effects: [Ledger.Effect] = []
        for number in 0..<4 { ledger.handle(.offered(message(number)), at: .zero, into: &effects) }
        #expect(published(effects).map(\.number) == [0, 1])
        ledger.handle(.stored(.init(number: 0, attempt: 0), sequence: 1), at: .zero, into: &effects)
        #expect(published(effects).map(\.number) == [0, 1, 2])
    }

    @Test("After a failure the stream is queried, and then only missing messages are sent")
    func failure() {
        var ledger = Ledger()
        var effects: [Ledger.Effect] = []
        for number in 0..<4 { ledger.handle(.offered(message(number)), at: .zero, into: &effects) }
        ledger.handle(.refused(.init(number: 1, attempt: 0), .unavailable("no leader")), at: .zero, into: &effects)
        effects = []
        // An answer to the failed attempt is ignored.
        ledger.handle(.stored(.init(number: 0, attempt: 0), sequence: 1), at: .zero, into: &effects)
        ledger.handle(.offered(message(4)), at: .zero, into: &effects)
        #expect(effects.isEmpty)
        #expect(ledger.deadline == moment(100))
        ledger.handle(.woke, at: moment(100), into: &effects)
        guard case .ask? = effects.first, effects.count == 1 else {
            Issue.record("the stream is not asked")
            return
        }
        effects = []
        ledger.handle(.found(.init(sequence: 2, end: 200)), at: moment(100), into: &effects)
        // A single message is retried.
        #expect(published(effects).map(\.number) == [2])
        #expect(published(effects).map { $0.2 } == [.lastChunk(2)])
        ledger.handle(.stored(.init(number: 2, attempt: 1), sequence: 3), at: moment(101), into: &effects)
        #expect(published(effects).map(\.number) == [2, 3, 4])
    }

    @Test("A missing answer is awaited for two seconds, then the pauses grow to five")
    func patience() {
        var ledger = Ledger()
        var effects: [Ledger.Effect] = []
        ledger.handle(.offered(message(0)), at: .zero, into: &effects)
        #expect(ledger.deadline == moment(2000))
        var now = moment(2000)
        var pauses: [Int64] = []
        ledger.handle(.woke, at: now, into: &effects)
        for _ in 0..<8 {
            guard let deadline = ledger.deadline else { break }
            pauses.append((deadline - now).microseconds / 1000)
            now = deadline
            ledger.handle(.woke, at: now, into: &effects)
            ledger.handle(.unanswered("away"), at: now, into: &effects)
        }
        #expect(ledger.trouble?.since == moment(2000))
        #expect(pauses == [100, 200, 400, 800, 1600, 3200, 5000, 5000])
    }

    @Test("Another recording at its place ends the publishing")
    func foreign() {
        var ledger = Ledger()
        var effects: [Ledger.Effect] = []
        ledger.handle(.offered(message(0)), at: .zero, into: &effects)
        ledger.handle(.refused(.init(number: 0, attempt: 0), .order), at: .zero, into: &effects)
        ledger.handle(.woke, at: .zero, into: &effects)
        effects = []
        ledger.handle(.found(.init(sequence: 9, end: 7777)), at: .zero, into: &effects)
        guard case .fail(.foreign(end: 7777))? = effects.first else {
            Issue.record("it goes on")
            return
        }
    }

    @Test("Whatever fails, the stream contains every message once and in order", arguments: 0..<300)
    func histories(seed: UInt64) {
        var random = RandomSource(seed: seed)
        var stream = PretendedStream()
        stream.remembers = seed % 3 != 0
        let others = seed % 4 == 0
        let hasEvents = stream.remembers && seed % 2 == 0
        var ledger = Ledger(window: Int.random(in: 1...8, using: &random))
        var effects: [Ledger.Effect] = []
        var now = Moment.zero
        /// Messages and answers in transit; each list is in order, like a connection.
        var sent: [(Ledger.Message, Ledger.Ticket, Ledger.Expectation)] = []
        var answers: [Ledger.Input] = []
        let count = 40
        var offered = 0
        var steps = 0
        while offered < count || ledger.count > 0 {
            steps += 1
            guard steps < 20_000 else {
                Issue.record("it does not end")
                return
            }
            let isCalm = steps > 4000
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1:
                guard offered < count else { break }
                ledger.handle(
                    .offered(message(offered, isChunk: !hasEvents || offered % 3 != 1)), at: now, into: &effects)
                offered += 1
            case 2, 3, 4:
                guard !sent.isEmpty else { break }
                let (message, ticket, expectation) = sent.removeFirst()
                // Lost in transit, refused by a cluster without a leader, or stored.
                let fate = isCalm ? 9 : Int.random(in: 0..<20, using: &random)
                if fate == 0 { break }
                if fate == 1 {
                    answers.append(.refused(ticket, .unavailable("no leader")))
                    break
                }
                switch stream.publish(message, expectation) {
                case .success(let sequence): if fate != 2 { answers.append(.stored(ticket, sequence: sequence)) }
                case .failure: answers.append(.refused(ticket, .order))
                }
            case 5, 6, 7: if !answers.isEmpty { ledger.handle(answers.removeFirst(), at: now, into: &effects) }
            case 8:
                if let deadline = ledger.deadline { now = max(now, deadline) }
                ledger.handle(.woke, at: now, into: &effects)
            default:
                if others, !isCalm, Int.random(in: 0..<3, using: &random) == 0 {
                    stream.messages.append(.init(id: "other\(stream.next)", end: nil, sequence: stream.next))
                    stream.next += 1
                }
                if Int.random(in: 0..<30, using: &random) == 0, !isCalm {
                    ledger.handle(.disconnected, at: now, into: &effects)
                }
            }
            let due = effects
            effects = []
            for effect in due {
                switch effect {
                case .publish(let message, let ticket, let expectation): sent.append((message, ticket, expectation))
                case .ask:
                    let isAnswered = isCalm || Int.random(in: 0..<4, using: &random) > 0
                    answers.append(isAnswered ? .found(stream.lastChunk) : .unanswered("away"))
                case .fail(let failure):
                    Issue.record("it fails: \(failure)")
                    return
                }
            }
        }
        let mine = stream.messages.filter { $0.id.hasPrefix("m") }
        let chunks = mine.filter { $0.end != nil }.map(\.id)
        #expect(chunks == (0..<count).filter { !hasEvents || $0 % 3 != 1 }.map { "m\($0)" })
        #expect(Set(mine.map(\.id)).count == count)
        #expect(mine.count == count)
    }
}
