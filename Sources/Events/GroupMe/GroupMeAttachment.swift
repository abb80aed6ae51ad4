public import JSONText

extension GroupMe {
    /// What is attached to a message: its JSON text, all of it, and what of it this version reads (3.4). One of an unknown type, or of a
    /// known type and an unknown form, is kept as it is, and never costs the message.
    public struct Attachment: Hashable, Sendable {
        /// What it is.
        public let content: Content
        /// The whole attachment, as it is sent and kept.
        public let json: RawJSON

        /// An attachment as `text`, an object, says.
        public init(_ text: RawJSON) {
            var reader = JSONReader(text.bytes.span)
            content = (try? Content(reading: &reader)) ?? .unknown(type: "")
            json = text
        }

        /// What an attachment is.
        public enum Content: Hashable, Sendable {
            /// `image`, and `linked_image`, which GroupMe does not keep.
            case image(url: String, isLinked: Bool)
            /// `video`.
            case video(url: String, preview: String?)
            /// `audio`.
            case audio(url: String)
            /// `file`: to be downloaded by its id.
            case file(id: String)
            /// `location`.
            case location(name: String, latitude: String, longitude: String)
            /// `emoji`: each `placeholder` of the text stands for one of the pictures.
            case emoji(placeholder: String, pictures: [ReactionSymbol])
            /// `mentions`: who, and which part of the text each is, in UTF-16 units. The parts may reach beyond the text after an edit.
            case mentions([Mention])
            /// `reply`: to which message, and to which one that one replied in the end.
            case reply(to: MessageID, base: MessageID?, user: UserID?)
            /// `poll`.
            case poll(PollID)
            /// `event`: one of the group's calendar; `view` is `full` or `brief`.
            case calendar(CalendarID, view: String?)
            /// `split`: a feature that is no more.
            case split(token: String)
            /// `autokicked_member`.
            case autokicked(UserID)
            /// `copilot`, `copilot_card`: what the server's assistant says.
            case copilot(isCard: Bool)
            /// `partial_image`: a picture being made.
            case partialImage(id: String)
            /// Any other type, or a form that is not known; the type is empty when there is none.
            case unknown(type: String)
        }

        /// Somebody's name in a text.
        public struct Mention: Hashable, Sendable {
            /// Who; `-1` is everybody.
            public var user: UserID
            /// Where in the text, in UTF-16 units; nil when not sent.
            public var place: Range<Int>?
        }
    }
}

// What one sends.
extension GroupMe.Attachment {
    /// A picture that was uploaded.
    static func image(_ url: String) -> Self {
        made("image") { $0.member("url", url) }
    }

    /// A reply. `base` is the message at which the chain of replies began.
    static func reply(to message: GroupMe.MessageID, base: GroupMe.MessageID? = nil) -> Self {
        made("reply") { writer in
            writer.member("reply_id", message)
            writer.member("base_reply_id", base ?? message)
        }
    }

    /// A place.
    static func location(_ name: String, latitude: String, longitude: String) -> Self {
        made("location") { writer in
            writer.member("name", name)
            writer.member("lat", latitude)
            writer.member("lng", longitude)
        }
    }

    /// Names in the text.
    static func mentions(_ mentions: [Mention]) -> Self {
        made("mentions") { writer in
            writer.member("user_ids", mentions.map(\.user))
            writer.key("loci")
            writer.beginArray()
            for place in mentions.map({ $0.place ?? 0..<0 }) {
                writer.beginArray()
                writer.integer(place.lowerBound)
                writer.integer(place.count)
                writer.endArray()
            }
            writer.endArray()
        }
    }

    private static func made(_ type: String, _ members: (inout JSONWriter) -> Void) -> Self {
        Self(
            .object {
                $0.member("type", type)
                members(&$0)
            })
    }
}

extension GroupMe.Attachment {
    /// For people: what a message without a text shows.
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

    /// A list of attachments; null counts as none.
    static func list(reading reader: inout JSONReader) throws(Mismatch) -> [Self] {
        if reader.isEmptyList() { return [] }
        var attachments: [Self] = []
        guard try reader.openListIfAny() else { return attachments }
        while try reader.another() { attachments.append(Self(try reader.keptText())) }
        return attachments
    }
}
