import Glibc
import Network
package import Pipeline
package import Recording
import Wire

/// A recording, read and decoded ahead on threads of its own: in blocks, each by one thread, given in the order of the file. What is
/// given does not depend on the threads. Who asks for more before it is there reads a block as well, and does not wait.
///
/// At most a few blocks are held, whatever the file is. A reader that wants no more must say so, by `stop()`.
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
                    connection: arrival.connection, direction: .in, message: .text(arrival.text))
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
        fileprivate let text: ArraySlice<UInt8>
    }

    /// Some entries that follow each other.
    package struct Batch: Sendable {
        package let items: [Item]
        /// Offset of the first byte behind them, in the text of the recording.
        package let end: Int
        /// How much of the text they are.
        fileprivate let bytes: Int

        /// Nothing, before what stands at `end`.
        package init(end: Int = 0) { self.init([], end: end, bytes: 0) }

        fileprivate init(_ items: consuming [Item], end: Int, bytes: Int) {
            self.items = items
            self.end = end
            self.bytes = bytes
        }
    }

    /// What is cut, by one thread at a time.
    private struct Source: ~Copyable {
        /// Nil when no more can be cut.
        var blocks: RecordingBlocks?
        /// What no block can be cut of.
        var rest: RecordingReader?
        /// Why there is no more, where that is not the end.
        var failure: RecordingError?
        /// Number of the next batch.
        var next = 0
    }

    /// What was cut.
    private enum Part {
        /// To be read, on any thread.
        case block(RecordingBlock)
        /// Read already: only one thread at a time can.
        case batch(Batch)
    }

    /// What was decoded and not yet given, or not yet freed.
    private struct Ready {
        var batches: [Int: Batch] = [:]
        /// What was given last.
        var given: Batch?
        /// What was given before. The threads that read free it, since they allocated it: a replay that frees what another thread allocated takes
        /// 7.6 µs an event, and this way 5.9 (`weir-bench replay --whole 1`, decode and apply).
        var spent: [Batch] = []
        /// Number of the batch to be given next.
        var due = 0
        /// How many were begun.
        var begun = 0
        /// How many there are, once that is known.
        var count: Int?
        var failure: RecordingError?
        var isStopped = false

        /// Begins one more, if there is room for it and may be one.
        mutating func begin(_ limit: Int) -> Bool {
            guard count == nil, begun - due < limit else { return false }
            // What is due is read whatever it takes.
            guard begun == due || batches.values.reduce(0, { $0 + $1.bytes }) < Limits.waiting else { return false }
            begun += 1
            return true
        }
    }

    /// What comes next for who asks.
    private enum Turn {
        case batch(Batch)
        /// Nothing is there, but one more may be read.
        case reading
        case end(RecordingError?)
    }

    /// Entries of a batch where the recording has no blocks.
    private static let batchEntries = 512
    /// The same in bytes, about.
    private static let batchBytes = 1 << 20

    private let source: Monitor<Source>
    private let ready = Monitor(Ready())
    private let decoder: FrameDecoder
    private let limit: Int

    /// Starts to read ahead, and to decode events as far as `decoder` does.
    package init(_ blocks: consuming sending RecordingBlocks, decoder: FrameDecoder, threads: Int = 1) {
        source = Monitor(Source(blocks: blocks))
        self.decoder = decoder
        limit = threads + 2
        let caller = pthread_self()
        for number in 1...max(1, threads) {
            runOnThread(named: "weir-reader-\(number)") { [self] in
                // Where no thread can be started, who asks reads all.
                if pthread_equal(pthread_self(), caller) == 0 { readAhead() }
            }
        }
    }

    /// The next entries; nil at the end. Reads them, or blocks until they are there. One thread.
    package func next() throws(RecordingError) -> Batch? {
        while true {
            let turn: Turn = ready.wait { ready in
                if let batch = ready.batches.removeValue(forKey: ready.due) {
                    ready.due += 1
                    // Where no thread reads ahead, nothing else would free them.
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

    /// Nothing more is wanted.
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
            // Freed here, outside the lock.
            guard spent != nil else { return }
            readOne()
        }
    }

    /// Reads one more batch, which was begun, if there is one.
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
                // A block is in memory: nothing fails.
                items.append(item(entry))
            } else {
                return items
            }
        }
    }

    /// What is next in the file; nil when there is nothing more, which is known then.
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

    /// The next entries of the rest; nil when there is none.
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
    /// Whether it came over a WebSocket, whole, and nothing else is to be said of it.
    fileprivate var isPlain: Bool {
        wasReceived && cutFrom == nil && transport == nil && !isInjected
    }
}
