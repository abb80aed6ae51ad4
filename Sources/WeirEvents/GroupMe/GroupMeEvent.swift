public import WeirJSON

extension GroupMe {
    /// An event of the push service. Every case is one reference in size.
    public indirect enum Event: BackendEvent, Hashable, Sendable {
        /// The server accepted a subscription to a channel.
        case joined(Channel)
        /// The server refused a subscription. The message is the server's text, untrusted.
        case joinRefused(Channel, message: String)
        /// A subscription to a channel ended.
        case left(Channel)
        /// Something was published on a channel.
        case push(Push)
    }

    /// A publication on a channel: the envelope and its contents (GroupMe GM-7).
    public struct Push: Hashable, Sendable {
        /// The channel of the publication.
        public var channel: Channel
        /// The text of a notification; empty if none is shown. Untrusted text.
        public var alert = ""
        /// The time the server received the publication, in whole seconds; `nil` when not sent.
        public var receivedAt: Timestamp?
        /// The contents, by the wire's `type`.
        public var content: Content

        /// The contents of a publication, by the wire's `type` (GroupMe GM-8). The set is open.
        public enum Content: Hashable, Sendable {
            /// `line.create`: a message in a group, or one of the server's own.
            case line(Message)
            /// `direct_message.create`: a message in a direct, or one of the server's own.
            case direct(Message)
            /// `like.create`: a user reacted to a message of the session's user.
            case liked(Reacting)
            /// `favorite`: a user reacted to any message, or removed a reaction.
            case favorite(Reacting)
            /// `like.delete`: a user removed a reaction.
            case unliked(Reacting)
            /// `reaction`: sent by other means than this service, and decoded in case it arrives here.
            case reaction(Reacting)
            /// `membership.create`: the user was added to a group, which is not sent completely.
            case added(to: Group)
            /// `membership.destroy`: the user is no longer in a group.
            case removed(from: GroupID)
            /// `group.update`: a group after a change.
            case group(Group)
            /// `message.deleted`, `line.delete`: the remains of a deleted message.
            case deleted(Message)
            /// `message.update`, `line.update`: a message after an edit.
            case updated(Message)
            /// `read_receipt.create`: the other user read a direct up to a message.
            case read(ReadReceipt)
            /// `typing`: a user types, possibly the session's own.
            case typing(Typing)
            /// `ping`, also in its form of 2011: the server or another client is alive.
            case ping
            /// `subscribe`: another client of the user subscribed. Its fields are unknown.
            case subscribed(RawJSON)
            /// Any other publication, without its secrets (tokens). The type is empty if there is none.
            case unknown(type: String, RawJSON)
        }
    }

    /// A reaction to a message, or the removal of one (GroupMe GM-12).
    public struct Reacting: Hashable, Sendable {
        /// The message, as far as it was sent: without the sender's type and without the time of an edit.
        public var message: Message
        /// All reactions to the message now; `nil` when not sent, which means that they are unknown.
        public var reactions: [Reaction]?
        /// The user whose reaction was added or removed.
        public var user: UserID?
        /// The symbol of the reaction, sent only to the author of the message.
        public var symbol: ReactionSymbol?
    }

    /// A user who types. There is no event for the end: typing is over when it is not sent again (GroupMe GM-17).
    public struct Typing: Hashable, Sendable {
        /// The id of the typing user.
        public var user: UserID
        /// The time the user started to type.
        public var started: Timestamp?
    }
}

extension GroupMe.Event {
    /// Decodes the data published on `channel`. An unknown type is kept; a known type of the wrong shape throws. The
    /// other members of a delivery, one of which may be a token, are not needed.
    public init(channel: String, data: RawJSON) throws(DecodingFailure) {
        let channel = GroupMe.Channel(channel)
        var type = ""
        do {
            var reader = JSONReader(data.bytes.span)
            let push = try GroupMe.Push(reading: &reader, on: channel, type: &type)
            try reader.finish()
            self = .push(push)
        } catch {
            var fresh = JSONReader(data.bytes.span)
            throw error.failure(of: type.isEmpty ? channel.description : type, in: &fresh)
        }
    }
}

