package import JSONText
import Wire

/// What a server once said, to be said again: events at their times, and answers to requests.
package struct RecordedScript: Sendable {
    /// An event that the server sent.
    package struct Event: Sendable {
        /// The namespace it was sent in.
        package var namespace: String
        /// The event's name.
        package var name: String
        /// Its arguments, JSON values separated by commas; nil for none.
        package var arguments: RawJSON?
        /// What the placeholders in them stand for.
        package var attachments: [ArraySlice<UInt8>]
        /// An event.
        package init(
            namespace: String, name: String, arguments: RawJSON?, attachments: [ArraySlice<UInt8>] = []
        ) {
            self.namespace = namespace
            self.name = name
            self.arguments = arguments
            self.attachments = attachments
        }
    }

    /// What happened on a connection.
    package enum Step: Sendable {
        /// The server sent an event.
        case event(Event)
        /// The client sent an event of this name: what follows may be due to it, and waits for the client to do the same.
        case heard(name: String)
        /// The server acknowledged so manieth event, counted from 0, that asked for it; a JSON array.
        case acknowledged(index: Int, namespace: String, arguments: RawJSON)
        /// The connection was lost.
        case lost
    }

    /// A connection, from when its namespace was joined on.
    package struct Connection: Sendable {
        /// The steps with their times, counted from when the namespace was joined.
        package var steps: [(at: Duration, step: Step)]
        /// A connection.
        package init(steps: [(at: Duration, step: Step)] = []) { self.steps = steps }
    }

    /// A request that was answered.
    package struct Exchange: Sendable {
        /// The request's method.
        package var method: String
        /// Its path, with the query.
        package var target: String
        /// The answer's status.
        package var status: Int
        /// The answer's body.
        package var body: [UInt8]
        /// An exchange.
        package init(method: String, target: String, status: Int, body: [UInt8]) {
            self.method = method
            self.target = target
            self.status = status
            self.body = body
        }
    }

    /// The connections, in order.
    package var connections: [Connection]
    /// The exchanges, in the order of their answers.
    package var exchanges: [Exchange]
    /// The namespaces that a client may join.
    package var namespaces: [String]
    /// How many times as fast as it was; nil for without waiting.
    package var speed: Double?

    /// A script.
    package init(connections: [Connection], exchanges: [Exchange], namespaces: [String], speed: Double? = 1) {
        self.connections = connections
        self.exchanges = exchanges
        self.namespaces = namespaces
        self.speed = speed
    }
}
