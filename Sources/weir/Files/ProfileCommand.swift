import Glibc
import WeirEvents
import WeirJSON
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirTerminal
import WeirThreads

/// The verbs of `weir profile`.
enum ProfileCommand {
    static func check(_ arguments: Arguments) throws(UsageError) -> ExitCode {
        let path = arguments.positionals[0]
        let profile = try arguments.profile(at: path)
        func count(_ number: Int, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }
        var parts = [
            count(profile.events.count, "event", "events"), count(profile.entities.count, "entity", "entities"),
            count(profile.reads.count, "read", "reads"), count(profile.writes.count, "write", "writes"),
        ]
        if profile.rooms != nil { parts.append("rooms") }
        let line = "\(path): '\(profile.name)': " + parts.joined(separator: ", ")
        guard let recording = arguments[.against] else { return Console.print(TerminalText.escaped(line) + "\n") }
        let trial = Trial()
        var playing = ReplayConfiguration([recording])
        playing.play(as: .declared(profile))
        do { _ = try Replay(playing, outlets: [trial]).play() } catch { return Console.fail(error) }
        return Console.print(
            ([line] + trial.lines(of: profile, recording)).map { TerminalText.escaped($0) + "\n" }.joined())
    }

    /// An outlet that collects how a profile decodes the events of a recording.
    private final class Trial: Outlet {
        private struct Found {
            var kinds: [String: Int] = [:]
            var unmatched: [String: (count: Int, example: String)] = [:]
            var unreadable: [String: Int] = [:]
            var changes = 0
        }
        private static let mostNames = 200
        private let found = Monitor(Found())

        func write(_ reports: [StampedReport]) throws(OutletError) {
            found.change { found in
                for stamped in reports {
                    switch stamped.report {
                    case .event(let event) where event.isKnown: found.kinds[event.kind, default: 0] += 1
                    case .event(let event):
                        let name = event.wireName
                        guard found.unmatched[name] != nil || found.unmatched.count < Self.mostNames else { continue }
                        found.unmatched[name, default: (0, event.event.summary)].count += 1
                    case .undecodable(let report):
                        let words = "\(report.subject): \(report.message)"
                        guard found.unreadable[words] != nil || found.unreadable.count < Self.mostNames else {
                            continue
                        }
                        found.unreadable[words, default: 0] += 1
                    case .diff: found.changes += 1
                    case .gap, .connection, .room, .action, .emit, .refetch, .typing, .notice: break
                    }
                }
            }
        }

        func finish() throws(OutletError) {}

        func lines(of profile: Profile, _ recording: String) -> [String] {
            let found = found.change { $0 }
            func sorted(_ counts: [String: Int]) -> [(String, Int)] {
                counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            }
            let kinds = sorted(found.kinds).map { "\($0.1) \($0.0)" }.joined(separator: ", ")
            var lines = [
                "\(recording): " + (kinds.isEmpty ? "no event matches a rule" : kinds)
                    + "; \(found.changes) changes of the model"
            ]
            for (name, count) in sorted(found.unmatched.mapValues(\.count)) {
                lines.append("  no rule: \(count) × \(found.unmatched[name]?.example ?? name)")
            }
            for (words, count) in sorted(found.unreadable) { lines.append("  unreadable: \(count) × \(words)") }
            let met = Set(found.kinds.keys)
            let unmet = profile.events.map { $0.kind ?? $0.event }.filter { !met.contains($0) }
            if !unmet.isEmpty { lines.append("  unused rules: " + unmet.joined(separator: ", ")) }
            return lines
        }
    }

    /// Prints a first profile inferred from a recording.
    static func infer(_ arguments: Arguments) throws(UsageError) -> ExitCode {
        let recording = arguments.positionals[0]
        let witness = Witness()
        var playing = ReplayConfiguration([recording])
        playing.refetch = .stub
        do { _ = try Replay(playing, outlets: [witness]).play() } catch { return Console.fail(error) }
        guard witness.inference.count > 0 else {
            throw arguments.error("\(UsageError.quoted(recording)) contains no event to infer a profile from")
        }
        guard let reader = try? RecordingReader(opening: recording),
            let session = try? Configuration(json: reader.head.session)
        else { return Console.print(witness.inference.profile(called: "mine")) }
        return Console.print(
            witness.inference.profile(called: "mine", path: session.path, namespace: session.namespaces[0]))
    }