extension GroupMe.Push {
    /// Reads a push. `type` receives the type that the push contains, as soon as it is known.
    init(
        reading reader: inout JSONReader, on channel: GroupMe.Channel, type: inout String
    ) throws(Mismatch) {
        let envelope = try PushEnvelope(reading: &reader)
        let end = reader.offset
        type = envelope.type ?? ""
        self.init(channel: channel, alert: envelope.alert, receivedAt: envelope.receivedAt, content: .ping)
        if envelope.isPing { return }
        content = try Self.content(of: envelope, on: channel, &reader)
        reader.seek(to: end)
    }

    private static func content(
        of envelope: PushEnvelope, on channel: GroupMe.Channel, _ reader: inout JSONReader
    ) throws(Mismatch) -> Content {
        let place = channel.conversation
        if let subject = envelope.subject { reader.seek(to: subject) }
        switch envelope.type {
        case "typing": return .typing(try envelope.typing)
        case "subscribe": return .subscribed(reader.withoutSecrets(at: envelope.range))
        case "line.create", "direct_message.create", "like.create", "favorite", "membership.create", "message.deleted",
            "message.update", "read_receipt.create":
            guard envelope.subject != nil else { throw Mismatch(.missing("subject"), at: envelope.range.lowerBound) }
            return try known(envelope.type, &reader, in: place)
        default:
            // No capture shows these types, so none of them can have the wrong shape.
            if envelope.subject != nil, let content = try? rare(envelope.type, &reader, in: place) { return content }
            return .unknown(type: envelope.type ?? "", reader.withoutSecrets(at: envelope.range))
        }
    }

    private static func known(
        _ type: String?, _ reader: inout JSONReader, in place: GroupMe.ConversationID?
    ) throws(Mismatch) -> Content {
        switch type {
        case "line.create": .line(try GroupMe.Message(reading: &reader, .wire, in: place))
        case "direct_message.create": .direct(try GroupMe.Message(reading: &reader, .wire, in: place))
        case "like.create": .liked(try GroupMe.Reacting(reading: &reader, in: place))
        case "favorite": .favorite(try GroupMe.Reacting(reading: &reader, in: place))
        case "membership.create": .added(to: try GroupMe.GroupRecord(reading: &reader).group)
        case "message.deleted": .deleted(try GroupMe.Message(tombstone: &reader, in: place))
        case "message.update": .updated(try GroupMe.Message(reading: &reader, .wire, in: place))
        default: .read(try GroupMe.ReadReceipt(reading: &reader, in: place))
        }
    }

    /// Decodes types that no capture contains; returns `nil` for a type that is not known at all.
    private static func rare(
        _ type: String?, _ reader: inout JSONReader, in place: GroupMe.ConversationID?
    ) throws(Mismatch) -> Content? {
        switch type {
        case "like.delete": .unliked(try GroupMe.Reacting(reading: &reader, in: place))
        case "reaction": .reaction(try GroupMe.Reacting(reading: &reader, in: place))
        case "membership.destroy": .removed(from: try reader.groupOfMembership())
        case "group.update": .group(try GroupMe.GroupRecord(reading: &reader).group)
        case "line.delete": .deleted(try GroupMe.Message(tombstone: &reader, in: place))
        case "line.update": .updated(try GroupMe.Message(reading: &reader, .wire, in: place))
        default: nil
        }
    }
}

/// The envelope of a push, without its subject (GroupMe GM-7). Everything published is an envelope, because it
/// may be any JSON (Bayeux BX-6).
private struct PushEnvelope {
    var type: String?
    var alert = ""
    var receivedAt: Timestamp?
    /// The start offset of the subject.
    var subject: Int?
    var user: GroupMe.UserID?
    var started: Timestamp?
    /// Whether this is the ping of 2011, `"ping":true`.
    private var saysPing = false
    /// The range of the whole envelope.
    let range: Range<Int>

    var isPing: Bool { type == "ping" || type == nil && saysPing }

    var typing: GroupMe.Typing {
        get throws(Mismatch) {
            GroupMe.Typing(user: try user.required("user_id", at: range.lowerBound), started: started)
        }
    }

    init(reading reader: inout JSONReader) throws(Mismatch) {
        let kind = try reader.kind()
        let start = reader.offset
        range = try reader.pass()
        guard kind == .object else { return }
        reader.seek(to: start)
        _ = try reader.open()
        while let key = try reader.field() {
            if try reader.isNull() { continue }
            if try !take(key, from: &reader) { try reader.pass() }
        }
    }

