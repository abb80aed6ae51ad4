/// Statistics of one or more runs.
package struct Figures: Sendable {
    package internal(set) var happenings = 0
    package internal(set) var acts = 0
    package internal(set) var deeds = 0
    package internal(set) var deedsDone = 0
    /// The number of tokens renewed before they expired.
    package internal(set) var renewals = 0
    /// How often the user switched to another workspace.
    package internal(set) var looks = 0
    /// How often the user left a room for a while.
    package internal(set) var pauses = 0
    package internal(set) var events = 0
    package internal(set) var requests = 0
    package internal(set) var answers = 0
    /// The number of answers that an event or a gap made outdated; they are requested again.
    package internal(set) var outdated = 0
    package internal(set) var joins = 0
    package internal(set) var connections = 0
    package internal(set) var gaps = 0
    package internal(set) var diffs = 0
    package internal(set) var undecodable = 0
    package internal(set) var spoiled = 0
    /// The number of failed requests: no answer, or a status other than success.
    package internal(set) var failures = 0
    /// The faults that took effect, by kind.
    package internal(set) var faults: [String: Int] = [:]

    mutating func count(_ fault: Fault) { faults[fault.rawValue, default: 0] += 1 }
    mutating func count(_ spoil: Spoil) {
        faults["answer: \(spoil.rawValue)", default: 0] += 1
        spoiled += 1
    }

    package static func += (total: inout Figures, one: Figures) {
        total.happenings += one.happenings
        total.acts += one.acts
        total.deeds += one.deeds
        total.deedsDone += one.deedsDone
        total.renewals += one.renewals
        total.looks += one.looks
        total.pauses += one.pauses
        total.events += one.events
        total.requests += one.requests
        total.answers += one.answers
        total.outdated += one.outdated
        total.joins += one.joins
        total.connections += one.connections
        total.gaps += one.gaps
        total.diffs += one.diffs
        total.undecodable += one.undecodable
        total.spoiled += one.spoiled
        total.failures += one.failures
        total.faults.merge(one.faults) { $0 + $1 }
    }
}
