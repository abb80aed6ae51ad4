extension Option {
    /// The options of `watch`: those of `tail` and `replay` that are not about printing.
    static let ofWatch: Set<Option> = ofWatchedServer.union(ofWatchedRecording).union(ofWatchedTail)

    /// Those for a server.
    static let ofWatchedServer: Set<Option> = ofFilters.union([
        .backend, .path, .namespace, .query, .eio, .transport, .token, .auth, .header, .ca, .cert, .key, .keyPass, .pin,
        .proxy,
        .proxyAuth, .company, .workspace, .join, .emit, .emitAck, .ack, .on, .timeout, .history, .catchUp, .members,
        .framing, .duration,
        .idleTimeout,
        .maxAttempts, .maxRetryAfter, .reconnect, .maxMessage, .maxBody, .maxBinary, .maxAttachments, .maxDepth,
        .record,
        .recordFilter, .rotate, .keep, .compress,
        .fsync,
        .onWriteError, .noStates, .force, .keepSecrets,
        .store, .diffLog,
        .diffLogReversible, .name, .noControl, .quiet, .summary, .time, .zone, .ctx,
        .yes,
    ])

    /// Those for a recording.
    static let ofWatchedRecording: Set<Option> = ofFilters.union([
        .speed, .rate, .idleLimit, .start, .end, .span, .follow, .step, .refetch, .verify, .diffLog, .diffLogReversible,
        .quiet, .summary, .time, .zone,
    ])

    /// Those for a tail that runs.
    static let ofWatchedTail: Set<Option> = ofFilters.union([.on, .quiet, .summary, .time, .zone])

    /// Those that say what is shown.
    private static let ofFilters: Set<Option> = [
        .filter, .kind, .notKind, .room, .notRoom, .from, .notFrom, .grep, .exclude, .highlight, .sample,
        .explainFilter,
    ]
}
