import Synchronization
import WeirEvents
package import WeirModel
import WeirNetwork
package import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

/// The rules that hide joined and recorded rooms from the view.
struct RoomMutes {
    /// The maximum number of rules. One more removes the oldest.
    static let mostRules = 256

    private struct Rule {
        var term: RoomExpression.Term
        var until: Moment?
    }

    private var rules: [Rule] = []

    /// The time at which the next rule expires.
    var deadline: Moment? { rules.compactMap(\.until).min() }

    var isEmpty: Bool { rules.isEmpty }

    /// Adds a rule that hides the matching rooms or shows them again. The last rule that matches a room decides.
    mutating func add(_ expression: RoomExpression, until: Moment?, isMuted: Bool) {
        for term in expression.terms {
            rules.removeAll { $0.term.pattern == term.pattern }
            let isExcluded = term.isExcluded == isMuted
            // A room that no rule hides need not be shown again.
            if isExcluded, rules.allSatisfy(\.term.isExcluded), until == nil { continue }
            rules.append(Rule(term: .init(term.pattern, isExcluded: isExcluded), until: until))
        }
        if rules.count > Self.mostRules { rules.removeFirst(rules.count - Self.mostRules) }
    }

    /// The rules without an end, in the notation of patterns, in order.
    var lasting: [String] { rules.filter { $0.until == nil }.map { Self.written($0.term) } }

    /// Returns the pattern of a rule, with a minus sign if the rule shows rooms.
    private static func written(_ term: RoomExpression.Term) -> String {
        (term.isExcluded ? "-" : "") + term.pattern.description
    }

    /// Removes the rules that have expired by `now`.
    mutating func expire(at now: Moment) { rules.removeAll { $0.until.map { $0 <= now } ?? false } }

    /// Whether the view hides a room.
    func isMuted(_ room: RoomFacts) -> Bool {
        !rules.isEmpty && RoomExpression(rules.map(\.term)).matches(room)
    }
}

/// The rooms that are joined and recorded but not shown. A tail sets them; each view asks for them. Can be used on any
/// thread.
package final class MutedRooms: Sendable {
    private let names = Monitor<Set<String>>([])
    private let hasAny = Atomic<Bool>(false)
    private let observer = Monitor<(@Sendable (Set<String>) -> Void)?>(nil)

    /// Creates an empty set of rooms.
    package init() {}

    /// Whether a room is hidden from the view.
    package func contains(_ room: String) -> Bool {
        hasAny.load(ordering: .acquiring) && names.change { $0.contains(room) }
    }

    /// Whether no room is muted.
    package var isEmpty: Bool { !hasAny.load(ordering: .acquiring) }

    /// Replaces the set of muted rooms.
    func set(_ rooms: Set<String>) {
        names.change { $0 = rooms }
        hasAny.store(!rooms.isEmpty, ordering: .releasing)
        observer.change { $0 }?(rooms)
    }

    /// Sets the observer. It receives the rooms at each `set`, on the thread that calls `set`.
    func observe(_ body: @escaping @Sendable (Set<String>) -> Void) { observer.change { $0 = body } }
}

/// An outlet that hides the events of muted rooms, and the changes that those events made in the model. Gaps and
/// undecodable messages always pass.
package final class MutedOutlet: Outlet {
    private let muted: MutedRooms
    private let outlet: any Outlet
    /// The number of the record of the last hidden event. Used only on the outlet's thread.
    private let hidden = Monitor<Int>(0)

    /// Creates an outlet that filters the reports for another one.
    package init(_ outlet: any Outlet, muted: MutedRooms) {
        self.outlet = outlet
        self.muted = muted
    }

    /// The value of the wrapped outlet.
    package var needsChecksums: Bool { outlet.needsChecksums }
    /// The value of the wrapped outlet.
    package var replayPart: ReplayPart { outlet.replayPart }

    /// Passes the model on to the wrapped outlet.
    package func begin(with model: SectionedCollection<Item>, of user: String?) { outlet.begin(with: model, of: user) }

    /// Passes on the reports that are not hidden.
    package func write(_ reports: [StampedReport]) throws(OutletError) {
        if muted.isEmpty { return try outlet.write(reports) }
        let shown = reports.filter { isShown($0) }
        if !shown.isEmpty { try outlet.write(shown) }
    }

    private func isShown(_ stamped: StampedReport) -> Bool {
        switch stamped.report {
        case .event(let report):
            guard let room = report.room, muted.contains(room) else { return true }
            hidden.change { $0 = stamped.stamp.n }
            return false
        case .diff(let diff): return diff.cause == 0 || hidden.change { $0 } != diff.cause
        case .typing, .gap, .connection, .room, .action, .emit, .refetch, .undecodable, .notice: return true
        }
    }

    /// Finishes the wrapped outlet after the last report.
    package func finish() throws(OutletError) { try outlet.finish() }
}
