import JSONText
import Pipeline
import Wire

// What the printers say of an emit.
extension EmitReport {
    /// Whether somebody should look at it.
    var isProblem: Bool { outcome.why != nil || outcome == .timedOut }

    /// What became of it, in one sentence.
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
    /// In one word.
    var name: String {
        switch self {
        case .sent: "sent"
        case .answered: "answered"
        case .timedOut: "timed_out"
        case .lost: "lost"
        case .refused: "refused"
        }
    }

    /// Untrusted text.
    var why: String? {
        switch self {
        case .lost(let why), .refused(let why): why
        case .sent, .answered, .timedOut: nil
        }
    }

    /// With its binary data in the arguments.
    var answer: SocketIO.Acknowledgement? { if case .answered(let answer) = self { answer.whole } else { nil } }
}

extension SocketIO.Acknowledgement {
    /// The array of an event of that name with the same arguments, for a filter to look into.
    func event(named name: String) -> RawJSON {
        var writer = JSONWriter()
        writer.beginArray()
        writer.string(name)
        for value in values { writer.raw(value) }
        writer.endArray()
        return RawJSON(unchecked: writer.bytes[...])
    }
}
