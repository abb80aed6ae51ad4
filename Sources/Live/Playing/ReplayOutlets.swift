import Network
import Pipeline
import SectionedModel

/// The outlets of a replay. They are written on a thread of their own, so that what comes next is played meanwhile; or on the caller's, where
/// somebody looks on, and nothing may lag behind what they see.
///
/// They are called one at a time, in the order of what is told. One thread tells.
final class ReplayOutlets: Sendable {
    /// Something told, and to whom.
    private enum Telling: Sendable {
        case reports([StampedReport], to: Set<ReplayPart>)
        /// What was on the wire, to who needs it.
        case units([WireUnit])
        case model(SectionedCollection<Item>, of: String?)
    }

    private struct State {
        /// How much was told and not written yet.
        var waiting = 0
        /// Why nothing is written any more.
        var failure: OutletError?
    }

    /// Tellings that wait at most, the one being written among them: who tells more waits, too.
    static let limit = 4

    private let outlets: [any Outlet]
    private let state = Monitor(State())
    /// Nil where they are written on the caller's.
    private let thread: BatchThread<Telling>?

    /// Takes outlets that nobody else calls from here on.
    init(_ outlets: [any Outlet], onThread: Bool) {
        self.outlets = outlets
        guard onThread else {
            thread = nil
            return
        }
        let state = state
        // Where no thread can be started, the caller's does it.
        thread = try? BatchThread(name: "weir-outlets", highWater: Self.limit, onDrained: {}) { tellings in
            for telling in tellings {
                do throws(OutletError) {
                    try Self.write(telling, to: outlets)
                    state.change { $0.waiting -= 1 }
                } catch {
                    state.change { $0.failure = error }
                    return false
                }
            }
            return true
        } atEnd: {
        }
    }

    /// Writes reports to the outlets of some parts, or has it done. Throws why this, or what was told before, cannot be written.
    func write(_ reports: [StampedReport], to parts: Set<ReplayPart>) throws(OutletError) {
        try tell(.reports(reports, to: parts))
    }

    /// What is shown begins in the middle, with this model.
    func begin(with model: SectionedCollection<Item>, of user: String?) throws(OutletError) {
        try tell(.model(model, of: user))
    }

    /// The same with what was on the wire.
    func write(units: [WireUnit]) throws(OutletError) { try tell(.units(units)) }

    /// Waits until everything that was told is written. Throws why it cannot be.
    func drain() throws(OutletError) {
        let failure: OutletError? = state.wait { $0.waiting == 0 || $0.failure != nil ? .some($0.failure) : nil }
        if let failure { throw failure }
    }

    /// Nothing more is told: waits until everything is written. Throws why it cannot be.
    func end() throws(OutletError) {
        thread?.finish()
        try drain()
    }

    private func tell(_ telling: Telling) throws(OutletError) {
        guard let thread else { return try Self.write(telling, to: outlets) }
        let failure: OutletError? = state.wait { state in
            state.waiting < Self.limit || state.failure != nil ? .some(state.failure) : nil
        }
        if let failure { throw failure }
        state.change { $0.waiting += 1 }
        thread.push([telling])
    }

    private static func write(_ telling: Telling, to outlets: [any Outlet]) throws(OutletError) {
        switch telling {
        case .reports(let reports, let parts):
            for outlet in outlets where parts.contains(outlet.replayPart) { try outlet.write(reports) }
        case .model(let model, let user): for outlet in outlets { outlet.begin(with: model, of: user) }
        case .units(let units): for outlet in outlets where outlet.needsWire { try outlet.write(units: units) }
        }
    }
}
