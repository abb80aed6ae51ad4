package import Wire

/// What a tail of a group does so that each room has one holder: it keeps its lease, heeds who comes and goes, and fences off who is silent.
///
/// **One holder.** A member holds the rooms that it wins against its rivals. When the table changes, it adds the new members to its rivals
/// at once, leaves what it does not win any more, and writes into the table that it heeds this epoch. Those that are gone it drops from its
/// rivals only when all members heed the epoch, and then it joins what it wins now. So of two members that know each other at most one
/// holds a room, and a new one holds nothing before all know it.
///
/// **Death.** A member that has not renewed its lease in time is looked for once more, then fenced off: a message after its last chunk has the
/// stream refuse whatever it publishes later. Only after that it is taken out of the table. One that does not heed a change for two leases is
/// treated the same. All of this goes by the own clock; a member whose own clock jumped, or that had no answer from the cluster meanwhile,
/// begins to count anew.
///
/// **Back from the dead.** A member that does not find itself in the table was fenced off: it is over, and its tail begins anew as another
/// member. While the cluster does not answer a member goes on with what it holds: others that the cluster answers fence it off first.
///
/// A value: `next` says what is to be done, one thing at a time, and `handle` takes what came of it.
package struct ShareLedger: Sendable {
    /// What happened.
    package enum Input: Sendable {
        /// The table as the cluster has it, and its revision; 0 where there is none.
        case table(ShareTable, revision: UInt64)
        /// Somebody may have written the table.
        case changed
        /// What was to be written is: this is its revision.
        case stored(revision: UInt64)
        /// It is not, since somebody else wrote before.
        case outdated
        /// The own lease was renewed.
        case renewed
        /// A member's lease was renewed for the so manieth time.
        case seen(String, beat: Int)
        /// The answer to `look`; nil where there is no lease.
        case lease(String, beat: Int?)
        /// A member is fenced off, which published for the last time then: microseconds since 1970 UTC.
        case fenced(String, last: Int64?)
        /// It is not, since it published meanwhile.
        case spared(String)
        /// The cluster does not answer, or refuses; why.
        case unanswered(String)
        /// The tail has left what it does not hold any more, of that epoch.
        case left(epoch: Int)
        /// The tail has ended, and holds nothing since then: microseconds since 1970 UTC.
        case ended(since: Int64)
    }

    /// What is to be done.
    package enum Effect: Hashable, Sendable {
        case read
        /// Write the table if that is its revision still.
        case write(ShareTable, revision: UInt64)
        /// Renew the own lease for the so manieth time.
        case renew(beat: Int)
        /// Take the own lease away.
        case release
        /// Read a member's lease.
        case look(String)
        /// Fence a member off.
        case fence(String, epoch: Int)
        /// The tail holds what it wins against these. Rooms that come to it may have had no holder since then, microseconds since 1970 UTC.
        case hold(against: [String], epoch: Int, since: Int64?)
        /// The tail is to know.
        case say(String)
        /// It was fenced off: the tail holds nothing.
        case lose(String)
    }

    private enum Phase {
        /// Not in the table yet. → seated, over
        case coming
        /// In the table. → leaving, over
        case seated
        /// The tail has ended. → over
        case leaving
        case over
    }

    /// What is known of another member's lease.
    private struct Sight {
        var beat: Int?
        var at: Moment
        /// Whether it was looked for since it should have been renewed.
        var isMissed = false
        /// Set when it is fenced off.
        var isFenced = false
        var last: Int64?
    }

    /// This tail. Its fence is that of the table.
    package let me: ShareTable.Member
    private var phase = Phase.coming
    private var table = ShareTable()
    /// Nil when the table is to be read again.
    private var revision: UInt64?
    /// What was given to `write` and has no answer.
    private var written: ShareTable?
    private var sights: [String: Sight] = [:]
    /// Whom the tail must win against; nil while it holds nothing.
    private var rivals: Set<String>?
    /// The epoch that the tail was told, that it has heeded, and in which it joined what came to it.
    private var told = 0
    private var left = 0
    private var active = 0
    /// Since when rooms that come to it may have had no holder; of a tail that has ended, since when those that it gives away have none.
    private var since: Int64?
    private var beats = 0
    private var renewal = Moment.zero
    private var reading = Moment.zero
    /// When the cluster is asked again that did not answer.
    private var retry: Moment?
    private var toldOfTrouble = false
    /// When the epoch was seen first.
    private var epochSeen = Moment.zero
    private var handled: Moment?
    private var sayings: [String] = []

    /// A tail that is to take part.
    package init(_ me: ShareTable.Member) { self.me = me }

    private var period: Duration { me.lease / 3 }

    /// Whether nothing more is to be done.
    package var isOver: Bool { if case .over = phase { true } else { false } }

    /// Whether it may publish: it is in the table.
    package var isSeated: Bool { if case .seated = phase { true } else { false } }

    /// The fence that goes with what it publishes; nil while it is not in the table.
    package var fence: Int? { table[me.id]?.fence }

    /// Takes what happened.
    package mutating func handle(_ input: Input, at now: Moment) {
        note(now)
        if case .unanswered(let why) = input { return fail(why, at: now) }
        switch input {
        case .table(let found, let revision):
            answered(at: now)
            reading = now + period
            adopt(found, revision, at: now)
        case .changed: if written == nil { revision = nil }
        case .stored(let revision):
            answered(at: now)
            if let table = written.take() { adopt(table, revision, at: now) }
        case .outdated:
            answered(at: now)
            (written, revision) = (nil, nil)
        case .renewed:
            answered(at: now)
            beats += 1
            renewal = now + period
        case .seen(let id, let beat): see(id, beat, at: now)
        case .lease(let id, let beat):
            answered(at: now)
            look(at: id, beat, at: now)
        case .fenced(let id, let last):
            answered(at: now)
            sights[id]?.isFenced = true
            sights[id]?.last = last
        case .spared(let id):
            answered(at: now)
            sights[id] = Sight(beat: nil, at: now)
        case .left(let epoch): left = max(left, epoch)
        case .ended(let since): if !isOver { (phase, self.since) = (.leaving, since) }
        case .unanswered: break
        }
    }

    /// Something was not done since the cluster did not answer. What others did meanwhile is not known.
    private mutating func fail(_ why: String, at now: Moment) {
        (written, revision) = (nil, nil)
        retry = now + min(period / 2, .seconds(1))
        if !toldOfTrouble {
            toldOfTrouble = true
            sayings.append("the group cannot be asked (\(why)): the tail goes on with the rooms it holds")
        }
    }

    private mutating func answered(at now: Moment) {
        guard retry != nil else { return }
        retry = nil
        if toldOfTrouble { sayings.append("the group answers again") }
        toldOfTrouble = false
        countAnew(at: now)
    }

    /// Whoever stood still has not heard the others.
    private mutating func note(_ now: Moment) {
        defer { handled = now }
        guard let handled, now - handled > me.lease / 2 else { return }
        countAnew(at: now)
        // What was known of the table is of another time.
        if written == nil { revision = nil }
    }

    private mutating func countAnew(at now: Moment) {
        for id in sights.keys.sorted() where sights[id]?.isFenced == false {
            sights[id]?.at = now
            sights[id]?.isMissed = false
        }
        epochSeen = now
    }

    private mutating func adopt(_ found: ShareTable, _ revision: UInt64, at now: Moment) {
        self.revision = revision
        if found.epoch != table.epoch { epochSeen = now }
        table = found
        if case .coming = phase, found[me.id] != nil { phase = .seated }
        if case .seated = phase, found.epoch > active { since = [since, found.since].compactMap(\.self).min() }
        sights = sights.filter { found[$0.key] != nil }
        for member in found.members where member.id != me.id && sights[member.id] == nil {
            sights[member.id] = Sight(beat: nil, at: now)
        }
    }

    private mutating func see(_ id: String, _ beat: Int, at now: Moment) {
        guard let sight = sights[id], !sight.isFenced, beat > sight.beat ?? -1 else { return }
        sights[id] = Sight(beat: beat, at: now)
    }

    private mutating func look(at id: String, _ beat: Int?, at now: Moment) {
        guard let sight = sights[id], !sight.isFenced else { return }
        // The first look only tells where it stands.
        guard let known = sight.beat else {
            sights[id]?.beat = beat ?? 0
            return
        }
        if let beat, beat > known {
            sights[id] = Sight(beat: beat, at: now)
        } else {
            sights[id]?.isMissed = true
        }
    }

    /// When `next` has something to do by itself; nil for never.
    package func deadline(at now: Moment) -> Moment? {
        if isOver { return nil }
        if let retry { return retry }
        let others = table.members.filter { $0.id != me.id }.map { due($0) }
        return ([reading, renewal] + others).min()
    }

    /// When a member is due: those that came later wait a little for the others to fence it off.
    private func due(_ member: ShareTable.Member) -> Moment {
        let place = table.members.filter { $0.id != member.id && !isSilent($0.id) }.firstIndex { $0.id == me.id } ?? 0
        let turn = min(Duration.milliseconds(50) * place, member.lease / 3)
        let renewal = (sights[member.id]?.at ?? .zero) + member.lease + turn
        return member.settled < table.epoch ? min(renewal, epochSeen + member.lease * 2 + turn) : renewal
    }

    private func isSilent(_ id: String) -> Bool { sights[id].map { $0.isMissed || $0.isFenced } ?? false }

    /// What is to be done now; nil for nothing. The hand does it, and says what came of it, before it asks again.
    package mutating func next(at now: Moment, wall: Int64) -> Effect? {
        note(now)
        if !sayings.isEmpty { return .say(sayings.removeFirst()) }
        if isOver { return nil }
        if let retry, now < retry { return nil }
        // Nothing is decided by what may have changed.
        guard let revision, now < reading else { return .read }
        switch phase {
        case .over: return nil
        case .coming: return come(revision, wall)
        case .leaving: return leave(revision, wall)
        case .seated:
            guard let member = table[me.id] else { return lose() }
            if now >= renewal { return .renew(beat: beats + 1) }
            return share(member) ?? settle(member, revision) ?? join() ?? watch(revision, at: now, wall)
        }
    }

    private mutating func come(_ revision: UInt64, _ wall: Int64) -> Effect? {
        guard table.members.count < ShareTable.mostMembers else {
            phase = .over
            return .lose("the group has \(ShareTable.mostMembers) members already")
        }
        var new = table
        new.add(me, at: wall)
        return write(new, revision)
    }

    private mutating func leave(_ revision: UInt64, _ wall: Int64) -> Effect {
        guard table[me.id] != nil else {
            phase = .over
            return .release
        }
        var new = table
        new.remove(me.id, since: since ?? wall)
        return write(new, revision)
    }

    private mutating func lose() -> Effect {
        phase = .over
        rivals = nil
        return .lose("the others of the group took this tail for dead, and hold its rooms")
    }

    private mutating func write(_ new: ShareTable, _ revision: UInt64) -> Effect {
        written = new
        return .write(new, revision: revision)
    }

    /// New members are rivals at once.
    private mutating func share(_ member: ShareTable.Member) -> Effect? {
        guard told < table.epoch else { return nil }
        told = table.epoch
        guard let held = rivals else {
            // It holds nothing that it could leave.
            left = table.epoch
            return nil
        }
        let all = held.union(others)
        rivals = all
        return .hold(against: all.sorted(), epoch: told, since: nil)
    }

    private var others: [String] { table.members.map(\.id).filter { $0 != me.id } }

    private mutating func settle(_ member: ShareTable.Member, _ revision: UInt64) -> Effect? {
        guard left >= table.epoch, member.settled < table.epoch else { return nil }
        var new = table
        new.settle(me.id)
        return write(new, revision)
    }

    /// All heed the table: what is won now is joined.
    private mutating func join() -> Effect? {
        guard active < table.epoch, table.isSettled else { return nil }
        active = table.epoch
        rivals = Set(others)
        defer { since = nil }
        return .hold(against: others.sorted(), epoch: active, since: since)
    }

    /// Looks after the others.
    private mutating func watch(_ revision: UInt64, at now: Moment, _ wall: Int64) -> Effect? {
        for member in table.members where member.id != me.id {
            guard let sight = sights[member.id] else { continue }
            if sight.isFenced {
                var new = table
                new.remove(member.id, since: sight.last ?? wall - member.lease.microseconds * 2)
                return write(new, revision)
            }
            if sight.beat == nil { return .look(member.id) }
            guard now >= due(member) else { continue }
            if now >= sight.at + member.lease, !sight.isMissed { return .look(member.id) }
            return .fence(member.id, epoch: table.epoch + 1)
        }
        return nil
    }
}
