import Pipeline
import Recording

/// The numbers of items that a replay compared with the recording and found equal.
struct VerifiedCounts {
    var records = 0
    var checksums = 0
    var states = 0
    var requests = 0

    static func + (one: Self, other: Self) -> Self {
        Self(
            records: one.records + other.records, checksums: one.checksums + other.checksums,
            states: one.states + other.states, requests: one.requests + other.requests)
    }

    /// The verdict as a sentence for the user.
    var words: String {
        "verified, all equal: "
            + [(records, "record"), (checksums, "checksum"), (states, "state"), (requests, "request")]
            .map { "\($0) \($1)\($0 == 1 ? "" : "s")" }.joined(separator: ", ")
    }
}

/// The checksums of the model after the most recent inputs, to compare with the states in a recording.
struct StateHistory {
    /// The number of states kept. A recorded state follows one of the last inputs, since a tail writes it together with
    /// what it just did.
    private static let length = 1024

    private var states: [(after: Int, checksum: UInt64)] = []
    /// The index of the oldest state, once the buffer is full.
    private var oldest = 0

    private var hasWarned = false

    /// Notes the model's checksum after the input with this number.
    mutating func note(after number: Int, _ checksum: UInt64) {
        if states.count < Self.length {
            states.append((number, checksum))
        } else {
            states[oldest] = (number, checksum)
            oldest = (oldest + 1) % Self.length
        }
    }

    /// Returns how a recorded state differs from the model's, or `nil` if it is equal or cannot be compared. Each
    /// comparison is counted in `verified`.
    func complaint(of state: Record.StateRecord, _ verified: inout VerifiedCounts) -> String? {
        guard let checksum = checksum(of: state) else { return nil }
        verified.states += 1
        if checksum == state.checksum { return nil }
        return "after record \(state.after) the model differs from the recorded one"
    }

    /// Returns a warning for the first state whose checksum version is not supported, and `nil` for every other state.
    mutating func warning(of state: Record.StateRecord, record n: Int) -> String? {
        guard state.checksumVersion != Item.checksumVersion, !hasWarned else { return nil }
        hasWarned = true
        return
            "record \(n): the checksum of the state has version \(state.checksumVersion), written by a later version of weir: "
            + "states of that version are not compared"
    }

    /// Returns the model's checksum for a recorded state, or `nil` if the state is too old or has another version.
    private func checksum(of state: Record.StateRecord) -> UInt64? {
        guard state.checksumVersion == Item.checksumVersion else { return nil }
        var newest: (after: Int, checksum: UInt64) = (0, 0)
        for offset in 0..<states.count {
            let known = states[(oldest + offset) % states.count]
            if known.after <= state.after { newest = known }
        }
        return newest.after == 0 && states.count == Self.length ? nil : newest.checksum
    }
}
