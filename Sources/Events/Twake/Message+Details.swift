public import JSONText

extension Twake.Message.Fields {
    /// What few messages have. Behind a reference of its own, so that a message with none of it is small and costs no more to read.
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

        /// Of a message that has none of it.
        static let absent = Details()
    }

    /// Whether any of the fields below that are optional or lists has a value: without, there is nothing to look at.
    public var hasDetails: Bool { details != nil }

    @inline(__always)
    private func detail<Value>(_ detail: KeyPath<Details, Value>) -> Value {
        guard let details else { return Details.absent[keyPath: detail] }
        return details.value[keyPath: detail]
    }

    /// Having none is one state: no reference.
    private mutating func set<Value>(_ detail: WritableKeyPath<Details, Value>, _ value: Value) {
        var all = details?.value ?? .absent
        all[keyPath: detail] = value
        details = all == .absent ? nil : Shared(all)
    }

    /// What it is; `message` when not sent.
    public var type: Twake.MessageType {
        get { detail(\.type) }
        set { set(\.type, newValue) }
    }

    /// The application that sent it (B). On era A it is the `user`.
    public var application: EntityID? {
        get { detail(\.application) }
        set { set(\.application, newValue) }
    }

    /// The address of the sender's picture, where the payload has one (era A; era B with `include_users`).
    public var senderPicture: String? {
        get { detail(\.senderPicture) }
        set { set(\.senderPicture, newValue) }
    }

    /// The formatted contents, `blocks` (B) or `content.prepared` (A), without white space; nil when they say no more than `text`.
    /// `content` reads them.
    public var blocks: RawJSON? {
        get { detail(\.blocks) }
        set { set(\.blocks, newValue) }
    }

    /// The files sent with it. Era A's are those in its `content`, too.
    public var files: [Twake.File] {
        get { detail(\.files) }
        set { set(\.files, newValue) }
    }

    /// That it is pinned, by whom and when; nil when it is not.
    public var pin: Twake.Pin? {
        get { detail(\.pin) }
        set { set(\.pin, newValue) }
    }

    /// Whether it is pinned; false when not sent.
    public var isPinned: Bool {
        get { pin != nil }
        set { pin = newValue ? pin ?? Twake.Pin() : nil }
    }

    /// The name and the picture an application gives itself.
    public var override: Twake.Override? {
        get { detail(\.override) }
        set { set(\.override, newValue) }
    }

    /// That only one user sees it, for a while. Those without an id are no messages here (3.3).
    public var ephemeral: Twake.Ephemeral? {
        get { detail(\.ephemeral) }
        set { set(\.ephemeral, newValue) }
    }

    /// How far it came (2022).
    public var status: Twake.DeliveryStatus? {
        get { detail(\.status) }
        set { set(\.status, newValue) }
    }

    /// The message it quotes, as far as it was sent (2022).
    public var quoted: Twake.Message? {
        get { detail(\.quoted) }
        set { set(\.quoted, newValue) }
    }

    /// What was found behind the links in it (2022), a JSON array without white space; nil when there are none.
    public var links: RawJSON? {
        get { detail(\.links) }
        set { set(\.links, newValue) }
    }

    /// What an application keeps with its message, any JSON, without white space; nil when it is empty.
    public var context: RawJSON? {
        get { detail(\.context) }
        set { set(\.context, newValue) }
    }

    /// Who bookmarked it, a JSON array without white space; nil when nobody did.
    public var bookmarks: RawJSON? {
        get { detail(\.bookmarks) }
        set { set(\.bookmarks, newValue) }
    }
}

extension Twake {
    /// That a message is pinned (3.3).
    public struct Pin: Hashable, Sendable {
        /// When it was pinned, where that is said.
        public var at: Timestamp?
        /// The user who pinned it, where that is said.
        public var by: EntityID?
    }

    /// How an application wants to be shown (3.3).
    public struct Override: Hashable, Sendable {
        /// Its name.
        public var title: String?
        /// The address of its picture.
        public var picture: String?
    }

    /// That a message is shown to one user and kept by nobody (3.3).
    public struct Ephemeral: Hashable, Sendable {
        /// What the application calls the message.
        public var id: EntityID?
        /// Which version of it this is.
        public var version: String?
        /// The user it is for.
        public var recipient: EntityID?
        /// Which of the user's windows it is for.
        public var context: EntityID?
    }
}
