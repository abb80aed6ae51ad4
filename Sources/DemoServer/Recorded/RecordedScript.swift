package import JSONText
import Wire

/// A server's recorded output for replay: events with their times, and answers to requests.
package struct RecordedScript: Sendable {
    /// An event that the server sent.
    package struct Event: Sendable {
        package var namespace: String
        package var name: String
        /// The arguments, as JSON values separated by commas; `nil` if there are none.
        package var arguments: RawJSON?
        /// The binary data for the placeholders in `arguments`.
        package var attachments: [ArraySlice<UInt8>]
        package init(
            namespace: String, name: String, arguments: RawJSON?, attachments: [ArraySlice<UInt8>] = []
        ) {
            self.namespace = namespace
            self.name = name
            self.arguments = arguments
            self.attachments = attachments
        }
    }

    /// A recorded step of a connection.
    package enum Step: Sendable {
        /// The server sent this event.
        case event(Event)
        /// The client sent an event of this name. The next steps may be a reaction to it, so they wait for the client
        /// to do the same.
        case heard(name: String)
        /// The server acknowledged the event at this index among those that requested it, counted from 0. `arguments`
        /// is a JSON array.
        case acknowledged(index: Int, namespace: String, arguments: RawJSON)
        /// The connection was lost here.
        case lost
    }

    /// A recorded connection, from the time its namespace was joined.
    package struct Connection: Sendable {
        /// The steps with their times since the namespace was joined.
        package var steps: [(at: Duration, step: Step)]
        package init(steps: [(at: Duration, step: Step)] = []) { self.steps = steps }
    }

    /// A request and the recorded answer to it.
    package struct Exchange: Sendable {
        /// The HTTP method of the request.
        package var method: String
        /// The request's path and query.
        package var target: String
        /// The answer's HTTP status code.
        package var status: Int
        /// The bytes of the answer's body.
        package var body: [UInt8]
        package init(method: String, target: String, status: Int, body: [UInt8]) {
            self.method = method
            self.target = target
            self.status = status
            self.body = body
        }
    }

    /// The recorded connections, in the order of connecting.
    package var connections: [Connection]
    /// The exchanges, in the order of their answers.
    package var exchanges: [Exchange]
    /// The namespaces that a client may join.
    package var namespaces: [String]
    /// The speed of the replay relative to the recording; `nil` for no waiting.
    package var speed: Double?

    package init(connections: [Connection], exchanges: [Exchange], namespaces: [String], speed: Double? = 1) {
        self.connections = connections
        self.exchanges = exchanges
        self.namespaces = namespaces
        self.speed = speed
    }
}
