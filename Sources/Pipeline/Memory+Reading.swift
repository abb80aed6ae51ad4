public import Events
import JSONText
import SectionedModel

extension Memory {
    /// Returns the memory with the given channels read up to the given times. Messages that the user read meanwhile then do not appear as
    /// unread until the server answers.
    public func read(upTo marks: [(channel: EntityID, at: Timestamp)]) -> Memory {
        guard !marks.isEmpty else { return self }
        var memory = Memory(user: user)
        var activity: [EntityID: Timestamp] = [:]
        _ = forEachRow { item in
            if let channel = item.channel { activity[channel.id] = channel.lastActivity }
        }
        for line in rows.split(separator: UInt8(ascii: "\n")) {
            guard let item = Item(decoding: line) else {
                memory.append(row: Array(line))
                continue
            }
            let mark = marks.first { $0.channel == item.channel?.id ?? item.badge?.channel }?.at
            guard let row = item.read(upTo: mark, activity) else { continue }
            var writer = JSONWriter()
            row.encode(into: &writer)
            memory.append(row: writer.bytes)
        }
        return memory
    }
}

extension Item {
    /// Returns the row of a channel that was read up to `mark`; `nil` if the row then no longer exists.
    fileprivate func read(upTo mark: Timestamp?, _ activity: [EntityID: Timestamp]) -> Item? {
        guard let mark else { return self }
        if var channel = self.channel {
            channel.lastAccess = max(channel.lastAccess ?? mark, mark)
            return .channel(channel)
        }
        // A badge belongs to an unread thread. Activity after the mark leaves it unread.
        guard let channel = badge?.channel, let last = activity[channel] else { return self }
        return last <= mark ? nil : self
    }
}
