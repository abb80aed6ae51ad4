import Glibc
import WeirEvents
import WeirJSON
import WeirModel
import WeirNetwork
import WeirPipeline
import WeirStore
import WeirThreads
import WeirWire

extension Benchmark {
    private static let rows = BenchmarkOption(
        "rows", "N", "messages of the model", standard: 20_000, range: 1000...1_000_000)

    /// Measures what keeping a store costs the session.
    static let store = Benchmark(
        name: "store", summary: "cost of a store for the thread of the session and for its own",
        details: [
            "Edits the messages of a model one after the other; each edit is one batch, passed to the store as by a tail.",
            "On the session's thread: passing it. On the store's thread: encoding and writing it, many batches per transaction.",
            "For comparison, encoding alone on the session's thread. Finally everything is read into a new session.",
        ],
        options: [rows, .seed, .runs]
    ) { arguments throws(BenchmarkError) in
        var measurement = StoreMeasurement(rows: arguments[rows])
        for run in 0..<arguments[.runs] {
            do {
                try measurement.run(seed: UInt64(arguments[.seed] + run))
            } catch {
                throw .failed("\(error)")
            }
        }
        print(measurement.report + "\nAgain: \(arguments.commandLine)")
    }
}

/// The figures of all runs, in microseconds per batch or row.
private struct StoreMeasurement {
    private static let batches = 50_000
    private let rows: Int
    private var commits: [Double] = []
    private var handOvers: [Double] = []
    private var encodings: [Double] = []
    private var writes: [Double] = []
    private var reads: [Double] = []
    private var fills: [Double] = []

    init(rows: Int) { self.rows = rows }

    mutating func run(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let store = try Store(opening: folder.path + "/store.sqlite", now: 0)
        defer { store.close() }
        let scope = StoreScope(StoreAccount(server: "http://localhost", user: "bench"))
        var model = SectionedCollection<Item>()
        for number in 0..<rows { try model.upsert(Self.row(number, "the first text of the message")) }
        _ = model.commit()
        try store.commit([.model(model.snapshot)], of: scope, at: 0)
        try measure(&model, store, scope, seed: seed)
        try read(store, scope)
    }

    private mutating func measure(
        _ model: inout SectionedCollection<Item>, _ store: Store, _ scope: StoreScope, seed: UInt64
    ) throws {
        var dice = RandomSource(seed: seed)
        let edits = (0..<Self.batches).map { Self.row(dice.below(rows), "edited for the \($0)th time") }
        var made: [Batch<Item>] = []
        made.reserveCapacity(edits.count)
        var start = Clock.thread.nanoseconds
        for edit in edits {
            try model.upsert(edit)
            if let batch = model.commit() { made.append(batch) }
        }
        commits.append((Clock.thread.nanoseconds - start) / 1000 / Double(edits.count))
        let drained = Monitor(0)
        store.tell {
            drained.change { $0 += 1 }
        } onTrouble: { _ in
        }
        let watch = Stopwatch()
        start = Clock.thread.nanoseconds
        for batch in made {
            let before = drained.change { $0 }
            if store.keep([.batch(batch)], of: scope, at: 1) { drained.wait { $0 > before ? () : nil } }
        }
        handOvers.append((Clock.thread.nanoseconds - start) / 1000 / Double(made.count))
        try store.commit([], of: scope, at: 2)
        writes.append(watch.elapsed.seconds * 1e6 / Double(made.count))
        var bytes = 0
        start = Clock.thread.nanoseconds
        for batch in made {
            for change in batch.updates { bytes += change.new.encoded.count }
        }
        encodings.append((Clock.thread.nanoseconds - start) / 1000 / Double(made.count))
        guard bytes > 0 else { throw BenchmarkError.failed("nothing was encoded") }
    }

    private mutating func read(_ store: Store, _ scope: StoreScope) throws {
        let watch = Stopwatch()
        guard let remembered = try store.remembered(of: scope.account.server), remembered.rows == rows else {
            throw BenchmarkError.failed("the store does not contain \(rows) rows")
        }
        reads.append(watch.elapsed.seconds * 1e6 / Double(rows))
        var session = Session(Configuration(backend: .twake), seed: 1)
        var effects: [Effect] = []
        session.handle(.start, n: 0, at: .zero, into: &effects)
        let start = Clock.thread.nanoseconds
        for memory in remembered.memories { session.handle(.remembered(memory), n: 1, at: .zero, into: &effects) }
        fills.append((Clock.thread.nanoseconds - start) / 1000 / Double(rows))
        guard session.model.count == rows else { throw BenchmarkError.failed("the session was not filled") }
    }

    private static func row(_ number: Int, _ text: String) -> Item {
        let id = EntityID.uuid(UInt64(number) << 32, UInt64(number))
        let message = Twake.Message(
            id: id, thread: id, channel: .text("channel"), user: .text("user"), senderName: "Ana Lima", text: text)
        return Item(
            id: Item.ID(.message, id), section: Item.Section("messages", .text("channel")), sortKey: Int64(number),
            entity: Item.Entity(message))
    }

    var report: String {
        func line(_ name: String, _ values: [Double]) -> String {
            name.padded(to: 58) + Series(values).text(digits: 3)
        }
        return [
            "\(rows) rows, \(Self.batches) batches; microseconds a batch or row, median [lowest..highest] of the runs",
            "",
            line("session's thread: stage and commit an edit, no store", commits),
            line("session's thread: hand its batch over", handOvers),
            line("for comparison: encode its row", encodings),
            line("store's thread: encode and write it (wall clock)", writes),
            line("start: read a row (wall clock)", reads),
            line("start: put it into the session's model", fills), "",
        ].joined(separator: "\n")
    }
}

extension Item {
    fileprivate var encoded: [UInt8] {
        var writer = JSONWriter()
        encode(into: &writer)
        return writer.bytes
    }
}
