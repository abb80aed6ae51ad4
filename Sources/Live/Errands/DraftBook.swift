public import Events
public import Pipeline
public import Store

/// The drafts of an account in its store: the unsent texts of channels and threads.
public struct DraftBook: Sendable {
    /// An unsent text with its channel and thread.
    public struct Draft: Hashable, Sendable {
        /// The channel as it was given when the draft was stored: an id, or `#` and a name.
        public var channel: String
        /// The channel's name, if the store knows it.
        public var name: String?
        /// The id of the thread's first message; `nil` outside threads.
        public var thread: String?
        /// The unsent text of the message.
        public var text: String

        /// The key of the draft in the store.
        public var note: StoreNote { .draft(channel: channel, thread: thread) }
    }

    /// The drafts, sorted by channel and thread.
    public private(set) var drafts: [Draft] = []
    private let store: Store
    private let account: StoreAccount
    /// The names of the channels, by their ids.
    private var names: [String: String] = [:]

    /// Reads the drafts of an account from the store. Blocks on the store.
    public init(
        _ store: Store, of account: StoreAccount, _ backend: Configuration.BackendKind
    ) throws(StoreError) {
        (self.store, self.account) = (store, account)
        let remembered = try store.remembered(of: account.server, user: account.user, view: backend.usualView)
        for (note, text) in remembered?.notes ?? [:] {
            guard case .draft(let channel, let thread) = note else { continue }
            drafts.append(Draft(channel: channel, thread: thread, text: text))
        }
        guard !drafts.isEmpty else { return }
        for row in (remembered?.memories ?? []).flatMap({ $0.rows.split(separator: UInt8(ascii: "\n")) }) {
            guard let item = Item(decoding: row), let name = item.channelName, !item.isFormerChannel else { continue }
            names[item.id.id.description] = name
        }
        for index in drafts.indices { drafts[index].name = names[id(drafts[index].channel)] }
        drafts.sort { ($0.name ?? $0.channel, $0.thread ?? "") < ($1.name ?? $1.channel, $1.thread ?? "") }
    }

    /// Returns the draft of a channel or thread, whether it was stored under the channel's name or its id.
    public func draft(for channel: EntityID, thread: EntityID?) -> Draft? {
        drafts.first { id($0.channel) == id(channel.description) && $0.thread == thread?.description }
    }

    /// Returns the store key for the draft of a channel or thread: that of the existing draft, if there is one.
    public func note(for channel: EntityID, thread: EntityID?) -> StoreNote {
        draft(for: channel, thread: thread)?.note
            ?? .draft(channel: channel.description, thread: thread?.description)
    }

    /// Stores the draft of a channel or thread, or deletes it if `text` is `nil`. Blocks on the store.
    ///
    /// - Parameter now: The current time, in milliseconds since 1970.
    public func keep(_ text: String?, for channel: EntityID, thread: EntityID?, at now: Int64) throws(StoreError) {
        try store.commit([.note(note(for: channel, thread: thread), text)], of: StoreScope(account), at: now)
    }

    /// Returns the id of a channel given as `#` and its name, if exactly one channel has that name; otherwise the text
    /// itself.
    private func id(_ channel: String) -> String {
        guard channel.hasPrefix("#") else { return channel }
        let wanted = channel.dropFirst().lowercased()
        let found = names.filter { $0.value.lowercased() == wanted }
        return found.count == 1 ? found.first?.key ?? channel : channel.lowercased()
    }
}
