public import JSONText

extension BayeuxClient {
    /// The settings of a client, fixed when it is created.
    public struct Configuration: Hashable, Sendable {
        /// The transport of the frames.
        public var connectionType: Bayeux.ConnectionType
        /// Whether to offer the acknowledgement extension, with which a server resends messages that were not received
        /// (Bayeux BX-23).
        public var acknowledges: Bool
        /// How long to wait for an answer that the server does not hold back.
        public var replyTimeout: Duration
        /// The time without incoming data after which the client probes the transport; `nil` disables probing.
        public var probeAfter: Duration?
        /// How long a server is assumed to hold a connect if it does not advise a timeout.
        public var assumedTimeout: Duration
        /// The pauses between handshakes with a server that repeatedly forgets the session.
        public var backoff: Backoff
        /// How deep the arrays and objects of a frame may be nested.
        public var maximumDepth = JSONReader.standardDepth
        /// Creates a configuration.
        ///
        /// `probeAfter` applies only to a WebSocket. An HTTP transport notices by itself that a server is gone.
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

    /// The state of a client that outlives its transport.
    public struct Memory: Hashable, Sendable {
        /// The previous session, as long as the server may still keep it.
        struct Session: Hashable, Sendable {
            var clientID: Secret
            var advice: Bayeux.Advice
            /// When the last connect was sent.
            var connected: Moment
            /// The last batch received, if batches are acknowledged.
            var batch: Int64?
        }
        var session: Session?
        var subscriptions: [Subscription] = []
        var hadSession = false
        /// Creates the memory of a client that has never connected.
        public init() {}

        /// Removes the subscriptions to channels that are no longer wanted.
        ///
        /// A session that is still open on the server keeps them, so the caller must ignore their messages.
        public mutating func keep(where isWanted: (Bayeux.Channel) -> Bool) {
            subscriptions.removeAll { !isWanted($0.channel) }
        }

        /// Sets `ext` as `BayeuxClient.renew` does, for the next transport.
        public mutating func renew(ext: RawJSON?) {
            for index in subscriptions.indices { subscriptions[index].ext = ext }
        }
    }

    /// A frame for the driver to send.
    public struct Outgoing: Hashable, Sendable {
        /// The frame as JSON text. It may contain tokens and the id of the session.
        public var bytes: [UInt8]
        /// Whether the server may hold back its answer. Over HTTP, such a frame needs its own exchange.
        public var isConnect: Bool
    }

    /// What is known about missing events when a session is open.
    public enum Continuity: Hashable, Sendable {
        /// This is the first session, so nothing is missing.
        case first
        /// The server resumed the previous session and resends what was not acknowledged, so nothing is missing.
        case complete
        /// The server resumed the previous session and sends what it queued, but what it wrote to a dead transport is
        /// lost (Bayeux BX-16).
        case resumed
        /// The server had forgotten the previous session, so everything sent since then is missing.
        case renewed
    }

    /// A message published on a channel.
    public struct Delivery: Hashable, Sendable {
        /// The channel on which it was published. Untrusted text.
        public var channel: String
        /// The id that the publisher or the server gave it; useful only to people.
        public var id: String?
        /// The published data, as JSON text.
        public var data: RawJSON
    }

    /// The reason why a message was not published, or may not have been.
    public enum PublishFailure: Hashable, Sendable {
        /// The server refused it. The text is the server's and untrusted.
        case refused(String)
        /// Too many messages are already waiting.
        case overflow
        /// No answer arrived in time. The message may have been published.
        case timeout
        /// The session or its transport was lost. The message may have been published.
        case sessionLost
        /// The client has finished and publishes nothing more.
        case finished
    }

    /// The driver performs the effects in this order. Each id that `publish` returned ends with exactly one `.published` or `.unpublished`.
    public enum Effect: Hashable, Sendable {
        /// Send this frame to the server.
        case send(Outgoing)
        /// A session is open. The effects of its subscriptions follow.
        case connected(Continuity)
        /// The server accepted a subscription. Reported once per session.
        case subscribed(Bayeux.Channel)
        /// The server refused a subscription, with this text. The client does not retry it in this session.
        case refused(Bayeux.Channel, String)
        /// The server did not answer a subscription after several attempts. The client does not retry it in this
        /// session.
        case unanswered(Bayeux.Channel)
        /// A subscription has ended, as requested.
        case unsubscribed(Bayeux.Channel)
        /// A message was published on a channel.
        case delivery(Delivery)
        /// The server accepted a message that this client published.
        case published(Int)
        /// A message was not published, or its outcome is unknown.
        case unpublished(Int, PublishFailure)
        /// Input could not be read, and was ignored.
        case malformed(Bayeux.Malformed)
        /// Close the transport; the client has finished.
        case close(CloseCause)
    }

    /// The reason why the client wants the transport closed.
    public enum CloseCause: Hashable, Sendable {
        /// The first frame is not Bayeux.
        case notBayeux(Bayeux.Malformed)
        /// The server refused the handshake. The text is the server's and untrusted.
        case refused(String)
        /// The server did not answer the handshake.
        case noAnswer
        /// The server, or the path to it, is silent although data is due.
        case silent
        /// The server forbade another attempt (advice `none`, or a negative interval). The text is the server's and
        /// untrusted.
        case forbidden(String)
        /// The server ended the session.
        case byServer
        /// The caller ended the session with `disconnect(at:into:)`.
        case requested
    }
}
