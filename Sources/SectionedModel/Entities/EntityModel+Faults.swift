extension EntityModel where Entity: FaultableEntity {
    /// Drops the heavy properties of a section's entities in `items`, unless they are dropped already.
    ///
    /// The rows keep their positions, which do not depend on these properties. A model with
    /// observers does not call them for it.
    @discardableResult
    @inlinable
    public mutating func fault(at section: Int, in items: Range<Int>) throws(ModelError) -> Batch<Row>? {
        try change(items, of: section) { entity in
            guard !entity.isFault else { return false }
            entity.fault()
            return true
        }
    }

    /// Loads the dropped properties of a section's entities in `items` again.
    @discardableResult
    @inlinable
    public mutating func fire(at section: Int, in items: Range<Int>) throws(ModelError) -> Batch<Row>? {
        try change(items, of: section) { entity in
            guard entity.isFault else { return false }
            entity.fire()
            return true
        }
    }

    @inlinable
    mutating func change(
        _ items: Range<Int>, of section: Int, _ body: (inout Entity) -> Bool
    ) throws(ModelError) -> Batch<Row>? {
        guard shown.sectionKey(at: section) != nil else { throw .noSection(section) }
        var rows: [Row] = []
        for item in items {
            var row = try row(at: SectionPath(section: section, item: item))
            let id = row.id
            guard body(&row.entity) else { continue }
            guard row.id == id else { throw .changedID }
            row.revision &+= 1
            rows.append(row)
        }
        do throws(ModelError) {
            for row in rows { try shown.upsert(row) }
        } catch {
            shown.rollBack()
            throw error
        }
        return record(shown.commit())
    }
}
