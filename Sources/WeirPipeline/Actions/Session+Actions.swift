import WeirEvents
import WeirModel
import WeirWire

// The user's actions: shown at once, performed in order, settled by the server's answer.
extension Session {
    /// How many times a server may answer that it cannot perform an action now, before the session refuses the action.
    static let maximumActionAttempts = 8
    /// The delays between the attempts of one action.
    private static let actionBackoff = Backoff(base: .milliseconds(500), cap: .seconds(30))

    mutating func act(_ action: Action, into effects: inout [Effect]) {
        if let tag = backend.tag(of: action) { cancelActions(tagged: tag, into: &effects) }
        guard outbox.add(action) else {
            let why = "\(Outbox.limit) actions are already waiting, or one has the id \(action.id)"
            return report(action, .refused(why: why, status: nil), into: &effects)
        }
        report(action, .queued, into: &effects)
    }

    /// Queues the actions of an earlier session again.
    mutating func restore(_ entries: [OutboxEntry], into effects: inout [Effect]) {
        for entry in entries where outbox.add(entry) {
            if user == nil { unclaimed.append(entry.action.id) }
            if entry.failure == nil { report(entry.action, .queued, into: &effects) }
        }
    }

    mutating func dropAction(_ id: EntityID, into effects: inout [Effect]) {
        guard let entry = outbox.drop(id) else { return }
        report(entry.action, .dropped, into: &effects)
    }

    /// Drops every action with the tag. The session ignores the answers to requests that were sent already.
    mutating func cancelActions(tagged tag: String, into effects: inout [Effect]) {
        for entry in outbox.entries where entry.failure == nil && backend.tag(of: entry.action) == tag {
            if let request = outbox.abandon(entry.action.id) { effects.append(.cancel(request: request)) }
            report(entry.action, .dropped, into: &effects)
        }
    }

    mutating func retryAction(_ id: EntityID, into effects: inout [Effect]) {
        guard outbox.retry(id), let entry = outbox[id] else { return }
        report(entry.action, .queued, into: &effects)
    }

    // MARK: Progress

    /// Whether actions can be sent now; if not, they wait. A session without a realtime connection is always online,
    /// because each request finds out for itself.
    package var isOnline: Bool { link.isReady || !configuration.connects }

    /// Advances every action as far as possible.
    ///
    /// The requests are emitted after all other effects of the input, so that a store can record them before they are
    /// sent.
    mutating func pumpOutbox(into effects: inout [Effect]) {
        noteEchoes(into: &effects)
        refuseUncheckable(into: &effects)
        var moved = isOnline
        while moved {
            moved = false
            for id in outbox.ready(
                lane: { backend.lane(of: $0, in: context.model) }, where: { !backend.isElsewhere($0) })
            {
                guard let entry = outbox[id] else { continue }
                if go(on: entry, into: &effects) { moved = true }
            }
        }
    }

    /// Refuses the actions in doubt whose evidence is no longer being fetched, because their channel is gone or was
    /// left.
    private mutating func refuseUncheckable(into effects: inout [Effect]) {
        for entry in outbox.entries {
            guard case .checking(let key) = entry.state, !context.refetcher.isBusy(key) else { continue }
            refuse(entry.action.id, why: Self.isInDoubt, status: nil, into: &effects)
        }
    }

    private static let isInDoubt = "no answer came, and nothing shows whether it was done: look before doing it again"

    /// Returns whether the action may already be done, so that another request could do it twice. If an earlier process
    /// left the action in doubt, it cannot be checked until its user and its place are known.
    private func isInDoubt(_ entry: OutboxEntry) -> Bool {
        entry.isInDoubt && (entry.action.operation.makesSomething || entry.action.nextUpload != nil)
    }

    /// Advances an action by one step; returns `false` if the action has to wait.
    private mutating func go(on entry: OutboxEntry, into effects: inout [Effect]) -> Bool {
        let (id, action) = (entry.action.id, entry.action)
        let isInDoubt = isInDoubt(entry)
        if case .resolving(let keys) = entry.state {
            if keys.contains(where: { context.refetcher.isBusy($0) }) { return false }
            if let why = entry.fetchFailure { return delay(entry, why: why, into: &effects) }
        }
        switch backend.step(for: action, fetched: entry.fetched, in: context.model) {
        case .impossible(let why): refuse(id, why: isInDoubt ? Self.isInDoubt : why, status: nil, into: &effects)
        case .fetch(let keys):
            outbox.resolve(id, keys)
            for key in keys { context.refetcher.need(key, cause: context.cause) }
            return false
        case .follow(let following): follow(id, following, status: nil, into: &effects)
        case .request(let operation, let request):
            outbox.become(operation, id)
            if isInDoubt, let entry = outbox[id] { return check(entry, into: &effects) }
            send(id, request, into: &effects)
        }
        return true
    }

