extension Option {
    /// The options of `watch`: those of `tail` and `replay` that are not about printing.
    static let ofWatch: Set<Option> = ofWatchedServer.union(ofWatchedRecording)

    /// Those for a server.
    static let ofWatchedServer: Set<Option> = [
        .backend, .path, .namespace, .eio, .transport, .token, .header, .ca, .cert, .key, .keyPass, .pin, .proxy,
        .proxyAuth, .company, .workspace, .join, .emit, .history, .members, .framing, .duration, .idleTimeout,
        .maxAttempts, .record, .rotate, .keep, .compress, .fsync, .onWriteError, .noStates, .force, .store, .diffLog,
        .diffLogReversible, .name, .noControl, .quiet, .summary, .time, .zone,
    ]

    /// Those for a recording.
    static let ofWatchedRecording: Set<Option> = [
        .speed, .rate, .idleLimit, .start, .end, .span, .follow, .step, .refetch, .verify, .diffLog, .diffLogReversible,
        .quiet, .summary, .time, .zone,
    ]
}
