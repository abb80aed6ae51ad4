import Glibc
import Pipeline
import Recording

/// Reads and decodes the entries of a recording's file ahead, on separate threads. It serves replays that never go
/// back.
///
/// Not thread-safe: use it on the replay's thread only.
final class ReadAhead {
    /// One processor is busy with playing, and that thread could not keep up with more than two readers.
    private static let threads = max(1, min(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)) - 1))

    private let feed: RecordingFeed
    private var batch = RecordingFeed.Batch()
    /// The index of the next item in the batch.
    private var index = 0
    /// The end of the block of the last returned entry: an offset in the recording's text, in bytes.
    var offset: Int { batch.end }

    /// Starts to read the file at `path`, or returns `nil` if it is not a regular file. Data from a pipe must be shown
    /// as soon as it arrives, not when a whole block is available.
    init?(_ path: String, _ configuration: Configuration) throws(RecordingError) {
        guard !RecordingTrack.isStream(path) else { return nil }
        feed = RecordingFeed(
            try RecordingBlocks(opening: path), decoder: FrameDecoder(configuration),
            threads: Self.threads)
    }

    deinit { feed.stop() }

    /// Returns the next entry, with its event if it was decoded ahead, or `nil` at the end.
    func next() throws(RecordingError) -> RecordingFeed.Item? {
        while index == batch.items.count {
            // The batch is released before the next one is requested, so that a reading thread can free it.
            batch = RecordingFeed.Batch(end: batch.end)
            index = 0
            guard let next = try feed.next() else { return nil }
            batch = next
        }
        defer { index += 1 }
        return batch.items[index]
    }
}
