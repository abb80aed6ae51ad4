package import Wire

extension Record {
    /// `conn`: a change in a connection's state.
    package struct ConnectionRecord: Hashable, Sendable {
        /// The states of a wire connection.
        package enum State: String, Hashable, Sendable, CaseIterable {
            case connecting, open, upgraded, closing, closed, failed
            /// The reader has paused because received data is not written yet (`paused`), or the process stood still
            /// (`stalled`).
            case paused, stalled
            /// The connection is read again after a pause.
            case resumed
        }
        /// The connection's number in the recording, counted from 1.
        package var connection: Int
        /// The state that the connection reached.
        package var state: State
        /// The URL, without secrets (`connecting`).
        package var url: String?
        /// The number of the attempt since the last success (`connecting`).
        package var attempt: Int?
        /// The close code (`closed`) or the HTTP status (`failed`).
        package var code: Int?
        /// The step that failed (`failed`): the name of a `ConnectFailure.Phase`.
        package var phase: String?
        /// The reason given; untrusted text.
        package var why: String?
        /// Whether and how to reconnect (`closed`, `failed`): the name of a `Reconnection`.
        package var retry: String?
        /// The delay until the next attempt, in microseconds after this record (`closed`, `failed`).
        package var next: Int64?
        /// The protocol with its revision, such as `eio4`.
        package var spoken: String?
        /// The transport: `websocket` or `polling` (`open`, `upgraded`).
        package var transport: String?
        /// The server's session id, hashed with a salt of this recording (`open`).
        package var session: String?
        /// The result of trying to resume an earlier connection (`open`).
        package var resumed: Resumption?
        package init(
            connection: Int, state: State, url: String? = nil, attempt: Int? = nil, code: Int? = nil,
            phase: String? = nil, why: String? = nil, retry: String? = nil, next: Int64? = nil, spoken: String? = nil,
            transport: String? = nil, session: String? = nil, resumed: Resumption? = nil
        ) {
            self.connection = connection
            self.state = state
            self.url = url
            self.attempt = attempt
            self.code = code
            self.phase = phase
            self.why = why
            self.retry = retry
            self.next = next
            self.spoken = spoken
            self.transport = transport
            self.session = session
            self.resumed = resumed
        }
    }

    /// The result of connection state recovery (Socket.IO SIO-15).
    package struct Resumption: Hashable, Sendable {
        /// The private session id, hashed with a salt of this recording.
        package var session: String?
        /// The offset that was sent, hashed with the same salt.
        package var offset: String?
        /// Whether the server sent the missed events.
        package var isRecovered: Bool
    }

    /// `f`: one whole WebSocket message.
    package struct FrameRecord: Hashable, Sendable {
        /// The direction of a message: `in` from the server, `out` to it.
        package enum Direction: String, Hashable, Sendable, CaseIterable {
            case `in`, out
        }
        /// The connection's number in the recording, counted from 1.
        package var connection: Int
        /// Whether the message was received or sent.
        package var direction: Direction
        /// The message, byte for byte except for secrets.
        package var message: WebSocketMessage
        /// The message's length in bytes before it was cut; `nil` when it is whole. Messages above 12,000,000 bytes are
        /// cut, and only their start is kept.
        package var cutFrom: Int?
        /// The transport that carried the message; `nil` for a WebSocket.
        package var transport: String?
        /// Whether a tool inserted the message, so that it was never on the wire.
        package var isInjected: Bool
        /// Whether the message was on the wire but was withheld from its recipient. A replay skips it.
        package var isDropped: Bool
        package init(
            connection: Int, direction: Direction, message: WebSocketMessage, cutFrom: Int? = nil,
            transport: String? = nil,
            isInjected: Bool = false, isDropped: Bool = false
        ) {
            self.connection = connection
            self.direction = direction
            self.message = message
            self.cutFrom = cutFrom
            self.transport = transport
            self.isInjected = isInjected
            self.isDropped = isDropped
        }
    }

    /// `http`: one side of a REST exchange.
    package struct HTTPRecord: Hashable, Sendable {
        /// The side of the exchange, with its contents.
        package enum Phase: Hashable, Sendable {
            /// The request, with the bytes of its body.
            case request(method: String, url: String, body: [UInt8])
            /// The response. `retryAfter` is the header of that name, in seconds; no other header is kept.
            case response(status: Int, body: [UInt8], retryAfter: Int?)
            /// The reason for the missing response: a kind from a closed list, and a message of one line.
            case failure(kind: String, message: String)
        }
        /// The number of the connection the exchange belongs to; 0 when it belongs to none.
        package var connection: Int
        /// The number of the exchange in the session.
        package var id: Int
        /// The side of the exchange, with its contents.
        package var phase: Phase
        /// The number of the record that caused the request.
        package var cause: Int?
        /// The body's length in bytes before it was cut; `nil` when it is whole. Bodies above 12,000,000 bytes are cut,
        /// and only their start is kept.
        package var cutFrom: Int?
        /// Returns the path and query of a recorded URL: everything after the authority. Returns `nil` when the URL has
        /// no scheme or no path.
        package static func target(of url: Substring) -> Substring? {
            guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else { return nil }
            let rest = url[url.index(colon, offsetBy: 3)...]
            return rest.firstIndex(of: "/").map { rest[$0...] }
        }

        package init(connection: Int = 0, id: Int, phase: Phase, cause: Int? = nil, cutFrom: Int? = nil) {
            self.connection = connection
            self.id = id
            self.phase = phase
            self.cause = cause
            self.cutFrom = cutFrom
        }
    }
}
