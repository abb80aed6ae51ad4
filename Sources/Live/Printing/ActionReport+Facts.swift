import Events
import Pipeline

// What the printers say of a change of an action, one fact each; nil where it has none.
extension ActionReport.Change {
    /// In one word.
    var name: String {
        switch self {
        case .queued: "queued"
        case .sending: "sending"
        case .done: "done"
        case .refused: "refused"
        case .delayed: "delayed"
        case .dropped: "dropped"
        }
    }

    var attempt: Int? { if case .sending(let attempt) = self { attempt } else { nil } }

    var subject: EntityID? { if case .done(let subject) = self { subject } else { nil } }

    /// Untrusted text.
    var why: String? {
        switch self {
        case .refused(let why, _), .delayed(let why, _): why
        case .queued, .sending, .done, .dropped: nil
        }
    }

    var status: Int? { if case .refused(_, let status) = self { status } else { nil } }

    var retryIn: Duration? { if case .delayed(_, let retryIn) = self { retryIn } else { nil } }
}
