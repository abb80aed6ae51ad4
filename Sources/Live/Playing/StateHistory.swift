import Pipeline
import Recording

/// What of recordings a replay compared and found equal.
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

    /// The verdict, for people.
    var words: String {
        "verified, all equal: "
            + [(records, "record"), (checksums, "checksum"), (states, "state"), (requests, "request")]
            .map { "\($0) \($1)\($0 == 1 ? "" : "s")" }.joined(separator: ", ")
    }
}

/// What the model was like after the last inputs, to be compared with what a recording says of it.
struct StateHistory {
    /// A state that is asked for is that of one of the last inputs: a tail writes it with what it just did.
    private static let length = 1024

    private var states: [(after: Int, checksum: UInt64)] = []
    /// Where the oldest one is, once there are as many as are kept.
    private var oldest = 0

    private var hasWarned = false

    /// The model has this checksum after the input with this number.
    mutating func note(after number: Int, _ checksum: UInt64) {
        if states.count < Self.length {
            states.append((number, checksum))
        } else {
            states[oldest] = (number, checksum)
            oldest = (oldest + 1) % Self.length
        }
    }

    /// What is wrong with a recorded state; nil when it is right, which `verified` counts, or cannot be compared.
    func complaint(of state: Record.StateRecord, _ verified: inout VerifiedCounts) -> String? {
        guard let checksum = checksum(of: state) else { return nil }
        verified.states += 1
        if checksum == state.checksum { return nil }
        return "after record \(state.after) the model is another than the recorded one"
    }

    /// What is to be said of the first state whose checksum this version cannot compare; nil of any other.
    mutating func warning(of state: Record.StateRecord, record n: Int) -> String? {
        guard state.checksumVersion != Item.checksumVersion, !hasWarned else { return nil }
        hasWarned = true
        return "record \(n): the checksum of the state has version \(state.checksumVersion), which a later weir wrote: "
            + "states of that version are not compared"
    }

    /// The model's checksum that a recorded one must be; nil when it is too old, or of another version.
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
