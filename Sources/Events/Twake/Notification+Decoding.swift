import JSONText

extension Twake.DesktopNotification: FieldedEntity {
    package static let subject = "notification"
    package static let blank = Self(channel: nil, thread: nil, message: nil, title: "", text: "")
    package static let fields: [Field<Self>] = [
        Field("company_id", at: \.company),
        Field("workspace_id", at: \.workspace),
        Field("channel_id", at: \.channel),
        Field("thread_id", at: \.thread),
        Field("message_id", at: \.message),
        Field("user", at: \.user),
        Field("title", at: \.title),
        Field("text", at: \.text),
    ]

    package mutating func complete() { thread = thread ?? message }
}

extension Twake.PushNotification: FieldedEntity {
    package static let subject = "push notification"
    package static let blank = Self(channel: .none, title: "", body: "")
    package static let fields: [Field<Self>] =
        place + [
            Field("collapse_key", at: \.collapseKey),
            .nested(
                "notification",
                [
                    Field("title", at: \.title), Field("body", at: \.body), Field("sound", at: \.sound),
                    Field("badge", at: \.badge), Field("click_action", at: \.clickAction),
                ]),
            .nested(
                "data",
                place + [
                    Field("click_action", at: \.clickAction),
                    .sent("notification_data") { notification, reader throws(Mismatch) in
                        try notification.takePlace(from: &reader)
                    },
                ]),
        ]

    /// The fields that locate the message.
    private static let place: [Field<Self>] = [
        Field("company_id", at: \.company),
        Field("workspace_id", at: \.workspace),
        Field("channel_id", at: \.channel).required,
        Field("thread_id", at: \.thread),
        Field("message_id", at: \.message),
    ]

    /// Reads an object, or a string that contains the text of one.
    private mutating func takePlace(from reader: inout JSONReader) throws(Mismatch) {
        guard try reader.kind() == .string else {
            if try reader.openIfAny() { try Self.place.read(into: &self, from: &reader) }
            return
        }
        let start = reader.offset
        let text = Array(try reader.text().utf8)
        var inner = JSONReader(text.span)
        do {
            if try inner.openIfAny() { try Self.place.read(into: &self, from: &inner) }
            try inner.finish()
        } catch { throw Mismatch(.unusable("not the text of a JSON object of ids"), at: start) }
    }

    package mutating func complete() { thread = thread ?? message }
}

extension Twake {
    /// Decodes a push notification as the push service accepts it, or as a device receives it. On a device,
    /// `notification_data` is a string with the text of a JSON object (Twake TW-46). The first app looked for the ids
    /// next to it (Twake TW-86), so they are read from that place too.
    package static func pushNotification(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> PushNotification {
        try decoded(body, as: PushNotification.subject) { (reader) throws(Mismatch) in
            try PushNotification(reading: &reader)
        }
    }
}
