public import JSONText

extension GroupMe {
    /// What a model of GroupMe's holds; one reference, whatever it is.
    public indirect enum Entity: Hashable, Sendable {
        /// A group the user is in, or was in.
        case group(Group)
        /// What the user and another say to each other.
        case chat(Chat)
        /// A message of either.
        case message(Message)
        /// Somebody in a group.
        case member(Member)
        /// A user.
        case user(User)
        /// Up to where somebody read a direct.
        case receipt(ReadReceipt)

        /// The name of the type in Weir's files.
        public var typeName: String {
            switch self {
            case .group: "groupme.group"
            case .chat: "groupme.chat"
            case .message: "groupme.message"
            case .member: "groupme.member"
            case .user: "groupme.user"
            case .receipt: "groupme.receipt"
            }
        }

        /// Writes the entity as a JSON object; of a user the public part.
        public func encode(into writer: inout JSONWriter) {
            switch self {
            case .group(let group): group.encode(into: &writer)
            case .chat(let chat): chat.encode(into: &writer)
            case .message(let message): message.encode(into: &writer)
            case .member(let member): member.encode(into: &writer)
            case .user(let user): user.publicPart.encode(into: &writer)
            case .receipt(let receipt): receipt.encode(into: &writer)
            }
        }

        /// Reads an entity of the type called `typeName`; nil when there is no such type.
        public init?(typeName: String, decoding reader: inout JSONReader) throws(DecodingFailure) {
            switch typeName {
            case "groupme.group": self = .group(try Group(decoding: &reader))
            case "groupme.chat": self = .chat(try Chat(decoding: &reader))
            case "groupme.message": self = .message(try Message(decoding: &reader))
            case "groupme.member": self = .member(try Member(decoding: &reader))
            case "groupme.user": self = .user(try User(decoding: &reader))
            case "groupme.receipt": self = .receipt(try ReadReceipt(decoding: &reader))
            default: return nil
            }
        }
    }
}
