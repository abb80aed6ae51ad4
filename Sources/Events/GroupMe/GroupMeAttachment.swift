public import JSONText

extension GroupMe {
    /// An attachment of a message: its whole JSON text, and the part that this version reads (GroupMe GM-40). An
    /// attachment of an unknown type or form is kept as text and never costs the message.
    public struct Attachment: Hashable, Sendable {
        /// The part of the attachment that this version reads.
        public let content: Content
        /// The JSON text of the whole attachment, as sent and as stored.
        public let json: RawJSON

        /// Decodes an attachment from `text`, an object.
        public init(_ text: RawJSON) {
            var reader = JSONReader(text.bytes.span)
            content = (try? Content(reading: &reader)) ?? .unknown(type: "")
            json = text
        }

        /// The contents of an attachment, by type.
        public enum Content: Hashable, Sendable {
            /// `image`, or `linked_image`, which GroupMe does not store.
            case image(url: String, isLinked: Bool)
            /// `video`: the addresses of the video and of its preview picture.
            case video(url: String, preview: String?)
            /// `audio`: the address of a recording.
            case audio(url: String)
            /// `file`: a file that is downloaded by its id.
            case file(id: String)
            /// `location`: a place with its name and coordinates.
            case location(name: String, latitude: String, longitude: String)
            /// `emoji`: each `placeholder` in the text represents one of the pictures.
            case emoji(placeholder: String, pictures: [ReactionSymbol])
            /// `mentions`: the users, and the part of the text that names each of them, in UTF-16 units. The parts may
            /// reach beyond the text after an edit.
            case mentions([Mention])
            /// `reply`: the message that this one replies to, and the message at which the chain of replies began.
            case reply(to: MessageID, base: MessageID?, user: UserID?)
            /// `poll`: the id of the poll.
            case poll(PollID)
            /// `event`: an event of the group's calendar; `view` is `full` or `brief`.
            case calendar(CalendarID, view: String?)
            /// `split`: a feature that no longer exists.
            case split(token: String)
            /// `autokicked_member`: the user that the server removed.
            case autokicked(UserID)
            /// `copilot`, `copilot_card`: a text of the server's assistant.
            case copilot(isCard: Bool)
            /// `partial_image`: a picture that is still being created.
            case partialImage(id: String)
            /// An unknown type or form; the type is empty if there is none.
            case unknown(type: String)
        }

        /// The name of a user in a text.
        public struct Mention: Hashable, Sendable {
            /// The user; `-1` means everybody.
            public var user: UserID
            /// The range in the text, in UTF-16 units; `nil` when not sent.
            public var place: Range<Int>?
        }
    }
}

extension GroupMe.Attachment {
    /// The attachment in readable form, shown for a message without a text.
    public var title: String {
        switch content {
        case .image(_, let isLinked): isLinked ? "linked image" : "image"
        case .video: "video"
        case .audio: "audio"
        case .file: "file"
        case .location(let name, _, _): name.isEmpty ? "location" : "location \(name)"
        case .emoji: "emoji"
        case .mentions: "mention"
        case .reply: "reply"
        case .poll: "poll"
        case .calendar: "calendar event"
        case .split: "split"
        case .autokicked: "removed member"
        case .copilot: "copilot"
        case .partialImage: "image"
        case .unknown(let type): type.isEmpty ? "attachment" : type
        }
    }

    /// Reads a list of attachments; null counts as an empty list.
    static func list(reading reader: inout JSONReader) throws(Mismatch) -> [Self] {
        if reader.isEmptyList() { return [] }
        var attachments: [Self] = []
        guard try reader.openListIfAny() else { return attachments }
        while try reader.another() { attachments.append(Self(try reader.keptText())) }
        return attachments
    }
}
