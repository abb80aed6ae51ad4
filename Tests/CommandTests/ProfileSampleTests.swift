import Foundation
import Testing
import TestSupport

/// Checks that each profile in `samples/profiles` has a recording in `samples/recordings`, which plays without the
/// profile.
@Suite struct ProfileSampleTests {
    static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: packageFolder + "/samples/profiles")) ?? []
        return files.filter { $0.hasSuffix(".yaml") && !$0.hasSuffix(".scenario.yaml") }
            .map { String($0.dropLast(5)) }.sorted()
    }()

    @Test func `all samples are found`() { #expect(Self.names.count >= 7) }

    @Test(arguments: names) func `a sample is valid, and two replays of its recording are equal`(_ name: String) throws
    {
        let profile = packageFolder + "/samples/profiles/\(name).yaml"
        let recording = packageFolder + "/samples/recordings/\(name).weir.jsonl"
        let check = try weir("profile", "check", profile, "--against", recording)
        #expect(check.status == 0, "\(check.output)\(check.errors)")
        let folder = try temporaryFolder()
        var logs: [[UInt8]] = []
        for run in ["a", "b"] {
            let log = folder + "/\(run).jsonl"
            let replay = try weir("replay", recording, "--speed", "max", "--verify", "--diff-log", log)
            #expect(replay.status == 0 || replay.status == 3, "\(replay.errors)")
            // The model contains rows of the profile's entities.
            #expect(replay.output.contains("+ "), "\(replay.output)")
            logs.append(try readFile(log))
        }
        #expect(logs[0] == logs[1] && !logs[0].isEmpty)
    }
}
