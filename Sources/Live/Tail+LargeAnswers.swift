import Network
import Pipeline
import Recording

/// The large answers that are decoded on another thread, one at a time and in order of arrival. The limit on concurrent
/// requests bounds their number.
struct LargeAnswers {
    struct Waiting {
        var request: Int
        var answer: Answer
        var body: ArraySlice<UInt8>
        var reader: AnswerReader
        /// The hold on the memory of the body.
        var hold: HTTPBodyHold?
    }

    /// The body size, in bytes, from which an answer is decoded on another thread. The loop decodes smaller ones in
    /// less than a millisecond.
    static let size = 128 << 10

    private var waiting: [Waiting] = []
    /// The answer being decoded; `nil` if none is.
    private var current: Waiting?

    /// Appends an answer to the queue.
    mutating func add(_ answer: Waiting) { waiting.append(answer) }

    /// Removes the answer to a cancelled request. An answer that is being decoded is decoded to its end and then
    /// ignored.
    mutating func cancel(_ request: Int) { waiting.removeAll { $0.request == request } }

    /// Returns the answer to decode next; `nil` while one is being decoded or none waits.
    mutating func next() -> Waiting? {
        guard current == nil, !waiting.isEmpty else { return nil }
        current = waiting.removeFirst()
        return current
    }

    /// Marks the current answer as decoded.
    mutating func finish() { current = nil }
}

// Large bodies are decoded off the loop. Their answers become inputs once they are decoded. The recording contains the
// time at which the session handled them, and a replay, which decodes them itself, gets the same result.
extension Tail {
    /// Feeds the answer to a session's request, or queues it for decoding if its body is large. Holds the memory of a
    /// large body until the body is written; the HTTP client reads no other large body before that.
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
