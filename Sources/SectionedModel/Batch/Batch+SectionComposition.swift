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
