import JSONText

/// The ids that say where a message is, as notifications carry them.
private struct MessagePlace {
    var company: EntityID?
    var workspace: EntityID?
    var channel: EntityID?
    var thread: EntityID?
    var message: EntityID?

    mutating func take(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "company_id") {
            company = try reader.idIfAny()
        } else if reader.isNamed(key, "workspace_id") {
            workspace = try reader.idIfAny()
        } else if reader.isNamed(key, "channel_id") {
            channel = try reader.idIfAny()
        } else if reader.isNamed(key, "thread_id") {
            thread = try reader.idIfAny()
        } else if reader.isNamed(key, "message_id") {
            message = try reader.idIfAny()
        } else {
            return false
        }
        return true
    }
}

extension Twake.DesktopNotification {
    init(reading reader: inout JSONReader) throws(Mismatch) {
        var place = MessagePlace()
        self.init(channel: nil, thread: nil, message: nil, title: "", text: "")
        _ = try reader.open()
        while let key = try reader.field() {
            if try place.take(key, from: &reader) { continue }
            if reader.isNamed(key, "user") {
                user = try reader.idIfAny()
            } else if reader.isNamed(key, "title") {
                title = try reader.textIfAny() ?? ""
            } else if reader.isNamed(key, "text") {
                text = try reader.textIfAny() ?? ""
            } else {
                try reader.pass()
            }
        }
        (company, workspace, channel) = (place.company, place.workspace, place.channel)
        (message, thread) = (place.message, place.thread ?? place.message)
    }
}

extension Twake {
    /// A push notification as the push service takes it, or as a device is given it: there `notification_data` is the text of a JSON object
    /// (section 6). The first app looked for the ids beside it (4.5); they are found there too.
    public static func pushNotification(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> PushNotification {
        try decoded(body, as: "push notification") { (reader) throws(Mismatch) in
            var fields = PushFields()
            let start = try reader.open()
            while let key = try reader.field() {
                if reader.isNamed(key, "data") {
                    try fields.takeData(from: &reader)
                } else if reader.isNamed(key, "notification") {
                    try fields.takeNotification(from: &reader)
                } else if reader.isNamed(key, "collapse_key") {
                    fields.notification.collapseKey = try reader.textIfAny()?.unlessEmpty
                } else if try !fields.place.take(key, from: &reader) {
                    try reader.pass()
                }
            }
            return try fields.complete(at: start)
        }
    }
}

/// A push notification while it is read.
private struct PushFields {
    var place = MessagePlace()
    var notification = Twake.PushNotification(channel: .none, title: "", body: "")

    mutating func takeData(from reader: inout JSONReader) throws(Mismatch) {
        guard try reader.openIfAny() else { return }
        while let key = try reader.field() {
            if reader.isNamed(key, "notification_data") {
                try takePlace(from: &reader)
            } else if reader.isNamed(key, "click_action") {
                notification.clickAction = try reader.textIfAny()?.unlessEmpty
            } else if try !place.take(key, from: &reader) {
                try reader.pass()
            }
        }
    }

    /// An object, or its text in a string.
    private mutating func takePlace(from reader: inout JSONReader) throws(Mismatch) {
        guard try reader.kind() == .string else { return try takePlaceObject(from: &reader) }
        let start = reader.offset
        let text = Array(try reader.text().utf8)
        var inner = JSONReader(text.span)
        do {
            try takePlaceObject(from: &inner)
            try inner.finish()
        } catch { throw Mismatch(.unusable("not the text of a JSON object of ids"), at: start) }
    }

    private mutating func takePlaceObject(from reader: inout JSONReader) throws(Mismatch) {
        guard try reader.openIfAny() else { return }
        while let key = try reader.field() {
            if try !place.take(key, from: &reader) { try reader.pass() }
        }
    }

    mutating func takeNotification(from reader: inout JSONReader) throws(Mismatch) {
        guard try reader.openIfAny() else { return }
        while let key = try reader.field() {
            if reader.isNamed(key, "title") {
                notification.title = try reader.textIfAny() ?? ""
            } else if reader.isNamed(key, "body") {
                notification.body = try reader.textIfAny() ?? ""
            } else if reader.isNamed(key, "sound") {
                notification.sound = try reader.textIfAny()?.unlessEmpty
            } else if reader.isNamed(key, "badge") {
                notification.badge = try reader.countIfAny()
            } else if reader.isNamed(key, "click_action") {
                notification.clickAction = try reader.textIfAny()?.unlessEmpty
            } else {
                try reader.pass()
            }
        }
    }

    func complete(at start: Int) throws(Mismatch) -> Twake.PushNotification {
        var notification = notification
        notification.channel = try place.channel.required("channel_id", at: start)
        (notification.company, notification.workspace) = (place.company, place.workspace)
        (notification.message, notification.thread) = (place.message, place.thread ?? place.message)
        return notification
    }
}
