extension Batch {
    /// Returns the batch with the effect of this one and then `second`; `nil` if together they change nothing.
    ///
    /// It is the batch that one transaction of both would have returned: as few records and as few moves, whatever
    /// was inserted and deleted in between. No state is needed. A batch contains the elements before and after, so
    /// the net change of an id follows from the records alone. The position of a row that one of the batches does
    /// not touch follows from its position in the state between them, because untouched rows are the same sequence
    /// before and after a batch. A row that returns to its first contents is back at its position among the
    /// untouched rows, and needs no record.
    ///
    /// The result has checksums if both batches have them. O(k log k) for k records.
    ///
    /// - Throws: `badBatch` if one of the batches is not well formed, or if the second does not follow the first as far
    ///   as their records show: another element or section at a position that both name. `checksumDiffers` if the
    ///   checksums between them differ.
    @inlinable
    public func composed(with second: Batch) throws(ModelError) -> Batch? {
        try check()
        try second.check()
        if let left = checksums, let found = second.checksums, left.after != found.before {
            throw .checksumDiffers(after: false, expected: found.before, found: left.after)
        }
        let (onward, back) = (second.passage, passage.reversed)
        let sections = try sectionLinks(with: second, onward, back)
        let rows = try rowLinks(with: second, onward, back)
        var batch = Batch(
            rows.compactMap(\.touched), SectionedCollection<Element>.SectionChanges(sections.filter(\.isChange)))
        if let left = checksums, let found = second.checksums {
            batch.checksums = Checksums(before: left.before, after: found.after)
        }
        return batch.isEmpty ? nil : batch
    }
}

extension Batch {
    /// One id over two batches: its element and path before, between and after, as far as they are known.
    @usableFromInline
    struct RowLink {
        @usableFromInline typealias Stand = (element: Element, path: SectionPath)

        @usableFromInline var old: Stand?
        @usableFromInline var middle: Stand?
        @usableFromInline var new: Stand?
        /// Whether the second batch has a record for the id.
        @usableFromInline var isSettled = false

        @inlinable
        init(old: Stand?, middle: Stand?) {
            self.old = old
            self.middle = middle
        }

        /// The change that a transaction over both would contain; `nil` if nothing differs in the end.
        @inlinable
        var touched: Touched? {
            old?.element == new?.element ? nil : Touched(old, new)
        }
    }

    /// Calls `body` with the id of each record, its old element and path, and its new ones.
    @inlinable
    func forEachRow(
        _ body: (Element.ID, RowLink.Stand?, RowLink.Stand?) throws(ModelError) -> Void
    ) throws(ModelError) {
        for record in deletions { try body(record.element.id, (record.element, record.path), nil) }
        for record in insertions { try body(record.element.id, nil, (record.element, record.path)) }
        for record in moves { try body(record.old.id, (record.old, record.from), (record.new, record.to)) }
        for record in updates { try body(record.old.id, (record.old, record.from), (record.new, record.to)) }
    }

    /// Returns one link for each id that either batch names.
    @inlinable
    func rowLinks(with second: Batch, _ onward: Passage, _ back: Passage) throws(ModelError) -> [RowLink] {
        var links: [RowLink] = []
        var positions: [Element.ID: Int] = [:]
        try forEachRow { id, old, middle throws(ModelError) in
            positions[id] = links.count
            links.append(RowLink(old: old, middle: middle))
        }
        try second.forEachRow { id, middle, new throws(ModelError) in
            if let position = positions[id] {
                guard Batch.agree(links[position].middle, middle) else {
                    throw .badBatch("the second batch finds another element than the first leaves")
                }
                links[position].new = new
                links[position].isSettled = true
                return
            }
            var link = RowLink(old: nil, middle: middle)
            if let middle {
                guard let path = back.path(middle.path) else {
                    throw .badBatch("the first batch leaves another element at \(middle.path)")
                }
                link.old = (middle.element, path)
            }
            link.new = new
            link.isSettled = true
            links.append(link)
        }
        for position in links.indices where !links[position].isSettled {
            guard let middle = links[position].middle else { continue }
            guard let path = onward.path(middle.path) else {
                throw .badBatch("the second batch finds another element at \(middle.path)")
            }
            links[position].new = (middle.element, path)
        }
        return links
    }

