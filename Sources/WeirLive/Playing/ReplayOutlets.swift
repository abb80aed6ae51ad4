import WeirModel
import WeirNetwork
import WeirPipeline
import WeirThreads

/// The outlets of a replay. They are written on a separate thread, so that the next entries are played meanwhile. A
/// watched replay writes them on the caller's thread, because the output must not lag behind what the user sees.
///
/// Outlets are called one at a time, in the order of the writes. Only one thread may write.
final class ReplayOutlets: Sendable {
    /// A unit of work for the outlets.
    private enum Telling: Sendable {
        case reports([StampedReport], to: Set<ReplayPart>)
        /// Messages, requests and answers on the wire, for the outlets that need them.
        case units([WireUnit])
        case model(SectionedCollection<Item>, of: String?)
    }

    private struct State {
        /// The number of writes not yet completed.
        var waiting = 0
        /// The error that ended writing.
        var failure: OutletError?
    }

    /// The maximum number of waiting writes, including the one in progress. A caller that exceeds it blocks.
    static let limit = 4

    private let outlets: [any Outlet]
    private let state = Monitor(State())
    /// The thread that writes; `nil` to write on the caller's thread.
    private let thread: BatchThread<Telling>?

    /// Creates the outlets of a replay. From now on no other code may call them.
    init(_ outlets: [any Outlet], onThread: Bool) {
        self.outlets = outlets
        guard onThread else {
            thread = nil
            return
        }
        let state = state
        // If no thread can be started, the caller's thread writes.
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

    /// Writes reports to the outlets of the given parts, or queues them for the writing thread.
    ///
    /// - Throws: The error of this write or of an earlier one.
    func write(_ reports: [StampedReport], to parts: Set<ReplayPart>) throws(OutletError) {
        try tell(.reports(reports, to: parts))
    }

    /// Informs the outlets that output starts in the middle of the recording, with this model.
    func begin(with model: SectionedCollection<Item>, of user: String?) throws(OutletError) {
        try tell(.model(model, of: user))
    }

    /// Writes units of the wire, or queues them for the writing thread.
    func write(units: [WireUnit]) throws(OutletError) { try tell(.units(units)) }

    /// Waits until everything queued is written.
    ///
    /// - Throws: The error that prevents it.
    func drain() throws(OutletError) {
        let failure: OutletError? = state.wait { $0.waiting == 0 || $0.failure != nil ? .some($0.failure) : nil }
        if let failure { throw failure }
    }

    /// Ends the queue and waits until everything is written.
    ///
    /// - Throws: The error that prevents it.
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
