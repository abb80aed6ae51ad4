extension Batch {
    /// The batch that does what this one and then `second` do; nil when together they do nothing.
    ///
    /// It is the batch that one transaction of both would have emitted: as few records and as few moves, whatever came and
    /// went between. No state is needed for that. A batch names the elements before and after, so what is left to say of an
    /// id is known from the records alone; and where a row stood that one of the two does not touch follows from its place
    /// in the state between, for what a batch does not touch is the same sequence before and after it. A row that is back
    /// to its first contents is back at its place among the untouched, and no record.
    ///
    /// Throws `badBatch` when one of them is not well formed, or when the second does not follow the first as far as the two
    /// tell: another element or section at a place that both speak of; and `checksumDiffers`. The result has checksums when
    /// both have.
    /// O(k log k) for k records.
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
    /// What is known of one id over two batches: its element and place before, between and after.
    @usableFromInline
    struct RowLink {
        @usableFromInline typealias Stand = (element: Element, path: SectionPath)

        @usableFromInline var old: Stand?
        @usableFromInline var middle: Stand?
        @usableFromInline var new: Stand?
        /// Whether the second batch has a record of it.
        @usableFromInline var isSettled = false

        @inlinable
        init(old: Stand?, middle: Stand?) {
            self.old = old
            self.middle = middle
        }

        /// What a transaction over both would have to say; nil when nothing differs in the end.
        @inlinable
        var touched: Touched? {
            old?.element == new?.element ? nil : Touched(old, new)
        }
    }

    /// Calls `body` with what each record says of an id: where it stood, where it stands.
    @inlinable
    func forEachRow(
        _ body: (Element.ID, RowLink.Stand?, RowLink.Stand?) throws(ModelError) -> Void
    ) throws(ModelError) {
        for record in deletions { try body(record.element.id, (record.element, record.path), nil) }
        for record in insertions { try body(record.element.id, nil, (record.element, record.path)) }
        for record in moves { try body(record.old.id, (record.old, record.from), (record.new, record.to)) }
        for record in updates { try body(record.old.id, (record.old, record.from), (record.new, record.to)) }
    }

    /// One link for each id that one of the two names.
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
