import Events
import Network
public import Pipeline
public import SectionedModel
import Recording
import Synchronization

/// Rooms that are joined and recorded and not shown. Any thread; a tail that has it says which rooms these are, whoever shows events asks.
public final class MutedRooms: Sendable {
    private let names = Monitor<Set<String>>([])
    private let hasAny = Atomic<Bool>(false)
    private let observer = Monitor<(@Sendable (Set<String>) -> Void)?>(nil)

    /// None.
    public init() {}

    /// Whether a room is not to be shown.
    public func contains(_ room: String) -> Bool {
        hasAny.load(ordering: .acquiring) && names.change { $0.contains(room) }
    }

    /// Whether none is muted.
    public var isEmpty: Bool { !hasAny.load(ordering: .acquiring) }

    /// Makes it these rooms.
    func set(_ rooms: Set<String>) {
        names.change { $0 = rooms }
        hasAny.store(!rooms.isEmpty, ordering: .releasing)
        observer.change { $0 }?(rooms)
    }

    /// Who is told which rooms these are, each time they are said; on the thread that says it.
    func observe(_ body: @escaping @Sendable (Set<String>) -> Void) { observer.change { $0 = body } }
}

/// Passes on what is to be shown: all but the events of muted rooms and what those changed in the model. What is
/// lost or cannot be read is always passed on.
public final class MutedOutlet: Outlet {
    private let muted: MutedRooms
    private let outlet: any Outlet
    /// Number of the record of the event that was hidden last; only the thread of the outlet uses it.
    private let hidden = Monitor<Int>(0)

    /// Stands in front of an outlet that shows.
    public init(_ outlet: any Outlet, muted: MutedRooms) {
        self.outlet = outlet
        self.muted = muted
    }

    /// As the outlet behind it says.
    public var needsChecksums: Bool { outlet.needsChecksums }
    /// As the outlet behind it says.
    public var replayPart: ReplayPart { outlet.replayPart }

    /// Passes it on.
    public func begin(with model: SectionedCollection<Item>, of user: String?) { outlet.begin(with: model, of: user) }

    /// Passes on what is to be shown.
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

    /// Nothing follows.
    public func finish() throws(OutletError) { try outlet.finish() }
}
