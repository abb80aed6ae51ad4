import Pipeline
import Recording
import SectionedModel

/// What the model was like after the last inputs, to be compared with what a recording says of it.
struct StateHistory {
    /// A state that is asked for is that of one of the last inputs: a tail writes it with what it just did.
    private static let length = 1024

    private var states: [(after: Int, checksum: UInt64)] = []
    /// Where the oldest one is, once there are as many as are kept.
    private var oldest = 0

    /// Whether it was asked for a state whose checksum nobody can compare.
    private(set) var isPassedOver = false

    /// The model has this checksum after the input with this number.
    mutating func note(after number: Int, _ checksum: UInt64) {
        if states.count < Self.length {
            states.append((number, checksum))
        } else {
            states[oldest] = (number, checksum)
            oldest = (oldest + 1) % Self.length
        }
    }

    /// What is wrong with a recorded state; nil when it is right, or when nobody knows. `model` is as the last input left it: a checksum of
    /// another version than it keeps is compared when that is the state that is told of.
    mutating func complaint(of state: Record.StateRecord, _ model: SectionedSnapshot<Item>) -> String? {
        if state.checksumVersion > Item.checksumVersion { isPassedOver = true }
        guard let checksum = checksum(of: state, model), checksum != state.checksum else { return nil }
        return "after record \(state.after) the model is another than the recorded one"
    }

    private func checksum(of state: Record.StateRecord, _ model: SectionedSnapshot<Item>) -> UInt64? {
        var found: (after: Int, checksum: UInt64) = (0, 0)
        var isLast = true
        for offset in 0..<states.count {
            let known = states[(oldest + offset) % states.count]
            isLast = known.after <= state.after
            if isLast { found = known }
        }
        if state.checksumVersion != Item.checksumVersion {
            return isLast ? model.checksum(version: state.checksumVersion) : nil
        }
        return found.after == 0 && states.count == Self.length ? nil : found.checksum
    }
}
