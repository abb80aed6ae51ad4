/// The clients of each room, so that a frame finds its receivers without a search of all clients.
struct RoomIndex {
    /// The clients by room, in the order of opening. Frames are sent in this order.
    private var members: [String: [SessionID]] = [:]

    /// Returns the clients in a room.
    func members(of room: String) -> [SessionID] { members[room] ?? [] }

    mutating func insert(_ id: SessionID, into room: String) {
        let place = place(of: id, in: room)
        if members[room]?.dropFirst(place).first == id { return }
        members[room, default: []].insert(id, at: place)
    }

    mutating func remove(_ id: SessionID, from room: String) {
        let place = place(of: id, in: room)
        guard members[room]?.dropFirst(place).first == id else { return }
        members[room]?.remove(at: place)
        if members[room]?.isEmpty == true { members[room] = nil }
    }

    /// Returns the index at which `id` is, or would be inserted.
    private func place(of id: SessionID, in room: String) -> Int {
        let ids = members[room] ?? []
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
