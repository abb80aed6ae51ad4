public import WeirJSON

/// Socket.IO, revisions 4 (over Engine.IO 3) and 5 (over Engine.IO 4) (Socket.IO SIO-1 to SIO-14).
public enum SocketIO {
    /// The answer to an event that requested an acknowledgement.
    public struct Acknowledgement: Hashable, Sendable {
        /// The namespace; `/` for the default one.
        public var namespace: String
        /// The acknowledgement id of the answered event.
        public var id: Int
        /// The arguments of the answer, as a JSON array.
        public var arguments: RawJSON
        /// The binary attachments. `attachment(for:)` finds the one for a placeholder.
        public var attachments: [ArraySlice<UInt8>]
        /// Creates the answer to the event with this id.
        public init(
            namespace: String = "/", id: Int, arguments: RawJSON, attachments: [ArraySlice<UInt8>] = []
        ) {
            self.namespace = namespace
            self.id = id
            self.arguments = arguments
            self.attachments = attachments
        }
    }

    /// The reason why a server refused a namespace.
    package struct Refusal: Hashable, Sendable {
        /// The server's error text. Untrusted.
        package var message: String
        /// The `data` member of the refusal, if any.
        package var data: RawJSON?
        /// Creates a refusal from the server's text and data.
        package init(message: String, data: RawJSON? = nil) {
            self.message = message
            self.data = data
        }
    }

    /// A frame that violates the protocol, and the position of the error.
    package struct Malformed: Error, Hashable, Sendable {
        /// A description of the error in one line, for people.
        package var message: String
        /// The position in the frame in bytes, if known.
        package var offset: Int?
    }
}

extension SocketIO {
    /// Returns the name of a namespace from an address that may have a query or lack the slash.
    package static func namespaceName(_ address: String) -> String { NamespaceAddress(address).name }

    /// The address of a namespace in a CONNECT over Engine.IO 3: a name and perhaps a query, `/admin?token=1`
    /// (Socket.IO SIO-9).
    struct NamespaceAddress: Hashable, Sendable {
        var name: String
        var query: Substring?

        /// The name and the query, as sent.
        var text: String { query.map { "\(name)?\($0)" } ?? name }

        init(_ text: String) {
            let name = text.prefix { $0 != "?" }
            self.name = name.isEmpty ? "/" : name.hasPrefix("/") ? String(name) : "/" + name
            query = name.endIndex == text.endIndex ? nil : text[name.endIndex...].dropFirst()
        }
    }
}

extension SocketIO {
    /// What happens to an event that is emitted while its namespace is not joined.
    package enum Delivery: Hashable, Sendable {
        /// At most once, immediately or never: dropped while the namespace is not joined.
        case volatile
        /// At most once: waits in a bounded buffer until the namespace is joined, even across a reconnect.
        case buffered
        /// At least once: sent one at a time, in order, each after the previous one is acknowledged or given up. An
        /// event that is not acknowledged within `timeout` is sent again, even after a reconnect, with at most
        /// `attempts` attempts.
        case retried(attempts: Int, timeout: Duration)
    }

    /// Whether an event requests an acknowledgement. A retried event always does, with its own timeout.
    package enum AckRequest: Hashable, Sendable {
        /// Do not request an acknowledgement.
        case none
        /// Request an acknowledgement, without a time limit.
        case unlimited
        /// Request an acknowledgement, and give it up after this time, counted from the emit.
        case within(Duration)
    }

    /// Which event to drop when the buffer of waiting events is full.
    package enum OverflowPolicy: Hashable, Sendable {
        /// Reject the new event instead.
        case refuseNewest
        /// Drop the oldest events to make room for the new one.
        case dropOldest
    }

    /// An event to be sent.
    package struct Emission: Hashable, Sendable {
        /// The event's name. It must not be reserved (see `isReserved`).
        package var name: String
        /// The arguments as JSON values separated by commas, or `nil` for none.
        package var arguments: RawJSON?
        /// The attachments for the placeholders in the arguments.
        package var attachments: [ArraySlice<UInt8>]
        /// The namespace; `nil` for the connection's first one.
        package var namespace: String?
        /// What happens to the event while the namespace is not joined.
        package var delivery: Delivery
        /// Whether the event requests an acknowledgement.
        package var ack: AckRequest

        /// Creates an event from JSON values separated by commas.
        package init(
            _ name: String, arguments: RawJSON? = nil, attachments: [ArraySlice<UInt8>] = [],
            namespace: String? = nil, delivery: Delivery = .buffered, ack: AckRequest = .none
        ) {
            self.name = name
            self.arguments = arguments
            self.attachments = attachments
            self.namespace = namespace
            self.delivery = delivery
            self.ack = ack
        }

        /// Creates an event from arguments that may contain bytes.
        package init(
            _ name: String, _ arguments: Arguments, namespace: String? = nil, delivery: Delivery = .buffered,
            ack: AckRequest = .none
        ) {
            self.init(
                name, arguments: arguments.list, attachments: arguments.attachments, namespace: namespace,
                delivery: delivery, ack: ack)
        }
    }
}

extension SocketIO.Emission {
    /// The approximate size in bytes, for limits.
    var weight: Int {
        attachments.reduce(name.utf8.count + (arguments?.bytes.count ?? 0)) { $0 + $1.count }
    }

    /// Returns the messages of the event: the text first, then the attachments.
    func messages(to namespace: String, id: Int? = nil, _ revision: EngineIO.Revision) -> [WebSocketMessage] {
        let text = SocketIO.Packet.eventMessage(
            name, arguments: arguments, attachments: attachments.count, namespace: namespace, id: id)
        return [text] + attachments.map { EngineIO.packet(of: .binary($0), revision) }
    }

    /// Appends the messages of the event to the effects.
    func send(
        to namespace: String, id: Int?, _ revision: EngineIO.Revision,
        into effects: inout [SocketIOClientMachine.Effect]
    ) {
        effects += messages(to: namespace, id: id, revision).map(SocketIOClientMachine.Effect.send)
    }
}

extension SocketIO.Refusal {
    /// Creates a refusal from the payload of a CONNECT_ERROR: an object with `message` and perhaps `data`, a string
    /// (Python servers and Engine.IO 3), or any other value, whose text becomes the message.
    init(payload: RawJSON?) {
        guard let payload else {
            self.init(message: "")
            return
        }
        self.init(message: payload.description)
        // The payload was checked when its packet was parsed, so reading fails only if the type differs.
        do throws(JSONError) {
            var reader = JSONReader(payload.bytes.span)
            switch try reader.peek() {
            case .string: message = try reader.string()
            case .object: try readObject(from: &reader, of: payload)
            case .array, .number, .bool, .null: break
            }
        } catch {
            message = payload.description
        }
    }

    /// One line for people: the server's message, and its data if it sent any.
    package var words: String {
        guard let data, data.description != "null" else { return message }
        let text = data.description
        return message + " " + (text.count > Self.mostData ? text.prefix(Self.mostData) + "…" : text)
    }

    /// The maximum number of characters of the data to show.
    private static var mostData: Int { 200 }

    private mutating func readObject(from reader: inout JSONReader, of payload: RawJSON) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if reader.matches(key, "message"), try reader.peek() == .string {
                message = try reader.string()
            } else if reader.matches(key, "data") {
                data = payload.slice(try reader.skip())
            } else {
                try reader.skip()
            }
        }
    }
}
