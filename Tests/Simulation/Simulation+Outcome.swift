import WeirDemoServer
import WeirEvents
import WeirJSON
import WeirModel
import WeirPipeline
import WeirWire

// The outcome of a run.
extension Simulation {
    /// The errors, one line each. Empty when the model equals the server's truth and no work is pending.
    package var outcome: [String] { faults }

    /// A digest that is equal for two runs of the same history, in any process.
    package var fingerprint: UInt64 { digest }

    /// Checks the final state, and that nothing more happens for a while.
    mutating func conclude() {
        guard faults.isEmpty else { return }
        let pending = session.pending
        guard pending.isEmpty else { return faults += pending.map { "left to be done: \($0)" } }
        dropFailedDeeds()
        let (requests, diffs) = (figures.requests, figures.diffs)
        advance(to: now + .seconds(300))
        // A full look may have begun meanwhile.
        let late = now
        while !isQuiet, now - late < .seconds(60) { advance(to: now + .seconds(1)) }
        if diffs != figures.diffs || (requests != figures.requests && history.resyncInterval == nil) {
            let counts = "\(figures.requests - requests) requests and \(figures.diffs - diffs) changes"
            faults.append("in the quiet there were \(counts)")
        }
        faults += session.pending.map { "left to be done: \($0)" }
        faults += server.differences(from: self)
        checkDeeds()
        checkLog()
        checkBound()
        note(UInt64(log.count))
    }

    /// Checks that the diff log, applied to an empty model, yields the model, and verifies its checksum after each
    /// line.
    mutating func checkLog() {
        var replica = SectionedCollection<Item>(keepsChecksum: true)
        var sequence = 0
        var lines = log.split(separator: UInt8(ascii: "\n"))
        if case .lostLine = sabotage, !lines.isEmpty { lines.removeLast() }
        for line in lines {
            do { sequence = try DiffLog.apply(line, after: sequence, to: &replica) } catch {
                return faults.append("the diff log cannot be applied: \(error)")
            }
        }
        let isSame =
            replica.sectionKeys == session.model.sectionKeys
            && replica.sectionKeys.allSatisfy {
                Array(replica.elements(in: $0)) == Array(session.model.elements(in: $0))
            }
        if !isSame { faults.append("the diff log leads to another model") }
    }

    /// Checks the absence of a request storm: each event justifies a limited number of requests, and a failed request may be repeated.
    private mutating func checkBound() {
        let failures = figures.failures
        if figures.requests > server.mostRequests(of: self) + failures {
            faults.append(
                "\(figures.requests) requests for \(figures.events) events, \(figures.joins) joins, "
                    + "\(figures.connections) connections, \(failures) failures")
        }
    }
}
