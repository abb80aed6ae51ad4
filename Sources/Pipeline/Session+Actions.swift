import Events
import SectionedModel
import Wire

// What the user wants done: shown at once, done in order, settled by the answer.
extension Session {
    /// How often a server may answer that it cannot do something now, before that is believed.
    static let maximumActionAttempts = 8
    /// Delays between attempts of one action.
    private static let actionBackoff = Backoff(base: .milliseconds(500), cap: .seconds(30))

    mutating func act(_ action: Action, into effects: inout [Effect]) {
        if let tag = backend.tag(of: action) { cancelActions(tagged: tag, into: &effects) }
        guard outbox.add(action) else {
            let why = "\(Outbox.limit) actions wait already, or one is called \(action.id)"
            return report(action, .refused(why: why, status: nil), into: &effects)
        }
        report(action, .queued, into: &effects)
    }

    /// What was kept of an earlier session's outbox waits again.
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

    /// Takes back each action with that tag; an answer to one that was sent is not heeded.
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

    // MARK: Going on

    /// Nothing can be done while there is no connection; what is asked for waits. A session without a connection of its own is never
    /// offline: each request finds out.
    package var isOnline: Bool { link.isReady || !configuration.connects }

    /// Moves every action as far as it gets now. The requests go out behind everything else the input led to, so that a store can
    /// keep that they went before they go.
    mutating func pumpOutbox(into effects: inout [Effect]) {
        noteEchoes(into: &effects)
        refuseUncheckable(into: &effects)
        var moved = isOnline
        while moved {
            moved = false
            for id in outbox.ready(
                lane: { backend.lane(of: $0, in: transaction.model) }, where: { !backend.isElsewhere($0) })
            {
                guard let entry = outbox[id] else { continue }
                if go(on: entry, into: &effects) { moved = true }
            }
        }
    }

    /// What would have shown whether an action was done is not fetched any more: its channel is gone, or was left.
    private mutating func refuseUncheckable(into effects: inout [Effect]) {
        for entry in outbox.entries {
            guard case .checking(let key) = entry.state, !transaction.refetcher.isBusy(key) else { continue }
            refuse(entry.action.id, why: Self.isInDoubt, status: nil, into: &effects)
        }
    }

    private static let isInDoubt = "no answer came, and nothing shows whether it was done: look before doing it again"

    /// Whether it may have been done, and would be done twice. What an earlier process left in doubt cannot be looked for before it is known
    /// whose it is, and where.
    private func isInDoubt(_ entry: OutboxEntry) -> Bool {
        entry.isInDoubt && (entry.action.operation.makesSomething || entry.action.nextUpload != nil)
    }

