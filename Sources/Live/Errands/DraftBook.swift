public import Events
public import Pipeline
public import Store

/// The drafts of an account, as its store has them: the texts that wait for each channel and thread.
public struct DraftBook: Sendable {
    /// A text that waits.
    public struct Draft: Hashable, Sendable {
        /// The channel, in the words it was kept with: an id, or `#` and a name.
        public var channel: String
        /// What the channel is called, where the store knows it.
        public var name: String?
        /// The head of the thread.
        public var thread: String?
        /// The text.
        public var text: String

        /// Where the store has it.
        public var note: StoreNote { .draft(channel: channel, thread: thread) }
    }

    /// The drafts, by channel and thread.
    public private(set) var drafts: [Draft] = []
    private let store: Store
    private let account: StoreAccount
    /// The channels' names, by their ids.
    private var names: [String: String] = [:]

    /// The book of an account, which is as the store is now. Waits.
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

    /// The draft of a place, whether it was kept by the channel's name or by its id.
    public func draft(for channel: EntityID, thread: EntityID?) -> Draft? {
        drafts.first { id($0.channel) == id(channel.description) && $0.thread == thread?.description }
    }

    /// Where the store is to have the draft of a place: where there is one, that.
    public func note(for channel: EntityID, thread: EntityID?) -> StoreNote {
        draft(for: channel, thread: thread)?.note
            ?? .draft(channel: channel.description, thread: thread?.description)
    }

    /// Keeps the text that waits for a place, in milliseconds since 1970; nil drops it. Waits.
    public func keep(_ text: String?, for channel: EntityID, thread: EntityID?, at now: Int64) throws(StoreError) {
        try store.commit([.note(note(for: channel, thread: thread), text)], of: StoreScope(account), at: now)
    }

    /// The id of a channel that is named by `#` and its name, when one is called so; else the words.
    private func id(_ channel: String) -> String {
        guard channel.hasPrefix("#") else { return channel }
        let wanted = channel.dropFirst().lowercased()
        let found = names.filter { $0.value.lowercased() == wanted }
        return found.count == 1 ? found.first?.key ?? channel : channel.lowercased()
    }
}
