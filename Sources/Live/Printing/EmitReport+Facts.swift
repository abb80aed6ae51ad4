import JSONText
import Pipeline
import Wire

// The facts of an emit, for the printers.
extension EmitReport {
    /// Whether the emit failed and needs the user's attention.
    var isProblem: Bool { outcome.why != nil || outcome == .timedOut }

    /// The outcome in one sentence. It may contain untrusted text.
    var sentence: String {
        let name = name + (ackID.map { " #\($0)" } ?? "")
        let time = TimeText.span(milliseconds: duration.microseconds / 1000)
        return switch outcome {
        case .sent: isAnswer ? "\(name) answered" : "\(name) sent"
        case .answered(let answer): "\(name) after \(time)  \(answer.sized.arguments)"
        case .timedOut: "\(name) was not acknowledged within \(time)"
        case .lost(let why): "\(name) may not have arrived: \(why)"
        case .refused(let why): "\(name) was not sent: \(why)"
        }
    }
}

extension EmitReport.Outcome {
    /// The outcome as one word, for the member `state` of the JSON form.
    var name: String {
        switch self {
        case .sent: "sent"
        case .answered: "answered"
        case .timedOut: "timed_out"
        case .lost: "lost"
        case .refused: "refused"
        }
    }

    /// The reason of a loss or a refusal. Untrusted text.
    var why: String? {
        switch self {
        case .lost(let why), .refused(let why): why
        case .sent, .answered, .timedOut: nil
        }
    }

    /// The answer, with its binary attachments in the arguments; `nil` without an answer.
    var answer: SocketIO.Acknowledgement? { if case .answered(let answer) = self { answer.whole } else { nil } }
}

extension SocketIO.Acknowledgement {
    /// Returns the answer as a JSON array in the form of an event: the name, then the arguments. Filters can read that
    /// form.
    func event(named name: String) -> RawJSON {
        var writer = JSONWriter()
        writer.beginArray()
        writer.string(name)
        for value in values { writer.raw(value) }
        writer.endArray()
        return RawJSON(unchecked: writer.bytes[...])
    }
}
