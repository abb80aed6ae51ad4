import Testing
import TestSupport
import WeirLive
@testable import WeirViews
import WeirPipeline
import WeirRecording

@Suite struct RecordingFeedTests {
    private func feed(_ path: String, threads: Int) throws -> RecordingFeed {
        let blocks = try RecordingBlocks(opening: path)
        let decoder = FrameDecoder(try Configuration(json: blocks.head.session))
        return RecordingFeed(blocks, decoder: decoder, threads: threads)
    }

    /// Returns the numbers of the records in the feed's order.
    private func numbers(_ feed: RecordingFeed) throws -> [Int] {
        var numbers: [Int] = []
        while let batch = try feed.next() {
            for item in batch.items { if case .record(_, let stamp) = item.entry { numbers.append(stamp.n) } }
        }
        return numbers
    }

    @Test(arguments: 1...3) func `the entries arrive in the order of the file, whichever thread reads them`(
        threads: Int
    )
        throws
    {
        let path = try PlayedRecording(in: try temporaryFolder(), events: 20_000).path
        var reader = try RecordingReader(opening: path)
        var expected: [Int] = []
        while let entry = try reader.next() { if case .record(_, let stamp) = entry { expected.append(stamp.n) } }
        try #require(expected.count > 20_000)
        #expect(try numbers(try feed(path, threads: threads)) == expected)
    }

    @Test func `after the end the feed returns nil repeatedly`() throws {
        let feed = try feed(try PlayedRecording(in: try temporaryFolder(), events: 3).path, threads: 1)
        #expect(try !numbers(feed).isEmpty)
        #expect(try feed.next() == nil)
        #expect(try feed.next() == nil)
    }

    @Test func `entries outlive their feed`() throws {
        let path = try PlayedRecording(in: try temporaryFolder(), events: 20_000).path
        var kept: [RecordingFeed.Item] = []
        do {
            let feed = try feed(path, threads: 2)
            while let batch = try feed.next() { kept += batch.items.suffix(1) }
            feed.stop()
        }
        #expect(!kept.isEmpty)
        for item in kept { if case .record(let record, _) = item.entry { #expect(!record.kind.isEmpty) } }
    }
}
