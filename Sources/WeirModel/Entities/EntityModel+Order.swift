// Changes that affect the whole model at once. Everything is evaluated again, and the differences are one batch.
extension EntityModel {
    /// Changes the order of the entities in every section.
    ///
    /// Entities that are equal in the new order keep their relative order. A manual order
    /// leaves all entities where they are.
    @discardableResult
    @inlinable
    public mutating func sortEntities(by order: EntityOrder<Entity>) throws(ModelError) -> Batch<Row>? {
        let before = self.order
        entityRule = order
        do throws(ModelError) {
            return try rewrite(placement: order.isManual ? .given : .order) { row in
                row.sortKey.key = order.key(of: row.entity)
            }
        } catch {
            entityRule = before
            throw error
        }
    }

    /// Sorts the entities of one section, once. This is only useful in a manual order: any other
    /// determines the positions itself.
    @discardableResult
    @inlinable
    public mutating func sortEntities(
        atSection section: Int, by order: EntityOrder<Entity>
    ) throws(ModelError) -> Batch<Row>? {
        guard shown.sectionKey(at: section) != nil else { throw .noSection(section) }
        guard self.order.isManual else { return nil }
        let rows = shown.elements(at: section).sorted { order.precedes($0.entity, $1.entity) }
        return try commit(rows, placement: .given)
    }

    /// Groups the entities by another section key; `nil` makes one section. Rows that were moved into a section by hand
    /// return to the section that their entity names.
    @discardableResult
    @inlinable
    public mutating func groupEntities(bySectionKey key: String?) throws(ModelError) -> Batch<Row>? {
        try groupEntities(by: Self.naming(by: key))
    }

    /// Groups the entities by another section name; a `nil` name and an empty one are the same. A
    /// `nil` function makes one section.
    @discardableResult
    @inlinable
    public mutating func groupEntities(
        by name: (@Sendable (Entity) -> String?)?
    ) throws(ModelError) -> Batch<Row>? {
        sectionName = name
        return try rewrite(placement: .order) { row in
            row.ownSectionName = name?(row.entity) ?? ""
            row.sectionName = row.ownSectionName
        }
    }

    /// Changes the filter; `nil` shows all entities. Those that do not pass remain known.
    @discardableResult
    @inlinable
    public mutating func filterEntities(
        by isIncluded: (@Sendable (Entity) -> Bool)?
    ) throws(ModelError) -> Batch<Row>? {
        filter = isIncluded
        var leaving = Self.rows(of: shown)
        leaving.removeAll { isIncluded?($0.entity) ?? true }
        return try commit(leaving + Self.rows(of: hidden))
    }

    /// Changes all rows and writes them again.
    @inlinable
    mutating func rewrite(
        placement: Placement, _ change: (inout Row) -> Void
    ) throws(ModelError) -> Batch<Row>? {
        var rows = Self.rows(of: shown) + Self.rows(of: hidden)
        for index in rows.indices { change(&rows[index]) }
        return try commit(rows, placement: placement)
    }
}

extension EntityModel {
    /// Stages the ranks of new sections or, if contents decide the order, of all sections that are about to change.
    @inlinable
    mutating func stageRanks(of rows: [Row]) {
        switch sectionOrder.rule {
        case .name: break
        case .arrival:
            var names: Set<String> = []
            for row in rows
            where names.insert(row.sectionName).inserted && shown.sectionIndex(of: row.sectionName) == nil {
                setRank(nextRank, of: row.sectionName)
            }
        case .comparing(let precedes): stageRanks(precedes, all: false)
        }
    }

    /// Removes the ranks of deleted sections. A section that is inserted again is a new one.
    @inlinable
    mutating func forgetRanks(_ sections: [Batch<Row>.SectionChange]) {
        var isStaged = false
        for section in sections where shown.rank(of: section.key) != 0 {
            shown.setRank(0, of: section.key)
            isStaged = true
        }
        // The rank of a section that does not exist does not change the state, and makes no batch.
        if isStaged { _ = shown.commit() }
    }

