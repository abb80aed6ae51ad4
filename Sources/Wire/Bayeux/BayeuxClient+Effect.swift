public import JSONText

extension BayeuxClient {
    /// What the machine is told once.
    public struct Configuration: Hashable, Sendable {
        /// How frames travel.
        public var connectionType: Bayeux.ConnectionType
        /// Whether to offer the acknowledgement extension, by which a server sends again what was not received (4.2).
        public var acknowledges: Bool
        /// How long an answer may take that the server does not hold back.
        public var replyTimeout: Duration
        /// After how much silence the transport is probed; nil for never.
        public var probeAfter: Duration?
        /// How long a connect is held by a server that does not say so.
        public var assumedTimeout: Duration
        /// The pauses between handshakes with a server that forgets one session after the other.
        public var backoff: Backoff
        /// How many arrays and objects of a frame may be nested.
        public var maximumDepth = JSONReader.standardDepth
        /// A configuration. A transport of exchanges sees for itself that a server is gone, and is not probed.
        public init(
            connectionType: Bayeux.ConnectionType, acknowledges: Bool = true, replyTimeout: Duration = .seconds(10),
            probeAfter: Duration? = .seconds(30), assumedTimeout: Duration = .seconds(60),
            backoff: Backoff = Backoff(base: .seconds(1), cap: .seconds(60))
        ) {
            self.connectionType = connectionType
            self.acknowledges = acknowledges
            self.replyTimeout = replyTimeout
            self.probeAfter = connectionType == .websocket ? probeAfter : nil
            self.assumedTimeout = assumedTimeout
            self.backoff = backoff
        }
    }

    /// What outlives a transport.
    public struct Memory: Hashable, Sendable {
        /// The session of before, while the server may still have it.
        struct Session: Hashable, Sendable {
            var clientID: Secret
            var advice: Bayeux.Advice
            /// When the last connect was sent.
            var connected: Moment
            /// The batch received last, where batches are acknowledged.
            var batch: Int64?
        }
        var session: Session?
        var subscriptions: [Subscription] = []
        var hadSession = false
        /// The memory of a client that never connected.
        public init() {}

        /// Drops the wish for channels that are not wanted any more. A session that stands still has them: what comes of them is to be
        /// passed over.
        public mutating func keep(where isWanted: (Bayeux.Channel) -> Bool) {
            subscriptions.removeAll { !isWanted($0.channel) }
        }

        /// As `BayeuxClient.renew`, for the next transport.
        public mutating func renew(ext: RawJSON?) {
            for index in subscriptions.indices { subscriptions[index].ext = ext }
        }
    }

    /// A frame to be sent.
    public struct Outgoing: Hashable, Sendable {
        /// JSON text. It may hold tokens and the session's id.
        public var bytes: [UInt8]
        /// Whether the server may hold its answer back: over HTTP it needs an exchange of its own.
        public var isConnect: Bool
    }

    /// What is known to be missing when a session stands.
    public enum Continuity: Hashable, Sendable {
        /// It is the first one.
        case first
        /// The server took up the session of before and sends what it acknowledged not: nothing is missed.
        case complete
        /// The server took up the session of before: what waited there comes, but what it wrote to a dead transport is lost (4.5
        /// item 11).
        case resumed
        /// The server had forgotten the session of before: whatever was sent meanwhile is missed.
        case renewed
    }

    /// Something that was published on a channel.
    public struct Delivery: Hashable, Sendable {
        /// The channel; untrusted text.
        public var channel: String
        /// The publisher's id or the server's; of no use but for people.
        public var id: String?
        /// What was published.
        public var data: RawJSON
    }

    /// Why something was not published, or may not have been.
    public enum PublishFailure: Hashable, Sendable {
        /// The server's words; untrusted.
        case refused(String)
        /// Too much waits already.
        case overflow
        /// No answer in time; it may have been published.
        case timeout
        /// The session or its transport was lost; it may have been published.
        case sessionLost
        /// The machine was finished.
        case finished
    }

    /// What the machine wants done, in this order. An id that `publish` gave meets one end: `.published` or `.unpublished`.
    public enum Effect: Hashable, Sendable {
        /// Send this frame.
        case send(Outgoing)
        /// A session stands; its subscriptions follow.
        case connected(Continuity)
        /// The server accepted a subscription; told once a session.
        case subscribed(Bayeux.Channel)
        /// The server refused a subscription, by these words; it is not asked for again in this session.
        case refused(Bayeux.Channel, String)
        /// The server does not answer a subscription, however often it is asked; it is not asked for again in this session.
        case unanswered(Bayeux.Channel)
        /// A subscription ended, as asked.
        case unsubscribed(Bayeux.Channel)
        /// Something was published on a channel.
        case delivery(Delivery)
        /// What was published by us was accepted.
        case published(Int)
        /// It was not, or nobody knows.
        case unpublished(Int, PublishFailure)
        /// Something could not be read, and was passed over.
        case malformed(Bayeux.Malformed)
        /// Close the transport: the machine is finished.
        case close(CloseCause)
    }

    /// Why the machine wants the transport closed.
    public enum CloseCause: Hashable, Sendable {
        /// The first frame is not Bayeux.
        case notBayeux(Bayeux.Malformed)
        /// The server refused the handshake; its words, untrusted.
        case refused(String)
        /// The server does not answer the handshake.
        case noAnswer
        /// The server, or the way to it, is silent where it should not be.
        case silent
        /// The server forbade to come again (advice `none`, or a negative interval); its words, untrusted.
        case forbidden(String)
        /// The server ended the session.
        case byServer
        /// `disconnect` was called.
        case requested
    }
}
