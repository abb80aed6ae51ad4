import Glibc
import WeirNetwork
package import WeirPipeline
package import WeirRecording
import WeirThreads
package import WeirWire

/// Reads and decodes a recording ahead on separate threads. Each block is read by one thread, and the batches are
/// returned in the order of the file. The results do not depend on the threads. A caller that asks for a batch before
/// it is ready reads a block itself instead of waiting.
///
/// Only a few blocks are held, whatever the size of the file. Call `stop()` when done.
package final class RecordingFeed: Sendable {
    /// An entry in the form that a player needs. Nearly all entries are events and small, so that what is read ahead
    /// stays in the processor's cache.
    package enum Item: Sendable {
        /// A frame whose event was decoded without the session.
        case arrival(Arrival)
        /// Any other entry of the recording.
        indirect case entry(RecordingReader.Entry)

        /// The entry that was read.
        package var entry: RecordingReader.Entry {
            switch self {
            case .entry(let entry): return entry
            case .arrival(let arrival):
                let frame = Record.FrameRecord(
                    connection: arrival.connection, direction: .in, message: .text(arrival.text))
                return .record(.frame(frame), arrival.stamp)
            }
        }

        /// The event, if it was decoded ahead.
        package var event: EventReport? {
            if case .arrival(let arrival) = self { arrival.event } else { nil }
        }
    }

    /// An event that was decoded ahead, with its connection and stamp.
    package struct Arrival: Sendable {
        package let event: EventReport
        package let connection: Int
        package let stamp: Stamp
        fileprivate let text: ArraySlice<UInt8>
    }

    /// A number of consecutive entries.
    package struct Batch: Sendable {
        package let items: [Item]
        /// The offset of the first byte after the entries, in the recording's text.
        package let end: Int
        /// The size of the entries in the recording's text.
        fileprivate let bytes: Int

        /// Creates an empty batch at the offset `end`.
        package init(end: Int = 0) { self.init([], end: end, bytes: 0) }

        fileprivate init(_ items: consuming [Item], end: Int, bytes: Int) {
            self.items = items
            self.end = end
            self.bytes = bytes
        }
    }

    /// The source of blocks and entries, used by one thread at a time.
    private struct Source: ~Copyable {
        /// The blocks; `nil` once no more can be cut.
        var blocks: RecordingBlocks?
        /// The reader of the part that cannot be cut into blocks.
        var rest: RecordingReader?
        /// Why reading ended before the end of the recording; `nil` if it did not.
        var failure: RecordingError?
        /// The number of the next batch.
        var next = 0
    }

    /// A part of the recording that was cut off.
    private enum Part {
        /// A block that any thread can read.
        case block(RecordingBlock)
        /// A batch that is read already, because only one thread at a time can read this part.
        case batch(Batch)
    }

    /// The batches that are decoded and not yet returned, or not yet freed.
    private struct Ready {
        var batches: [Int: Batch] = [:]
        /// The batch that was returned last.
        var given: Batch?
        /// The batches returned before that. The reading threads free them, since they allocated them. A replay that
        /// frees what another thread allocated takes 7.6 µs an event, and this way 5.9 (`weir-bench replay --whole 1`,
        /// decode and apply).
        var spent: [Batch] = []
        /// The number of the batch to return next.
        var due = 0
        /// The number of batches begun.
        var begun = 0
        /// The total number of batches, once it is known.
        var count: Int?
        var failure: RecordingError?
        var isStopped = false

        /// Begins another batch if the limits allow it and one may exist.
        mutating func begin(_ limit: Int) -> Bool {
            guard count == nil, begun - due < limit else { return false }
            // The due batch is read regardless of the memory in use.
            guard begun == due || batches.values.reduce(0, { $0 + $1.bytes }) < Limits.waiting else { return false }
            begun += 1
            return true
        }
    }

    /// The next step of a caller that asks for a batch.
    private enum Turn {
        case batch(Batch)
        /// No batch is ready, but the caller may read one.
        case reading
        case end(RecordingError?)
    }

    /// The number of entries in a batch of a recording without blocks.
    private static let batchEntries = 512
    /// The approximate size limit of such a batch, in bytes.
    private static let batchBytes = 1 << 20

    private let source: Monitor<Source>
    private let ready = Monitor(Ready())
    private let decoder: FrameDecoder
    private let limit: Int

    /// Starts to read ahead, and to decode events as far as `decoder` can.
    package init(_ blocks: consuming sending RecordingBlocks, decoder: FrameDecoder, threads: Int = 1) {
        source = Monitor(Source(blocks: blocks))
        self.decoder = decoder
        limit = threads + 2
        let caller = pthread_self()
        for number in 1...max(1, threads) {
            runOnThread(named: "weir-reader-\(number)") { [self] in
                // If no thread can be started, the caller of `next()` reads everything.
                if pthread_equal(pthread_self(), caller) == 0 { readAhead() }
            }
        }
    }

    /// Returns the next entries, or `nil` at the end. Reads them, or blocks until they are ready. Call it on one thread
    /// only.
    package func next() throws(RecordingError) -> Batch? {
        while true {
            let turn: Turn = ready.wait { ready in
                if let batch = ready.batches.removeValue(forKey: ready.due) {
                    ready.due += 1
                    // Without a thread that reads ahead, the batches would not be freed otherwise.
                    if ready.spent.count == limit { ready.spent = [] }
                    if let given = ready.given { ready.spent.append(given) }
                    ready.given = batch
                    return .batch(batch)
                }
                if ready.due == ready.count || ready.isStopped { return .end(ready.failure) }
                return ready.begin(limit) ? .reading : nil
            }
            switch turn {
            case .batch(let batch): return batch
            case .reading: readOne()
            case .end(let failure):
                if let failure { throw failure }
                return nil
            }
        }
    }

    /// Stops reading ahead and frees all batches.
    package func stop() {
        ready.change {
            $0.isStopped = true
            $0.batches = [:]
            $0.given = nil
            $0.spent = []
        }
    }

    // MARK: - Reading

    private func readAhead() {
        while true {
            let spent: [Batch]? = ready.wait { ready -> [Batch]?? in
                if ready.isStopped || ready.count != nil { return .some(nil) }
                guard ready.begin(limit) else { return nil }
                defer { ready.spent = [] }
                return ready.spent
            }
            // The batches are freed here, outside the lock.
            guard spent != nil else { return }
            readOne()
        }
    }

    /// Reads a batch that was begun, if the recording contains one.
    private func readOne() {
        guard let (number, part) = cut() else { return }
        let batch =
            switch part {
            case .block(let block): Batch(items(of: block), end: block.end, bytes: block.count)
            case .batch(let batch): batch
            }
        ready.change { if !$0.isStopped { $0.batches[number] = batch } }
    }

    private func items(of block: RecordingBlock) -> [Item] {
        var reader = block.reader()
        var items: [Item] = []
        items.reserveCapacity(512)
        while true {
            if let text = reader.nextReceivedText() {
                items.append(item(text))
            } else if let entry = try? reader.next() {
                // A block is in memory, so reading it cannot fail.
                items.append(item(entry))
            } else {
                return items
            }
        }
    }

    /// Cuts the next part off the file. At the end it notes the total number of batches and returns `nil`.
    private func cut() -> (number: Int, part: Part)? {
        source.change { source in
            var part: Part?
            if let block = source.blocks?.next() {
                part = .block(block)
            } else {
                do throws(RecordingError) {
                    if let blocks = source.blocks.take() { source.rest = try blocks.rest() }
                } catch {
                    source.failure = error
                }
                part = batch(of: &source).map { .batch($0) }
            }
            guard let part else {
                ready.change {
                    $0.count = source.next
                    $0.failure = source.failure
                }
                return nil
            }
            defer { source.next += 1 }
            return (source.next, part)
        }
    }

    /// Returns the next entries from the part without blocks, or `nil` if there are none.
    private func batch(of source: inout Source) -> Batch? {
        guard var rest = source.rest.take() else { return nil }
        var items: [Item] = []
        let start = rest.place.offset
        var isOver = false
        do throws(RecordingError) {
            while !isOver, items.count < Self.batchEntries, rest.place.offset - start < Self.batchBytes {
                if let entry = try rest.next() { items.append(item(entry)) } else { isOver = true }
            }
        } catch {
            source.failure = error
            isOver = true
        }
        let end = rest.place.offset
        if !isOver { source.rest = consume rest }
        return Batch(items, end: end, bytes: end - start)
    }

    private func item(_ text: consuming RecordingReader.ReceivedText) -> Item {
        let (connection, stamp) = (text.connection, text.stamp)
        return item(text.takeText(), on: connection, stamp)
    }

    private func item(_ entry: consuming RecordingReader.Entry) -> Item {
        guard case .record(.frame(let frame), let stamp) = entry, frame.isPlain, case .text(let text) = frame.message
        else { return .entry(entry) }
        return item(text, on: frame.connection, stamp)
    }

    private func item(_ text: ArraySlice<UInt8>, on connection: Int, _ stamp: Stamp) -> Item {
        if let event = decoder.decode(text) {
            return .arrival(Arrival(event: event, connection: connection, stamp: stamp, text: text))
        }
        let frame = Record.FrameRecord(connection: connection, direction: .in, message: .text(text))
        return .entry(.record(.frame(frame), stamp))
    }
}

extension Record.FrameRecord {
    /// Whether the frame is a complete message received over a WebSocket, without any other attribute.
    fileprivate var isPlain: Bool {
        wasReceived && cutFrom == nil && transport == nil && !isInjected
    }
}

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