    private mutating func send(_ id: EntityID, _ call: RESTCall, into effects: inout [Effect]) {
        guard let entry = outbox[id] else { return }
        let number = context.refetcher.drawRequest()
        outbox.send(id, request: number, baseline: backend.baseline(of: entry.action, in: context.model))
        report(entry.action, .sending(attempt: entry.attempts + 1), into: &effects)
        outgoing.append(FetchRequest(id: number, call, cause: context.cause))
    }

    /// Checks whether an action in doubt was done, by a message that arrived since or by a resource to fetch.
    private mutating func check(_ entry: OutboxEntry, into effects: inout [Effect]) -> Bool {
        let id = entry.action.id
        if let echo = echo(of: entry) { return finish(id, subject: echo, into: &effects) }
        // An action with files left to upload was not sent, and nothing shows whether the upload was done.
        guard entry.action.nextUpload == nil,
            let key = backend.evidence(of: entry.action, since: entry.baseline, in: context.model)
        else {
            refuse(id, why: Self.isInDoubt, status: nil, into: &effects)
            return true
        }
        outbox.check(id, key)
        context.refetcher.invalidate(key, cause: context.cause)
        return true
    }

    private mutating func delay(_ entry: OutboxEntry, why: String, into effects: inout [Effect]) -> Bool {
        let span = Self.actionBackoff.delay(afterFailures: max(1, entry.attempts), using: &random)
        outbox.wait(entry.action.id, until: context.now + span, isInDoubt: false)
        report(entry.action, .delayed(why: why, retryIn: span), into: &effects)
        return false
    }

    // MARK: Answers

    /// Handles the answer to an action's request.
    ///
    /// - Parameter asked: The wait in seconds that the server asks for. `answer` contains the part of it that the
    ///   session honours.
    /// - Returns: `false` if the request does not belong to an action.
    mutating func answeredAction(
        _ request: Int, _ answer: Answer, asked: Int?, into effects: inout [Effect]
    ) -> Bool {
        guard let id = outbox.answered(request) else { return false }
        guard let entry = outbox[id] else { return true }
        switch backend.judge(answer, of: entry.action, attempt: entry.attempts) {
        case .done:
            if let following = backend.follow(entry.action, answer, into: &context) {
                follow(id, following, status: answer.status, into: &effects)
                return true
            }
            let body: ArraySlice<UInt8> = if case .response(_, let body, _) = answer { body } else { [] }
            // A service that already has the message may not return its id, but its echo contains it.
            let subject = backend.settle(entry.action, body: body, into: &context) ?? echo(of: entry)
            _ = finish(id, subject: subject, into: &effects)
        case .refused(let why, let status): refuse(id, why: why, status: status, into: &effects)
        case .tokenRefused(let why) where entry.refusals >= Self.maximumActionAttempts:
            refuse(id, why: why, status: answer.status, into: &effects)
        case .tokenRefused:
            outbox.park(id)
            renewToken(into: &effects)
        // The session checks an action that may have been done before it gives up.
        case .later(_, let why, let mayBeDone)
        where isSpent(entry) && answer.isResponse && !(mayBeDone && entry.action.operation.makesSomething):
            refuse(id, why: why, status: answer.status, into: &effects)
        case .later(let after, let why, let mayBeDone):
            let backoff = Self.actionBackoff.delay(afterFailures: entry.attempts, using: &random)
            let span = max(after ?? .zero, backoff)
            if let asked, after != nil {
                tellWait(of: "the action \(entry.action.operation.name)", asked: asked, waits: span)
            }
            outbox.wait(id, until: context.now + span, isInDoubt: mayBeDone)
            report(entry.action, .delayed(why: why, retryIn: span), into: &effects)
        }
        return true
    }

