import Events
import Network
import Pipeline
import SectionedModel
import Store
import Wire

// What an errand finds in the store, and what it leaves there.
extension Errand {
    private var wallNow: Int64 { Journal(now: .zero).wallStart / 1000 }
    private var server: String { StoreAccount.name(of: configuration.server) }

    /// Whose the errand is: of the one whose token it is, as far as is known, or of the one that was used last.
    private var owner: StoreAccount? {
        if let user { return StoreAccount(server: server, user: user) }
        return try? store?.accounts().first { $0.server == server }
    }

    // MARK: What waits

    /// Sends keep their order: what waits of the account is done before what is wanted. Whose the token is, is asked first: nothing is
    /// done in somebody else's name.
    func lookForWaiting() {
        let accounts = ((try? store?.accounts()) ?? []).filter { $0.server == server }
        // What takes several steps is kept while it is done.
        guard keepsWanted || accounts.contains(where: { !waiting(of: $0).isEmpty }) else { return start(behind: []) }
        guard let accounts = configuration.backend.module.accounts else { return start(behind: []) }
        switch accounts {
        case .alike(let calls): identify(calls)
        case .byEra(let probe, _):
            ask(probe, token: nil) { errand, result in
                guard let response = try? result.get(), let calls = accounts.calls(status: response.status) else {
                    return errand.endAll(.unreachable(why: Self.words(of: result)))
                }
                errand.identify(calls)
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
        _ completion: @escaping @Sendable (isolated Errand, Result<HTTPResponse, HTTPFailure>) -> Void
    ) {
        http.send(exchange(call, token: token)) { [weak self] result in
            self?.assumeIsolated { completion($0, result) }
        }
    }

    /// Takes the answer to whose the token is.
    private func take(_ result: Result<HTTPResponse, HTTPFailure>, _ calls: AccountCalls) {
        guard let response = try? result.get(), response.status < 500 else {
            return endAll(.unreachable(why: Self.words(of: result)))
        }
        guard let user = try? calls.account(response.body[...]).id.description else {
            // What is wrong with the token is told as without a store.
            return start(behind: [])
        }
        self.user = user
        guard let store, let owner, keepsWanted || !waiting(of: owner).isEmpty else { return start(behind: []) }
        let isHolder = store.takeOutbox()
        if keepsWanted {
            memories =
                (try? store.remembered(of: server, user: owner.user, view: configuration.backend.usualView))?.memories
                ?? []
            // Two commands at a time may do the same: the server decides. Only one of them is kept.
            if !isHolder { return start(behind: []) }
            keepsRuns = true
        }
        // Whoever has the outbox does what is in it; what is wanted goes behind.
        guard isHolder else { return endAll(.waiting(why: "another weir is at what waits before it")) }
        start(behind: mirror.take(waiting(of: owner)))
    }

    private static func words(of result: Result<HTTPResponse, HTTPFailure>) -> String {
        switch result {
        case .success(let response): response.refusal
        case .failure(let failure): failure.message
        }
    }

    /// Whether something wanted takes several steps.
    private var keepsWanted: Bool { store != nil && wanted.contains { $0.operation.isRun } }

    /// Keeps how far what waited is, and what takes several steps; what else is wanted now is kept when it could not be done.
    func keepWaiting() {
        guard keepsRuns || !mirror.isEmpty, let owner else { return }
        let own = Set(wanted.filter { !$0.operation.isRun }.map(\.id))
        guard let writes = mirror.writes(of: session, where: { !own.contains($0.action.id) }) else { return }
        _ = commit(writes, of: owner)
    }

    /// Keeps rows that an action of several steps found or made, where a tail that was told no more looks for them.
    func keepRows(_ batch: Batch<Item>) {
        guard keepsWanted, let store, let owner else { return }
        let scope = StoreScope(owner, view: configuration.backend.usualView)
        do { try store.commit([.batch(batch)], of: scope, at: wallNow) } catch { notify(Notice(.error, "\(error)")) }
    }

    /// Leaves actions to the next tail or command of the account, behind what waits already. False when they cannot be kept.
    func keep(_ actions: [Action]) -> Bool {
        guard store != nil, !actions.isEmpty else { return false }
        guard let owner else {
            let canBeAsked = configuration.backend.module.accounts?.eras.contains { $0.whoami != nil } ?? false
            let why = canBeAsked ? "the server has not said" : "the profile does not say (account)"
            notify(Notice(.error, "nothing of it is kept for later: \(why) whose the token is"))
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

    /// Notes what the end of an action leaves: a message that was refused is a draft; a draft that was sent is none any more; a channel
    /// that was read is so at the next start, before the server says it.
    func note(_ result: inout ErrandResult) {
        guard store != nil, let owner else { return }
        // In the words it was asked for: a name may have become an id since.
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

    /// Whether a tail has kept something of the account.
    private func isKnown(_ owner: StoreAccount) -> Bool { (try? store?.accounts())?.contains(owner) == true }

    /// Selects what was made, for the tail that begins next.
    private func noteSelection(of owner: StoreAccount, _ change: (inout Globals) -> Void) {
        guard isKnown(owner), let notes = try? store?.notes(of: owner) else { return }
        var selection = notes[.globals].map { Globals(kept: $0) } ?? Globals()
        change(&selection)
        _ = commit([.note(.globals, selection.kept)], of: owner)
    }

    /// The drafts of whose the errand is.
    private var drafts: DraftBook? {
        guard let store, let owner else { return nil }
        return try? DraftBook(store, of: owner, configuration.backend)
    }

    /// The same actions, those that send a draft with its text; nil and why when there is none.
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