    /// Stages ranks by the contents that the sections have after the transaction, which is
    /// therefore tried on a copy first.
    @inlinable
    mutating func stageRanks(
        _ precedes: (SectionInfo<Entity>, SectionInfo<Entity>) -> Bool, all: Bool
    ) {
        var preview = shown
        let batch = preview.commit()
        let state = EntitySnapshot(
            rows: preview.snapshot, hidden: hidden.snapshot, indexTitle: sectionIndexTitle,
            fetchBatchSize: fetchBatchSize)
        let touched = all ? Array(0..<preview.sectionCount) : batch?.touchedSections(in: preview) ?? []
        if touched.isEmpty { return }
        let untouched = SectionRanks(state: state, touched: touched)
        var newcomers = touched.compactMap { state.section(at: $0) }.sorted(by: precedes)
            .map { (info: $0, gap: untouched.gap(for: $0, precedes)) }
        newcomers.sort { $0.gap < $1.gap }
        let labelling = untouched.sequence.labelling(
            newcomers.map { .init(gap: $0.gap, present: preview.rank(of: $0.info.name)) })
        for (newcomer, rank) in zip(newcomers, labelling.newcomers) { setRank(rank, of: newcomer.info.name) }
        for (index, rank) in labelling.others {
            if let name = untouched.info(index)?.name { setRank(rank, of: name) }
        }
    }

    @inlinable
    mutating func setRank(_ rank: Int64, of name: String) {
        shown.setRank(rank, of: name)
        nextRank = max(nextRank, OrderLabels.following(rank))
    }

    /// Changes the order of the sections. All of them are evaluated again, in one batch.
    @discardableResult
    @inlinable
    public mutating func sortSections(by order: SectionOrder<Entity>) -> Batch<Row>? {
        sectionRule = order
        switch order.rule {
        // New sections will be last; present ones stay where they are.
        case .arrival: break
        case .name: for name in shown.sectionKeys { shown.setRank(0, of: name) }
        case .comparing(let precedes): stageRanks(precedes, all: true)
        }
        return record(shown.commit())
    }
}

/// The sections of a state, except for some, and the positions of others among them.
@usableFromInline
struct SectionRanks<Entity: ModelEntity> {
    @usableFromInline
    let state: EntitySnapshot<Entity>
    /// The sections to leave out, ascending.
    @usableFromInline
    let touched: [Int]

    @inlinable
    init(state: EntitySnapshot<Entity>, touched: [Int]) {
        self.state = state
        self.touched = touched
    }

    @inlinable
    var count: Int { state.numberOfSections - touched.count }

    @inlinable
    func info(_ index: Int) -> SectionInfo<Entity>? {
        state.section(at: index + partitionPoint(touched.count) { touched[$0] - $0 <= index })
    }

    @inlinable
    var sequence: LabelledSequence {
        LabelledSequence(count: count) { index in info(index).map { state.rows.rank(of: $0.name) } ?? 0 }
    }

    /// Returns the position of a section: its present one if that is allowed, otherwise the one after its equals.
    @inlinable
    func gap(
        for section: SectionInfo<Entity>, _ precedes: (SectionInfo<Entity>, SectionInfo<Entity>) -> Bool
    ) -> Int {
        let end = partitionPoint(count) { index in info(index).map { !precedes(section, $0) } ?? false }
        guard let index = state.index(of: section) else { return end }
        let present = index - partitionPoint(touched.count) { touched[$0] < index }
        guard present <= end else { return end }
        let mayStay = present == 0 || info(present - 1).map { !precedes(section, $0) } ?? false
        let isBehind = present == count || info(present).map { !precedes($0, section) } ?? false
        return mayStay && isBehind ? present : end
    }
}

extension Batch {
    /// Returns the sections that the batch changes in any way, by their indices after it, ascending.
    @inlinable
    func touchedSections(in rows: SectionedCollection<Element>) -> [Int] {
        var keys: Set<Element.SectionKey> = []
        for change in sectionInsertions { keys.insert(change.key) }
        for deletion in deletions { keys.insert(deletion.element.sectionKey) }
        for insertion in insertions { keys.insert(insertion.element.sectionKey) }
        for change in moves + updates {
            keys.insert(change.old.sectionKey)
            keys.insert(change.new.sectionKey)
        }
        return keys.compactMap { rows.sectionIndex(of: $0) }.sorted()
    }
}
