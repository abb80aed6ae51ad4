import TestSupport
import WeirLive
@testable import WeirViews
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads

/// An outlet that returns from a write only when permitted, and throws at one of them on request.
final class GatedOutlet: Outlet {
    let replayPart: ReplayPart
    /// The reports, recorded when their write returns.
    let written = Mailbox<StampedReport>()
    private let permits: Monitor<Int>
    private let failure: (number: Int, error: OutletError)?

    /// Lets `permits` writes return. The write with the record of the given number fails.
    init(permits: Int = .max, part: ReplayPart = .shown, failingAt failure: (Int, OutletError)? = nil) {
        self.permits = Monitor(permits)
        replayPart = part
        self.failure = failure
    }

    /// The numbers of the records whose reports were written.
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
