import JSONText
import Live
import Network
import Pipeline
import Recording
import Terminal

/// `weir profile`: what a backend's profile says, checked.
enum ProfileCommand {
    static func check(_ arguments: Arguments) throws(UsageError) -> ExitCode {
        let path = arguments.positionals[0]
        let profile = try arguments.profile(at: path)
        var parts = [
            "\(profile.events.count) events", "\(profile.entities.count) entities", "\(profile.reads.count) reads",
        ]
        if profile.rooms != nil { parts.append("rooms") }
        let line = "\(path): '\(profile.name)': " + parts.joined(separator: ", ")
        return Console.print(TerminalText.escaped(line) + "\n")
    }

    static func schema(_ arguments: Arguments) -> ExitCode {
        Console.print(Profile.jsonSchema.raw.description + "\n")
    }
}

extension Arguments {
    /// What the server speaks, where `--profile` declares it. A `--backend` that is typed counts more than the profile of a context.
    func declaredBackend() throws(UsageError) -> Configuration.BackendKind? {
        guard let path = self[.profile] else { return nil }
        guard isTyped(.backend) else { return .declared(try profile(at: path)) }
        guard !isTyped(.profile) else {
            throw error("--profile says what the server speaks, and so does --backend: give one of them")
        }
        return nil
    }

    /// The kinds of events and rows that a profile declares: that of the options, or of the recording that is played.
    var declaredKinds: [String] {
        get throws(UsageError) {
            if let backend = try declaredBackend() { return backend.declaredKinds }
            guard command == .replay || command == .watch, let path = positionals.first, path != "-",
                let reader = try? RecordingReader(opening: path)
            else { return [] }
            return (try? Configuration(json: reader.head.session))?.backend.declaredKinds ?? []
        }
    }

    /// The profile that a file declares; the error has a line for each thing that is wrong in it.
    func profile(at path: String) throws(UsageError) -> Profile {
        let shown = UsageError.quoted(path)
        let bytes: [UInt8]
        do { bytes = try TextFile.bytes(path, limit: TextFile.limit) } catch {
            throw self.error("profile \(shown): \(error.message)")
        }
        do { return try Profile(parsing: bytes) } catch {
            let count = error.problems.count
            var wrong = self.error("profile \(shown): \(count == 1 ? "one problem" : "\(count) problems")")
            wrong.details = error.problems.map {
                TerminalText.escaped("\(path):\($0.line):\($0.column): \($0.message)")
            }
            throw wrong
        }
    }
}
