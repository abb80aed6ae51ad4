import Glibc
import Pipeline
import Recording

/// The entries of a recording's file, read and decoded ahead on threads of their own: for who does not go back.
///
/// Not thread-safe: the replay's thread.
final class ReadAhead {
    /// One processor plays; more threads than two would wait for it.
    private static let threads = max(1, min(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)) - 1))

    private let feed: RecordingFeed
    private var batch = RecordingFeed.Batch()
    /// Index of the next item of the batch.
    private var index = 0
    /// How far what was given last stands in the file, in bytes of its text: the end of its block.
    var offset: Int { batch.end }

    /// Begins to read the file at `path`; nil when that is no regular file: what a pipe brings is shown when it comes, and not when there
    /// is enough of it.
    init?(_ path: String, _ configuration: Configuration) throws(RecordingError) {
        guard !Track.isStream(path) else { return nil }
        feed = RecordingFeed(
            try RecordingBlocks(opening: path), decoder: FrameDecoder(configuration),
            threads: Self.threads)
    }

    deinit { feed.stop() }

    /// The next entry, and the event it brings where that is known; nil at the end.
    func next() throws(RecordingError) -> RecordingFeed.Item? {
        while index == batch.items.count {
            // Let go of before more is asked for: a thread that reads ahead frees it.
            batch = RecordingFeed.Batch(end: batch.end)
            index = 0
            guard let next = try feed.next() else { return nil }
            batch = next
        }
        defer { index += 1 }
        return batch.items[index]
    }
}
