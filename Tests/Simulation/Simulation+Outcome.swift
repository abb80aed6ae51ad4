import DemoServer
import Events
import JSONText
import Pipeline
import SectionedModel
import Wire

// What came of a run.
extension Simulation {
    /// What was wrong, one line each; empty when the model is the server's truth and nothing is left to be done.
    package var outcome: [String] { faults }

    /// A number that two runs of one history share, in whatever process.
    package var fingerprint: UInt64 { digest }

    /// Looks at what is left when quiet should have come, and waits some more: nothing may happen.
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
        if diffs != figures.diffs || (requests != figures.requests && history.lookAgain == nil) {
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

    /// The diff log, applied to an empty model, must give the model, with its checksum after each line.
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

    /// No storm: every request has a reason, and a reason has at most so many requests; what fails is asked again.
    private mutating func checkBound() {
        let failures = figures.failures
        if figures.requests > server.mostRequests(of: self) + failures {
            faults.append(
                "\(figures.requests) requests for \(figures.events) events, \(figures.joins) joins, "
                    + "\(figures.connections) connections, \(failures) failures")
        }
    }
}
