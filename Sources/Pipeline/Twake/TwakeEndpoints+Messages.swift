import Events

// The GET calls for messages.
extension TwakeEndpoints {
    /// Returns the call for a page of a channel's messages: the newest one, or the one that ends with `before`, which
    /// is on it again (Twake TW-83). The pages of era A mix heads and replies.
    static func feed(
        _ era: TwakeEra, _ path: TwakeChannelPath, before: EntityID? = nil
    ) -> Endpoint<[Twake.Message]> {
        var query: RESTCall.Query = era == .a ? messageQuery(path) : []
        query.append(("limit", "\(pageLength)"))
        switch era {
        case .a:
            if let before { query.append(("before_message_id", before.description)) }
            return Endpoint("\(proxy)/messages", query: query, rows: Twake.messages)
        case .b:
            if let before { query += [("page_token", before.description), ("direction", "history")] }
            query += [("replies_per_thread", "\(repliesPerThread)"), ("include_users", "1"), ("emojis", "false")]
            return Endpoint(
                "\(core)/messages/v1/companies/\(path.company)/workspaces/\(path.workspace)/channels/\(path.channel)/feed",
                query: query, rows: Twake.messages)
        }
    }

    /// Returns the call for the newest messages of a thread, or for the page that ends with `before`, oldest message
    /// first.
    static func thread(
        _ era: TwakeEra, company: EntityID, _ path: TwakeChannelPath?, id: EntityID, before: EntityID? = nil
    ) -> Endpoint<[Twake.Message]> {
        guard era == .a, let path else {
            var query: RESTCall.Query = [("limit", "\(threadLength)")]
            if let before { query += [("page_token", before.description), ("direction", "history")] }
            return Endpoint(
                thread(company, id), query: query + [("include_users", "1")],
                rows: Twake.messages)
        }
        var older: RESTCall.Query = []
        if let before { older.append(("before_message_id", before.description)) }
        return Endpoint(
            "\(proxy)/messages",
            query: messageQuery(path) + [("thread_id", id.description), ("limit", "\(threadLength)")] + older,
            rows: Twake.messages)
    }

    /// Returns the call for a single message. Era A answers with a list; an empty list gives `nil`.
    static func message(
        _ era: TwakeEra, _ path: TwakeChannelPath, thread id: EntityID, id message: EntityID
    ) -> Endpoint<Twake.Message?> {
        switch era {
        case .a:
            var query = messageQuery(path)
            if id != message { query.append(("thread_id", id.description)) }
            query.append(("message_id", message.description))
            return Endpoint("\(proxy)/messages", query: query) {
                body, sieve throws(DecodingFailure) in
                try Twake.messages(from: body, sieve).first { $0.id == message }
            }
        case .b:
            return Endpoint(
                "\(thread(path.company, id))/\(message)", query: [("include_users", "1")]
            ) { body throws(DecodingFailure) in try Twake.message(from: body) }
        }
    }

    private static func thread(_ company: EntityID, _ thread: EntityID) -> RESTTarget {
        "\(core)/messages/v1/companies/\(company)/threads/\(thread)/messages"
    }

    private static func messageQuery(_ path: TwakeChannelPath) -> RESTCall.Query {
        proxyQuery(path.company, path.workspace) + [("channel_id", path.channel.description)]
    }
}
