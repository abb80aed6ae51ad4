import Recording
import SectionedModel

/// What the model was like after the last inputs, to be compared with what a recording says of it.
struct StateHistory {
    /// A state that is asked for is that of one of the last inputs: a tail writes it with what it just did.
    private static let length = 1024

    private var states: [(after: Int, checksum: UInt64)] = []
    /// Where the oldest one is, once there are as many as are kept.
    private var oldest = 0

    /// The model has this checksum after the input with this number.
    mutating func note(after number: Int, _ checksum: UInt64) {
        if states.count < Self.length {
            states.append((number, checksum))
        } else {
            states[oldest] = (number, checksum)
            oldest = (oldest + 1) % Self.length
        }
    }

    /// What is wrong with a recorded state; nil when it is right, or so old that nobody knows.
    func complaint(of state: Record.StateRecord, record n: Int) -> String? {
        var newest: (after: Int, checksum: UInt64) = (0, 0)
        for offset in 0..<states.count {
            let known = states[(oldest + offset) % states.count]
            if known.after <= state.after { newest = known }
        }
        if newest.after == 0, states.count == Self.length { return nil }
        guard newest.checksum != state.checksum else { return nil }
        return "after record \(state.after) the model is another than the recorded one"
    }
}
