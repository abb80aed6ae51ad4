import Network
import Pipeline
import Recording

/// Answers that are large enough to be read on another thread: one at a time, the others in the order they came. There are never more than
/// there may be requests under way.
struct LargeAnswers {
    struct Waiting {
        var request: Int
        var answer: Answer
        var body: ArraySlice<UInt8>
        var reader: AnswerReader
        /// The memory of the body.
        var hold: HTTPBodyHold?
    }

    /// Bytes of a body from which on it is read elsewhere: below, the loop reads it in less than a millisecond.
    static let size = 128 << 10

    private var waiting: [Waiting] = []
    /// The one that is being read; nil when there is none.
    private var current: Waiting?

    /// Takes an answer in.
    mutating func add(_ answer: Waiting) { waiting.append(answer) }

    /// Nobody wants the answer to a request any more. The one that is being read is read to its end, for nobody.
    mutating func cancel(_ request: Int) { waiting.removeAll { $0.request == request } }

    /// The one that is to be read now.
    mutating func next() -> Waiting? {
        guard current == nil, !waiting.isEmpty else { return nil }
        current = waiting.removeFirst()
        return current
    }

    /// It was read.
    mutating func finish() { current = nil }
}

// Large bodies are read off the loop. Their answers become inputs when they were read: what is recorded is when the session handled them, and
// a replay, which reads them itself, comes to the same.
extension Tail {
    /// Takes the answer to a request of the session. A large body is held until it is written: only then another large one is read.
    func take(_ answer: Answer, to request: Int, _ hold: HTTPBodyHold?) {
        guard case .response(200..<300, let body, _) = answer, body.count >= LargeAnswers.size,
            let reader = session.reader(of: request)
        else {
            if let hold { pending.append(.hold(hold)) }
            return feed(.answered(request: request, answer))
        }
        largeAnswers.add(.init(request: request, answer: answer, body: body, reader: reader, hold: hold))
        readNext()
    }

    private func readNext() {
        guard let next = largeAnswers.next() else { return }
        let (body, reader, scrubber) = (next.body, next.reader, scrubber)
        loop.offload(named: "weir-decode") {
            let clean = scrubber?.scrubbed(body).map { $0[...] }
            return (clean: clean, reading: reader.read(clean ?? body))
        } completion: { [weak self] read in
            self?.assumeIsolated { tail in
                tail.largeAnswers.finish()
                if let hold = next.hold { tail.pending.append(.hold(hold)) }
                var answer = next.answer
                if let clean = read.clean, case .response(let status, _, let retryAfter) = answer {
                    answer = .response(status: status, body: clean, retryAfter: retryAfter)
                }
                tail.feed(.answered(request: next.request, answer), read.reading)
                tail.readNext()
            }
        }
    }
}
