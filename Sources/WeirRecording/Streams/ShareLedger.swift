import WeirJSON
package import WeirWire

/// The members of a group whose tails divide the rooms. The table is one value in the cluster, written by
/// compare-and-set. So all members see the same changes in the same order.
package struct ShareTable: Hashable, Sendable {
    /// The maximum number of members in a group.
    package static let mostMembers = 256

    /// A tail that is a member of the group.
    package struct Member: Hashable, Sendable {
        /// A random id that is never reused. The member's recording in the stream is named `GROUP.ID`.
        package var id: String
        /// The name to display: host and process id. Untrusted text.
        package var name: String
        /// How long the member may be silent before others fence it off. The member chooses it.
        package var lease: Duration
        /// The epoch in which the member joined. It is published with each of the member's messages. A member that
        /// joined later has a higher one.
        package var fence: Int
        /// The last epoch that the member has settled: it has left the rooms that it no longer wins.
        package var settled: Int

        /// Creates a member that is not in a table yet. `add` sets `fence` and `settled`.
        package init(id: String, name: String, lease: Duration, fence: Int = 0, settled: Int = 0) {
            (self.id, self.name, self.lease) = (id, name, lease)
            (self.fence, self.settled) = (fence, settled)
        }
    }

    /// The number of joins and departures so far.
    package private(set) var epoch = 0
    /// Since when rooms may have had no holder because of changes that are not settled by all members. In
    /// microseconds since 1970 UTC; `nil` for no such time.
    package private(set) var since: Int64?
    /// The members in the order in which they joined.
    package private(set) var members: [Member] = []

    /// Creates the empty table of a new group.
    package init() {}

    package subscript(id: String) -> Member? { members.first { $0.id == id } }

    /// Whether all members have left the rooms that they no longer win. Only then may each join the rooms that it
    /// wins.
    package var isSettled: Bool { members.allSatisfy { $0.settled == epoch } }

    /// Adds a member that holds no rooms yet. The first member takes over from no one, so no gap begins.
    package mutating func add(_ member: Member, at wall: Int64) {
        change(since: members.isEmpty ? nil : wall)
        var member = member
        (member.fence, member.settled) = (epoch, epoch)
        members.append(member)
    }

    /// Removes a member that held its rooms until `wall`, in microseconds since 1970 UTC.
    package mutating func remove(_ id: String, since wall: Int64) {
        guard self[id] != nil else { return }
        change(since: wall)
        members.removeAll { $0.id == id }
    }

    /// Marks the current epoch as settled by a member.
    package mutating func settle(_ id: String) {
        for index in members.indices where members[index].id == id { members[index].settled = epoch }
    }

    private mutating func change(since wall: Int64?) {
        let open = isSettled ? nil : since
        since = [open, wall].compactMap(\.self).min()
        epoch += 1
    }

    /// The table encoded as a JSON object.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("epoch", epoch)
        writer.member("since_us", since)
        writer.key("members")
        writer.beginArray()
        for member in members {
            writer.beginObject()
            writer.member("id", member.id)
            writer.member("name", member.name)
            writer.member("lease_us", member.lease.microseconds)
            writer.member("fence", member.fence)
            writer.member("settled", member.settled)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Parses the JSON that `json` returns. Returns `nil` for anything else.
    package init?(_ text: [UInt8]) {
        guard let value = try? JSONValue(parsing: text[...]), case .array(let elements)? = value["members"],
            let epoch = Self.number(value["epoch"]), elements.count <= Self.mostMembers
        else { return nil }
        self.epoch = Int(clamping: epoch)
        since = Self.number(value["since_us"])
        for element in elements {
            guard case .string(let id)? = element["id"], case .string(let name)? = element["name"],
                let lease = Self.number(element["lease_us"]), lease > 0,
                let fence = Self.number(element["fence"]), let settled = Self.number(element["settled"])
            else { return nil }
            members.append(
                Member(
                    id: id, name: name, lease: .microseconds(lease), fence: Int(clamping: fence),
                    settled: Int(clamping: settled)))
        }
    }

    private static func number(_ value: JSONValue?) -> Int64? {
        if case .integer(let number)? = value { number } else { nil }
    }
}

/// The state of one member of a group. It keeps at most one holder for each room.
///
/// The ledger renews the member's lease, follows the members that join and leave, and fences off those that are
/// silent.
///
/// **One holder.** A member holds the rooms that it wins against its rivals. When the table changes, it adds the new
/// members to its rivals at once, leaves the rooms that it no longer wins, and writes into the table that it has
/// settled this epoch. It drops departed members from its rivals only after all members have settled the epoch. Then
/// it joins the rooms that it wins now. So at most one of two members that know each other holds a room, and a new
/// member holds nothing before all others know it.
///
/// **Death.** If a member does not renew its lease in time, the ledger reads the lease once more and then fences the
/// member off. The fence is a message after the member's last chunk; it makes the stream refuse everything that the
/// member publishes later. Only then does the ledger remove the member from the table. A member that does not settle
/// a change within two leases is treated the same. All times are those of the local clock. After a jump of that
/// clock, or a time without answers from the cluster, the ledger starts counting again.
///
/// **Return.** A member that is missing from the table was fenced off. It is over, and its tail joins again as
/// another member. While the cluster does not answer, a member keeps the rooms that it holds: other members that can
/// reach the cluster fence it off before they take them.
///
/// The ledger is a value. `next` returns one effect at a time, and `handle` takes the result.
package struct ShareLedger: Sendable {
    /// An event, or the result of an effect.
    package enum Input: Sendable {
        /// The table in the cluster and its revision. The revision is 0 if the cluster has no table.
        case table(ShareTable, revision: UInt64)
        /// A message arrived on the table's subject: a member may have written the table.
        case changed
        /// The table was written. `revision` is its new revision.
        case stored(revision: UInt64)
        /// The table was not written, since another member wrote it first.
        case outdated
        /// This member's lease was renewed.
        case renewed
        /// Another member renewed its lease. `beat` counts its renewals.
        case seen(String, beat: Int)
        /// The answer to `look`; `beat` is `nil` if the member has no lease.
        case lease(String, beat: Int?)
        /// A member was fenced off. `last` is the time of its last message in microseconds since 1970 UTC; `nil` if
        /// it published none.
        case fenced(String, last: Int64?)
        /// A member was not fenced off, since it published in the meantime.
        case spared(String)
        /// The cluster did not answer, or refused the request, for the given reason.
        case unanswered(String)
        /// The tail has left the rooms that it does not hold in that epoch.
        case left(epoch: Int)
        /// The tail has ended. It holds no rooms since that time, in microseconds since 1970 UTC.
        case ended(since: Int64)
    }

    /// An action that the caller of `next` performs.
    package enum Effect: Hashable, Sendable {
        case read
        /// Write the table if its revision in the cluster is still `revision`.
        case write(ShareTable, revision: UInt64)
        /// Renew this member's lease. `beat` counts the renewals.
        case renew(beat: Int)
        /// Remove this member's lease from the cluster.
        case release
        /// Read the lease of another member; answered by `Input.lease`.
        case look(String)
        /// Fence a member off; answered by `fenced` or `spared`. `epoch` is the epoch in which the others take over.
        case fence(String, epoch: Int)
        /// The tail holds the rooms that it wins against these members. Rooms that it did not hold before may have
        /// had no holder since `since`, in microseconds since 1970 UTC.
        case hold(against: [String], epoch: Int, since: Int64?)
        /// Show a notice to the user of the tail.
        case say(String)
        /// Stop holding rooms, for the given reason: the tail was fenced off, or the group is full.
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

    /// The state of another member's lease, as this member knows it.
    private struct Sight {
        /// The number of renewals; `nil` before the lease was read.
        var beat: Int?
        /// When the last renewal was noticed, or the counting began.
        var at: Moment
        /// Whether a read after the lease had run out found no renewal.
        var isMissed = false
        /// Whether the member is fenced off. `last` is then the time of its last message.
        var isFenced = false
        var last: Int64?
    }

    /// This member. The table, not this value, contains its fence.
    package let me: ShareTable.Member
    private var phase = Phase.coming
    private var table = ShareTable()
    /// The revision of `table`; `nil` if the table must be read again.
    private var revision: UInt64?
    /// The table of a `write` that was not answered yet.
    private var written: ShareTable?
    /// The leases of the other members by id.
    private var sights: [String: Sight] = [:]
    /// The members that the tail must win against; `nil` while it holds nothing.
    private var rivals: Set<String>?
    /// The last epoch that the tail was notified of.
    private var told = 0
    /// The last epoch whose lost rooms the tail has left.
    private var left = 0
    /// The last epoch in which the tail joined the rooms that it won.
    private var active = 0
    /// Since when rooms that the tail wins may have had no holder. After the tail has ended, since when its own rooms
    /// have had none. In microseconds since 1970 UTC.
    private var since: Int64?
    private var beats = 0
    private var renewal = Moment.zero
    private var reading = Moment.zero
    /// When to ask the cluster again after it did not answer; `nil` while it answers.
    private var retry: Moment?
    private var toldOfTrouble = false
    /// When this member first saw the table's epoch.
    private var epochSeen = Moment.zero
    /// When `note` was last called.
    private var handled: Moment?
    private var sayings: [String] = []

    /// Creates the ledger of a member that is not in the table yet.
    package init(_ me: ShareTable.Member) { self.me = me }

    private var period: Duration { me.lease / 3 }

    /// Whether the member has left or lost its seat. `next` then returns nothing but pending notices.
    package var isOver: Bool { if case .over = phase { true } else { false } }

    /// Whether the member is in the table and may publish.
    package var isSeated: Bool { if case .seated = phase { true } else { false } }

    /// The fence to publish with each message; `nil` while the member is not in the table.
    package var fence: Int? { table[me.id]?.fence }

    /// Handles an event or the result of an effect.
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

    /// Handles a request without an answer. The table may have changed in the meantime, so it must be read again.
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

    /// Notes the time of a call. A member that was suspended for more than half a lease has not heard the others, so
    /// it starts counting again.
    private mutating func note(_ now: Moment) {
        defer { handled = now }
        guard let handled, now - handled > me.lease / 2 else { return }
        countAnew(at: now)
        // The table may have changed during the suspension.
        if written == nil { revision = nil }
    }

    /// Restarts all time limits of the other members.
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
        // The first read only establishes how often the lease was renewed.
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

    /// Returns when `next` may have an effect without new input; `nil` after the end.
    package func deadline(at now: Moment) -> Moment? {
        if isOver { return nil }
        if let retry { return retry }
        let others = table.members.filter { $0.id != me.id }.map { due($0) }
        return ([reading, renewal] + others).min()
    }

    /// Returns when a member may be fenced off. Members that joined later wait a little longer, so that the first
    /// fences it off alone.
    private func due(_ member: ShareTable.Member) -> Moment {
        let place = table.members.filter { $0.id != member.id && !isSilent($0.id) }.firstIndex { $0.id == me.id } ?? 0
        let turn = min(Duration.milliseconds(50) * place, member.lease / 3)
        let renewal = (sights[member.id]?.at ?? .zero) + member.lease + turn
        return member.settled < table.epoch ? min(renewal, epochSeen + member.lease * 2 + turn) : renewal
    }

    private func isSilent(_ id: String) -> Bool { sights[id].map { $0.isMissed || $0.isFenced } ?? false }

    /// Returns the next effect, or `nil` if nothing is due. The caller performs the effect and passes its result to
    /// `handle` before it calls `next` again.
    package mutating func next(at now: Moment, wall: Int64) -> Effect? {
        note(now)
        if !sayings.isEmpty { return .say(sayings.removeFirst()) }
        if isOver { return nil }
        if let retry, now < retry { return nil }
        // No decision is made from a table that may have changed.
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

    /// Adds new members to the rivals at once, and reports the rooms that remain.
    private mutating func share(_ member: ShareTable.Member) -> Effect? {
        guard told < table.epoch else { return nil }
        told = table.epoch
        guard let held = rivals else {
            // The tail holds no rooms that it would have to leave.
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

    /// Joins the rooms that the member wins once all members have settled the table.
    private mutating func join() -> Effect? {
        guard active < table.epoch, table.isSettled else { return nil }
        active = table.epoch
        rivals = Set(others)
        defer { since = nil }
        return .hold(against: others.sorted(), epoch: active, since: since)
    }

    /// Reads, fences off and removes other members whose leases have run out.
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
