import WeirModel

/// A row of the model as an entity, with a section name and a text of 30 bytes.
private struct ModelRowEntity: ModelEntity {
    let row: ModelRow
    let section: String
    let text: String

    /// Creates an entity whose strings share no memory with those of another, as a decoder does.
    init(_ row: ModelRow) {
        self.row = row
        section = "section \(row.sectionKey)"
        text = "contents \(row.contents) of a row"
    }

    var uniqueValue: ModelRow.ID { row.id }
}

extension ModelMeasurement {
    /// Measures a fetch of entities, and their difference from a list in which one percent of the rows changed.
    mutating func measureEntities(seed: UInt64) throws(BenchmarkError) {
        let orders: [(name: String, order: EntityOrder<ModelRowEntity>)] = [
            ("sorted", .ascending { $0.row.sortKey }), ("manual", .manual),
        ]
        for (name, order) in orders {
            var workload = ModelWorkload(shape, seed: seed)
            var model = EntityModel<ModelRowEntity>(
                sectionedBy: { $0.section }, sortedBy: order, sectionsSortedBy: .name)
            try measure("fetch", name, workload.rows) { (entities) throws(ModelError) in
                try model.fetch(entities)
            }
            workload.churn(shape.rows / 100)
            try measure("difference, 1 % changed", name, workload.rows) { (entities) throws(ModelError) in
                try model.apply(difference: entities)
            }
            try measure("difference, unchanged", name, workload.rows) { (entities) throws(ModelError) in
                try model.apply(difference: entities)
            }
            guard model.numberOfEntities == workload.rows.count else { throw .failed("the difference led elsewhere") }
        }
    }

    private mutating func measure(
        _ operation: String, _ order: String, _ rows: [ModelRow],
        _ body: ([ModelRowEntity]) throws(ModelError) -> Batch<EntityRow<ModelRowEntity>>?
    ) throws(BenchmarkError) {
        let entities = rows.map(ModelRowEntity.init)
        let measured = try time(1) { () throws(ModelError) in try body(entities) }
        figures.add(
            "entities, \(order): \(operation), \(shape.name)", measured.microseconds / 1e3, "ms", digits: 1, in: .others
        )
    }
}
