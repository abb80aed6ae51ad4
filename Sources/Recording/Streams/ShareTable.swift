import JSONText
import Wire

/// Who is in a group whose tails divide the rooms. It is one value in the cluster, and is compared before it is written: so all members see
/// the same changes, in the same order.
package struct ShareTable: Hashable, Sendable {
    /// More members than these a group has not.
    package static let mostMembers = 256

    /// One tail.
    package struct Member: Hashable, Sendable {
        /// Never used again. Its recording in the stream is `GROUP.ID`.
        package var id: String
        /// What people call it: host and process. Untrusted text.
        package var name: String
        /// How long it may be silent, as it says itself.
        package var lease: Duration
        /// The epoch in which it came, which goes with what it publishes. A member that came later has a higher one.
        package var fence: Int
        /// The last epoch whose members it heeds: it has left what was not its own any more.
        package var settled: Int

        /// A tail that is not in a table yet.
        package init(id: String, name: String, lease: Duration, fence: Int = 0, settled: Int = 0) {
            (self.id, self.name, self.lease) = (id, name, lease)
            (self.fence, self.settled) = (fence, settled)
        }
    }

    /// Counts the comings and goings.
    package private(set) var epoch = 0
    /// Since when rooms may have had no holder, of the changes that not all have settled: microseconds since 1970 UTC.
    package private(set) var since: Int64?
    /// The members, the one that came first first.
    package private(set) var members: [Member] = []

    /// A group that nobody has been in.
    package init() {}

    package subscript(id: String) -> Member? { members.first { $0.id == id } }

    /// Whether all have left what is not their own: then each may join what is.
    package var isSettled: Bool { members.allSatisfy { $0.settled == epoch } }

    /// Adds a member, which holds nothing yet. Alone, it takes over from nobody.
    package mutating func add(_ member: Member, at wall: Int64) {
        change(since: members.isEmpty ? nil : wall)
        var member = member
        (member.fence, member.settled) = (epoch, epoch)
        members.append(member)
    }

    /// Removes a member, which held its rooms up to then.
    package mutating func remove(_ id: String, since wall: Int64) {
        guard self[id] != nil else { return }
        change(since: wall)
        members.removeAll { $0.id == id }
    }

    /// A member heeds the table as it is.
    package mutating func settle(_ id: String) {
        for index in members.indices where members[index].id == id { members[index].settled = epoch }
    }

    private mutating func change(since wall: Int64?) {
        let open = isSettled ? nil : since
        since = [open, wall].compactMap(\.self).min()
        epoch += 1
    }

    /// As JSON.
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

    /// Reads what `json` wrote; nil for something else.
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
