import WeirPipeline
import WeirRecording

/// How a replay answers the requests of its session.
public enum RefetchPolicy: String, Hashable, Sendable, CaseIterable {
    /// Use the recording's answers. A request that the recording does not contain ends the replay.
    case recorded
    /// As `recorded`, but a request that the recording does not contain is answered with status 404 and an empty
    /// object.
    case stub
    /// Leave all requests without an answer.
    case off
}

/// Compares the requests that the session makes with the recorded ones. The same build makes the same requests in the
/// same order and with the same numbers. Another build may not, and a filtered file may lack requests.
///
/// A tail writes a request after the input that caused it and before the next input. A request that changes something
/// waits for the store and may come later. So a reading request without a record by the next input is one that the
/// recording does not contain.
struct RequestLedger {
    /// A request of the session that has not met its record yet.
    struct Open {
        var id: Int
        var method: String
        var target: String
        /// The number of the record that caused the request.
        var cause: Int
    }

    let policy: RefetchPolicy
    /// Whether records are known to be missing, so that a missing request proves nothing.
    var isDamaged = false
    private var open: [Open] = []

    init(policy: RefetchPolicy) { self.policy = policy }

    /// Notes a request of the session.
    mutating func asked(_ request: FetchRequest) {
        guard policy != .off else { return }
        open.append(Open(id: request.id, method: request.method, target: request.target, cause: request.cause))
    }

    /// Handles a recorded request: removes and returns the session's request with that number, if there is one.
    mutating func met(_ id: Int) -> Open? {
        open.firstIndex { $0.id == id }.map { open.remove(at: $0) }
    }

    /// Returns how a recorded request differs from the session's own, or `nil` if they are the same.
    func complaint(of own: Open, _ method: String, _ url: String, record n: Int) -> String? {
        if own.method == method, Self.isSame(url: url, target: own.target) || isDamaged { return nil }
        return "record \(n) is the request \(method) \(url), but this replay requests \(own.method) \(own.target)"
    }

    /// Removes and returns the reading requests that have no record, with a complaint for each. Call this before the
    /// next input.
    mutating func takeUnknown() -> [(id: Int, method: String, complaint: String)] {
        guard !open.isEmpty else { return [] }
        let unknown = open.filter { $0.method == "GET" }
        guard !unknown.isEmpty else { return [] }
        open.removeAll { $0.method == "GET" }
        return unknown.map { request in
            let place = request.cause > 0 ? "after record \(request.cause) " : ""
            return (
                request.id, request.method,
                "\(place)this replay requests \(request.method) \(request.target), which the recording does not contain"
            )
        }
    }

    /// Returns whether a recorded URL is the target of a request. The URL contains the server's address, and may lack
    /// secrets.
    private static func isSame(url: String, target: String) -> Bool {
        if url.utf8.elementsEqual(target.utf8) { return true }
        if let hidden = url.firstIndex(of: "‹") {
            guard let path = Record.HTTPRecord.target(of: url[..<hidden]) else { return true }
            return target.utf8.starts(with: path.utf8)
        }
        guard let path = Record.HTTPRecord.target(of: url[...]) else { return false }
        return path.utf8.elementsEqual(target.utf8)
    }
}

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
