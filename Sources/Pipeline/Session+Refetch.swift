import Events

// What the REST service answers.
extension Session {
    mutating func answered(_ request: Int, _ answer: Answer, into effects: inout [Effect]) {
        let body: ArraySlice<UInt8> = if case .response(_, let body, _) = answer { body } else { [] }
        switch refetcher.answered(request, answer, at: transaction.now, using: &random) {
        case .apply(let key, let isCurrent):
            history.toldOfRefusedRequests = false
            do {
                try backend.apply(body, of: key, isCurrent: isCurrent, into: &transaction)
            } catch {
                reportUndecodable(.response, subject: key.label, error.description, body, into: &effects)
                backend.failed(key, why: "the answer cannot be read", into: &transaction)
            }
        case .gone(let key): backend.gone(key, body: body, into: &transaction)
        case .tokenRefused(_, let isFirst):
            if isFirst { effects.append(.renewToken) }
        case .failed(let key, let why): backend.failed(key, why: why, into: &transaction)
        case .retrying, .unknown: break
        }
    }
}
