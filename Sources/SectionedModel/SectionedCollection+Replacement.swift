extension SectionedCollection {
    /// What happens to one id in a transaction: the element before and after, and where each of them stands.
    @usableFromInline
    struct Touched {
        @usableFromInline var old: Element?
        @usableFromInline var new: Element?
        /// In the old state; set together with `old`.
        @usableFromInline var from: SectionPath?
        /// In the new state; set by `replace(_:)` together with `new`.
        @usableFromInline var to: SectionPath?

        @inlinable
        init(old: Element?, from: SectionPath?, new: Element?) {
            self.old = old
            self.from = from
            self.new = new
        }
    }

    /// The sections that left (old indices) and came (new indices), ascending.
    @usableFromInline
    struct SectionChanges {
        @usableFromInline var deletions: [Batch<Element>.SectionChange] = []
        @usableFromInline var insertions: [Batch<Element>.SectionChange] = []

        @inlinable
        init() {}
    }

    /// An element that needs a new place, and which of the touched it belongs to.
    @usableFromInline
    struct Arrival {
        @usableFromInline let element: Element
        @usableFromInline let index: Int

        @inlinable
        init(_ element: Element, _ index: Int) {
            self.element = element
            self.index = index
        }

        @inlinable
        static func precedes(_ a: Arrival, _ b: Arrival) -> Bool {
            let (first, second) = (a.element, b.element)
            if first.sectionKey != second.sectionKey { return first.sectionKey < second.sectionKey }
            if first.sortKey != second.sortKey { return first.sortKey < second.sortKey }
            return first.id < second.id
        }
    }

    /// Takes every old element out, puts every new one in, and fills in the new paths.
    ///
    /// Rows leave in descending order of the old state and come in ascending order of the new one, so that each rank found
    /// on the way is final. Ids must be distinct and old elements stand where `from` says.
    @inlinable
    mutating func replace(_ touched: inout [Touched]) -> SectionChanges {
        var departures: [SectionPath] = []
        var arrivals: [Arrival] = []
        for index in touched.indices {
            settle(touched[index], index, &departures, &arrivals)
        }
        if departures.count > 1 { departures.sort(by: >) }
        if arrivals.count > 1 { arrivals.sort(by: Arrival.precedes) }
        var changes = SectionChanges()
        takeOut(departures, expecting: arrivals, &changes)
        putIn(arrivals, &touched, &changes)
        for index in touched.indices where touched[index].to == nil {
            touched[index].to = touched[index].new.flatMap { path(of: $0.id) }
        }
        return changes
    }

    /// Overwrites an element that keeps its place; notes what else has to leave or come. Keeps `places` true for the new state.
    @inlinable
    mutating func settle(
        _ touched: Touched, _ index: Int, _ departures: inout [SectionPath], _ arrivals: inout [Arrival]
    ) {
        if let from = touched.from, let old = touched.old {
            guard let new = touched.new else {
                departures.append(from)
                places[old.id] = nil
                return
            }
            if old.sharesPlace(with: new) {
                sections[from.section].elements[from.item] = new
                return
            }
            departures.append(from)
        }
        if let new = touched.new {
            arrivals.append(Arrival(new, index))
            places[new.id] = Place(of: new)
        }
    }

    /// Takes the rows out, and those sections that lost all of theirs and get none; a section that gets one stays.
    @inlinable
    mutating func takeOut(
        _ departures: [SectionPath], expecting arrivals: [Arrival], _ changes: inout SectionChanges
    ) {
        var emptied: [Int] = []
        for path in departures {
            sections[path.section].elements.remove(at: path.item)
            if sections[path.section].elements.isEmpty { emptied.append(path.section) }
        }
        for index in emptied {
            let key = sections[index].key
            let next = partitionPoint(arrivals.count) { arrivals[$0].element.sectionKey < key }
            if next < arrivals.count, arrivals[next].element.sectionKey == key { continue }
            sections.remove(at: index)
            changes.deletions.append(.init(index: index, key: key))
        }
        changes.deletions.reverse()
    }

    /// Puts the rows in, and the sections they need.
    @inlinable
    mutating func putIn(_ arrivals: [Arrival], _ touched: inout [Touched], _ changes: inout SectionChanges) {
        for arrival in arrivals {
            touched[arrival.index].to = putIn(arrival.element, &changes.insertions)
        }
    }

    /// Puts one row in, and its section if that is missing. Returns its place.
    @inlinable
    mutating func putIn(_ element: Element, _ insertions: inout [Batch<Element>.SectionChange]) -> SectionPath {
        let section = sectionRank(of: element.sectionKey)
        if !hasSection(element.sectionKey, at: section) {
            sections.insert(Section(key: element.sectionKey), at: section)
            insertions.append(.init(index: section, key: element.sectionKey))
        }
        let item = sections[section].elements.rank(of: element.sortKey, element.id)
        sections[section].elements.insert(element, at: item)
        return SectionPath(section: section, item: item)
    }
}
