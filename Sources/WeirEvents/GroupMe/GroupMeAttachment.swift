public import WeirJSON

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

extension GroupMe.Attachment.Content {
    /// Reads an attachment. Throws if the value is not an object or lacks a member that its type requires.
    init(reading reader: inout JSONReader) throws(Mismatch) {
        var fields = AttachmentFields()
        let start = try reader.open()
        while let key = try reader.field() {
            if try reader.isNull() { continue }
            if try !fields.takeText(key, from: &reader), try !fields.take(key, from: &reader) { try reader.pass() }
        }
        self = try fields.content(at: start)
    }
}

/// The fields of attachments of all types, while one is being read.
private struct AttachmentFields {
    var type = ""
    var url: String?
    var preview: String?
    var file: String?
    var name: String?
    var latitude: String?
    var longitude: String?
    var placeholder: String?
    var pictures: [GroupMe.ReactionSymbol] = []
    var users: [GroupMe.UserID] = []
    var places: [Range<Int>?] = []
    var reply: GroupMe.MessageID?
    var base: GroupMe.MessageID?
    var user: GroupMe.UserID?
    var poll: GroupMe.PollID?
    var event: GroupMe.CalendarID?
    var view: String?
    var token: String?
    var id: String?

    mutating func takeText(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        guard try reader.kind() == .string else { return false }
        if reader.isNamed(key, "type") {
            type = try reader.text()
        } else if reader.isNamed(key, "url") {
            url = try reader.text()
        } else if reader.isNamed(key, "preview_url") {
            preview = try reader.text()
        } else if reader.isNamed(key, "name") {
            name = try reader.text()
        } else if reader.isNamed(key, "placeholder") {
            placeholder = try reader.text()
        } else if reader.isNamed(key, "view") {
            view = try reader.text()
        } else if reader.isNamed(key, "token") {
            token = try reader.text()
        } else {
            return false
        }
        return true
    }

    mutating func take(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "file_id") {
            file = try reader.idIfAny()?.description
        } else if reader.isNamed(key, "id") {
            id = try reader.idIfAny()?.description
        } else if reader.isNamed(key, "lat") {
            latitude = try reader.idIfAny()?.description
        } else if reader.isNamed(key, "lng") {
            longitude = try reader.idIfAny()?.description
        } else if reader.isNamed(key, "charmap") {
            pictures = try reader.pairs().map { .powerUp(pack: $0.first, index: $0.second) }
        } else if reader.isNamed(key, "user_ids") {
            users = try reader.groupMeIDs()
        } else if reader.isNamed(key, "loci") {
            places = try reader.pairs().map { Self.place(from: $0.first, count: $0.second) }
        } else if reader.isNamed(key, "reply_id") {
            reply = try reader.groupMeID()
        } else if reader.isNamed(key, "base_reply_id") {
            base = try reader.groupMeID()
        } else if reader.isNamed(key, "user_id") {
            user = try reader.groupMeID()
        } else if reader.isNamed(key, "poll_id") {
            poll = try reader.groupMeID()
        } else if reader.isNamed(key, "event_id") {
            event = try reader.groupMeID()
        } else {
            return false
        }
        return true
    }

    private static func place(from start: Int, count: Int) -> Range<Int>? {
        let (end, overflows) = start.addingReportingOverflow(count)
        return start < 0 || count < 0 || overflows ? nil : start..<end
    }

    /// Returns the contents of an attachment that shows something, or that refers to another entity.
    func content(at start: Int) throws(Mismatch) -> GroupMe.Attachment.Content {
        switch type {
        case "image", "linked_image":
            .image(url: try url.required("url", at: start), isLinked: type == "linked_image")
        case "video": .video(url: try url.required("url", at: start), preview: preview)
        case "audio": .audio(url: try url.required("url", at: start))
        case "file": .file(id: try file.required("file_id", at: start))
        case "location":
            .location(
                name: name ?? "", latitude: try latitude.required("lat", at: start),
                longitude: try longitude.required("lng", at: start))
        case "emoji": .emoji(placeholder: placeholder ?? "\u{FFFD}", pictures: pictures)
        case "copilot", "copilot_card": .copilot(isCard: type == "copilot_card")
        case "partial_image": .partialImage(id: try id.required("id", at: start))
        default: try reference(at: start)
        }
    }

    private func reference(at start: Int) throws(Mismatch) -> GroupMe.Attachment.Content {
        switch type {
        case "mentions":
            .mentions(
                users.enumerated().map { index, user in
                    .init(user: user, place: index < places.count ? places[index] : nil)
                })
        case "reply": .reply(to: try reply.required("reply_id", at: start), base: base, user: user)
        case "poll": .poll(try poll.required("poll_id", at: start))
        case "event": .calendar(try event.required("event_id", at: start), view: view)
        case "split": .split(token: token ?? "")
        case "autokicked_member": .autokicked(try user.required("user_id", at: start))
        default: .unknown(type: type)
        }
    }
}

extension JSONReader {
    /// Reads a list of pairs of integers; null counts as an empty list.
    fileprivate mutating func pairs() throws(Mismatch) -> [(first: Int, second: Int)] {
        var pairs: [(first: Int, second: Int)] = []
        guard try openListIfAny() else { return pairs }
        while try another() {
            guard try openListIfAny() else { continue }
            var numbers: [Int] = []
            while try another() {
                if let number = try looseIntegerIfAny() { numbers.append(number) }
            }
            if numbers.count == 2 { pairs.append((numbers[0], numbers[1])) }
        }
        return pairs
    }
}
