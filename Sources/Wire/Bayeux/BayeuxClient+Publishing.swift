public import JSONText

extension BayeuxClient {
    /// Something to be published, or published and not answered.
    struct Publication: Hashable, Sendable {
        /// The id the caller knows it by.
        var number: Int
        var channel: Bayeux.Channel
        var data: RawJSON
        var ext: RawJSON?
        /// Its id on the wire, once it was sent.
        var id = ""
        /// When it is given up, once it was sent.
        var until = Moment.zero
    }

    /// How many may be unanswered at a time.
    static let mostUnanswered = 1024

    /// Publishes `data`, any JSON but null, on a channel; gives the id that its end is told by. Before the session stands it waits.
    /// Nothing is ever sent twice: what got no answer is `.unpublished`, and the caller knows whether it can be repeated.
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

    /// A reply on a channel that is none of the protocol's. Anything of the same id without `successful` is a delivery (4.5 item 5).
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

    /// What waits goes on waiting for the next session, unless there is to be none.
    mutating func abandonPublications(_ failure: PublishFailure, into effects: inout [Effect]) {
        var given = publications
        publications = []
        if failure == .finished { given += waiting.drain() }
        effects += given.map { .unpublished($0.number, failure) }
    }
}