    /// Continues an action of several steps after one step was done.
    private mutating func follow(
        _ id: EntityID, _ following: ActionFollowing, status: Int?, into effects: inout [Effect]
    ) {
        switch following {
        case .next(let operation): outbox.goOn(id, operation)
        case .uploaded(let file): outbox.noteUpload(file, of: id)
        case .refused(let why): refuse(id, why: why, status: status, into: &effects)
        case .finished(let subject): _ = finish(id, subject: subject, into: &effects)
        }
    }

    /// Returns whether the action has used all its attempts.
    private func isSpent(_ entry: OutboxEntry) -> Bool {
        entry.attempts - entry.refusals >= Self.maximumActionAttempts
    }

    /// Resumes the actions that wait for a token, or refuses them if no other token is available.
    mutating func actionTokenRenewed(changed: Bool, into effects: inout [Effect]) {
        for id in outbox.unpark() where !changed {
            refuse(id, why: "the token was refused", status: 401, into: &effects)
        }
    }

    private mutating func finish(_ id: EntityID, subject: EntityID?, into effects: inout [Effect]) -> Bool {
        guard let entry = outbox[id] else { return false }
        outbox.finish(id, subject: subject)
        if let subject { select(subject, madeBy: entry.action.operation) }
        report(entry.action, .done(subject: subject), into: &effects)
        return true
    }

    /// Selects the channel or workspace that the user has created.
    private mutating func select(_ subject: EntityID, madeBy operation: Action.Operation) {
        switch operation {
        case .createChannel(let draft): context.globals.select(channel: subject, madeAs: draft.kind)
        case .createWorkspace: backend.select(workspace: subject, rooms, into: &context)
        case .send, .edit, .react, .delete, .markRead, .editChannel, .deleteChannel, .rejoinChannel, .addMember,
            .removeMember, .changeWorkspace, .changeAccount, .run:
            break
        }
    }

    /// Fails an action, together with all actions that depend on what it would have created.
    private mutating func refuse(_ id: EntityID, why: String, status: Int?, into effects: inout [Effect]) {
        var refused = [(id, why, status)]
        while let (id, why, status) = refused.popLast() {
            guard let entry = outbox[id], entry.failure == nil else { continue }
            let dependents = outbox.fail(id, why: why)
            report(entry.action, .refused(why: why, status: status), into: &effects)
            refused += dependents.reversed().map { ($0, "its target was not created: \(why)", nil) }
        }
    }

    private func report(_ action: Action, _ change: ActionReport.Change, into effects: inout [Effect]) {
        effects.append(.report(.action(ActionReport(action, change))))
    }

    // MARK: Resources

    /// Settles the actions in doubt that the fetched resource gives evidence about.
    mutating func actionResourceFetched(_ key: ResourceKey, into effects: inout [Effect]) {
        guard !outbox.isEmpty else { return }
        noteEchoes(into: &effects)
        for id in outbox.checked(by: key) {
            guard let entry = outbox[id] else { continue }
            if let echo = echo(of: entry) {
                _ = finish(id, subject: echo, into: &effects)
                continue
            }
            switch backend.reachOfEvidence(in: key, since: entry.baseline, context.model) {
            case .goesOn(let older): outbox.check(id, older)
            case .endsEarly: refuse(id, why: Self.isInDoubt, status: nil, into: &effects)
            case .complete where isSpent(entry):
                let why = "it was tried \(entry.attempts) times, and nothing shows that it was done"
                refuse(id, why: why, status: nil, into: &effects)
            case .complete: outbox.clearDoubt(id)
            }
        }
    }

    /// Handles the server's answer that a resource does not exist.
    ///
    /// An action that needs the resource goes on without it, even if the resource is fetched again later. The answer proves nothing about
    /// an action in doubt, because a server that is starting up may give it for everything.
    mutating func actionResourceMissing(_ key: ResourceKey, isServicesWord: Bool, into effects: inout [Effect]) {
        guard !outbox.isEmpty else { return }
        noteEchoes(into: &effects)
        for id in outbox.resolved(by: key) {
            guard !isServicesWord else {
                outbox.resolveWithout(key, id)
                continue
            }
            // It is impossible to know when the service will return. The report lets the user give up.
            if let entry = outbox[id] {
                let why = "\(key.resource.label) is answered with 404 by something before the service"
                report(entry.action, .delayed(why: why, retryIn: .zero), into: &effects)
            }
        }
        for id in outbox.checked(by: key) {
            guard let entry = outbox[id] else { continue }
            if let echo = echo(of: entry) {
                _ = finish(id, subject: echo, into: &effects)
            } else if entry.absences >= Self.maximumActionAttempts {
                refuse(id, why: Self.isInDoubt, status: nil, into: &effects)
            } else {
                let span = Self.actionBackoff.delay(afterFailures: entry.absences + 1, using: &random)
                outbox.recheck(id, at: context.now + span)
                report(entry.action, .delayed(why: "\(key.resource.label) is not there", retryIn: span), into: &effects)
            }
        }
    }

