package import WeirEvents
import WeirModel
import WeirNetwork
package import WeirPipeline
package import WeirStore
import WeirWire

// The part of an runner that performs the account's stored actions, and stores those that did not settle.
extension ActionRunner {
    private var wallNow: Int64 { Journal(now: .zero).wallStart / 1000 }
    private var server: String { StoreAccount.name(of: configuration.server) }

    /// The account of the runner: the token's user if it is known, otherwise the most recently used account.
    private var owner: StoreAccount? {
        if let user { return StoreAccount(server: server, user: user) }
        return try? store?.accounts().first { $0.server == server }
    }

    // MARK: What waits

    /// Performs the account's stored actions before the requested ones, so that sends keep their order. It first requests the token's user
    /// from the server, so that no action runs in another user's name.
    func lookForWaiting() {
        let accounts = ((try? store?.accounts()) ?? []).filter { $0.server == server }
        // An action of several steps is stored while it runs.
        guard keepsWanted || accounts.contains(where: { !waiting(of: $0).isEmpty }) else { return start(behind: []) }
        guard let accounts = configuration.backend.module.accounts else { return start(behind: []) }
        switch accounts {
        case .alike(let calls): identify(calls)
        case .byEra(let probe, _):
            ask(probe, token: nil) { runner, result in
                guard let response = try? result.get(), let calls = accounts.calls(status: response.status) else {
                    return runner.endAll(.unreachable(why: Self.words(of: result)))
                }
                runner.identify(calls)
            }
        }
    }

    private func identify(_ calls: AccountCalls) {
        guard let whoami = calls.whoami else { return start(behind: []) }
        ask(whoami, token: token) { $0.take($1, calls) }
    }

    private func waiting(of account: StoreAccount) -> [(id: String, entry: [UInt8])] {
        (try? store?.outbox(of: account)) ?? []
    }

    private func ask(
        _ call: RESTCall, token: Secret?,
        _ completion: @escaping @Sendable (isolated ActionRunner, Result<HTTPResponse, HTTPFailure>) -> Void
    ) {
        http.send(exchange(call, token: token)) { [weak self] result in
            self?.assumeIsolated { completion($0, result) }
        }
    }

    /// Takes the server's answer about the token's user.
    private func take(_ result: Result<HTTPResponse, HTTPFailure>, _ calls: AccountCalls) {
        guard let response = try? result.get(), response.status < 500 else {
            return endAll(.unreachable(why: Self.words(of: result)))
        }
        guard let user = try? calls.account(response.body[...]).id.description else {
            // A problem with the token is reported as without a store.
            return start(behind: [])
        }
        self.user = user
        guard let store, let owner, keepsWanted || !waiting(of: owner).isEmpty else { return start(behind: []) }
        let isHolder = store.takeOutbox()
        if keepsWanted {
            memories =
                (try? store.remembered(of: server, user: owner.user, view: configuration.backend.usualView))?.memories
                ?? []
            // Two commands may run the same steps at once, and the server decides. Only the owner of the outbox stores
            // its run.
            if !isHolder { return start(behind: []) }
            keepsRuns = true
        }
        // The owner of the outbox performs its actions. The requested actions are queued after them.
        guard isHolder else { return endAll(.waiting(why: "another weir process is sending the queue before it")) }
        start(behind: mirror.take(waiting(of: owner)))
    }

    private static func words(of result: Result<HTTPResponse, HTTPFailure>) -> String {
        switch result {
        case .success(let response): response.refusal
        case .failure(let failure): failure.message
        }
    }

    /// Whether a requested action takes several steps.
    private var keepsWanted: Bool { store != nil && wanted.contains { $0.operation.isRun } }

    /// Stores the progress of the actions that had waited and of those with several steps. The other requested actions
    /// are stored only if they could not be performed.
    func keepWaiting() {
        guard keepsRuns || !mirror.isEmpty, let owner else { return }
        let own = Set(wanted.filter { !$0.operation.isRun }.map(\.id))
        guard let writes = mirror.writes(of: session, where: { !own.contains($0.action.id) }) else { return }
        _ = commit(writes, of: owner)
    }

    /// Stores the rows that an action of several steps found or created, where a tail with default settings looks for
    /// them.
    func keepRows(_ batch: Batch<Item>) {
        guard keepsWanted, let store, let owner else { return }
        let scope = StoreScope(owner, view: configuration.backend.usualView)
        do { try store.commit([.batch(batch)], of: scope, at: wallNow) } catch { notify(Notice(.error, "\(error)")) }
    }

    /// Leaves actions to the account's next tail or command, after those that wait already. Returns `false` if they
    /// cannot be stored.
    func keep(_ actions: [Action]) -> Bool {
        guard store != nil, !actions.isEmpty else { return false }
        guard let owner else {
            let canBeAsked = configuration.backend.module.accounts?.eras.contains { $0.whoami != nil } ?? false
            let why = canBeAsked ? "the server does not identify" : "the profile does not declare (account)"
            notify(Notice(.error, "it is not queued for later: \(why) the owner of the token"))
            return false
        }
        let known = session.pendingActions
        let writes = actions.map { action in
            let entry = known.first { $0.action.id == action.id } ?? OutboxEntry(action)
            return StoreWrite.enqueue(id: action.id.description, entry: entry.kept(in: session.actionPlace))
        }
        return commit(writes, of: owner)
    }

