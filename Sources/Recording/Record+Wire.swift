package import Wire

extension Record {
    /// `conn`: a change of the connection's state.
    package struct ConnectionRecord: Hashable, Sendable {
        /// The states of the wire connection.
        package enum State: String, Hashable, Sendable, CaseIterable {
            case connecting, open, upgraded, closing, closed, failed
            /// From here on it is not read, since what was received is not written yet; or the process stood still.
            case paused, stalled
            /// It is read again.
            case resumed
        }
        /// Which connection of the recording, counted from 1.
        package var connection: Int
        /// The state reached.
        package var state: State
        /// The URL, without secrets (`connecting`).
        package var url: String?
        /// The attempt's number since the last success (`connecting`).
        package var attempt: Int?
        /// Close code (`closed`) or HTTP status (`failed`).
        package var code: Int?
        /// The step that failed (`failed`): a `ConnectFailure.Phase` by name.
        package var phase: String?
        /// The reason; untrusted text.
        package var why: String?
        /// What is known about connecting again (`closed`, `failed`): a `Reconnection` by name.
        package var retry: String?
        /// When it will be tried again (`closed`, `failed`); microseconds after this record.
        package var next: Int64?
        /// What is spoken, with its revision: `eio4`.
        package var spoken: String?
        /// What it goes over: `websocket`, `polling` (`open`, `upgraded`).
        package var transport: String?
        /// The server's name for the session, hashed with a salt of this recording (`open`).
        package var session: String?
        /// What became of the wish to go on where an earlier connection ended (`open`).
        package var resumed: Resumption?
        /// A change of state.
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

    /// What became of connection state recovery (reference 1.12).
    package struct Resumption: Hashable, Sendable {
        /// The private session id, hashed with a salt of this recording.
        package var session: String?
        /// The offset that was sent, hashed likewise.
        package var offset: String?
        /// Whether the server sent what was missed.
        package var isRecovered: Bool
    }

    /// `f`: one WebSocket message.
    package struct FrameRecord: Hashable, Sendable {
        /// Who sent it.
        package enum Direction: String, Hashable, Sendable, CaseIterable {
            case `in`, out
        }
        /// Which connection of the recording, counted from 1.
        package var connection: Int
        /// Who sent it.
        package var direction: Direction
        /// The message, byte for byte (but for secrets).
        package var message: WebSocketMessage
        /// The message's length when only its start is here (messages above 12 000 000 bytes are cut); nil when it is
        /// whole.
        package var cutFrom: Int?
        /// Over what it came; nil for a WebSocket.
        package var transport: String?
        /// Whether it never was on the wire, but was put in by a tool.
        package var isInjected: Bool
        /// Whether it was on the wire, but was kept from who should have had it: a replay passes it over.
        package var isDropped: Bool
        /// A message.
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
        /// Which side, and what it said.
        package enum Phase: Hashable, Sendable {
            /// What was asked.
            case request(method: String, url: String, body: [UInt8])
            /// What was answered. `retryAfter` is the header of that name, in seconds; no other header is kept.
            case response(status: Int, body: [UInt8], retryAfter: Int?)
            /// Why nothing was answered: a kind from a closed list, and one line.
            case failure(kind: String, message: String)
        }
        /// The connection the exchange belongs to; 0 when it belongs to none.
        package var connection: Int
        /// The exchange's number in the session.
        package var id: Int
        /// Which side, and what it said.
        package var phase: Phase
        /// Number of the record that caused the request.
        package var cause: Int?
        /// The body's length when only its start is here (bodies above 12 000 000 bytes are cut); nil when it is whole.
        package var cutFrom: Int?
        /// What stands behind scheme and authority of a recorded URL: path and query; nil when there is nothing of the kind.
        package static func target(of url: Substring) -> Substring? {
            guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else { return nil }
            let rest = url[url.index(colon, offsetBy: 3)...]
            return rest.firstIndex(of: "/").map { rest[$0...] }
        }

        /// One side of an exchange.
        package init(connection: Int = 0, id: Int, phase: Phase, cause: Int? = nil, cutFrom: Int? = nil) {
            self.connection = connection
            self.id = id
            self.phase = phase
            self.cause = cause
            self.cutFrom = cutFrom
        }
    }
}
