import Live
import Network
import Pipeline
import Recording
import TestSupport

/// An outlet that comes back from a write only once it may, and from one with a failure, if it has one.
final class GatedOutlet: Outlet {
    let replayPart: ReplayPart
    /// What it was given, when it came back.
    let written = Mailbox<StampedReport>()
    private let permits: Monitor<Int>
    private let failure: (number: Int, error: OutletError)?

    /// Lets so many writes come back; the one with the record of that number fails.
    init(permits: Int = .max, part: ReplayPart = .shown, failingAt failure: (Int, OutletError)? = nil) {
        self.permits = Monitor(permits)
        replayPart = part
        self.failure = failure
    }

    /// Numbers of the records of which it was given something.
    var numbers: [Int] { written.all.map(\.stamp.n) }

    func permit(_ more: Int) { permits.change { $0 += more } }

    func write(_ reports: [StampedReport]) throws(OutletError) {
        permits.wait { $0 > 0 ? () : nil }
        permits.change { $0 -= 1 }
        if let failure, reports.contains(where: { $0.stamp.n == failure.number }) { throw failure.error }
        written.put(reports)
    }

    func finish() throws(OutletError) {}
}
