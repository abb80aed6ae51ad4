import JSONText
import Wire

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