    /// An outlet that infers a profile from the events of a replay.
    private final class Witness: Outlet {
        private let seen = Monitor(ProfileInference())
        var inference: ProfileInference { seen.change { $0 } }

        func write(_ reports: [StampedReport]) throws(OutletError) {
            seen.change { seen in
                for case .event(let event) in reports.map(\.report) { seen.see(event.wireName, event.payload) }
            }
        }

        func finish() throws(OutletError) {}
    }

    /// Prints a first profile made from an AsyncAPI document.
    static func fromAsyncAPI(_ arguments: Arguments) throws(UsageError) -> ExitCode {
        let made = try arguments.declared("document", at: arguments.positionals[0]) { bytes throws(Profile.Invalid) in
            try AsyncAPIProfile(of: bytes)
        }
        for sentence in made.unmapped { Console.note("not mapped: " + TerminalText.escaped(sentence)) }
        return Console.print(made.text)
    }

    static func schema(_ arguments: Arguments) -> ExitCode {
        Console.print(Profile.jsonSchema.raw.description + "\n")
    }
}

extension Arguments {
    /// Returns the backend that `--profile` declares; `nil` if none applies. A typed `--backend` overrides the profile
    /// of a context.
    func declaredBackend() throws(UsageError) -> Configuration.BackendKind? {
        guard let path = self[.profile] else { return nil }
        guard isTyped(.backend) else { return .declared(try profile(at: path)) }
        guard !isTyped(.profile) else {
            throw error("--profile and --backend exclude each other")
        }
        return nil
    }

    /// The kinds of events and rows that a profile declares: the profile of the options, or of the recording to play.
    var declaredKinds: [String] {
        get throws(UsageError) {
            if let backend = try declaredBackend() { return backend.declaredKinds }
            if command == .demo, let world = EmbeddedService.worlds.first(where: { $0.name == self[.backend] }) {
                return world.backend("").declaredKinds
            }
            // A file that can be read only once is left to the replay.
            var facts = stat()
            guard command == .replay || command == .watch, let path = positionals.first,
                stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
                let reader = try? RecordingReader(opening: path)
            else { return [] }
            return (try? Configuration(json: reader.head.session))?.backend.declaredKinds ?? []
        }
    }

    /// Parses the profile in a file. An error lists each problem on its own line.
    func profile(at path: String) throws(UsageError) -> Profile {
        try declared("profile", at: path) { bytes throws(Profile.Invalid) in try Profile(parsing: bytes) }
    }

    /// Parses the scenario in a file for a profile.
    func scenario(at path: String, for profile: Profile) throws(UsageError) -> ProfileScenario {
        try declared("scenario", at: path) { bytes throws(Profile.Invalid) in
            try ProfileScenario(parsing: bytes, for: profile)
        }
    }

    /// Parses a file. An error lists each problem on its own line.
    func declared<Value>(
        _ what: String, at path: String, _ parse: ([UInt8]) throws(Profile.Invalid) -> Value
    ) throws(UsageError) -> Value {
        let shown = UsageError.quoted(path)
        let bytes: [UInt8]
        do { bytes = try TextFile.bytes(path, limit: TextFile.limit) } catch {
            throw self.error("\(what) \(shown): \(error.message)")
        }
        do { return try parse(bytes) } catch {
            let count = error.problems.count
            var wrong = self.error("\(what) \(shown): \(count == 1 ? "one problem" : "\(count) problems")")
            wrong.details = error.problems.map {
                TerminalText.escaped("\(path):\($0.line):\($0.column): \($0.message)")
            }
            throw wrong
        }
    }
}