    private mutating func take(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        let kind = try reader.kind()
        if reader.isNamed(key, "type"), kind == .string {
            type = try reader.text()
        } else if reader.isNamed(key, "alert"), kind == .string {
            alert = try reader.text()
        } else if reader.isNamed(key, "received_at") {
            receivedAt = try reader.instantIfAny(.wire)
        } else if reader.isNamed(key, "subject") {
            subject = try reader.pass().lowerBound
        } else if reader.isNamed(key, "user_id"), kind == .string || kind == .number {
            user = try reader.groupMeID()
        } else if reader.isNamed(key, "started"), kind == .number {
            started = try reader.instantIfAny(.wire)
        } else if reader.isNamed(key, "ping"), kind == .bool {
            saysPing = try reader.flagIfAny() ?? false
        } else {
            return false
        }
        return true
    }
}

extension GroupMe.Reacting {
    init(reading reader: inout JSONReader, in place: GroupMe.ConversationID?) throws(Mismatch) {
        var message: GroupMe.Message?
        var reactions: [GroupMe.Reaction]?
        var user: GroupMe.UserID?
        var symbol: GroupMe.ReactionSymbol?
        let start = try reader.open()
        while let key = try reader.field() {
            if try reader.isNull() { continue }
            if reader.isNamed(key, "line") || reader.isNamed(key, "direct_message") {
                message = try GroupMe.Message(reading: &reader, .wire, in: place)
            } else if reader.isNamed(key, "reactions") {
                reactions = try GroupMe.Reaction.list(reading: &reader)
            } else if reader.isNamed(key, "user_id") {
                user = try reader.groupMeID()
            } else if reader.isNamed(key, "user_reaction") {
                symbol = try GroupMe.ReactionSymbol.ifAny(reading: &reader)
            } else {
                try reader.pass()
            }
        }
        self.init(
            message: try message.required("line", at: start), reactions: reactions, user: user, symbol: symbol)
    }
}

extension GroupMe.Message {
    /// Reads the remains of a message, which is deleted even if the frame does not contain a time.
    fileprivate init(
        tombstone reader: inout JSONReader, in place: GroupMe.ConversationID?
    ) throws(Mismatch) {
        try self.init(reading: &reader, .wire, in: place)
        if deletion == nil { deletion = Deletion() }
    }
}

extension JSONReader {
    /// Reads the group's id from a membership, or from the group itself.
    fileprivate mutating func groupOfMembership() throws(Mismatch) -> GroupMe.GroupID {
        var ids: (group: GroupMe.GroupID?, own: GroupMe.GroupID?)
        let start = try open()
        while let key = try field() {
            if isNamed(key, "group_id") {
                ids.group = try groupMeID()
            } else if isNamed(key, "id") {
                ids.own = try groupMeID()
            } else {
                try pass()
            }
        }
        return try (ids.group ?? ids.own).required("group_id", at: start)
    }

    /// Returns the text of the value at `range`, without the members that may contain a token or a session.
    fileprivate mutating func withoutSecrets(at range: Range<Int>) -> RawJSON {
        let text = compactText(at: range)
        guard let value = try? JSONValue(parsing: text.bytes), value.hasSecrets else { return text }
        return value.withoutSecrets.raw
    }
}

extension JSONValue {
    private static let secrets: Set<String> = ["ext", "access_token", "token", "clientId"]

    fileprivate var hasSecrets: Bool {
        switch self {
        case .object(let members): members.contains { Self.secrets.contains($0.key) || $0.value.hasSecrets }
        case .array(let elements): elements.contains { $0.hasSecrets }
        case .null, .bool, .integer, .number, .string, .text: false
        }
    }

    fileprivate var withoutSecrets: JSONValue {
        switch self {
        case .object(let members):
            .object(
                members.filter { !Self.secrets.contains($0.key) }.map { Member($0.key, $0.value.withoutSecrets) })
        case .array(let elements): .array(elements.map(\.withoutSecrets))
        case .null, .bool, .integer, .number, .string, .text: self
        }
    }
}
