import Pipeline
import Recording

/// What becomes of the requests that a session makes while a recording is played.
public enum RefetchPolicy: String, Hashable, Sendable, CaseIterable {
    /// The recording's answers are given. A request that the recording does not know ends the replay.
    case recorded
    /// As `recorded`, but a request that the recording does not know is answered as by a server that has nothing.
    case stub
    /// No answer is given.
    case off
}

/// Compares the requests that the session makes with those that were recorded. A session asks for the same, in the same order and by
/// the same numbers, as the one that was recorded did; one of another build may not, and a file that was filtered may lack requests.
///
/// A tail writes a request behind the input that led to it and before the next one (a request that changes something waits for the
/// store, and may come later). So a request that is not met when the next input comes is one the recording does not know.
struct RequestLedger {
    /// A request of the session that no record was met for yet.
    struct Open {
        var id: Int
        var method: String
        var target: String
        /// Number of the record that led to it.
        var cause: Int
    }

    let policy: RefetchPolicy
    /// Whether records are missing anyway, so that nothing follows from one that is not there.
    var isDamaged = false
    private var open: [Open] = []

    init(policy: RefetchPolicy) { self.policy = policy }

    /// The session makes a request.
    mutating func asked(_ request: FetchRequest) {
        guard policy != .off else { return }
        open.append(Open(id: request.id, method: request.method, target: request.target, cause: request.cause))
    }

    /// A request is recorded: the session's own of that number, if it made one.
    mutating func met(_ id: Int) -> Open? {
        open.firstIndex { $0.id == id }.map { open.remove(at: $0) }
    }

    /// What is wrong with a recorded request, where the session makes its own; nil when they are the same.
    func complaint(of own: Open, _ method: String, _ url: String, record n: Int) -> String? {
        if own.method == method, Self.isSame(url: url, target: own.target) || isDamaged { return nil }
        return "record \(n) is the request \(method) \(url), where this replay asks for \(own.method) \(own.target)"
    }

    /// An input comes next: the requests that were not met. What is wrong with them is `complaint(of:)`.
    mutating func takeUnknown() -> [(id: Int, method: String, complaint: String)] {
        guard !open.isEmpty else { return [] }
        let unknown = open.filter { $0.method == "GET" }
        guard !unknown.isEmpty else { return [] }
        open.removeAll { $0.method == "GET" }
        return unknown.map { request in
            let place = request.cause > 0 ? "behind record \(request.cause) " : ""
            return (
                request.id, request.method,
                "\(place)this replay asks for \(request.method) \(request.target), which the recording has no request for"
            )
        }
    }

    /// A recorded URL has the server's address in front, and may lack what is secret.
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
