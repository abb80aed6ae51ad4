import Glibc
import Testing
import TestSupport
import WeirLive
@testable import WeirViews
import WeirModel
import WeirPipeline
import WeirRecording
import WeirWire

/// Returns the path of `recording-writer`, in the folder of the test program.
private func pathOfWriter() throws -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    try #require(length > 0)
    let program = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let candidates = [program, CommandLine.arguments[0]].map {
        $0[..<($0.lastIndex(of: "/") ?? $0.startIndex)] + "/recording-writer"
    }
    return String(try #require(candidates.first { access(String($0), X_OK) == 0 }, "no writer in \(candidates)"))
}

/// How many times a writer is killed: 9 times, or as often as the environment says. Large numbers need an optimized
/// build: `WEIR_KILLS=1000 swift test -c release --scratch-path .build/kills --filter KilledRecordingTests`.
private var kills: Int { getenv("WEIR_KILLS").flatMap { Int(String(cString: $0)) } ?? 9 }

/// The contents of a file, replayed in a session like the tail's.
private struct Findings {
    var last = 0
    var torn = 0
    var states = 0
    var damage: [String] = []

    init(path: String) throws {
        var reader = try RecordingReader(opening: path)
        var session = Session(
            try Configuration(json: reader.head.session), seed: reader.head.seed, keepsChecksum: true)
        var effects: [Effect] = []
        session.handle(.start, n: 0, at: .zero, into: &effects)
        while let entry = try reader.next() {
            switch entry {
            case .record(.state(let state), let stamp):
                states += 1
                if state.after != stamp.n || state.checksum != session.model.checksum { damage.append("\(state)") }
            case .record(let record, let stamp):
                last = max(last, stamp.n)
                guard let input = Input(record) else { continue }
                session.advance(to: stamp.time, into: &effects)
                session.handle(input, n: stamp.n, at: stamp.time, into: &effects)
                effects.removeAll(keepingCapacity: true)
            case .tornTail: torn += 1
            case .damage, .discontinuity, .checksumMismatch, .displacement: damage.append("\(entry)")
            }
        }
    }
}

@Suite(.serialized) struct KilledRecordingTests {
    @Test(arguments: ["plain", "live"])
    func
        `Check 3: a writer killed at any point leaves all complete lines, at most one torn, and a replay that verifies`(
            form: String
        ) throws
    {
        let path = try temporaryFolder() + "/x.weir.jsonl"
        var generator = SystemRandomNumberGenerator()
        let seed = generator.next()
        var dice = RandomSource(seed: seed)
        var torn = 0
        var states = 0
        for round in 0..<kills / 2 {
            // Waits until the writer has reported at least this many records, then kills it at once or a little later.
            let target = Int(dice.next() % 6_000)
            let writer = try Peer([try pathOfWriter(), path, "\(seed &+ UInt64(round))", form])
            var told = 0
            while told < target, let line = writer.readLine() { told = Int(line) ?? 0 }
            // Hits any point of the following batch, which takes 10 ms.
            usleep(UInt32(dice.next() % 10_000))
            writer.stop()
            guard access(path, F_OK) == 0 else { continue }
            do {
                let found = try Findings(path: path)
                #expect(found.damage == [], "seed \(seed), round \(round)")
                #expect(found.torn <= 1, "seed \(seed), round \(round)")
                // A compressed file lacks its open chunk: a second of records, or 256 KiB.
                if form == "plain" { #expect(found.last >= told, "seed \(seed), round \(round)") }
                torn += found.torn
                states += found.states
            } catch RecordingError.notARecording {
                // The writer was killed before it wrote the head.
                #expect(told == 0, "seed \(seed), round \(round)")
            }
            unlink(path)
        }
        #expect(states > kills / 4)
        print("\(kills / 2) kills, \(form): \(torn) torn tails, \(states) states verified")
    }
}
