public import JSONText

extension Twake.Message.Fields {
    /// The fields that few messages have. They are stored in an object of their own, so that a message without them is
    /// small and costs no more to read.
    struct Details: Hashable, Sendable {
        var type = Twake.MessageType.message
        var application: EntityID?
        var senderPicture: String?
        var blocks: RawJSON?
        var files: [Twake.File] = []
        var pin: Twake.Pin?
        var override: Twake.Override?
        var ephemeral: Twake.Ephemeral?
        var status: Twake.DeliveryStatus?
        var quoted: Twake.Message?
        var links: RawJSON?
        var context: RawJSON?
        var bookmarks: RawJSON?

        /// The details of a message that has none.
        static let absent = Details()
    }

    /// Whether any of the optional or list fields below has a value. If not, none of them needs to be inspected.
    public var hasDetails: Bool { details != nil }

    @inline(__always)
    private func detail<Value>(_ detail: KeyPath<Details, Value>) -> Value {
        guard let details else { return Details.absent[keyPath: detail] }
        return details.value[keyPath: detail]
    }

    /// Sets one detail. If no detail is left, the reference is removed, so that this state has only one representation.
    private mutating func set<Value>(_ detail: WritableKeyPath<Details, Value>, _ value: Value) {
        var all = details?.value ?? .absent
        all[keyPath: detail] = value
        details = all == .absent ? nil : Shared(all)
    }

    /// The type of the message; `message` when not sent.
    public var type: Twake.MessageType {
        get { detail(\.type) }
        set { set(\.type, newValue) }
    }

    /// The application that sent the message (B). On era A it is the `user`.
    public var application: EntityID? {
        get { detail(\.application) }
        set { set(\.application, newValue) }
    }

    /// The address of the sender's picture, if the payload contains one (era A; era B with `include_users`).
    public var senderPicture: String? {
        get { detail(\.senderPicture) }
        set { set(\.senderPicture, newValue) }
    }

    /// The formatted contents, `blocks` (B) or `content.prepared` (A), without white space; `nil` if they add nothing
    /// to `text`. `content` parses them.
    public var blocks: RawJSON? {
        get { detail(\.blocks) }
        set { set(\.blocks, newValue) }
    }

    /// The files sent with the message. Era A's are also in its `content`.
    public var files: [Twake.File] {
        get { detail(\.files) }
        set { set(\.files, newValue) }
    }

    /// The time and author of the pin; `nil` if the message is not pinned.
    public var pin: Twake.Pin? {
        get { detail(\.pin) }
        set { set(\.pin, newValue) }
    }

    /// Whether the message is pinned; false when not sent.
    public var isPinned: Bool {
        get { pin != nil }
        set { pin = newValue ? pin ?? Twake.Pin() : nil }
    }

    /// The name and the picture that an application gives itself.
    public var override: Twake.Override? {
        get { detail(\.override) }
        set { set(\.override, newValue) }
    }

    /// The recipient of a message that only one user sees, for a while. Ephemeral messages without an id are
    /// not decoded as messages (Twake TW-40).
    public var ephemeral: Twake.Ephemeral? {
        get { detail(\.ephemeral) }
        set { set(\.ephemeral, newValue) }
    }

    /// The delivery status of the message (2022).
    public var status: Twake.DeliveryStatus? {
        get { detail(\.status) }
        set { set(\.status, newValue) }
    }

    /// The message that this one quotes, as far as it was sent (2022).
    public var quoted: Twake.Message? {
        get { detail(\.quoted) }
        set { set(\.quoted, newValue) }
    }

    /// The previews of the links in the message (2022), a JSON array without white space; `nil` if there are none.
    public var links: RawJSON? {
        get { detail(\.links) }
        set { set(\.links, newValue) }
    }

    /// Data that an application stores with its message, any JSON without white space; `nil` if it is empty.
    public var context: RawJSON? {
        get { detail(\.context) }
        set { set(\.context, newValue) }
    }

    /// The bookmarks of the message by its users, a JSON array without white space; `nil` if there are none.
    public var bookmarks: RawJSON? {
        get { detail(\.bookmarks) }
        set { set(\.bookmarks, newValue) }
    }
}

extension Twake {
    /// The time and author of a message's pin (Twake TW-37).
    public struct Pin: Hashable, Sendable {
        /// The time the message was pinned, if sent.
        public var at: Timestamp?
        /// The user who pinned the message, if sent.
        public var by: EntityID?
    }

    /// The appearance that an application chooses for itself (Twake TW-37).
    public struct Override: Hashable, Sendable {
        /// The name shown for the application.
        public var title: String?
        /// The address of the picture shown for the application.
        public var picture: String?
    }

    /// The recipient of a message that is shown to one user and not stored (Twake TW-40).
    public struct Ephemeral: Hashable, Sendable {
        /// The id that the application gives the message.
        public var id: EntityID?
        /// The version of the message, as sent by the application.
        public var version: String?
        /// The user who sees the message.
        public var recipient: EntityID?
        /// The window of the user that shows the message.
        public var context: EntityID?
    }
}