    @inlinable
    static func agree(_ left: RowLink.Stand?, _ found: RowLink.Stand?) -> Bool {
        guard let left, let found else { return left == nil && found == nil }
        return left.path == found.path && left.element == found.element
    }
}

extension Batch {
    /// One section over two batches: its index and rank before, between and after, as far as they are known.
    @usableFromInline
    struct SectionLink {
        @usableFromInline typealias Stand = (index: Int, rank: Int64)

        @usableFromInline let key: Element.SectionKey
        @usableFromInline var old: Stand?
        @usableFromInline var middle: Stand?
        @usableFromInline var new: Stand?
        /// Whether the second batch has a record for the section.
        @usableFromInline var isSettled = false

        @inlinable
        init(key: Element.SectionKey, old: Stand?, middle: Stand?) {
            self.key = key
            self.old = old
            self.middle = middle
        }

        /// Whether the section changes. A section of both states with the same rank does not.
        @inlinable
        var isChange: Bool { old?.rank != new?.rank }
    }

    /// Calls `body` with the key of each section record, its old index and rank, and its new ones.
    @inlinable
    func forEachSection(
        _ body: (Element.SectionKey, SectionLink.Stand?, SectionLink.Stand?) throws(ModelError) -> Void
    ) throws(ModelError) {
        for record in sectionDeletions { try body(record.key, (record.index, record.rank), nil) }
        for record in sectionInsertions { try body(record.key, nil, (record.index, record.rank)) }
        for record in sectionMoves {
            try body(record.key, (record.from, record.oldRank), (record.to, record.newRank))
        }
    }

    /// Returns one link for each section that either batch names.
    @inlinable
    func sectionLinks(with second: Batch, _ onward: Passage, _ back: Passage) throws(ModelError) -> [SectionLink] {
        var links: [SectionLink] = []
        var positions: [Element.SectionKey: Int] = [:]
        try forEachSection { key, old, middle throws(ModelError) in
            positions[key] = links.count
            links.append(SectionLink(key: key, old: old, middle: middle))
        }
        try second.forEachSection { key, middle, new throws(ModelError) in
            if let position = positions[key] {
                let left = links[position].middle
                guard left?.index == middle?.index, left?.rank == middle?.rank else {
                    throw .badBatch("the second batch finds a section elsewhere than the first leaves it")
                }
                links[position].new = new
                links[position].isSettled = true
                return
            }
            var link = SectionLink(key: key, old: nil, middle: middle)
            if let middle {
                guard let index = back.section(middle.index) else {
                    throw .badBatch("the first batch leaves another section at \(middle.index)")
                }
                link.old = (index, middle.rank)
            }
            link.new = new
            link.isSettled = true
            links.append(link)
        }
        for position in links.indices where !links[position].isSettled {
            guard let middle = links[position].middle else { continue }
            guard let index = onward.section(middle.index) else {
                throw .badBatch("the second batch finds another section at \(middle.index)")
            }
            links[position].new = (index, middle.rank)
        }
        return links
    }
}

extension SectionedCollection.SectionChanges {
    /// Creates the records of these sections, each of which must be a change.
    @inlinable
    init(_ links: [Batch<Element>.SectionLink]) {
        for link in links {
            switch (link.old, link.new) {
            case (nil, nil): break
            case (let old?, nil): deletions.append(.init(index: old.index, key: link.key, rank: old.rank))
            case (nil, let new?): insertions.append(.init(index: new.index, key: link.key, rank: new.rank))
            case (let old?, let new?):
                moves.append(
                    .init(from: old.index, to: new.index, key: link.key, oldRank: old.rank, newRank: new.rank))
            }
        }
        sort()
    }
}
