import WeirLive

/// Follows a Twake server: prints events, reports gaps, answers the first message, and records everything.
///
///     TOKEN=… swift run tail http://127.0.0.1:8080 incident.weir.jsonl
@main enum TailSample {
    static func main() async throws {
        guard CommandLine.arguments.count == 3 else { return print("usage: tail URL RECORDING") }
        var configuration = TailConfiguration(
            server: try URLParts(parsing: CommandLine.arguments[1]), session: Configuration(backend: .twake),
            token: .environment("TOKEN"))
        configuration.recordPath = CommandLine.arguments[2]
        let tail = Tail(configuration)
        // A sequence takes the reports from its creation on.
        let (events, changes, gaps) = (tail.events, tail.changes, tail.gaps)

        // The first task that ends, or fails, ends the others, as under a service supervisor.
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let summary = try await tail.run()
                print("\(summary.outcome): \(summary.events) events, \(summary.gaps) gaps")
            }
            group.addTask {
                for await gap in gaps { print("gap: \(gap.cause), \(gap.refetching.count) resources are refetched") }
                try await Task.sleep(for: .seconds(3600))
            }
            group.addTask {
                // A message needs a channel, which the server lists after the connection.
                for await change in changes {
                    guard let row = change.batch.insertions.first(where: { $0.element.id.kind == .channel }) else {
                        continue
                    }
                    let id = try await tail.send("hello from Swift", to: row.element.id.id)
                    print("sent: \(id.map { "\($0)" } ?? "no id")")
                    break
                }
                // `debugDescription` makes a stranger's text harmless on a terminal.
                for await event in events.prefix(20) { print(event.kind, event.event.summary.debugDescription) }
            }
            try await group.next()
            group.cancelAll()
        }
    }
}