    /// Takes one action a step further; false when it waits for something.
    private mutating func go(on entry: OutboxEntry, into effects: inout [Effect]) -> Bool {
        let (id, action) = (entry.action.id, entry.action)
        let isInDoubt = isInDoubt(entry)
        if case .resolving(let keys) = entry.state {
            if keys.contains(where: { transaction.refetcher.isBusy($0) }) { return false }
            if let why = entry.fetchFailure { return delay(entry, why: why, into: &effects) }
        }
        switch backend.step(for: action, fetched: entry.fetched, in: transaction.model) {
        case .impossible(let why): refuse(id, why: isInDoubt ? Self.isInDoubt : why, status: nil, into: &effects)
        case .fetch(let keys):
            outbox.resolve(id, keys)
            for key in keys { transaction.refetcher.need(key, cause: transaction.cause) }
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
        let number = transaction.refetcher.drawRequest()
        outbox.send(id, request: number, baseline: backend.baseline(of: entry.action, in: transaction.model))
        report(entry.action, .sending(attempt: entry.attempts + 1), into: &effects)
        outgoing.append(FetchRequest(id: number, call, cause: transaction.cause))
    }

    /// Nobody knows whether it was done: what came since tells, or what is fetched now.
    private mutating func check(_ entry: OutboxEntry, into effects: inout [Effect]) -> Bool {
        let id = entry.action.id
        if let echo = echo(of: entry) { return finish(id, subject: echo, into: &effects) }
        // What has files to upload was not sent, and nothing shows whether the upload was done.
        guard entry.action.nextUpload == nil,
            let key = backend.evidence(of: entry.action, since: entry.baseline, in: transaction.model)
        else {
            refuse(id, why: Self.isInDoubt, status: nil, into: &effects)
            return true
        }
        outbox.check(id, key)
        transaction.refetcher.invalidate(key, cause: transaction.cause)
        return true
    }

    private mutating func delay(_ entry: OutboxEntry, why: String, into effects: inout [Effect]) -> Bool {
        let span = Self.actionBackoff.delay(afterFailures: max(1, entry.attempts), using: &random)
        outbox.wait(entry.action.id, until: transaction.now + span, isInDoubt: false)
        report(entry.action, .delayed(why: why, retryIn: span), into: &effects)
        return false
    }

    // MARK: Answers

    /// Takes the answer to an action's request; false when the request was none. `asked` is how many seconds the server asks to wait, of
    /// which the answer has those that are heeded.
    mutating func answeredAction(
        _ request: Int, _ answer: Answer, asked: Int?, into effects: inout [Effect]
    ) -> Bool {
        guard let id = outbox.answered(request) else { return false }
        guard let entry = outbox[id] else { return true }
        switch backend.judge(answer, of: entry.action, attempt: entry.attempts) {
        case .done:
            if let following = backend.follow(entry.action, answer, into: &transaction) {
                follow(id, following, status: answer.status, into: &effects)
                return true
            }
            let body: ArraySlice<UInt8> = if case .response(_, let body, _) = answer { body } else { [] }
            // A service that has the message already may not say which it is: its echo does.
            let subject = backend.settle(entry.action, body: body, into: &transaction) ?? echo(of: entry)
            _ = finish(id, subject: subject, into: &effects)
        case .refused(let why, let status): refuse(id, why: why, status: status, into: &effects)
        case .tokenRefused(let why) where entry.refusals >= Self.maximumActionAttempts:
            refuse(id, why: why, status: answer.status, into: &effects)
        case .tokenRefused:
            outbox.park(id)
            renewToken(into: &effects)
        // What may have been done is looked for before it is given up.
        case .later(_, let why, let mayBeDone)
        where isSpent(entry) && answer.isResponse && !(mayBeDone && entry.action.operation.makesSomething):
            refuse(id, why: why, status: answer.status, into: &effects)
        case .later(let after, let why, let mayBeDone):
            let backoff = Self.actionBackoff.delay(afterFailures: entry.attempts, using: &random)
            let span = max(after ?? .zero, backoff)
            if let asked, after != nil {
                tellWait(of: "the action \(entry.action.operation.name)", asked: asked, waits: span)
            }
            outbox.wait(id, until: transaction.now + span, isInDoubt: mayBeDone)
            report(entry.action, .delayed(why: why, retryIn: span), into: &effects)
        }
        return true
    }

    /// A step of an action of several was done.
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

    /// Whether it was tried as often as an action may.
    private func isSpent(_ entry: OutboxEntry) -> Bool {
        entry.attempts - entry.refusals >= Self.maximumActionAttempts
    }

    /// The token was renewed, or there is no other.
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

    /// The user looks at what they made.
    private mutating func select(_ subject: EntityID, madeBy operation: Action.Operation) {
        switch operation {
        case .createChannel(let draft): transaction.globals.select(channel: subject, madeAs: draft.kind)
        case .createWorkspace: backend.select(workspace: subject, rooms, into: &transaction)
        case .send, .edit, .react, .delete, .markRead, .editChannel, .deleteChannel, .rejoinChannel, .addMember,
            .removeMember, .changeWorkspace, .changeAccount, .run:
            break
        }
    }

    /// It fails, and with it what is about what it would have made.
    private mutating func refuse(_ id: EntityID, why: String, status: Int?, into effects: inout [Effect]) {
        var refused = [(id, why, status)]
        while let (id, why, status) = refused.popLast() {
            guard let entry = outbox[id], entry.failure == nil else { continue }
            let dependents = outbox.fail(id, why: why)
            report(entry.action, .refused(why: why, status: status), into: &effects)
            refused += dependents.reversed().map { ($0, "what it is about was not made: \(why)", nil) }
        }
    }

    private func report(_ action: Action, _ change: ActionReport.Change, into effects: inout [Effect]) {
        effects.append(.report(.action(ActionReport(action, change))))
    }

    // MARK: What is fetched

    /// A resource is as the server has it.
    mutating func actionResourceFetched(_ key: ResourceKey, into effects: inout [Effect]) {
        guard !outbox.isEmpty else { return }
        noteEchoes(into: &effects)
        for id in outbox.checked(by: key) {
            guard let entry = outbox[id] else { continue }
            if let echo = echo(of: entry) {
                _ = finish(id, subject: echo, into: &effects)
                continue
            }
            switch backend.reachOfEvidence(in: key, since: entry.baseline, transaction.model) {
            case .goesOn(let older): outbox.check(id, older)
            case .endsEarly: refuse(id, why: Self.isInDoubt, status: nil, into: &effects)
            case .complete where isSpent(entry):
                let why = "it was tried \(entry.attempts) times, and nothing shows that it was done"
                refuse(id, why: why, status: nil, into: &effects)
            case .complete: outbox.clearDoubt(id)
            }
        }
    }

    /// The server says that a resource is not there. An action that needs it goes on without it, although it may be asked for again later:
    /// what is not there now is no reason to wait. That is no word on what was done: a server that starts may say so of everything.
    mutating func actionResourceMissing(_ key: ResourceKey, isServicesWord: Bool, into effects: inout [Effect]) {
        guard !outbox.isEmpty else { return }
        noteEchoes(into: &effects)
        for id in outbox.resolved(by: key) {
            guard !isServicesWord else {
                outbox.resolveWithout(key, id)
                continue
            }
            // Nobody knows when the service is there again: whoever waits is told, and may give up.
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
                outbox.recheck(id, at: transaction.now + span)
                report(entry.action, .delayed(why: "\(key.resource.label) is not there", retryIn: span), into: &effects)
            }
        }
    }

