import Wire

/// The number of events by time, kind and room, and their lag. Its size is bounded: when the columns are full, two are merged into one.
struct ReportHistory: Sendable {
    /// The names that are counted individually. Names after the limit, and names that are too long, are counted together.
    struct Names: Sendable {
        let limit: Int
        private(set) var all: [String] = []
        private var places: [String: Int] = [:]

        init(limit: Int) { self.limit = limit }

        /// Returns the index of a name; `limit` for the names that are counted together.
        mutating func place(of name: String) -> Int {
            if let place = places[name] { return place }
            guard all.count < limit, name.utf8.count <= KnownNames.longestKept else { return limit }
            places[name] = all.count
            all.append(name)
            return all.count - 1
        }
    }

    /// The events in one interval of time.
    struct Column: Sendable {
        /// The number of all events, of every kind.
        fileprivate(set) var events = 0
        fileprivate var kinds: [UInt32] = []
        fileprivate var rooms: [UInt32] = []
        /// The lags in microseconds of the events with a server time.
        fileprivate(set) var lag = LatencyHistogram()

        fileprivate static func count(_ place: Int, in counts: inout [UInt32]) {
            if counts.count <= place { counts += Array(repeating: 0, count: place + 1 - counts.count) }
            counts[place] &+= 1
        }

        fileprivate mutating func add(_ other: Column) {
            events += other.events
            Self.add(other.kinds, to: &kinds)
            Self.add(other.rooms, to: &rooms)
            lag.add(other.lag)
        }

        private static func add(_ counts: [UInt32], to sums: inout [UInt32]) {
            if sums.count < counts.count { sums += Array(repeating: 0, count: counts.count - sums.count) }
            for place in counts.indices { sums[place] &+= counts[place] }
        }
    }

    /// The events of one name. The name is `nil` for the names that are counted together.
    struct Series: Sendable {
        var name: String?
        var total: Int
        /// The number of events in each column.
        var counts: [Int]
    }

    static let mostColumns = 120
    private(set) var columns: [Column] = []
    /// The length of a column, in microseconds.
    private(set) var width: Int64 = 250_000
    /// When the first column begins.
    private(set) var origin = Moment.zero
    private var kinds = Names(limit: 48)
    private var rooms = Names(limit: 384)

    /// Counts an event. `lag` is in milliseconds.
    mutating func add(kind: String, room: String?, lag: Int64?, at time: Moment) {
        if columns.isEmpty { origin = time }
        let index = column(of: time)
        columns[index].events += 1
        Column.count(kinds.place(of: kind), in: &columns[index].kinds)
        if let room { Column.count(rooms.place(of: room), in: &columns[index].rooms) }
        // A difference of a day or more is a wrong clock and not a delay.
        if let lag, lag.magnitude < 86_400_000 { columns[index].lag.add(max(lag, 0) * 1000) }
    }

    private mutating func column(of time: Moment) -> Int {
        let offset = max((time - origin).microseconds, 0)
        while offset / width >= Int64(Self.mostColumns) { halve() }
        let index = Int(offset / width)
        while columns.count <= index { columns.append(Column()) }
        return index
    }

    private mutating func halve() {
        var merged: [Column] = []
        for index in stride(from: 0, to: columns.count, by: 2) {
            var column = columns[index]
            if index + 1 < columns.count { column.add(columns[index + 1]) }
            merged.append(column)
        }
        columns = merged
        width *= 2
    }

    /// Returns the `most` most frequent kinds, and the others as one series.
    func byKind(most: Int) -> [Series] { series(kinds, \.kinds, most) }

    /// Returns the `most` most frequent rooms, and the others as one series.
    func byRoom(most: Int) -> [Series] { series(rooms, \.rooms, most) }

    private func series(_ names: Names, _ counts: KeyPath<Column, [UInt32]>, _ most: Int) -> [Series] {
        var all = (0...names.all.count).map { place in
            let place = place == names.all.count ? names.limit : place
            let values = columns.map { column in
                let counts = column[keyPath: counts]
                return place < counts.count ? Int(counts[place]) : 0
            }
            let name = place < names.all.count ? names.all[place] : nil
            return Series(name: name, total: values.reduce(0, +), counts: values)
        }
        let others = all.removeLast()
        all.sort { ($1.total, $0.name ?? "") < ($0.total, $1.name ?? "") }
        var rest = others
        for series in all.dropFirst(most) {
            rest.total += series.total
            for index in rest.counts.indices { rest.counts[index] += series.counts[index] }
        }
        return Array(all.prefix(most)) + (rest.total > 0 ? [rest] : [])
    }

    /// The lag of all events.
    var lag: LatencyHistogram { columns.reduce(into: LatencyHistogram()) { $0.add($1.lag) } }
}
