import WeirLive

/// Tails a server for a minute, records it, prints its events, and returns the number of rows that came and went.
func record(_ address: String, to path: String) async throws -> Int {
    var configuration = TailConfiguration(
        server: try URLParts(parsing: address), session: Configuration(backend: .twake),
        token: .environment("TWAKE_TOKEN"))
    configuration.recordPath = path
    configuration.duration = .seconds(60)
    let tail = Tail(configuration)
    let (events, changes) = (tail.events, tail.changes)
    async let summary = tail.run()
    async let printed: Void = {
        for await event in events { print(event.event.summary.debugDescription) }
    }()
    var rows = 0
    for await change in changes { rows += change.batch.insertions.count - change.batch.deletions.count }
    _ = try await (printed, summary)
    return rows
}

/// Plays a recording at maximum speed, and writes its changes of the model to a diff log.
func replay(_ path: String, into log: String) async throws -> TailSummary {
    try await Replay(path: path, outlets: [try DiffLogFile(creating: log)]).run()
}
