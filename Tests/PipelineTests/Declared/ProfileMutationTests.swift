import Foundation
import Testing
import WeirJSON
import WeirWire

@testable import WeirPipeline

/// Profiles with random byte changes: each is refused with a reason, or reads back as written.
@Suite struct ProfileMutationTests {
    @Test(arguments: ["socketio-chat", "gateway"])
    func `a mutated profile is refused at a position or reads back as written`(_ name: String)
        throws
    {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../samples/profiles")
        let sample = Array(try Data(contentsOf: folder.appending(path: name + ".yaml")))
        let rounds = Int(ProcessInfo.processInfo.environment["WEIR_ROUNDS"] ?? "") ?? 300
        var random = RandomSource(seed: 60)
        var accepted = 0
        for _ in 0..<rounds {
            var text = sample
            for _ in 0...Int(random.next() % 3) {
                let place = Int(random.next() % UInt64(text.count))
                switch random.next() % 3 {
                case 0: text[place] = UInt8(truncatingIfNeeded: random.next() % 128)
                case 1: text.remove(at: place)
                default:
                    let from = Int(random.next() % UInt64(text.count))
                    text.insert(contentsOf: text[from..<min(from + 12, text.count)], at: place)
                }
            }
            do throws(Profile.Invalid) {
                let profile = try Profile(parsing: text)
                accepted += 1
                #expect(
                    try! Profile(parsing: Array(profile.json.bytes)) == profile,
                    "\(String(decoding: text, as: UTF8.self))")
            } catch {
                #expect(error.problems.allSatisfy { $0.line > 0 && $0.column > 0 && !$0.message.isEmpty })
            }
        }
        #expect(accepted > 0 && accepted < rounds)
    }

    @Test func `each seed of the fuzz target is a profile that reads back as written`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../samples/corpus/profile")
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let profile = try Profile(parsing: Array(try Data(contentsOf: file)))
            #expect(try Profile(parsing: Array(profile.json.bytes)) == profile, "\(file.lastPathComponent)")
        }
    }
}