    /// Delays the actions that need a resource, because it could not be fetched.
    mutating func actionResourceFailed(_ key: ResourceKey, why: String, into effects: inout [Effect]) {
        for id in outbox.fetchFailed(key, why: why) {
            if let entry = outbox[id] { _ = delay(entry, why: why, into: &effects) }
        }
    }

    /// Refuses the actions that need a resource, because the server refuses the token for it and no other is available.
    /// The refusal of an action that may have been done says that it is in doubt, because it cannot be checked.
    mutating func actionResourceRefused(_ key: ResourceKey, into effects: inout [Effect]) {
        for entry in outbox.entries where entry.waits(for: key) {
            let isChecked = if case .checking = entry.state { true } else { false }
            let why = isChecked || isInDoubt(entry) ? Self.isInDoubt : "the token was refused"
            refuse(entry.action.id, why: why, status: 401, into: &effects)
        }
    }

    /// Reports the delay of the actions that need a resource. The refetcher retries the resource by itself.
    mutating func actionResourceDelayed(_ key: ResourceKey, _ answer: Answer, into effects: inout [Effect]) {
        guard !outbox.isEmpty else { return }
        let retryIn = context.refetcher.deadline.map { max(.zero, $0 - context.now) } ?? .zero
        for entry in outbox.entries where entry.waits(for: key) {
            report(entry.action, .delayed(why: answer.words, retryIn: retryIn), into: &effects)
        }
    }

    // MARK: Echoes

    /// Matches new messages with the actions in flight. A message that fits is the echo of its action and replaces the
    /// provisional row.
    private mutating func noteEchoes(into effects: inout [Effect]) {
        let newcomers = context.newMessages
        context.newMessages = []
        for message in newcomers {
            for entry in outbox.entries where entry.attempts > 0 && entry.failure == nil {
                guard backend.isEcho(message, of: entry.action, since: entry.baseline) else { continue }
                outbox.note(candidate: message.id.id, for: entry.action.id)
            }
        }
        for entry in outbox.entries where entry.isInDoubt && entry.action.operation.isSending {
            guard let echo = entry.candidates.first else { continue }
            _ = finish(entry.action.id, subject: echo, into: &effects)
        }
    }

    /// Returns the message that an action in doubt did send: one that arrived since or, if an earlier session sent it,
    /// one that is in the model.
    private func echo(of entry: OutboxEntry) -> EntityID? {
        entry.candidates.first ?? backend.echo(of: entry.action, after: entry.baseline, in: context.model)
    }

    // MARK: Overlay

    /// Removes the optimistic rows from the model, so that handlers see the server's state.
    mutating func liftOverlay() {
        if !overlay.isEmpty { overlay.lift(from: &context.model) }
    }

    /// Shows the pending actions in the model.
    mutating func layOverlay() {
        context.watchesMessages = outbox.awaitsEcho
        for (order, entry) in outbox.entries.enumerated() {
            // The echo is in the model already, and the provisional row would show the message twice.
            if entry.failure == nil, entry.candidates.contains(where: { context.model[.message($0)] != nil }) {
                continue
            }
            let view = ActionView(
                action: entry.action, order: order, delivery: entry.failure == nil ? .pending : .failed)
            backend.lay(view, on: &overlay, in: &context.model)
        }
    }
}

extension Answer {
    /// Whether the server sent a response.
    fileprivate var isResponse: Bool { status != nil }
    /// A description of the answer for people. Untrusted text.
    fileprivate var words: String {
        switch self {
        case .response(let status, _, _): "HTTP status \(status)"
        case .failure(_, let message): message
        }
    }
    var status: Int? { if case .response(let status, _, _) = self { status } else { nil } }
}
