import Events
import Network
public import Pipeline
public import SectionedModel
import Recording
import Synchronization

/// The rooms that are joined and recorded but not shown. A tail sets them; each view asks for them. Can be used on any
/// thread.
public final class MutedRooms: Sendable {
    private let names = Monitor<Set<String>>([])
    private let hasAny = Atomic<Bool>(false)
    private let observer = Monitor<(@Sendable (Set<String>) -> Void)?>(nil)

    /// Creates an empty set of rooms.
    public init() {}

    /// Whether a room is hidden from the view.
    public func contains(_ room: String) -> Bool {
        hasAny.load(ordering: .acquiring) && names.change { $0.contains(room) }
    }

    /// Whether no room is muted.
    public var isEmpty: Bool { !hasAny.load(ordering: .acquiring) }

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
public final class MutedOutlet: Outlet {
    private let muted: MutedRooms
    private let outlet: any Outlet
    /// The number of the record of the last hidden event. Used only on the outlet's thread.
    private let hidden = Monitor<Int>(0)

    /// Creates an outlet that filters the reports for another one.
    public init(_ outlet: any Outlet, muted: MutedRooms) {
        self.outlet = outlet
        self.muted = muted
    }

    /// The value of the wrapped outlet.
    public var needsChecksums: Bool { outlet.needsChecksums }
    /// The value of the wrapped outlet.
    public var replayPart: ReplayPart { outlet.replayPart }

    /// Passes the model on to the wrapped outlet.
    public func begin(with model: SectionedCollection<Item>, of user: String?) { outlet.begin(with: model, of: user) }

    /// Passes on the reports that are not hidden.
    public func write(_ reports: [StampedReport]) throws(OutletError) {
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
    public func finish() throws(OutletError) { try outlet.finish() }
}
