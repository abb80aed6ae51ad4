import Events
import Pipeline

// The single facts of an action's change, for the printers. A fact is `nil` when the change does not have it.
extension ActionReport.Change {
    /// The change as one word, for the member `state` of the JSON form.
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

    /// The reason of a refusal or a delay. Untrusted text.
    var why: String? {
        switch self {
        case .refused(let why, _), .delayed(let why, _): why
        case .queued, .sending, .done, .dropped: nil
        }
    }

    var status: Int? { if case .refused(_, let status) = self { status } else { nil } }

    var retryIn: Duration? { if case .delayed(_, let retryIn) = self { retryIn } else { nil } }
}
