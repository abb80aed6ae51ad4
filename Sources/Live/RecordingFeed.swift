import Glibc
import Network
package import Pipeline
package import Recording
import Wire

/// A recording, read and decoded ahead on threads of its own: in blocks, each by one thread, given in the order of the file. What is
/// given does not depend on the threads.
///
/// At most a few blocks are held, whatever the file is. What was given is freed where it was made, when the next is asked for: whoever plays
/// it has more to do than who reads ahead. Whoever has enough must say so, by `stop()`.
package final class RecordingFeed: Sendable {
    /// An entry, as whoever plays it needs it. Nearly all are events, and small: what is read ahead stays near the processor.
    package enum Item: Sendable {
        /// A frame that brought an event, which could be told without the session.
        case arrival(Arrival)
        /// Anything else.
        indirect case entry(RecordingReader.Entry)

        /// What was read, whichever it is.
        package var entry: RecordingReader.Entry {
            switch self {
            case .entry(let entry): return entry
            case .arrival(let arrival):
                let frame = Record.FrameRecord(
                    connection: arrival.connection, direction: .in, message: arrival.message)
                return .record(.frame(frame), arrival.stamp)
            }
        }

        /// The event, where it was decoded ahead.
        package var event: EventReport? {
            if case .arrival(let arrival) = self { arrival.event } else { nil }
        }
    }

    /// An event that was decoded ahead, and how it came.
    package struct Arrival: Sendable {
        package let event: EventReport
        package let connection: Int
        package let stamp: Stamp

        fileprivate var message: WebSocketMessage {
            guard case .socketIO(let event) = event.source, let message = event.plainMessage else {
                preconditionFailure("only what brings a plain event is decoded ahead")
            }
            return message
        }
    }

    /// Some entries that follow each other.
    package struct Batch: Sendable {
        package var items: [Item]
        /// Offset of the first byte behind them, in the text of the recording.
        package var end: Int
        /// Number of the thread that made them.
        fileprivate var maker: Int
    }

    /// What is cut, by one thread at a time; nil when there is no more.
    private struct Source: ~Copyable {
        var blocks: RecordingBlocks?
        /// Number of the next batch.
        var next = 0
    }

    /// What was decoded and not yet given, or not yet freed.
    private struct Ready {
        var batches: [Int: Batch] = [:]
        /// What was given last.
        var given: Batch?
        /// What was given before, to be freed by who made it: the memory one thread gave back for another would be handed over piece by piece.
        var spent: [Int: [Batch]] = [:]
        /// Number of the batch to be given next.
        var due = 0
        /// How many were begun.
        var begun = 0
        /// How many there are, once that is known.
        var count: Int?
        var failure: RecordingError?
        var isStopped = false
    }

    /// Entries of a batch where the recording has no blocks.
    private static let batchEntries = 512

    private let source: Monitor<Source>
    private let ready = Monitor(Ready())
    private let decoder: FrameDecoder
    private let limit: Int

    /// Starts to read ahead, and to decode events as far as `decoder` does.
    package init(
        _ blocks: consuming sending RecordingBlocks, decoder: FrameDecoder, threads: Int = 1
    ) throws(RecordingError) {
        source = Monitor(Source(blocks: blocks))
        self.decoder = decoder
        limit = threads + 2
        let caller = pthread_self()
        for number in 1...max(1, threads) {
            runOnThread(named: "weir-reader-\(number)") { [self] in
                // Without a thread of its own it would wait for itself.
                if pthread_equal(pthread_self(), caller) == 0 { run(number) } else { stop() }
            }
        }
        guard !ready.wait({ $0.isStopped }) else {
            throw .system(operation: "start a thread to read", path: "the recording", code: EAGAIN)
        }
    }

    /// The next entries; nil at the end. Blocks until they are there. One thread.
    package func next() throws(RecordingError) -> Batch? {
        let batch: Result<Batch?, RecordingError> = ready.wait { ready in
            if let batch = ready.batches.removeValue(forKey: ready.due) { return .success(batch) }
            guard ready.due == ready.count || ready.isStopped else { return nil }
            return ready.failure.map { .failure($0) } ?? .success(nil)
        }
        guard let next = try batch.get() else { return nil }
        ready.change { ready in
            if let given = ready.given { ready.spent[given.maker, default: []].append(given) }
            ready.given = next
            ready.due += 1
        }
        return next
    }

    /// Nothing more is wanted.
    package func stop() {
        ready.change {
            $0.isStopped = true
            $0.batches = [:]
            $0.given = nil
            $0.spent = [:]
        }
    }

    // MARK: - On its threads

    private func run(_ thread: Int) {
        while waitForRoom(thread), let (number, block) = cut(thread) {
            // What a decoder remembers is in the events it gives. Who plays them counts its references, and so does this thread those of the
            // next block: if they were the same, two processors would wait for each other at every event.
            var decoder = decoder
            var reader = block.reader()
            var items: [Item] = []
            items.reserveCapacity(1024)
            while true {
                if let text = reader.nextReceivedText() {
                    items.append(Self.item(text, &decoder))
                } else if let entry = try? reader.next() {
                    // A block is in memory: nothing fails.
                    items.append(Self.item(entry, &decoder))
                } else {
                    break
                }
            }
            give(Batch(items: items, end: block.end, maker: thread), number)
        }
    }

    /// Waits until one more may be read, and frees what of the thread's was given before; false when nothing more is wanted.
    private func waitForRoom(_ thread: Int) -> Bool {
        let spent: [Batch]? = ready.wait { ready -> [Batch]?? in
            if ready.isStopped { return .some(nil) }
            guard ready.begun - ready.due < limit else { return nil }
            ready.begun += 1
            return ready.spent.removeValue(forKey: thread) ?? []
        }
        // Freed here, outside the lock: that takes as long as a tenth of the reading.
        return spent != nil
    }

    private func give(_ batch: Batch, _ number: Int) {
        ready.change { if !$0.isStopped { $0.batches[number] = batch } }
    }

    /// The next block; nil when there is none, after what is left was read.
    private func cut(_ thread: Int) -> (number: Int, block: RecordingBlock)? {
        source.change { source in
            guard source.blocks != nil else { return nil }
            var failure: RecordingError?
            do throws(RecordingError) {
                if let block = try source.blocks?.next() {
                    source.next += 1
                    return (source.next - 1, block)
                }
                if let blocks = source.blocks.take() { try read(blocks.rest(), &source.next, thread) }
            } catch {
                failure = error
                source.blocks = nil
            }
            ready.change {
                $0.count = source.next
                $0.failure = failure
            }
            return nil
        }
    }

    /// Reads on, one entry after the other, in batches. The first of them was begun already.
    private func read(
        _ rest: consuming RecordingReader, _ number: inout Int, _ thread: Int
    ) throws(RecordingError) {
        var decoder = decoder
        var items: [Item] = []
        while let entry = try rest.next() {
            items.append(Self.item(entry, &decoder))
            guard items.count >= Self.batchEntries else { continue }
            give(Batch(items: items, end: rest.place.offset, maker: thread), number)
            number += 1
            items.removeAll(keepingCapacity: true)
            decoder = self.decoder
            guard waitForRoom(thread) else { return }
        }
        give(Batch(items: items, end: rest.place.offset, maker: thread), number)
        number += 1
    }

    private static func item(
        _ text: consuming RecordingReader.ReceivedText, _ decoder: inout FrameDecoder
    ) -> Item {
        let (connection, stamp) = (text.connection, text.stamp)
        return item(text.takeText(), on: connection, stamp, &decoder)
    }

    private static func item(_ entry: consuming RecordingReader.Entry, _ decoder: inout FrameDecoder) -> Item {
        guard case .record(.frame(let frame), let stamp) = entry, frame.isPlain, case .text(let text) = frame.message
        else { return .entry(entry) }
        return item(text, on: frame.connection, stamp, &decoder)
    }

    private static func item(
        _ text: consuming ArraySlice<UInt8>, on connection: Int, _ stamp: Stamp, _ decoder: inout FrameDecoder
    ) -> Item {
        switch decoder.decode(text) {
        case .event(let event): return .arrival(Arrival(event: event, connection: connection, stamp: stamp))
        case .undecoded(let text):
            let frame = Record.FrameRecord(connection: connection, direction: .in, message: .text(text))
            return .entry(.record(.frame(frame), stamp))
        }
    }
}

extension Record.FrameRecord {
    /// Whether it came over a WebSocket, whole, and nothing else is to be said of it.
    fileprivate var isPlain: Bool {
        wasReceived && cutFrom == nil && transport == nil && !isInjected
    }
}
