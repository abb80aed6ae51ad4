/// What a run, or many, did.
package struct Figures: Sendable {
    package internal(set) var happenings = 0
    package internal(set) var acts = 0
    package internal(set) var deeds = 0
    package internal(set) var deedsDone = 0
    /// Tokens that were renewed before they ended.
    package internal(set) var renewals = 0
    /// How often another workspace was looked at.
    package internal(set) var looks = 0
    /// How often a room was left for a while.
    package internal(set) var pauses = 0
    package internal(set) var events = 0
    package internal(set) var requests = 0
    package internal(set) var answers = 0
    /// Answers that an event, or a gap, had overtaken: they are asked for again.
    package internal(set) var outdated = 0
    package internal(set) var joins = 0
    package internal(set) var connections = 0
    package internal(set) var gaps = 0
    package internal(set) var diffs = 0
    package internal(set) var undecodable = 0
    package internal(set) var spoiled = 0
    /// Answers that were none, or none of success.
    package internal(set) var failures = 0
    /// Faults that took effect, by kind.
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
