import Glibc
import Simulation
import Testing

/// Whether there is time for all histories, as in `.ci/nightly`. `.ci/simulate` runs thousands more in a release build.
let isLong = getenv("WEIR_LONG") != nil

@Suite struct SimulationTests {
    /// Runs the histories of some seeds, divided among `parts` tasks.
    private func campaign(
        _ seeds: Range<UInt64>, of peer: History.Peer, parts: UInt64 = 4
    ) async -> Campaign {
        let size = (seeds.upperBound - seeds.lowerBound) / parts
        return await withTaskGroup(of: (UInt64, Campaign).self) { group in
            for part in 0..<parts {
                let start = seeds.lowerBound + part * size
                let end = part == parts - 1 ? seeds.upperBound : start + size
                group.addTask {
                    var campaign = Campaign()
                    campaign.run(start..<end, of: peer) { $0.divergences.count < 5 }
                    return (part, campaign)
                }
            }
            var whole: [(UInt64, Campaign)] = []
            for await part in group { whole.append(part) }
            return whole.sorted { $0.0 < $1.0 }.reduce(into: Campaign()) { $0 += $1.1 }
        }
    }

    @Test(arguments: [
        (History.Peer.twake, UInt64(isLong ? 300 : 60)), (.groupMe, isLong ? 150 : 30), (.declared, isLong ? 300 : 60),
    ])
    func `after losses, duplicates, reordering and delays the model converges to the server's state`(
        peer: History.Peer, histories: UInt64
    ) async {
        let campaign = await campaign(1..<histories + 1, of: peer)
        for divergence in campaign.divergences { Issue.record("\(divergence)") }
        #expect(campaign.divergences.isEmpty)
        #expect(campaign.unfinished == 0)
    }
}