    /// A resource could not be fetched.
    mutating func actionResourceFailed(_ key: ResourceKey, why: String, into effects: inout [Effect]) {
        for id in outbox.fetchFailed(key, why: why) {
            if let entry = outbox[id] { _ = delay(entry, why: why, into: &effects) }
        }
    }

    /// A resource could not be fetched, because the token is not good for it and there is no other. What may have been done, and cannot be
    /// looked for without it, stays in doubt.
    mutating func actionResourceRefused(_ key: ResourceKey, into effects: inout [Effect]) {
        for entry in outbox.entries where entry.waits(for: key) {
            let isChecked = if case .checking = entry.state { true } else { false }
            let why = isChecked || isInDoubt(entry) ? Self.isInDoubt : "the token was refused"
            refuse(entry.action.id, why: why, status: 401, into: &effects)
        }
    }

    /// A resource could not be fetched, and is tried again by itself.
    mutating func actionResourceDelayed(_ key: ResourceKey, _ answer: Answer, into effects: inout [Effect]) {
        guard !outbox.isEmpty else { return }
        let retryIn = transaction.refetcher.deadline.map { max(.zero, $0 - transaction.now) } ?? .zero
        for entry in outbox.entries where entry.waits(for: key) {
            report(entry.action, .delayed(why: answer.words, retryIn: retryIn), into: &effects)
        }
    }

    // MARK: Echoes

    /// Messages that came while some of ours were under way: the one that fits is the echo, and takes the place of the row that waits.
    private mutating func noteEchoes(into effects: inout [Effect]) {
        let newcomers = transaction.newMessages
        transaction.newMessages = []
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

    /// The message that an action in doubt did send: one that came since, or, in another session than the one that sent it, one that is
    /// there.
    private func echo(of entry: OutboxEntry) -> EntityID? {
        entry.candidates.first ?? backend.echo(of: entry.action, after: entry.baseline, in: transaction.model)
    }

    // MARK: The model

    /// Takes the wishes out of the model, so that handlers see the truth.
    mutating func liftOverlay() {
        if !overlay.isEmpty { overlay.lift(from: &transaction.model) }
    }

    /// Shows the wishes.
    mutating func layOverlay() {
        transaction.watchesMessages = outbox.awaitsEcho
        for (order, entry) in outbox.entries.enumerated() {
            // Its echo is there: the row that waits would be the same message once more.
            if entry.failure == nil, entry.candidates.contains(where: { transaction.model[.message($0)] != nil }) {
                continue
            }
            let view = ActionView(
                action: entry.action, order: order, delivery: entry.failure == nil ? .pending : .failed)
            backend.lay(view, on: &overlay, in: &transaction.model)
        }
    }
}

extension Answer {
    /// Whether the server said something.
    fileprivate var isResponse: Bool { status != nil }
    /// For people; untrusted.
    fileprivate var words: String {
        switch self {
        case .response(let status, _, _): "HTTP status \(status)"
        case .failure(_, let message): message
        }
    }
    var status: Int? { if case .response(let status, _, _) = self { status } else { nil } }
}