    private func commit(_ writes: [StoreWrite], of owner: StoreAccount) -> Bool {
        guard let store else { return false }
        do {
            try store.commit(writes, of: StoreScope(owner), at: wallNow)
            return true
        } catch {
            notify(Notice(.error, "\(error)"))
            return false
        }
    }

    // MARK: Notes

    /// Stores the consequences of a result: a refused message becomes a draft, a draft is deleted once it is sent, and
    /// a channel that was read counts as read at the next start, before the server confirms it.
    func note(_ result: inout ActionRunnerResult) {
        guard store != nil, let owner else { return }
        // The action as it was requested: the session may have replaced a name with an id since.
        let asked = wanted.first { $0.id == result.action.id } ?? result.action
        switch (asked.operation, result.outcome) {
        case (.send(let channel, let thread, let text), .refused), (.send(let channel, let thread, let text), .noToken):
            guard !text.isEmpty, let book = drafts else { return }
            result.isDraft = commit([.note(book.note(for: channel, thread: thread), text)], of: owner)
        case (.send(let channel, let thread, let text), .done):
            guard let draft = drafts?.draft(for: channel, thread: thread), draft.text == text else { return }
            _ = commit([.note(draft.note, nil)], of: owner)
        case (.markRead, .done(let channel?)):
            guard isKnown(owner) else { return }
            _ = commit([.note(.readMarker(channel: channel.description), String(wallNow))], of: owner)
        case (.createChannel(let draft), .done(let channel?)):
            noteSelection(of: owner) { $0.select(channel: channel, madeAs: draft.kind) }
        case (.createWorkspace, .done(let workspace?)):
            noteSelection(of: owner) { selection in
                guard let company = asked.place?.company ?? selection.company.map({ EntityID($0) }) else { return }
                selection.select(company: company, workspace: workspace)
            }
        default: break
        }
    }

    /// Returns whether a tail has stored data of the account.
    private func isKnown(_ owner: StoreAccount) -> Bool { (try? store?.accounts())?.contains(owner) == true }

    /// Selects the created channel or workspace for the next tail.
    private func noteSelection(of owner: StoreAccount, _ change: (inout Globals) -> Void) {
        guard isKnown(owner), let notes = try? store?.notes(of: owner) else { return }
        var selection = notes[.globals].map { Globals(kept: $0) } ?? Globals()
        change(&selection)
        _ = commit([.note(.globals, selection.kept)], of: owner)
    }

    /// The drafts of the runner's account; `nil` without a store or an account.
    private var drafts: DraftBook? {
        guard let store, let owner else { return nil }
        return try? DraftBook(store, of: owner, configuration.backend)
    }

    /// Returns the actions, with the text of its draft in each send. Returns `nil` if a draft is missing.
    func withDrafts(_ actions: [Action]) -> [Action]? {
        guard configuration.sendsDrafts else { return actions }
        let book = drafts
        var filled: [Action] = []
        for var action in actions {
            if case .send(let channel, let thread, _) = action.operation {
                guard let draft = book?.draft(for: channel, thread: thread) else { return nil }
                action.operation = .send(channel: channel, thread: thread, text: draft.text)
            }
            filled.append(action)
        }
        return filled
    }
}

/// The drafts of an account in its store: the unsent texts of channels and threads.
package struct DraftBook: Sendable {
    /// An unsent text with its channel and thread.
    package struct Draft: Hashable, Sendable {
        /// The channel as it was given when the draft was stored: an id, or `#` and a name.
        package var channel: String
        /// The channel's name, if the store knows it.
        package var name: String?
        /// The id of the thread's first message; `nil` outside threads.
        package var thread: String?
        /// The unsent text of the message.
        package var text: String

        /// The key of the draft in the store.
        package var note: StoreNote { .draft(channel: channel, thread: thread) }
    }

    /// The drafts, sorted by channel and thread.
    package private(set) var drafts: [Draft] = []
    private let store: Store
    private let account: StoreAccount
    /// The names of the channels, by their ids.
    private var names: [String: String] = [:]

    /// Reads the drafts of an account from the store. Blocks on the store.
    package init(
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
    package func draft(for channel: EntityID, thread: EntityID?) -> Draft? {
        drafts.first { id($0.channel) == id(channel.description) && $0.thread == thread?.description }
    }

    /// Returns the store key for the draft of a channel or thread: that of the existing draft, if there is one.
    package func note(for channel: EntityID, thread: EntityID?) -> StoreNote {
        draft(for: channel, thread: thread)?.note
            ?? .draft(channel: channel.description, thread: thread?.description)
    }

    /// Stores the draft of a channel or thread, or deletes it if `text` is `nil`. Blocks on the store.
    ///
    /// - Parameter now: The current time, in milliseconds since 1970.
    package func keep(_ text: String?, for channel: EntityID, thread: EntityID?, at now: Int64) throws(StoreError) {
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
