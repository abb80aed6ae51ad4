import JSONText
import Pipeline
import Recording
import Wire

extension SecretScrubber {
    /// Returns an input without the secrets that a server put into it, or `nil` if it contains none. Actions of the
    /// user are never changed.
    func scrubbed(_ input: Input) -> Input? {
        switch input {
        case .message(let connection, let message):
            return scrubbed(message).map { .message(connection: connection, $0) }
        case .answered(let request, let answer): return scrubbed(answer).map { .answered(request: request, $0) }
        case .closed(let connection, var close):
            close.reason = scrubbed(close.reason)
            return .closed(connection: connection, close)
        case .failed(let connection, var failure):
            failure.message = scrubbed(failure.message)
            return .failed(connection: connection, failure)
        case .remembered(var memory):
            // The store may have been written before the current rules existed.
            guard let rows = scrubbed(memory.rows[...]) else { return nil }
            memory.rows = rows
            return .remembered(memory)
        case .pushed(let payload): return scrubbed(payload.bytes).map { .pushed(RawJSON(unchecked: $0[...])) }
        case .start, .opened, .reading, .tokenRenewed, .act, .dropAction, .retryAction, .cancel, .restoreOutbox, .want,
            .unwant, .only, .resetRooms, .share, .withdraw, .look, .refetch, .select, .emit, .stop:
            return nil
        }
    }

    /// Returns an answer without secrets, or `nil` if it contains none.
    func scrubbed(_ answer: Answer) -> Answer? {
        switch answer {
        case .response(let status, let body, let retryAfter):
            scrubbed(body).map { .response(status: status, body: $0[...], retryAfter: retryAfter) }
        case .failure(let kind, let message): .failure(kind: kind, message: scrubbed(message))
        }
    }
}
