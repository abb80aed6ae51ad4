public import JSONText

extension BayeuxClient {
    /// A message that waits to be published, or was sent and is not yet answered.
    struct Publication: Hashable, Sendable {
        /// The id that `publish` returned to the caller.
        var number: Int
        var channel: Bayeux.Channel
        var data: RawJSON
        var ext: RawJSON?
        /// The id on the wire; empty until the message is sent.
        var id = ""
        /// When the client gives up, once the message is sent.
        var until = Moment.zero
    }

    /// The maximum number of unanswered messages.
    static let mostUnanswered = 1024

    /// Publishes `data` on a channel, or queues it until the session is open.
    ///
    /// The client never sends a message twice. One that gets no answer ends as `.unpublished`, and the caller decides
    /// whether to repeat it.
    ///
    /// - Parameter data: Any JSON value except null.
    /// - Returns: The id that the final `.published` or `.unpublished` effect carries.
    public mutating func publish(
        _ channel: Bayeux.Channel, _ data: RawJSON, ext: RawJSON? = nil, at now: Moment, into effects: inout [Effect]
    ) -> Int {
        let publication = Publication(number: nextID, channel: channel, data: data, ext: ext)
        nextID += 1
        switch state {
        case .open(let clientID):
            if publications.count < Self.mostUnanswered {
                send(publication, clientID, at: now, into: &effects)
            } else {
                effects.append(.unpublished(publication.number, .overflow))
            }
        case .idle, .handshaking, .resuming, .pausing:
            if !waiting.append(publication, bytes: data.bytes.count) {
                effects.append(.unpublished(publication.number, .overflow))
            }
        case .leaving, .finished: effects.append(.unpublished(publication.number, .finished))
        }
        return publication.number
    }

    mutating func send(
        _ publication: Publication, _ clientID: Secret, at now: Moment, into effects: inout [Effect]
    ) {
        var sent = publication
        sent.id = newID()
        sent.until = now + configuration.replyTimeout
        publications.append(sent)
        let frame = Bayeux.frame(sent.channel, id: sent.id) { message in
            message.member("clientId", clientID.reveal())
            message.member("data", raw: sent.data)
            message.member("ext", raw: sent.ext)
        }
        effects.append(.send(Outgoing(bytes: frame, isConnect: false)))
    }

    var publicationsDeadline: Moment? { publications.first?.until }

    mutating func advancePublications(to due: Moment, into effects: inout [Effect]) {
        while let first = publications.first, first.until <= due {
            publications.removeFirst()
            effects.append(.unpublished(first.number, .timeout))
        }
    }

    /// Handles a reply on a channel outside the protocol. A message with the same id but without `successful` is a
    /// delivery (Bayeux BX-4).
    mutating func publicationAnswered(
        _ message: Bayeux.Message, at now: Moment, into effects: inout [Effect]
    ) {
        guard let index = publications.firstIndex(where: { $0.id == message.id }) else { return }
        let publication = publications.remove(at: index)
        if message.isSuccessful == true {
            effects.append(.published(publication.number))
        } else {
            effects.append(.unpublished(publication.number, .refused(message.error ?? "refused")))
            if message.meansUnknownSession { forget(at: now, into: &effects) }
        }
    }

    /// Ends all sent messages with `failure`. Queued messages wait for the next session, unless the client has
    /// finished.
    mutating func abandonPublications(_ failure: PublishFailure, into effects: inout [Effect]) {
        var given = publications
        publications = []
        if failure == .finished { given += waiting.drain() }
        effects += given.map { .unpublished($0.number, failure) }
    }
}
