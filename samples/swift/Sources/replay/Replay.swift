import WeirLive

/// Plays a recording: counts its events by kind, then shows the model in its middle.
///
///     swift run replay incident.weir.jsonl
@main enum ReplaySample {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else { return print("usage: replay RECORDING") }
        let path = CommandLine.arguments[1]
        let replay = Replay(path: path)
        let events = replay.events
        async let summary = replay.run()
        var kinds: [String: Int] = [:]
        for await event in events { kinds[event.kind, default: 0] += 1 }
        let end = try await summary
        print(
            "\(end.events) events: "
                + kinds.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))

        // A cursor holds the model at any position, and moves both ways.
        let cursor = try ReplayCursor(opening: path)
        try cursor.seek(toEvent: end.events / 2)
        for section in cursor.model.sectionKeys {
            print("after \(cursor.events) events: \(section.name) \(cursor.model.elementCount(in: section))")
        }
    }
}
