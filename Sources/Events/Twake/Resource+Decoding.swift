import JSONText

extension Twake.SocketIOResource {
    /// `likelyRoom` is the text of a room that is likely to be this event's: one that is equal costs no string.
    init(reading reader: inout JSONReader, of payload: ArraySlice<UInt8>, likelyRoom: String) throws(Mismatch) {
        var action: Twake.ResourceAction?
        var type: Twake.ResourceType?
        var room: String?
        var path: RawJSON?
        var resource: Twake.Resource?
        var postponed: Int?
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "resource") {
                if let action, let type {
                    resource = try Twake.Resource(reading: &reader, of: payload, type, action)
                } else {
                    _ = try reader.kind()
                    postponed = reader.offset
                    try reader.pass()
                }
            } else if reader.isNamed(key, "action") {
                action = try Twake.ResourceAction(reading: &reader)
            } else if reader.isNamed(key, "type") {
                type = try Twake.ResourceType(reading: &reader)
            } else if reader.isNamed(key, "room") {
                room = try reader.textIfAny(likely: likelyRoom)
            } else if reader.isNamed(key, "path") {
                path = try reader.rawIfAny(of: payload)
            } else {
                try reader.pass()
            }
        }
        self.action = try action.required("action", at: start)
        self.type = try type.required("type", at: start)
        self.room = try room.required("room", at: start)
        self.path = path
        if resource == nil, let postponed {
            // The order of keys is free: with the resource in front, its type is known only now.
            let end = reader.offset
            reader.seek(to: postponed)
            resource = try Twake.Resource(reading: &reader, of: payload, self.type, self.action)
            reader.seek(to: end)
        }
        self.resource = try resource.required("resource", at: start)
    }
}

extension Twake.ResourceAction {
    init(reading reader: inout JSONReader) throws(Mismatch) {
        let contents = try reader.textRange()
        self =
            if reader.matches(contents, "saved") { .saved } else if reader.matches(contents, "updated") {
                .updated
            } else { Self(wire: reader.string(at: contents)) }
    }
}

extension Twake.ResourceType {
    /// The types of every message sent are told without making a string of them.
    init(reading reader: inout JSONReader) throws(Mismatch) {
        let contents = try reader.textRange()
        self =
            if reader.matches(contents, "channel_activity") {
                .channelActivity
            } else if reader.matches(contents, "channel") {
                .channel
            } else if reader.matches(contents, "message") {
                .message
            } else if reader.matches(contents, "user_notification_badges") {
                .badges
            } else if reader.matches(contents, "channel_member") { .channelMember } else {
                Self(wire: reader.string(at: contents))
            }
    }
}

extension Twake.Resource {
    /// Reads the resource of an event of that type. Under an action this version does not know, a resource of another shape than the
    /// type's is kept as text: it may be the action's own.
    init(
        reading reader: inout JSONReader, of payload: ArraySlice<UInt8>, _ type: Twake.ResourceType,
        _ action: Twake.ResourceAction
    ) throws(Mismatch) {
        let kind = try reader.kind()
        let start = reader.offset
        do {
            if let known = try Self.known(reading: &reader, kind, type) {
                self = known
                return
            }
        } catch {
            if action.isKnown { throw error }
        }
        reader.seek(to: start)
        self = .other(RawJSON(payload, try reader.pass()))
    }

    /// The resource of a type the pipeline uses; nil for what is kept as text.
    private static func known(
        reading reader: inout JSONReader, _ kind: JSONKind, _ type: Twake.ResourceType
    ) throws(Mismatch) -> Self? {
        if kind == .array, type != .online { return nil }
        return switch type {
        case .channelActivity: .activity(try Twake.ChannelActivity(reading: &reader))
        case .message: try Twake.Message.read(&reader).map { .message($0) }
        case .badges: .badge(try Twake.Badge(reading: &reader))
        case .channelMember: .member(try Twake.ChannelMember(reading: &reader))
        case .channel, .channels: .channel(try Twake.Channel(reading: &reader))
        case .desktopNotification: .desktopNotification(try Twake.DesktopNotification(reading: &reader))
        case .online: .online(try Twake.OnlineStatus.list(reading: &reader, kind))
        case .channelTabs, .bookmark, .workspace, .user, .company, .companyUser, .companyApplication,
            .documentsUpdated, .unknown:
            nil
        }
    }
}

extension RawJSON {
    /// The value at `range` of a payload, shared with it, not copied.
    init(_ payload: ArraySlice<UInt8>, _ range: Range<Int>) {
        let start = payload.startIndex
        self.init(unchecked: payload[start + range.lowerBound..<start + range.upperBound])
    }
}
